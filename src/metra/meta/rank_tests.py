"""Tests of ranks: Wilcoxon's for pairs, Mann and Whitney's for two samples.

Both by the normal limit with ties corrected for and the statistic moved half a step towards
its mean. For small samples that is an approximation; ten pairs or more make it a fair one.

Of several strata, such as domains, each counts the same however many segments it has: the
statistics are averaged as shares of what they can reach at most, as van Elteren 1960 adds up
rank sums.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metra.meta.arrays import Array
from metra.meta.moments import ranks
from metra.meta.tail import normal_tail


class RankSum(NamedTuple):
    """How far a sum of ranks is above what chance gives, its variance, and its most."""

    above: float
    variance: float
    most: float


def signed_rank_p(differences: Array) -> float:
    """One-sided p-value that differences are not above zero; zeros are left out.

    NaN stands for a missing difference. Without any difference but zero, p is 1/2.

    >>> round(signed_rank_p(np.array([3.0, 1, 2, 5, -1, 4, 6, 7])), 4)
    0.0124
    """
    return _p(signed_rank(differences))


def rank_sum_p(a: Array, b: Array) -> float:
    """One-sided p-value that a is not above b: two samples that are not paired.

    >>> round(rank_sum_p(np.array([4.0, 5, 6, 7]), np.array([1.0, 2, 3, 4])), 4)
    0.021
    """
    return _p(rank_sum(a, b))


def signed_rank(differences: Array) -> RankSum:
    """Wilcoxon's sum of the ranks of differences above zero."""
    d = differences[np.isfinite(differences) & (differences != 0)]
    n = len(d)
    rank = ranks(np.abs(d)) if n else d
    middle = n * (n + 1) / 4
    there = bool(np.isfinite(differences).any())
    return RankSum(
        float(rank[d > 0].sum()) - middle,
        float((rank**2).sum()) / 4,
        2 * middle if there else math.nan,
    )


def rank_sum(a: Array, b: Array) -> RankSum:
    """Mann and Whitney's U: in how many pairs the first is above the second."""
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    n, m = len(a), len(b)
    if not n or not m:
        return RankSum(0.0, 0.0, math.nan)
    together = np.concatenate([a, b])
    above = float(ranks(together)[:n].sum()) - n * (n + 1) / 2
    _, ties = np.unique(together, return_counts=True)
    size = n + m
    tied = float((ties.astype(np.float64) ** 3 - ties).sum())
    room = tied / (size * (size - 1)) if size > 1 else 0.0
    return RankSum(above - n * m / 2, n * m / 12 * (size + 1 - room), n * m)


def strata_p(sums: Sequence[RankSum]) -> float:
    """One-sided p-value of several strata that count the same; without a half step.

    A stratum without a difference speaks for neither side.

    >>> one = signed_rank(np.array([3.0, 1, 2, 5, -1, 4, 6, 7]))
    >>> round(strata_p([one, one]), 4)
    0.0005
    """
    known = [each for each in sums if each.most == each.most]
    if len(known) == 1:
        return _p(known[0])
    if not known:
        return math.nan
    shares = [each for each in known if each.most > 0]
    variance = sum(each.variance / each.most**2 for each in shares)
    if variance <= 0:
        return 0.5
    return normal_tail(sum(e.above / e.most for e in shares) / math.sqrt(variance))


def _p(one: RankSum) -> float:
    if one.most != one.most:
        return math.nan
    if one.variance <= 0:
        return 0.5
    # The statistic steps by one; half a step is the limit's due.
    return normal_tail((one.above - 0.5) / math.sqrt(one.variance))
