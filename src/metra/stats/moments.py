"""Pearson's and Spearman's coefficients of many rows at once; NaN is a missing value."""

import numpy as np
from numpy.typing import NDArray

from metra.stats.arrays import Array, Mask, divide


def pearson(g: Array, m: Array) -> Array:
    """Pearson's r along the last axis, over the places where both have a value.

    NaN where either is constant or fewer than two places are left: there is no
    correlation then, whatever a formula may give.

    >>> round(float(pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4]))), 3)
    0.8
    """
    g, m = np.broadcast_arrays(g, m)
    present = np.isfinite(g) & np.isfinite(m)
    if present.all():
        if g.shape[-1] < 2:
            return np.full(g.shape[:-1], np.nan)
        constant = _is_constant(g) | _is_constant(m)
        dg = g - g.mean(-1, keepdims=True)
        dm = m - m.mean(-1, keepdims=True)
    else:
        count = present.sum(-1)
        kept_g, kept_m = (np.where(present, x, np.nan) for x in (g, m))
        constant = _is_constant(kept_g) | _is_constant(kept_m) | (count < 2)
        dg = _centre_rows(kept_g, present, count)
        dm = _centre_rows(kept_m, present, count)
    shared = np.einsum("...i,...i", dg, dm)
    spread = np.sqrt(np.einsum("...i,...i", dg, dg) * np.einsum("...i,...i", dm, dm))
    r = np.clip(divide(shared, spread), -1.0, 1.0)
    return np.where(constant, np.nan, r)


def pearson_of_sums(sums: Array) -> Array:
    """Pearson's r of weighted values, from sums of 1, g, m, g², m² and g·m (last axis).

    Values that lie around 0 lose the fewest digits. NaN where either is constant, but for a
    trace that rounding leaves.

    >>> g, m = np.array([-1.5, -0.5, 0.5, 1.5]), np.array([-1.5, 0.5, -0.5, 1.5])
    >>> sums = np.stack([np.ones(4), g, m, g * g, m * m, g * m]).sum(1)
    >>> round(float(pearson_of_sums(sums)), 3)
    0.8
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
    low = np.fmin.reduce(x, axis=-1)
    return low == np.fmax.reduce(x, axis=-1)


def _centre_rows(x: Array, present: Mask, count: NDArray[np.int64]) -> Array:
    total = np.where(present, x, 0.0).sum(-1)
    mean = total / np.maximum(count, 1)
    return np.where(present, x - mean[..., None], 0.0)
