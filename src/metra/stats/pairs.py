"""Pairs of a row in the order of two scorers: agreeing, opposed, or tied in one or both.

Correlation of differences: between systems (Coughlin 2003) and within segments.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from metra.stats.arrays import Array
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
    return _tau_a(pair_counts(g, m))


def kendall_b(g: Array, m: Array) -> Array:
    """(C - D) / sqrt((C + D + Th)(C + D + Tm)); Kendall 1945."""
    return _tau_b(pair_counts(g, m))


def kendall_c(g: Array, m: Array) -> Array:
    """2(C - D) / (n² (k-1) / k), k the smaller number of distinct values; Stuart 1953."""
    c = pair_counts(g, m)
    k = np.minimum(c.gold_values, c.metric_values)
    below = c.size**2 * (k - 1) / np.maximum(k, 1)
    return _over(2 * (c.concordant - c.discordant), below)


def kendall_10(g: Array, m: Array) -> Array:
    """(C - D - Tm) / (C + D + Tm), as WMT counted in 2010: a metric's tie is an error."""
    return _tau_10(pair_counts(g, m))


def kendall_13(g: Array, m: Array) -> Array:
    """(C - D) / (C + D), as WMT counted in 2013: ties are left out."""
    return _tau_13(pair_counts(g, m))


def kendall_14(g: Array, m: Array) -> Array:
    """(C - D) / (C + D + Tm), as WMT counted in 2014: a metric's tie is no gain."""
    return _tau_14(pair_counts(g, m))


def kendall_23(g: Array, m: Array, *, eps: float | Array = 0.0) -> Array:
    """(C + Thm - D - Th - Tm) / P: ties must be predicted; Deutsch et al. 2023, EMNLP."""
    return _tau_23(pair_counts(g, m, eps=eps))


def accuracy(g: Array, m: Array, *, eps: float | Array = 0.0) -> Array:
    """(C + Thm) / P: the share of pairs that are ordered, or tied, as in the gold."""
    return _right(pair_counts(g, m, eps=eps))


def _tau_a(c: PairCounts) -> Array:
    return _over(c.concordant - c.discordant, c.total)


def _tau_b(c: PairCounts) -> Array:
    ordered = c.concordant + c.discordant
    below = np.sqrt((ordered + c.gold_ties) * (ordered + c.metric_ties))
    return _over(c.concordant - c.discordant, below)


def _tau_10(c: PairCounts) -> Array:
    wrong = c.discordant + c.metric_ties
    return _over(c.concordant - wrong, c.concordant + wrong)


def _tau_13(c: PairCounts) -> Array:
    return _over(c.concordant - c.discordant, c.concordant + c.discordant)


def _tau_14(c: PairCounts) -> Array:
    counted = c.concordant + c.discordant + c.metric_ties
    return _over(c.concordant - c.discordant, counted)


def _tau_23(c: PairCounts) -> Array:
    return 2 * _right(c) - 1


def _right(c: PairCounts) -> Array:
    return _over(c.concordant + c.both_ties, c.total)


#: Coefficients of which the kinds of pairs are all that needs to be known.
OF_COUNTS: dict[str, Callable[[PairCounts], Array]] = {
    "kendall-a": _tau_a,
    "kendall-b": _tau_b,
    "tau10": _tau_10,
    "tau13": _tau_13,
    "tau14": _tau_14,
    "tau23": _tau_23,
    "acc_eq": _right,
    "acc*_eq": _right,
    "accuracy": _right,
}


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
    for at in range(1, size):
        # Every pair of places that are `at` apart, in all rows at once.
        dg, dm = g[:, at:] - g[:, :-at], m[:, at:] - m[:, :-at]
        apart = (np.abs(dg) >= threshold) & np.isfinite(dm)
        far += apart.sum(1)
        right += (apart & (np.sign(dg) == np.sign(dm))).sum(1)
    return _over(2 * right - far, far).reshape(shape), far.reshape(shape)


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
    for at in range(len(a) - 1):
        dg, dm = a[at + 1 :] - a[at], b[at + 1 :] - b[at]
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
    found = 0
    for bit in range(int(code.max(initial=0)).bit_length() - 1, -1, -1):
        high = (code >> bit) & 1
        group = code >> (bit + 1)
        ones = np.cumsum(high) - high
        begins = np.concatenate([[True], group[1:] != group[:-1]])
        before = ones[np.flatnonzero(begins)][np.cumsum(begins) - 1]
        found += int(((ones - before) * (1 - high)).sum())
        code = code[np.argsort(code >> bit, kind="stable")]
    return found


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


def _over(above: Array, below: Array) -> Array:
    below = np.asarray(below, np.float64)
    return np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0)


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

    def shared(a: Array, b: Array) -> Array:
        each = count * (a * b).sum(-2) - a.sum(-2) * b.sum(-2)
        return each.sum(-1)

    below = np.sqrt(shared(x, x) * shared(y, y))
    above = shared(x, y)
    return np.divide(
        above, below, out=np.full(np.shape(below), np.nan), where=below > 0
    )
