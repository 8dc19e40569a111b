"""Intervals for any measure, from its rows and its `aggregate` alone."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from metra import pool
from metra.pool import Array

Aggregate: TypeAlias = Callable[[Array], Array]
Method: TypeAlias = Literal["percentile", "bca"]

SEED = 12345
TRIALS = 1000


def bootstrap(
    rows: Array,
    aggregate: Aggregate,
    *,
    trials: int = TRIALS,
    rng: "np.random.Generator",
) -> Array:
    """Scores of `trials` resamples of the segments (or of whatever the rows stand for).

    Efron 1979; for MT scores Koehn 2004, EMNLP.
    """
    blocks = pool.resampled(rows, trials, rng)
    return np.concatenate([aggregate(totals) for totals in blocks])


def interval(scores: Array, *, level: float = 0.95) -> tuple[float, float]:
    """Central interval that holds `level` of the resampled scores.

    >>> interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bca_interval(
    scores: Array, rows: Array, aggregate: Aggregate, *, level: float = 0.95
) -> tuple[float, float]:
    """Bias-corrected and accelerated interval (Efron 1987, JASA 82).

    Resampled scores that all lie on one side of the observed one leave nothing to
    correct with; then, and where all scores are equal, it is the percentile interval.
    """
    observed = aggregate(pool.total(rows))
    below = float(np.mean(scores < observed) + np.mean(scores == observed) / 2)
    if not 0 < below < 1:
        return interval(scores, level=level)
    from statistics import NormalDist

    normal = NormalDist()
    bias = normal.inv_cdf(below)
    influence = aggregate(pool.leave_one_out(rows))
    influence = influence.mean() - influence
    spread = float((influence**2).sum()) ** 1.5
    acceleration = float((influence**3).sum()) / (6 * spread) if spread else 0.0

    def corrected(share: float) -> float:
        shifted = bias + normal.inv_cdf(share)
        return normal.cdf(bias + shifted / (1 - acceleration * shifted))

    ends = [corrected((1 - level) / 2), corrected((1 + level) / 2)]
    low, high = np.quantile(scores, ends)
    return float(low), float(high)


def confidence(
    rows: Array,
    aggregate: Aggregate,
    *,
    method: Method = "percentile",
    trials: int = TRIALS,
    level: float = 0.95,
    seed: int = SEED,
) -> tuple[float, float] | None:
    """Bootstrap interval of a corpus score; None where fewer than two rows leave no say."""
    if len(rows) < 2:
        return None
    rng = np.random.default_rng(seed)
    scores = bootstrap(rows, aggregate, trials=trials, rng=rng)
    if method == "bca":
        return bca_interval(scores, rows, aggregate, level=level)
    return interval(scores, level=level)
