"""Coefficients of rows of values, many at once; NaN is a missing value.

Pearson's and Spearman's are of the values or their ranks. Kendall's coefficients and
accuracies are functions of how many pairs agree, are opposed, or are tied; differentials
(Coughlin 2003) correlate the differences themselves.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metra.stats.arrays import Array, Codes, Mask, divide, order_pairs


def pearson(g: Array, m: Array) -> Array:
    """Pearson's r along the last axis, over the places where both have a value.

    NaN where either is constant or fewer than two places are left: there is no
    correlation then, whatever a formula may give.

    >>> round(float(pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4]))), 3)
    0.8
    """
    g, m = np.broadcast_arrays(np.asarray(g, float), np.asarray(m, float))
    present = np.isfinite(g) & np.isfinite(m)
    count = present.sum(-1)
    if not present.all():
        g, m = np.where(present, g, np.nan), np.where(present, m, np.nan)
    constant = _is_constant(g) | _is_constant(m) | (count < 2)
    dg, dm = (_centre_rows(x, present, count) for x in (g, m))
    shared = np.einsum("...i,...i", dg, dm)
    spread = np.sqrt(np.einsum("...i,...i", dg, dg) * np.einsum("...i,...i", dm, dm))
    r = np.clip(divide(shared, spread), -1.0, 1.0)
    return np.where(constant, np.nan, r)


def pearson_of_sums(sums: Array) -> Array:
    """Pearson's r of weighted values, from sums of 1, g, m, g², m² and g·m (last axis).

    Values that lie around 0 lose the fewest digits. NaN where either is constant, but for a
    trace that rounding leaves.
    """
    count, g, m, gg, mm, gm = np.moveaxis(sums, -1, 0)
    spreads = [
        (count * square - x * x, count * square) for x, square in ((g, gg), (m, mm))
    ]
    varies = np.logical_and(*(spread > 1e-12 * most for spread, most in spreads))
    below = np.sqrt(np.maximum(spreads[0][0] * spreads[1][0], 0.0))
    return np.clip(divide(count * gm - g * m, below, varies), -1.0, 1.0)


def spearman(g: Array, m: Array) -> Array:
    """Spearman's rho along the last axis: Pearson's r of the ranks, ties at their middle.

    >>> round(float(spearman(np.array([1.0, 2, 2, 4]), np.array([1.0, 3, 2, 9]))), 4)
    0.9487
    """
    g, m = np.broadcast_arrays(g, m)
    present = np.isfinite(g) & np.isfinite(m)
    if not present.all():
        g, m = np.where(present, g, np.nan), np.where(present, m, np.nan)
    return pearson(ranks(g), ranks(m))


def ranks(x: Array) -> Array:
    """Ranks along the last axis from 1 on, equal values at the middle of their places.

    >>> ranks(np.array([10.0, 30, 10, np.nan])).tolist()
    [1.5, 3.0, 1.5, nan]
    """
    order = np.argsort(x, axis=-1, kind="stable")
    ordered = np.take_along_axis(x, order, -1)
    size = x.shape[-1]
    places = np.broadcast_to(np.arange(size), x.shape)
    begins = np.ones(x.shape, bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(begins, places, 0), -1)
    ends = np.ones(x.shape, bool)
    ends[..., :-1] = begins[..., 1:]
    last = np.where(ends, places, size)
    last = np.minimum.accumulate(last[..., ::-1], -1)[..., ::-1]
    ranked = np.empty(x.shape)
    np.put_along_axis(ranked, order, (first + last) / 2 + 1, -1)
    return np.where(np.isnan(x), np.nan, ranked)


def _is_constant(x: Array) -> Mask:
    """Mark the rows whose values are all equal, NaN aside."""
    low = np.fmin.reduce(x, axis=-1, initial=np.nan)
    return low == np.fmax.reduce(x, axis=-1, initial=np.nan)


def _centre_rows(x: Array, present: Mask, count: NDArray[np.int64]) -> Array:
    total = np.where(present, x, 0.0).sum(-1)
    mean = total / np.maximum(count, 1)
    return np.where(present, x - mean[..., None], 0.0)


#: Rows up to this long are compared pair by pair, all rows at once.
SHORT = 64


@dataclass(frozen=True)
class PairCounts:
    """For each row, how many of its pairs are of which kind."""

    concordant: Array
    discordant: Array
    gold_ties: Array
    metric_ties: Array
    both_ties: Array

    @property
    def total(self) -> Array:
        """All pairs of each row."""
        ordered = self.concordant + self.discordant
        return ordered + self.gold_ties + self.metric_ties + self.both_ties


@dataclass(frozen=True)
class RowCounts(PairCounts):
    """The pairs of rows, how many values there are, and how many different ones."""

    size: Array
    gold_values: Array
    metric_values: Array


def pair_counts(g: Array, m: Array, *, eps: float | Array = 0.0) -> RowCounts:
    """Count the pairs of each row (last axis) by how gold and metric order them.

    The metric is tied where values differ by at most `eps`, one number or one for each
    row; the gold is only where equal.
    """
    g, m = np.broadcast_arrays(g, m)
    shape, size = g.shape[:-1], g.shape[-1]
    present = np.isfinite(g) & np.isfinite(m)
    rows = math.prod(shape)
    g, m = (np.where(present, x, np.nan).reshape(rows, size) for x in (g, m))
    limits = np.broadcast_to(eps, shape).reshape(rows)
    if size <= SHORT:
        first, second = np.triu_indices(size, 1)
        dg, dm = (x[:, first] - x[:, second] for x in (g, m))
        kinds = _count_kinds(dg, dm, limits[:, None])
    else:
        kept = present.reshape(rows, size)
        kinds = np.array(
            [
                _count_all(a[k], b[k], limit) if limit else _count_sorted(a[k], b[k])
                for a, b, k, limit in zip(g, m, kept, limits.tolist(), strict=True)
            ]
        ).T
    columns = [*kinds, present.sum(-1), _count_distinct(g), _count_distinct(m)]
    return RowCounts(*(np.asarray(x, np.float64).reshape(shape) for x in columns))


def tau_a(c: PairCounts) -> Array:
    """(C - D) / P: ties count as neither."""
    return divide(c.concordant - c.discordant, c.total)


def tau_b(c: PairCounts) -> Array:
    """(C - D) / sqrt((C + D + Th)(C + D + Tm)); Kendall 1945."""
    ordered = c.concordant + c.discordant
    below = np.sqrt((ordered + c.gold_ties) * (ordered + c.metric_ties))
    return divide(c.concordant - c.discordant, below)


def tau_c(c: RowCounts) -> Array:
    """2(C - D) / (n² (k-1) / k), k the smaller number of distinct values; Stuart 1953."""
    k = np.minimum(c.gold_values, c.metric_values)
    below = c.size**2 * (k - 1) / np.maximum(k, 1)
    return divide(2 * (c.concordant - c.discordant), below)


def tau_10(c: PairCounts) -> Array:
    """(C - D - Tm) / (C + D + Tm), as WMT counted in 2010: a metric's tie is an error."""
    wrong = c.discordant + c.metric_ties
    return divide(c.concordant - wrong, c.concordant + wrong)


def tau_13(c: PairCounts) -> Array:
    """(C - D) / (C + D), as WMT counted in 2013: ties are left out."""
    return divide(c.concordant - c.discordant, c.concordant + c.discordant)


def tau_14(c: PairCounts) -> Array:
    """(C - D) / (C + D + Tm), as WMT counted in 2014: a metric's tie is no gain."""
    counted = c.concordant + c.discordant + c.metric_ties
    return divide(c.concordant - c.discordant, counted)


def tau_23(c: PairCounts) -> Array:
    """(C + Thm - D - Th - Tm) / P: ties must be predicted; Deutsch et al. 2023, EMNLP."""
    return 2 * share_right(c) - 1


def share_right(c: PairCounts) -> Array:
    """(C + Thm) / P: the share of pairs ordered, or tied, as in the gold."""
    return divide(c.concordant + c.both_ties, c.total)


def darr(g: Array, m: Array, *, threshold: float = 25.0) -> tuple[Array, Array]:
    """Kendall-like tau of pairs that the gold sets at least `threshold` apart.

    A metric's tie is discordant. Gives the coefficient and the number of pairs of each row.
    Bojar et al. 2017, WMT: daRR.
    """
    g, m = np.broadcast_arrays(g, m)
    right, far = np.zeros((2, *g.shape[:-1]))
    for step in range(1, g.shape[-1]):
        # Every pair of places that are `step` apart, in all rows at once.
        dg, dm = (x[..., step:] - x[..., :-step] for x in (g, m))
        apart = (np.abs(dg) >= threshold) & np.isfinite(dm)
        far += apart.sum(-1)
        right += (apart & (order_pairs(dg) == order_pairs(dm))).sum(-1)
    return divide(2 * right - far, far), far


def _count_kinds(dg: Array, dm: Array, eps: float | Array) -> Codes:
    """Count the pairs of each kind along the last axis, from their differences."""
    gold, metric = order_pairs(dg), order_pairs(dm, eps)
    agreement = gold * metric
    gold_tied, tied = gold == 0, metric == 0
    both = gold_tied & tied
    kinds = [agreement > 0, agreement < 0, gold_tied ^ both, tied ^ both, both]
    return np.stack([np.count_nonzero(kind, axis=-1) for kind in kinds])


def _count_all(a: Array, b: Array, eps: float) -> list[int]:
    """Count pair by pair, where ties are not only of equal values."""
    kinds = np.zeros(5, np.int64)
    for place in range(len(a) - 1):
        dg, dm = (x[place + 1 :] - x[place] for x in (a, b))
        kinds += _count_kinds(dg, dm, eps)
    return kinds.tolist()


def _count_sorted(a: Array, b: Array) -> list[int]:
    """Count by sorting (Knight 1966), n log n."""
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    discordant = _count_inversions(b)
    total = len(a) * (len(a) - 1) // 2
    new_a, new_b = np.diff(a) != 0, np.diff(b) != 0
    in_a, in_b = _count_ties(new_a), _count_ties(np.diff(np.sort(b)) != 0)
    both = _count_ties(new_a | new_b)
    concordant = total - discordant - in_a - in_b + both
    return [concordant, discordant, in_a - both, in_b - both, both]


def _count_inversions(x: Array) -> int:
    """Count the pairs in falling order, bit by bit of the values' ranks.

    Values are parted by each bit of their rank, from the highest on; a pair falls at the
    bit where its ranks part, if the one with the bit set stands first.
    """
    code = np.unique(x, return_inverse=True)[1].astype(np.int64)
    inversions = 0
    for bit in range(int(code.max(initial=0)).bit_length() - 1, -1, -1):
        high = (code >> bit) & 1
        group = code >> (bit + 1)
        ones = np.cumsum(high) - high
        begins = np.concatenate([[True], group[1:] != group[:-1]])
        before = ones[np.flatnonzero(begins)][np.cumsum(begins) - 1]
        inversions += int(((ones - before) * (1 - high)).sum())
        code = code[np.argsort(code >> bit, kind="stable")]
    return inversions


def _count_ties(new: Array) -> int:
    """Count the pairs of equal values in order, from which of them differ from the last."""
    runs = np.diff(np.flatnonzero(np.concatenate([[True], new, [True]])))
    return int((runs * (runs - 1) // 2).sum())


def _count_distinct(x: Array) -> Array:
    ordered = np.sort(x, axis=1)
    new = np.isfinite(ordered)
    new[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    return new.sum(1)


def differentials(g: Array, m: Array) -> Array:
    """Pearson's r of the differences between all pairs of systems, along the last axis.

    The system that people like better stands first; pairs that they find equal have no
    first one and are left out.
    """
    first, second = np.triu_indices(g.shape[-1], 1)
    dg, dm = (x[..., first] - x[..., second] for x in (g, m))
    order = order_pairs(dg)
    sign = np.where(order == 0, np.nan, order)
    return pearson(dg * sign, dm * sign)


def within_segments(g: Array, m: Array) -> Array:
    """Pearson's r of all differences between systems within segments: (systems, segments).

    All ordered pairs of all segments make one sample, as in mt-metrics-eval's PDP.
    """
    present = np.isfinite(g) & np.isfinite(m)
    count = present.sum(-2)
    x, y = np.where(present, g, 0.0), np.where(present, m, 0.0)

    def sum_products(a: Array, b: Array) -> Array:
        each = count * (a * b).sum(-2) - a.sum(-2) * b.sum(-2)
        return each.sum(-1)

    below = np.sqrt(sum_products(x, x) * sum_products(y, y))
    return divide(sum_products(x, y), below)
