"""What an evaluation found, as plain frozen data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metra.alignment import Alignment
from metra.detail import Finding
from metra.measure import Array, Parts


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
    alignments: Mapping[int, Sequence[Alignment]] | None = None
    #: What the measure noted, the most frequent first.
    details: Sequence[Finding] | None = None


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One system's scores by metric spec, as given."""

    name: str
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Results:
    """All systems' scores, in the order in which the systems were given."""

    systems: Sequence[SystemScores]
    segments: int
    references: int
    documents: int | None = None

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
