"""Tests of ranks: Wilcoxon's for pairs, Mann and Whitney's for two samples.

Both by the normal limit with ties corrected for and the statistic moved half a step towards
its mean. For small samples that is an approximation; ten pairs or more make it a fair one.
"""

import math

import numpy as np

from metra.meta.arrays import Array
from metra.meta.moments import ranks
from metra.meta.tail import normal_tail


def signed_rank_p(differences: Array) -> float:
    """One-sided p-value that differences are not above zero; zeros are left out.

    NaN stands for a missing difference. Without any difference but zero, p is 1/2.

    >>> round(signed_rank_p(np.array([3.0, 1, 2, 5, -1, 4, 6, 7])), 4)
    0.0124
    """
    d = differences[np.isfinite(differences) & (differences != 0)]
    n = len(d)
    if not n:
        return 0.5
    rank = ranks(np.abs(d))
    above = float(rank[d > 0].sum())
    variance = float((rank**2).sum()) / 4
    return _tail(above - n * (n + 1) / 4, variance)


def rank_sum_p(a: Array, b: Array) -> float:
    """One-sided p-value that a is not above b: two samples that are not paired.

    >>> round(rank_sum_p(np.array([4.0, 5, 6, 7]), np.array([1.0, 2, 3, 4])), 4)
    0.021
    """
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    n, m = len(a), len(b)
    if not n or not m:
        return float("nan")
    together = np.concatenate([a, b])
    above = float(ranks(together)[:n].sum()) - n * (n + 1) / 2
    _, ties = np.unique(together, return_counts=True)
    size = n + m
    tied = float((ties.astype(np.float64) ** 3 - ties).sum())
    room = tied / (size * (size - 1)) if size > 1 else 0.0
    return _tail(above - n * m / 2, n * m / 12 * (size + 1 - room))


def _tail(off: float, variance: float) -> float:
    if variance <= 0:
        return 0.5
    # The statistic steps by one; half a step is the limit's due.
    return normal_tail((off - 0.5) / math.sqrt(variance))
