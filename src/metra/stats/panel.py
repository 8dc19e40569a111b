"""Scores lined up for comparison: a gold scorer's values beside the metrics', as arrays."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from metra.errors import CorpusError
from metra.stats.arrays import Array, Codes, Mask
from metra.stats.weighted_sums import WeightedValues


@dataclass(frozen=True)
class ScorePanel:
    """Systems × segments of the gold and of each metric; higher is better in all of them.

    `gold` is NaN where a cell is not compared. System scores are those that were given
    for whole systems, else means over the compared cells.
    """

    systems: tuple[str, ...]
    #: What was scored, segment by segment, as the table of scores names it.
    items: tuple[Hashable, ...]
    gold_name: str
    gold: Array
    metrics: Mapping[str, Array]
    system_gold: Array
    system_metrics: Mapping[str, Array]
    #: The scorers, gold among them, whose system scores are not means over segments.
    given: frozenset[str] = frozenset()
    statistics: Mapping[str, "SegmentStatistics"] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    lang: str = ""

    @property
    def place(self) -> str:
        """Prefix of notes and captions if there are several language pairs."""
        return f"{self.lang}: " if self.lang else ""

    @property
    def names(self) -> list[str]:
        """The metrics' names."""
        return list(self.metrics)

    def of_metrics(self, names: Sequence[str]) -> "ScorePanel":
        """Keep some metrics, in the order given."""
        return replace(
            self,
            metrics={name: self.metrics[name] for name in names},
            system_metrics={name: self.system_metrics[name] for name in names},
        )

    @property
    def compared(self) -> int:
        """The number of segments with at least one compared cell."""
        return int(np.isfinite(self.gold).any(0).sum())

    def number_documents(self) -> Codes:
        """Return the number of each segment's document; refuse segments without one."""
        names = [getattr(item, "document", "") for item in self.items]
        if not names or not all(names):
            msg = (
                f"{names.count('')} of {len(names)} segments have no document, so a "
                "test cannot resample documents; use segments."
            )
            raise CorpusError(msg)
        return np.unique(names, return_inverse=True)[1]

    @property
    def stack(self) -> Array:
        """All metrics as metrics × systems × segments."""
        return np.stack(list(self.metrics.values()))

    @property
    def system_stack(self) -> Array:
        """All metrics' system scores as metrics × systems."""
        return np.stack(list(self.system_metrics.values()))


@dataclass(frozen=True)
class SegmentStatistics:
    """Systems × segments × columns, and how totals over segments become a score."""

    rows: Array
    aggregate: Callable[[Array], Array]
    higher_is_better: bool = True
    systems: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()

    @cached_property
    def _values(self) -> list[WeightedValues]:
        return [WeightedValues(rows) for rows in self.rows]

    def score_weightings(self, weights: Array) -> Array:
        """Score each weighting of the segments: (draws, segments) to (draws, systems).

        Higher scores are better, whatever the metric's direction.
        """
        totals = np.stack([rows.sum_weighted(weights) for rows in self._values], axis=1)
        scores = self.aggregate(totals)
        return scores if self.higher_is_better else -scores

    def align_segments(
        self, systems: Sequence[str], segments: Sequence[str], present: Mask
    ) -> "SegmentStatistics":
        """Put systems and segments in an order; cells not `present` count nothing."""
        unknown = [name for name in systems if name not in self.systems]
        if unknown:
            msg = f"No statistics for the system {unknown[0]!r}."
            raise CorpusError(msg)
        place = {name: at for at, name in enumerate(self.segments)}
        rows = np.zeros((len(systems), len(segments), self.rows.shape[2]))
        filled = [at for at, name in enumerate(segments) if name in place]
        columns = [place[segments[at]] for at in filled]
        chosen = [self.systems.index(name) for name in systems]
        rows[:, filled] = self.rows[np.ix_(chosen, columns)]
        return replace(
            self,
            rows=rows * present[..., None],
            systems=tuple(systems),
            segments=tuple(segments),
        )
