"""Pairs of values in the order of two scorers: agreeing, opposed, or tied.

Kendall's coefficients and accuracies are functions of how many pairs are of which kind;
differentials (Coughlin 2003) correlate the differences themselves.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from metra.stats.arrays import Array, divide
from metra.stats.moments import pearson

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
    """The pairs of rows, and how many values there are."""

    size: Array
    #: Distinct values in the row of gold and of metric.
    gold_values: Array
    metric_values: Array


def pair_counts(g: Array, m: Array, *, eps: float | Array = 0.0) -> RowCounts:
    """Count the pairs of each row (last axis) by how gold and metric order them.

    The metric is tied where values differ by at most `eps`, one number or one for each
    row; the gold is only where equal.
    """
    g, m = np.broadcast_arrays(g, m)
    shape, size = g.shape[:-1], g.shape[-1]
    there = np.isfinite(g) & np.isfinite(m)
    rows = math.prod(shape)
    g = np.where(there, g, np.nan).reshape(rows, size)
    m = np.where(there, m, np.nan).reshape(rows, size)
    limits = np.broadcast_to(eps, shape).reshape(rows)
    if size <= SHORT:
        kinds = _short(g, m, limits[:, None])
    else:
        kinds = np.array(
            [
                (_wide if limit else _long)(*_whole(a, b), limit)
                for a, b, limit in zip(g, m, limits.tolist(), strict=True)
            ]
        ).T
    columns = [*kinds, there.sum(-1), _distinct(g), _distinct(m)]
    return RowCounts(*(np.asarray(x, np.float64).reshape(shape) for x in columns))


def kendall_a(g: Array, m: Array) -> Array:
    """(C - D) / P: ties count as neither."""
    return tau_a(pair_counts(g, m))


def kendall_b(g: Array, m: Array) -> Array:
    """(C - D) / sqrt((C + D + Th)(C + D + Tm)); Kendall 1945."""
    return tau_b(pair_counts(g, m))


def kendall_c(g: Array, m: Array) -> Array:
    """2(C - D) / (n² (k-1) / k), k the smaller number of distinct values; Stuart 1953."""
    c = pair_counts(g, m)
    k = np.minimum(c.gold_values, c.metric_values)
    below = c.size**2 * (k - 1) / np.maximum(k, 1)
    return divide(2 * (c.concordant - c.discordant), below)


def kendall_10(g: Array, m: Array) -> Array:
    """(C - D - Tm) / (C + D + Tm), as WMT counted in 2010: a metric's tie is an error."""
    return tau_10(pair_counts(g, m))


def kendall_13(g: Array, m: Array) -> Array:
    """(C - D) / (C + D), as WMT counted in 2013: ties are left out."""
    return tau_13(pair_counts(g, m))


def kendall_14(g: Array, m: Array) -> Array:
    """(C - D) / (C + D + Tm), as WMT counted in 2014: a metric's tie is no gain."""
    return tau_14(pair_counts(g, m))


def kendall_23(g: Array, m: Array, *, eps: float | Array = 0.0) -> Array:
    """(C + Thm - D - Th - Tm) / P: ties must be predicted; Deutsch et al. 2023, EMNLP."""
    return tau_23(pair_counts(g, m, eps=eps))


def accuracy(g: Array, m: Array, *, eps: float | Array = 0.0) -> Array:
    """(C + Thm) / P: the share of pairs that are ordered, or tied, as in the gold."""
    return share_right(pair_counts(g, m, eps=eps))


def tau_a(c: PairCounts) -> Array:
    """Return (C - D) / P of each row."""
    return divide(c.concordant - c.discordant, c.total)


def tau_b(c: PairCounts) -> Array:
    """Return Kendall's tau-b of each row."""
    ordered = c.concordant + c.discordant
    below = np.sqrt((ordered + c.gold_ties) * (ordered + c.metric_ties))
    return divide(c.concordant - c.discordant, below)


def tau_10(c: PairCounts) -> Array:
    """Return the tau of WMT 2010 of each row."""
    wrong = c.discordant + c.metric_ties
    return divide(c.concordant - wrong, c.concordant + wrong)


def tau_13(c: PairCounts) -> Array:
    """Return the tau of WMT 2013 of each row."""
    return divide(c.concordant - c.discordant, c.concordant + c.discordant)


def tau_14(c: PairCounts) -> Array:
    """Return the tau of WMT 2014 of each row."""
    counted = c.concordant + c.discordant + c.metric_ties
    return divide(c.concordant - c.discordant, counted)


def tau_23(c: PairCounts) -> Array:
    """Return the tau that rewards predicted ties of each row."""
    return 2 * share_right(c) - 1


def share_right(c: PairCounts) -> Array:
    """Return the share of pairs that are ordered, or tied, as in the gold."""
    return divide(c.concordant + c.both_ties, c.total)


def darr(g: Array, m: Array, *, threshold: float = 25.0) -> tuple[Array, Array]:
    """Kendall-like tau of pairs that the gold sets at least `threshold` apart.

    A metric's tie is discordant. Gives the coefficient and the number of pairs of each row.
    Bojar et al. 2017, WMT: daRR.
    """
    g, m = np.broadcast_arrays(g, m)
    shape, size = g.shape[:-1], g.shape[-1]
    rows = math.prod(shape)
    g, m = g.reshape(rows, size), m.reshape(rows, size)
    right, far = np.zeros(len(g)), np.zeros(len(g))
    for step in range(1, size):
        # Every pair of places that are `step` apart, in all rows at once.
        dg, dm = g[:, step:] - g[:, :-step], m[:, step:] - m[:, :-step]
        apart = (np.abs(dg) >= threshold) & np.isfinite(dm)
        far += apart.sum(1)
        right += (apart & (np.sign(dg) == np.sign(dm))).sum(1)
    return divide(2 * right - far, far).reshape(shape), far.reshape(shape)


def _short(g: Array, m: Array, eps: Array) -> Array:
    first, second = np.triu_indices(g.shape[1], 1)
    dg = g[:, first] - g[:, second]
    dm = m[:, first] - m[:, second]
    there = np.isfinite(dg)
    gold_tied = dg == 0
    tied = np.abs(dm) <= eps
    agree = (np.sign(dg) == np.sign(dm)) & ~gold_tied & ~tied & there
    both = gold_tied & tied
    return np.stack(
        [
            agree.sum(1),
            (there & ~gold_tied & ~tied & ~agree).sum(1),
            (gold_tied & ~tied).sum(1),
            (tied & ~gold_tied & there).sum(1),
            both.sum(1),
        ]
    )


def _whole(a: Array, b: Array) -> tuple[Array, Array]:
    there = np.isfinite(a) & np.isfinite(b)
    return a[there], b[there]


def _long(a: Array, b: Array, _: float) -> list[int]:
    """Count by sorting (Knight 1966), n log n."""
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    discordant = _inversions(b)
    total = len(a) * (len(a) - 1) // 2
    in_a, in_b = _count_ties(a), _count_ties(np.sort(b))
    both = _tied_pairs(a, b)
    concordant = total - discordant - in_a - in_b + both
    return [concordant, discordant, in_a - both, in_b - both, both]


def _wide(a: Array, b: Array, eps: float) -> list[int]:
    """Count pair by pair, where ties are not only of equal values."""
    kinds = np.zeros(5, np.int64)
    for place in range(len(a) - 1):
        dg, dm = a[place + 1 :] - a[place], b[place + 1 :] - b[place]
        gold_tied, tied = dg == 0, np.abs(dm) <= eps
        neither = ~(gold_tied | tied)
        agree = neither & ((dg > 0) == (dm > 0))
        kinds += [
            agree.sum(),
            neither.sum() - agree.sum(),
            (gold_tied & ~tied).sum(),
            (tied & ~gold_tied).sum(),
            (gold_tied & tied).sum(),
        ]
    return kinds.tolist()


def _inversions(x: Array) -> int:
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


def _count_ties(ordered: Array) -> int:
    runs = np.diff(
        np.flatnonzero(np.concatenate([[True], np.diff(ordered) != 0, [True]]))
    )
    return int((runs * (runs - 1) // 2).sum())


def _tied_pairs(a: Array, b: Array) -> int:
    """Count the pairs equal in both; they stand beside each other."""
    same = (np.diff(a) == 0) & (np.diff(b) == 0)
    runs = np.diff(np.flatnonzero(np.concatenate([[True], ~same, [True]])))
    return int((runs * (runs - 1) // 2).sum())


def _distinct(x: Array) -> Array:
    ordered = np.sort(x, axis=1)
    there = np.isfinite(ordered)
    new = np.ones(x.shape, bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return (new & there).sum(1)


Orient: TypeAlias = Literal["gold", "both"]


def differences(g: Array, m: Array, *, orient: Orient = "gold") -> tuple[Array, Array]:
    """Differences of all pairs of systems: (…, systems) to (…, pairs), gold and metric.

    With `gold` the system that people like better stands first; pairs that they find
    equal have no first one and are NaN. With `both`, every pair stands in both orders.
    """
    first, second = np.triu_indices(g.shape[-1], 1)
    dg = g[..., first] - g[..., second]
    dm = m[..., first] - m[..., second]
    if orient == "both":
        return np.concatenate([dg, -dg], -1), np.concatenate([dm, -dm], -1)
    sign = np.where(dg == 0, np.nan, np.sign(dg))
    dg, dm = np.broadcast_arrays(dg * sign, dm * sign)
    return dg, dm


def differentials(g: Array, m: Array, *, orient: Orient = "gold") -> Array:
    """Pearson's r of the differences between systems, along the last axis.

    Taken in both orders it is the plain Pearson's r, which is why the order matters.
    """
    return pearson(*differences(g, m, orient=orient))


def within_segments(g: Array, m: Array) -> Array:
    """Pearson's r of all differences between systems within segments: (systems, segments).

    All ordered pairs of all segments make one sample, as in mt-metrics-eval's PDP.
    """
    there = np.isfinite(g) & np.isfinite(m)
    count = there.sum(-2)
    x, y = np.where(there, g, 0.0), np.where(there, m, 0.0)

    def sum_products(a: Array, b: Array) -> Array:
        each = count * (a * b).sum(-2) - a.sum(-2) * b.sum(-2)
        return each.sum(-1)

    below = np.sqrt(sum_products(x, x) * sum_products(y, y))
    above = sum_products(x, y)
    return divide(above, below)
