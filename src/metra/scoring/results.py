"""What an evaluation found, as plain frozen data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metra.metrics.record import Array, Parts

if TYPE_CHECKING:
    from metra.metrics.alignment import Alignment
    from metra.metrics.units import Finding
    from metra.scoring.compare import SignificanceSettings, SystemComparison


@dataclass(frozen=True, slots=True)
class Score:
    """One measure of one system, at every level that was asked for."""

    score: float
    signature: str
    higher_is_better: bool
    interval: tuple[float, float] | None = None
    parts: Parts = field(default_factory=dict)
    documents: Mapping[str, float] | None = None
    segments: Array | None = None
    #: Where single segments are scored by another configuration than the corpus.
    segment_signature: str | None = None
    #: By segment, counted from 1: the alignment with each reference that is there.
    alignments: "Mapping[int, Sequence[Alignment]] | None" = None
    #: What the measure noted, the most frequent first.
    details: "Sequence[Finding] | None" = None


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One system's scores by metric spec, as given."""

    name: str
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class GroupScores:
    """The systems' scores on the segments of one group."""

    #: What the group's segments have in common: values by column.
    key: Mapping[str, object]
    segments: int
    systems: Sequence[SystemScores]


@dataclass(frozen=True, slots=True)
class Results:
    """All systems' scores, in the order in which the systems were given."""

    systems: Sequence[SystemScores]
    segments: int
    references: int
    documents: int | None = None
    comparisons: "Sequence[SystemComparison]" = ()
    #: Where systems were compared.
    terms: "SignificanceSettings | None" = None
    #: By metric spec, where all pairs were compared: systems that belong together, best first.
    clusters: Mapping[str, Sequence[Sequence[str]]] | None = None
    #: Where segments were grouped: every group's scores, in the order of their keys.
    groups: Sequence[GroupScores] | None = None
    #: How tables were read, by path, where that had to be recognised.
    layouts: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, system: str) -> Mapping[str, Score]:
        """Give a system's scores by spec."""
        for entry in self.systems:
            if entry.name == system:
                return entry.scores
        raise KeyError(system)

    @property
    def specs(self) -> list[str]:
        """List the metric specs, as given."""
        return list(self.systems[0].scores)

    def ranked(self, spec: str) -> list[SystemScores]:
        """List the systems, the best by this metric first, those without a score last."""
        sign = -1 if self.systems[0].scores[spec].higher_is_better else 1

        def place(entry: SystemScores) -> tuple[bool, float]:
            score = entry.scores[spec].score
            return score != score, sign * score

        return sorted(self.systems, key=place)
