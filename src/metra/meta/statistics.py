"""Additive statistics of every system's segments: what corpus scores are pooled from.

A corpus score such as BLEU is no mean of segment scores. Where the statistics are kept,
any choice of segments (a resample, a pseudo-document) is scored as a corpus would be.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metra.meta.arrays import Array


@dataclass(frozen=True)
class Statistics:
    """Systems × segments × columns, and how totals over segments become a score."""

    rows: Array
    aggregate: Callable[[Array], Array]
    higher_is_better: bool = True

    def pooled(self, weights: Array) -> Array:
        """Score each weighting of the segments: (draws, segments) to (draws, systems).

        Higher is better in what is given, whatever the measure's direction.
        """
        totals = np.stack([weights @ rows for rows in self.rows], axis=1)
        scores = self.aggregate(totals)
        return scores if self.higher_is_better else -scores

    def of_systems(self, keep: NDArray[Any]) -> "Statistics":
        """Keep some systems only."""
        return replace(self, rows=self.rows[keep])
