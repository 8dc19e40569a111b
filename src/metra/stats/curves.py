"""Curves: a line through points with its band, and people's agreement by difference.

The share of pairs of systems on which people agree with a metric follows a logistic curve
through one half at no difference; Kocmi et al. 2024, ACL, fit such curves.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metra.stats.arrays import Array, Codes, Mask, pair_gaps
from metra.stats.distributions import student_quantile
from metra.stats.panel import ScorePanel

#: Points of a band.
_POINTS = 40


@dataclass(frozen=True)
class LineFit:
    """A least-squares line and, along it, the band that holds it at 95 %."""

    slope: float
    intercept: float
    #: x, lower end, upper end; nothing where there are too few points.
    band: tuple[tuple[float, float, float], ...] = ()


def fit_line(x: Array, y: Array) -> LineFit | None:
    """Fit y by x with a 95 % band; None where x is constant or has fewer than two points."""
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
    t = student_quantile(0.975, len(x) - 2)
    band = []
    for at in np.linspace(x.min(), x.max(), _POINTS).tolist():
        half = t * error * math.sqrt(1 / len(x) + (at - float(x.mean())) ** 2 / spread)
        middle = slope * at + intercept
        band.append((at, middle - half, middle + half))
    return LineFit(slope, intercept, tuple(band))


def mad_outliers(x: Array) -> Mask:
    """Mark the values more than 2.5 robust deviations off the median.

    The deviation is 1.4826 times the median of absolute deviations; Iglewicz and Hoaglin
    1993, for systems Mathur et al. 2020, ACL. It is 0 where most values are equal: then
    nothing stands out.
    """
    off = np.abs(x - np.median(x))
    deviation = 1.4826 * float(np.median(off))
    if deviation == 0:
        return np.zeros(len(x), np.bool_)
    return off / deviation > 2.5


#: Steps that halve the range of slopes.
_STEPS = 60


@dataclass(frozen=True)
class PairDifferences:
    """Pairs of systems: how far a metric sets them apart, and whether people agree."""

    size: Array
    #: 1 where people have the same order, 0 where the other; a half where the metric ties.
    agrees: Array
    #: The systems of each pair, numbered over all panels.
    first: Codes
    second: Codes


def collect_differences(panels: Sequence[ScorePanel], name: str) -> PairDifferences:
    """Collect the pairs of systems of all panels that people order; none cross panels."""
    parts: list[tuple[Array, Array, Array, Array]] = []
    offset = 0
    for panel in panels:
        gold = pair_gaps(panel.system_gold)
        metric = pair_gaps(panel.system_metrics[name])
        first, second = np.triu_indices(len(panel.systems), 1)
        counts = np.isfinite(metric) & np.isfinite(gold) & (gold != 0)
        order = np.sign(metric) * np.sign(gold)
        agrees = (order[counts] + 1) / 2
        numbers = (first[counts] + offset, second[counts] + offset)
        parts.append((np.abs(metric[counts]), agrees, *numbers))
        offset += len(panel.systems)
    return PairDifferences(
        *(np.concatenate(column) for column in zip(*parts, strict=True))
    )


def fit_slope(size: Array, agrees: Array, weights: Array) -> Array:
    """Fit the slope of the curve by maximum likelihood for each row of weights.

    Infinite where people agree with every difference, 0 where they agree with no more than
    chance would have it.
    """
    scale = max(float(size.max(initial=0.0)), 1e-300)
    x = size / scale
    low = np.zeros(len(weights))
    high = np.full(len(weights), 1e6)

    def compute_score(slope: Array) -> Array:
        expected = 1 / (1 + np.exp(-np.minimum(slope[:, None] * x, 700)))
        return (weights * x * (agrees - expected)).sum(1)

    above = compute_score(high) > -1e-12
    for _ in range(_STEPS):
        middle = (low + high) / 2
        rises = compute_score(middle) > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    slope = np.where(above, np.inf, (low + high) / 2)
    slope = np.where(compute_score(np.zeros(len(weights))) <= 0, 0.0, slope)
    return np.where((weights * x).sum(1) > 0, slope / scale, np.nan)


def find_difference(slope: Array, share: float) -> Array:
    """Return the difference at which people agree with a share of pairs.

    0 where they agree with all, infinite where with no more than half.
    """
    with np.errstate(divide="ignore"):
        return np.log(share / (1 - share)) / slope


def find_share(slope: Array, difference: float) -> Array:
    """Return the share of pairs that people agree with at a difference."""
    if not difference:
        return np.full(np.shape(slope), 0.5)
    return 1 / (1 + np.exp(-np.minimum(slope * difference, 700)))


def draw_pair_weights(
    pairs: PairDifferences, groups: Sequence[int], trials: int, seed: int
) -> Array:
    """Draw systems with replacement within each group, and weigh pairs: (trials, pairs).

    A pair counts as often as both its systems were drawn together.
    """
    rng = np.random.default_rng(seed)
    drawn = np.hstack(
        [rng.multinomial(size, np.full(size, 1 / size), trials) for size in groups]
    )
    return (drawn[:, pairs.first] * drawn[:, pairs.second]).astype(np.float64)
