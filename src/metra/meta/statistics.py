"""Additive statistics of every system's segments: what corpus scores are pooled from.

A corpus score such as BLEU is no mean of segment scores. Where the statistics are kept,
any choice of segments (a resample, a pseudo-document) is scored as a corpus would be.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metra.errors import CorpusError
from metra.meta.arrays import Array, Mask
from metra.meta.exact_products import Values


@dataclass(frozen=True)
class Statistics:
    """Systems × segments × columns, and how totals over segments become a score."""

    rows: Array
    aggregate: Callable[[Array], Array]
    higher_is_better: bool = True
    systems: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()

    @cached_property
    def _values(self) -> list[Values]:
        return [Values(rows) for rows in self.rows]

    def pooled(self, weights: Array) -> Array:
        """Score each weighting of the segments: (draws, segments) to (draws, systems).

        Higher is better in what is given, whatever the measure's direction.
        """
        totals = np.stack([rows.weighted(weights) for rows in self._values], axis=1)
        scores = self.aggregate(totals)
        return scores if self.higher_is_better else -scores

    def aligned(
        self, systems: Sequence[str], segments: Sequence[str], there: Mask
    ) -> "Statistics":
        """Put systems and segments in an order; what is not `there` counts nothing."""
        unknown = [name for name in systems if name not in self.systems]
        if unknown:
            msg = f"There are no statistics of the system {unknown[0]!r}."
            raise CorpusError(msg)
        place = {name: at for at, name in enumerate(self.segments)}
        rows = np.zeros((len(systems), len(segments), self.rows.shape[2]))
        known = [at for at, name in enumerate(segments) if name in place]
        columns = [place[segments[at]] for at in known]
        chosen = [self.systems.index(name) for name in systems]
        rows[:, known] = self.rows[np.ix_(chosen, columns)]
        return replace(
            self,
            rows=rows * there[..., None],
            systems=tuple(systems),
            segments=tuple(segments),
        )
