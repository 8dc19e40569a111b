"""Tails of the normal, Student's t and binomial distributions, without scipy."""

import math
from functools import cache, lru_cache

import numpy as np

from metra.stats.arrays import Array


def upper_tail(z: Array) -> Array:
    """P(Z > z) of many values at once, from a fine table: to 1e-9, for draws."""
    tail, steps = _table()
    place = np.clip((z + _END) * (_CELLS / (2 * _END)), 0, _CELLS - 1e-6)
    cell = place.astype(np.int32)
    return tail[cell] + (place - cell) * steps[cell]


def normal_tail(z: float) -> float:
    """P(Z > z) to the last digits.

    >>> round(normal_tail(1.959963984540054), 6)
    0.025
    """
    return 0.5 * math.erfc(z / math.sqrt(2))


def student_tail(t: float, df: float) -> float:
    """P(T > t) with `df` degrees of freedom, by the continued fraction of the beta function."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    half = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t))
    return half if t >= 0 else 1.0 - half


@lru_cache(maxsize=1000)
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


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b); Lentz's method."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + a * math.log(x)
        + b * math.log1p(-x)
    )
    return front * _fraction(a, b, x) / a


def wilson_interval(
    share: float, count: int, level: float = 0.95
) -> tuple[float, float] | None:
    """Return the interval of a share of `count` independent cases; None of no case.

    Wilson 1927, JASA 22: the shares that a two-sided score test does not reject. Unlike a
    bootstrap interval it has a width where all cases are alike.
    """
    if not count:
        return None
    from statistics import NormalDist

    return solve_wilson(share, NormalDist().inv_cdf((1 + level) / 2) ** 2 / count)


def solve_wilson(share: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval of a share; `z` is the squared quantile by the cases."""
    middle = (share + z / 2) / (1 + z)
    half = (z * (share * (1 - share) + z / 4)) ** 0.5 / (1 + z)
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))


def binomial_tail(n: int, k: int) -> float:
    """P(X ≥ k) of n fair tosses, summed exactly."""
    if k <= 0:
        return 1.0
    if n > 2000:
        return incomplete_beta(k, n - k + 1, 0.5) if k <= n else 0.0
    return sum(math.comb(n, i) for i in range(k, n + 1)) / 2**n


_END, _CELLS = 9.0, 1 << 16


@cache
def _table() -> tuple[Array, Array]:
    """Tails at the borders of the cells, and the step to the next."""
    grid = np.linspace(-_END, _END, _CELLS + 1)
    tail = np.array([normal_tail(z) for z in grid.tolist()])
    return tail[:-1], np.diff(tail)


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    h = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            h *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return h
