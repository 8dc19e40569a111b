"""Pearson's and Spearman's coefficients of many rows at once; NaN is a missing value.

A line through points, the band where the true line may lie, and points far off.
Intervals of correlations from a formula: Fisher's transformation.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from metra.errors import OptionError
from metra.stats.arrays import Array, Mask
from metra.stats.distributions import student_tail


def pearson(g: Array, m: Array) -> Array:
    """Pearson's r along the last axis, over the places where both have a value.

    NaN where either is constant or fewer than two places are left: there is no
    correlation then, whatever a formula may give.

    >>> round(float(pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4]))), 3)
    0.8
    """
    g, m = np.broadcast_arrays(g, m)
    there = np.isfinite(g) & np.isfinite(m)
    if there.all():
        if g.shape[-1] < 2:
            return np.full(g.shape[:-1], np.nan)
        constant = _is_constant(g) | _is_constant(m)
        dg = g - g.mean(-1, keepdims=True)
        dm = m - m.mean(-1, keepdims=True)
    else:
        count = there.sum(-1)
        kept_g, kept_m = (np.where(there, x, np.nan) for x in (g, m))
        constant = _is_constant(kept_g) | _is_constant(kept_m) | (count < 2)
        dg = _centre_rows(kept_g, there, count)
        dm = _centre_rows(kept_m, there, count)
    return _ratio(dg, dm, constant)


def spearman(g: Array, m: Array) -> Array:
    """Spearman's rho along the last axis: Pearson's r of the ranks, ties at their middle.

    >>> round(float(spearman(np.array([1.0, 2, 2, 4]), np.array([1.0, 3, 2, 9]))), 4)
    0.9487
    """
    g, m = np.broadcast_arrays(g, m)
    there = np.isfinite(g) & np.isfinite(m)
    if not there.all():
        g, m = np.where(there, g, np.nan), np.where(there, m, np.nan)
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
    found = np.empty(x.shape)
    np.put_along_axis(found, order, (first + last) / 2 + 1, -1)
    return np.where(np.isnan(x), np.nan, found)


def _is_constant(x: Array) -> Mask:
    """Whether all values of a row that are there are equal."""
    low = np.fmin.reduce(x, axis=-1)
    return low == np.fmax.reduce(x, axis=-1)


def _centre_rows(x: Array, there: Mask, count: NDArray[np.int64]) -> Array:
    total = np.where(there, x, 0.0).sum(-1)
    mean = total / np.maximum(count, 1)
    return np.where(there, x - mean[..., None], 0.0)


def _ratio(dg: Array, dm: Array, constant: Mask) -> Array:
    shared = np.einsum("...i,...i", dg, dm)
    spread = np.sqrt(np.einsum("...i,...i", dg, dg) * np.einsum("...i,...i", dm, dm))
    r = np.divide(shared, spread, out=np.full(shared.shape, np.nan), where=spread > 0)
    return np.where(constant, np.nan, np.clip(r, -1.0, 1.0))


@dataclass(frozen=True)
class LineFit:
    """A least-squares line and, along it, the band that holds it at a level."""

    slope: float
    intercept: float
    #: x, lower end, upper end; nothing where there are too few points.
    band: tuple[tuple[float, float, float], ...] = ()


def fit_line(
    x: Array, y: Array, *, level: float = 0.95, steps: int = 40
) -> LineFit | None:
    """Fit y by x; None where x is constant or has fewer than two points.

    >>> line = fit_line(np.array([0.0, 1, 2]), np.array([1.0, 3, 5]))
    >>> line.slope, line.intercept
    (2.0, 1.0)
    """
    if len(x) < 2 or (x == x[0]).all():
        return None
    dx = x - x.mean()
    spread = float((dx * dx).sum())
    slope = float((dx * (y - y.mean())).sum()) / spread
    intercept = float(y.mean() - slope * x.mean())
    if len(x) < 3:
        return LineFit(slope, intercept)
    left_over = y - slope * x - intercept
    error = math.sqrt(float((left_over**2).sum()) / (len(x) - 2))
    t = student_quantile((1 + level) / 2, len(x) - 2)
    band = []
    for at in np.linspace(x.min(), x.max(), steps).tolist():
        half = t * error * math.sqrt(1 / len(x) + (at - float(x.mean())) ** 2 / spread)
        middle = slope * at + intercept
        band.append((at, middle - half, middle + half))
    return LineFit(slope, intercept, tuple(band))


def student_quantile(share: float, df: float) -> float:
    """The value that Student's t stays below with a probability, by halving.

    >>> round(student_quantile(0.975, 10), 4)
    2.2281
    """
    low, high = -1e4, 1e4
    for _ in range(80):
        middle = (low + high) / 2
        if 1 - student_tail(middle, df) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def mad_outliers(x: Array, *, limit: float = 2.5) -> Mask:
    """Whether a value is more than `limit` robust deviations off the median.

    The deviation is 1.4826 times the median of absolute deviations; Iglewicz and Hoaglin
    1993, for systems Mathur et al. 2020, ACL. It is 0 where most values are equal: then
    nothing stands out.

    >>> mad_outliers(np.array([1.0, 2, 3, 4, 100])).tolist()
    [False, False, False, False, True]
    """
    off = np.abs(x - np.median(x))
    deviation = 1.4826 * float(np.median(off))
    if deviation == 0:
        return np.zeros(len(x), np.bool_)
    return off / deviation > limit


#: What is taken from n, and the variance of the transformed coefficient times the rest.
_BY_COEFFICIENT: dict[str, tuple[int, Callable[[float], float]]] = {
    "pearson": (3, lambda _: 1.0),
    "spearman": (3, lambda r: 1.0 + r * r / 2),
    "kendall-b": (4, lambda _: 0.437),
}


def fisher_interval(
    value: float, n: int, coef: str = "pearson", *, level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a coefficient of n values; None where n is too small or there is none.

    >>> low, high = fisher_interval(0.5, 28)
    >>> round(low, 3), round(high, 3)
    (0.156, 0.736)
    """
    if coef not in _BY_COEFFICIENT:
        msg = (
            f"Fisher's interval is of {', '.join(_BY_COEFFICIENT)} without groups, not of "
            f"{coef}; name them with --coef, or take the bootstrap."
        )
        raise OptionError(msg)
    taken, variance = _BY_COEFFICIENT[coef]
    if n <= taken or not math.isfinite(value):
        return None
    if abs(value) >= 1:
        return value, value
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(
        variance(value) / (n - taken)
    )
    middle = math.atanh(value)
    return math.tanh(middle - half), math.tanh(middle + half)
