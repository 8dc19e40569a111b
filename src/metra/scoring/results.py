"""What an evaluation found, as plain frozen data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from metra import __version__
from metra.metrics.options import format_value
from metra.metrics.record import Array, Parts

if TYPE_CHECKING:
    from metra.metrics.alignment import Alignment
    from metra.metrics.units import Finding


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


class SignificanceSettings(NamedTuple):
    """How systems were compared: what was tested on what, and when it counts."""

    test: str
    unit: str
    units: int
    trials: int
    seed: int
    alpha: float
    correction: str

    def signature(self) -> str:
        """Write everything that the p-values depend on in one line."""
        listed = (
            f"{key}:{format_value(getattr(self, key))}" for key in self._fields[1:]
        )
        return "|".join([self.test, *listed, f"version:{__version__}"])


class SystemComparison(NamedTuple):
    """One measure of two systems: how much they differ, and whether that means anything."""

    metric: str
    baseline: str
    system: str
    #: The system's score minus the baseline's.
    difference: float
    higher_is_better: bool
    #: Of the difference, by the bootstrap.
    interval: tuple[float, float] | None
    #: Of the difference, by the jackknife.
    standard_error: float | None
    #: The difference in standard deviations of what single units contribute to it.
    effect: float | None
    p_value: float | None
    #: The same, corrected for all comparisons by this metric.
    p_holm: float | None
    significant: bool
    #: The terms as one line.
    test: str
    #: Why there is no p-value.
    reason: str | None = None

    @property
    def gain(self) -> float:
        """How much better the system is, whichever way the measure points."""
        return self.difference if self.higher_is_better else -self.difference


@dataclass(frozen=True, slots=True)
class Results:
    """All systems' scores, in the order in which the systems were given."""

    systems: Sequence[SystemScores]
    segments: int
    references: int
    documents: int | None = None
    comparisons: Sequence[SystemComparison] = ()
    #: Where systems were compared.
    terms: SignificanceSettings | None = None
    #: By metric spec, where all pairs were compared: systems that belong together, best first.
    clusters: Mapping[str, Sequence[Sequence[str]]] | None = None
    #: Where segments were grouped: every group's scores, in the order of their keys.
    groups: Sequence[GroupScores] | None = None

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
