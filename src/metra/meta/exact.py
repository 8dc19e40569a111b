"""Tests of two metrics without drawing: pairs, Williams, Wilcoxon."""

import math

import numpy as np

from metra.meta.arrays import Array
from metra.meta.exact_products import weighted
from metra.meta.moments import pearson, ranks
from metra.meta.tail import binomial_tail, normal_tail, student_tail


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
        return np.array(
            [
                [
                    binomial_tail(int(a + b), int(a))
                    for a, b in zip(row, column, strict=True)
                ]
                for row, column in zip(counts, counts.T, strict=True)
            ]
        )
    only = weighted(right, (wrong * weights).T)
    squares = weighted(right, (wrong * weights**2).T)
    spread = np.sqrt(squares + squares.T)
    z = np.divide(only - only.T, spread, out=np.zeros(only.shape), where=spread > 0)
    return np.vectorize(normal_tail, otypes=[float])(z)


def williams_p(gold: Array, metrics: Array, *, absolute: bool = False) -> Array:
    """One-sided p-values that metric i correlates no better than j with the gold.

    Williams 1959; Graham and Baldwin 2014, EMNLP. Both metrics are of the same systems, so
    their correlation with each other counts.
    """
    there = np.isfinite(gold) & np.isfinite(metrics).all(0)
    gold, metrics = gold[there], metrics[:, there]
    with_gold = pearson(gold, metrics)
    between = pearson(metrics[:, None], metrics[None])
    if absolute:
        with_gold, between = np.abs(with_gold), np.abs(between)
    size = len(metrics)
    found = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(size):
            if i != j:
                found[i, j] = _williams(
                    float(with_gold[i]),
                    float(with_gold[j]),
                    float(between[i, j]),
                    len(gold),
                )
    return found


def _williams(r12: float, r13: float, r23: float, n: int) -> float:
    if n < 4 or not all(map(math.isfinite, (r12, r13, r23))):
        return math.nan
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    below = 2 * k * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if below <= 0:
        return 0.5 if r12 == r13 else (0.0 if r12 > r13 else 1.0)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    return student_tail(t, n - 3)


def wilcoxon_p(differences: Array) -> float:
    """One-sided signed-rank p-value that differences are not above zero; zeros are dropped.

    Wilcoxon 1945. Exact up to 25 differences without ties, else by the normal limit with the
    corrections for ties and continuity.
    """
    d = differences[np.isfinite(differences) & (differences != 0)]
    if not len(d):
        return 1.0
    places = ranks(np.abs(d))
    above = float(places[d > 0].sum())
    size = len(d)
    repeats = np.unique(places, return_counts=True)[1]
    if size <= 25 and (repeats == 1).all():
        return _exact_wilcoxon(size, round(above))
    mean = size * (size + 1) / 4
    ties = float((repeats.astype(np.float64) ** 3 - repeats).sum())
    spread = math.sqrt(size * (size + 1) * (2 * size + 1) / 24 - ties / 48)
    if spread == 0:
        return 0.5
    return normal_tail((above - mean - 0.5) / spread)


def _exact_wilcoxon(size: int, above: int) -> float:
    """P(W ≥ above): count the sets of ranks by their sum."""
    ways = [1] + [0] * (size * (size + 1) // 2)
    for rank in range(1, size + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return sum(ways[above:]) / 2**size
