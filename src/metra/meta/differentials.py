"""Correlation of differences: between systems (Coughlin 2003) and within segments."""

from typing import Literal, TypeAlias

import numpy as np

from metra.meta.arrays import Array
from metra.meta.moments import pearson

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
