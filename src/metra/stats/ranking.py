"""Systems in order: by mean, z, average rank, expected wins or several metrics.

Also how much two rankings agree, and which systems cannot be told apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metra.stats.arrays import (
    Array,
    Codes,
    Mask,
    divide,
    pair_gaps,
    row_means,
    subtract_values,
)
from metra.stats.coefficients import ranks as rank_values

#: Headings of the values to order systems by; higher is better in all but average ranks.
RANKING_METHODS = {
    "mean": "mean",
    "z": "z",
    "arr": "average rank",
    "wins": "wins",
    "mixed": "mixed model",
}


class RankAgreement(NamedTuple):
    """Agreement of a ranking with the expected one; shares are in percent."""

    distance: float
    similarity: float
    precision: float
    recall: float


def mid_ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> Array:
    """Rank scores, the best first; equal scores share the mean of their ranks."""
    values = np.asarray(scores, dtype=np.float64)
    return rank_values(-values if higher_is_better else values)


def scale_rankings(values: Array) -> Array:
    """Rank the systems of rankings that may leave out systems: systems × rankings.

    `values` is rankings × systems, higher being better, NaN if not ranked. Equal
    values share the mean of their ranks. Rank r among m systems counts as r (S + 1) /
    (m + 1), its expectation among all S systems if the m were drawn at random; so a
    complete ranking counts as it is. A ranking of one system says nothing and is left out.
    """
    ranked = np.isfinite(values)
    sizes = ranked.sum(1)
    scale = (values.shape[1] + 1) / (sizes + 1)
    ranks = np.where(ranked, mid_ranks(values) * scale[:, None], np.nan)
    return ranks[sizes > 1].T


def find_partial_ranking(ranks: Sequence[float], expected: Sequence[float]) -> Array:
    """Return the most complete partial ranking that contradicts no expected order.

    Systems stay in the order of `ranks`; neighbours are tied wherever a system would stand
    above one expected to be better. What remains is as much of the order as can be
    kept.

    >>> find_partial_ranking([1, 2, 3, 4], [1, 3, 2, 4]).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    places, wanted = np.asarray(ranks, float), np.asarray(expected, float)
    levels = np.unique(places)
    # A level begins where all above are expected to be at least as good as all below.
    begins = [
        level
        for level in levels
        if wanted[places < level].max(initial=-np.inf) <= wanted[places >= level].min()
    ]
    buckets = np.searchsorted(begins, places, side="right")
    return mid_ranks(buckets, higher_is_better=False)


def compare_ranks(ranks: Sequence[float], expected: Sequence[float]) -> RankAgreement:
    """Compare a ranking with the expected one, pair by pair.

    The distance is 1 for each pair in the opposite order and 1/2 for each pair
    tied in exactly one ranking; similarity is 1 - distance / pairs. Precision is the
    share of the pairs ordered by `ranks` with the expected order; recall is the share of
    the pairs ordered by `expected`.

    >>> compare_ranks([1, 2, 3.5, 3.5], [1, 2, 3, 4]).distance
    0.5
    """
    if len(ranks) != len(expected):
        msg = f"{len(ranks)} and {len(expected)} systems are ranked; expected the same."
        raise ValueError(msg)
    orders = (np.asarray(each, np.float64) for each in (ranks, expected))
    given, wanted = (np.sign(pair_gaps(order)) for order in orders)
    agreeing, pairs = int((given * wanted > 0).sum()), len(given)
    half_tied = int(((given == 0) != (wanted == 0)).sum())
    distance = int((given * wanted < 0).sum()) + half_tied / 2

    def share(order: Array) -> float:
        whole = int(np.count_nonzero(order))
        return 100 * agreeing / whole if whole else 100.0

    similarity = 100 * (1 - distance / pairs) if pairs else 100.0
    return RankAgreement(distance, similarity, share(given), share(wanted))


def count_wins(values: Array) -> Codes:
    """Count the segments on which the row's system is above the column's.

    `values` is systems × segments, higher being better, NaN where missing.
    """
    return np.array([(subtract_values(row, values) > 0).sum(1) for row in values])


def average_wins(wins: Codes) -> Array:
    """Mean over opponents of the share of decided comparisons won: systems × systems.

    Bojar et al. 2011, WMT: expected wins.
    """
    return row_means(divide(wins, wins + wins.T))


def rank_groups(values: Array, groups: Codes) -> Array:
    """Rank systems by their means in each group of segments: systems × groups.

    Groups, such as documents, that lack a system are left out.
    """
    means = [row_means(values[:, groups == group]) for group in np.unique(groups)]
    ranks = [mid_ranks(column) for column in means if np.isfinite(column).all()]
    return np.array(ranks).reshape(-1, len(values)).T


def auto_rank(scores: Array) -> Array:
    """Put several metrics' system scores on one scale, the best at 1, the worst at n.

    `scores` is metrics × systems, higher being better. Each is centred on its median and
    divided by the span from its lower quartile to its top, so that poor outliers do not
    press the good systems together; then the metrics are averaged. Kocmi et al. 2025, WMT.
    """
    span = np.quantile(scores, 1.0, axis=1) - np.quantile(scores, 0.25, axis=1)
    centred = scores - np.median(scores, axis=1)[:, None]
    mean = (centred / np.maximum(span, 1e-9)[:, None]).mean(0)
    top, bottom = mean.max(), mean.min()
    if top == bottom:
        return np.ones(len(mean))
    return np.asarray(1 + (top - mean) / (top - bottom) * (len(mean) - 1))


def find_shared_strata(values: Array, strata: Codes) -> list[int]:
    """List the strata of the segments in which every system has a value."""
    present = np.isfinite(values)
    return [
        stratum
        for stratum in np.unique(strata).tolist()
        if present[:, strata == stratum].any(1).all()
    ]


def average_strata(values: Array, strata: Codes | None) -> Array:
    """Mean over the strata that every system has of each stratum's mean.

    >>> average_strata(np.array([[1.0, 1, 4], [2, 2, 2]]), np.array([0, 0, 1])).tolist()
    [2.5, 2.0]
    """
    if strata is None:
        return row_means(values)
    shared = find_shared_strata(values, strata)
    means = [row_means(values[:, strata == stratum]) for stratum in shared]
    return np.mean(means, axis=0) if means else np.full(len(values), np.nan)


def are_paired(values: Array) -> bool:
    """Return True if any two systems share half of the segments of the shorter one."""
    present = np.isfinite(values).astype(np.float64)
    shared = present @ present.T
    own = np.diag(shared)
    return bool((2 * shared >= np.minimum(own[:, None], own[None])).all())


@dataclass(frozen=True)
class PairwiseCounts:
    """Comparisons in which the row's system was better than the column's, or as good."""

    wins: Codes
    draws: Codes

    def of(self, kept: Mask) -> "PairwiseCounts":
        """Keep some systems."""
        return PairwiseCounts(self.wins[kept][:, kept], self.draws[kept][:, kept])

    @property
    def met(self) -> Codes:
        """Number of comparisons of two systems, in either order."""
        return self.wins + self.wins.T + self.draws
