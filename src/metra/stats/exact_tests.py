"""Tests without drawing: rank tests, Student's, Welch's, Williams', pairs of outputs."""

import math
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from metra.stats.arrays import ROUNDING, Array, Codes, divide, subtract_values
from metra.stats.coefficients import pearson, ranks
from metra.stats.distributions import binomial_tail, normal_tail, student_tail
from metra.stats.weighted_sums import weigh_values

#: Up to so many values, rank tests count all ways in which ranks can fall.
MOST_RANKED = 25


class RankSum(NamedTuple):
    """A sum of ranks less its expectation, its variance, and its maximum."""

    above: float
    variance: float
    most: float
    #: The one-sided p-value, where all ways in which ranks can fall were counted.
    exact: float | None = None


def rank_test_p_values(
    values: Array, *, paired: bool, strata: Codes | None = None
) -> Array:
    """Return one-sided p-values that the row's system is no better than the column's.

    Paired: Wilcoxon's signed ranks on shared segments; else Mann and Whitney's rank sum.
    Identical systems get 1/2, two without a shared segment NaN. Strata, such as the domains
    of the segments, count the same each.
    """
    size = len(values)
    parts = [values]
    if strata is not None:
        parts = [values[:, strata == stratum] for stratum in np.unique(strata)]
    p = np.full((size, size), np.nan)
    for i, j in permutations(range(size), 2):
        if paired:
            sums = [signed_rank(subtract_values(part[i], part[j])) for part in parts]
        else:
            sums = [rank_sum(part[i], part[j]) for part in parts]
        p[i, j] = strata_p(sums)
    return p


def signed_rank(differences: Array) -> RankSum:
    """Wilcoxon's sum of the ranks of differences above zero; zeros and NaN are left out.

    Wilcoxon 1945; exact, ties included, up to 25 differences, else by the normal limit with
    the corrections for ties and continuity. Without any difference but zero, p is 1/2.
    """
    d = differences[np.isfinite(differences) & (differences != 0)]
    n = len(d)
    rank = ranks(np.abs(d)) if n else d
    middle = n * (n + 1) / 4
    most = 2 * middle if np.isfinite(differences).any() else math.nan
    total = float(rank[d > 0].sum())
    exact = _share_of_sums(rank, total, None) if 0 < n <= MOST_RANKED else None
    return RankSum(total - middle, float((rank**2).sum()) / 4, most, exact)


def rank_sum(a: Array, b: Array) -> RankSum:
    """Mann and Whitney's U: in how many pairs the first is above the second.

    Exact up to 25 values together, ties included.
    """
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    n, m = len(a), len(b)
    if not n or not m:
        return RankSum(0.0, 0.0, math.nan)
    together = np.concatenate([a, b])
    rank = ranks(together)
    total = float(rank[:n].sum())
    _, ties = np.unique(together, return_counts=True)
    size = n + m
    tied = float((ties.astype(np.float64) ** 3 - ties).sum())
    room = tied / (size * (size - 1))
    counted = size <= MOST_RANKED and len(ties) > 1
    exact = _share_of_sums(rank, total, n) if counted else None
    above = total - n * (size + 1) / 2
    return RankSum(above, n * m / 12 * (size + 1 - room), n * m, exact)


def _share_of_sums(rank: Array, total: float, size: int | None) -> float:
    """Return the share of sets of ranks, of one size or of any, that add up to so much."""
    halves = np.rint(2 * rank).astype(np.int64)
    count, most = len(rank), int(halves.sum())
    ways = np.zeros((count + 1, most + 1))
    ways[0, 0] = 1
    for half in halves.tolist():
        ways[1:, half:] += ways[:-1, : most + 1 - half]
    chosen = ways if size is None else ways[size : size + 1]
    return float(chosen[:, round(2 * total) :].sum() / chosen.sum())


def strata_p(sums: Sequence[RankSum]) -> float:
    """One-sided p-value of strata that count the same; of several without a half step.

    A stratum without a difference speaks for neither side.
    """
    defined = [each for each in sums if each.most == each.most]
    if not defined:
        return math.nan
    if len(defined) == 1:
        if defined[0].exact is not None:
            return defined[0].exact
        # The statistic steps by one; half a step is the limit's due.
        above, variance = defined[0].above - 0.5, defined[0].variance
    else:
        shares = [each for each in defined if each.most > 0]
        above = sum(each.above / each.most for each in shares)
        variance = sum(each.variance / each.most**2 for each in shares)
    return normal_tail(above / math.sqrt(variance)) if variance > 0 else 0.5


def welch_p_values(values: Array, units: Codes, strata: Codes | None = None) -> Array:
    """Return two-sided p-values of Welch's t that the row's mean is above the column's.

    `values` is systems × cells, NaN where missing; cells of a unit, such as a document, are
    not independent, and strata count the same each. Means below or equal have p = 1.
    """
    strata = np.zeros(len(units), np.int64) if strata is None else strata
    parts, count = len(np.unique(strata[np.isfinite(values).any(0)])), len(values)
    means, squares, freedom = np.zeros((3, count))
    for at, row in enumerate(values):
        held = np.isfinite(row)
        x, stratum, unit = row[held], strata[held], units[held]
        size = np.bincount(stratum)[stratum] * parts
        middle = parts * np.bincount(stratum, x / size)[stratum]
        sums = np.bincount(unit, (x - middle) / size)
        freedom[at] = len(np.unique(unit)) - 1
        means[at] = (x / size).sum()
        squares[at] = (sums**2).sum() * divide(freedom[at] + 1, freedom[at])
    p = np.full((count, count), np.nan)
    for i, j in permutations(range(count), 2):
        gap = float(subtract_values(means[i], means[j]))
        error = math.sqrt(squares[i] + squares[j])
        if gap == 0:
            p[i, j] = 1.0
        elif error > ROUNDING * abs(means[i]) and freedom[[i, j]].all():
            df = error**4 / (squares[[i, j]] ** 2 / freedom[[i, j]]).sum()
            p[i, j] = min(1.0, 2 * student_tail(gap / error, df))
    return p


def either_t_p_values(values: Array, units: Codes) -> Array:
    """Return one-sided p-values of the paired t-test or Welch's, whichever is smaller.

    `values` is systems × cells, NaN where missing.
    """
    p = welch_p_values(values, units) / 2
    for i, j in permutations(range(len(values)), 2):
        gaps = subtract_values(values[i], values[j])
        gaps = gaps[np.isfinite(gaps)]
        if len(gaps) > 1:
            p[i, j] = np.fmin(p[i, j], paired_t_p(gaps))
    return p


def crossed_p_values(rows: Array, kinds: Sequence[Codes]) -> Array:
    """Return two-sided p-values of t that the row's mean is above the column's.

    `rows` is systems × cells × (sum, count); `kinds` number the segment and the judge of
    each cell. The variances over both add up, less that of the cells (Cameron, Gelbach and
    Miller 2011). Means below or equal have p = 1.
    """
    totals = rows.sum(1)
    means = divide(totals[:, 0], totals[:, 1])
    shares = (rows[..., 0] - means[:, None] * rows[..., 1]) / totals[:, 1:]
    p = np.full((len(rows), len(rows)), np.nan)
    for i, j in permutations(range(len(rows)), 2):
        gap, parts = means[i] - means[j], shares[i] - shares[j]
        sums = [np.bincount(codes, parts) for codes in kinds]
        freedom = np.array([len(each) - 1 for each in sums])
        squares = np.array([(each**2).sum() for each in sums]) * (freedom + 1) / freedom
        square = max(squares.sum() - (parts**2).sum(), squares.max())
        if gap <= 0 or square <= (ROUNDING * means[i]) ** 2:
            p[i, j] = 1.0 if gap <= 0 else 0.0
            continue
        df = float(squares.sum() ** 2 / (squares**2 / freedom).sum())
        p[i, j] = min(1.0, 2 * student_tail(gap / math.sqrt(square), df))
    return p


def paired_t_p(differences: Array) -> float:
    """One-sided p-value of Student's t that two differences or more are not above zero.

    >>> round(paired_t_p(np.array([1.0, 2, 3, 2])), 4)
    0.0081
    """
    spread, mean = float(differences.std(ddof=1)), float(differences.mean())
    if spread == 0:
        return 0.0 if mean > 0 else 1.0
    size = len(differences)
    return student_tail(mean / spread * math.sqrt(size), size - 1)


def pairs_p(right: Array, weights: Array) -> Array:
    """The p-values that WMT's permutation of pairs draws, from a formula.

    `right` is metrics × pairs of outputs, 1 where a metric orders the pair as the gold does.
    Exchanging outcomes changes only the pairs that one metric has right and the other not,
    and each of these falls like a fair coin: where all weigh the same, it is a sign test
    (McNemar). Unequal weights have the normal limit. The pairs of a segment depend on each
    other, which this test does not know: it finds differences too easily.
    """
    wrong = 1 - right
    if (weights == weights[0]).all():
        # Pairs that the row alone has right: whole numbers, exact in any order.
        counts = (right @ wrong.T).astype(np.int64)
        tails = np.vectorize(binomial_tail, otypes=[float])
        return tails(counts + counts.T, counts)
    only = weigh_values(right, (wrong * weights).T)
    squares = weigh_values(right, (wrong * weights**2).T)
    spread = np.sqrt(squares + squares.T)
    z = divide(only - only.T, spread, fill=0.0)
    return np.vectorize(normal_tail, otypes=[float])(z)


def williams_p(gold: Array, metrics: Array) -> Array:
    """One-sided p-values that metric i correlates no better than j with the gold.

    Williams 1959; Graham and Baldwin 2014, EMNLP. Both metrics are of the same systems, so
    their correlation with each other counts.
    """
    present = np.isfinite(gold) & np.isfinite(metrics).all(0)
    gold, metrics = gold[present], metrics[:, present]
    with_gold = pearson(gold, metrics)
    between = pearson(metrics[:, None], metrics[None])
    size = len(metrics)
    p = np.full((size, size), np.nan)
    r, others = with_gold.tolist(), between.tolist()
    for i, j in permutations(range(size), 2):
        p[i, j] = _williams(r[i], r[j], others[i][j], len(gold))
    return p


def _williams(r12: float, r13: float, r23: float, n: int) -> float:
    if n < 4 or not all(map(math.isfinite, (r12, r13, r23))):
        return math.nan
    if r23 > 1 - ROUNDING:
        return 0.5  # one metric is a copy of the other, up to its scale
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    below = 2 * k * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if below <= 0:
        return 0.5 if r12 == r13 else (0.0 if r12 > r13 else 1.0)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    return student_tail(t, n - 3)
