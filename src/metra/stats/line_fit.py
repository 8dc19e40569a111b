"""A line through points, the band where the true line may lie, and points far off."""

import math
from dataclasses import dataclass

import numpy as np

from metra.stats.arrays import Array, Mask
from metra.stats.distributions import student_quantile


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


def mad_outliers(x: Array, *, limit: float = 2.5) -> Mask:
    """Mark the values more than `limit` robust deviations off the median.

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
