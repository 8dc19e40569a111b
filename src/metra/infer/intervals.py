"""Intervals for any measure, from its rows and its `aggregate` alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, get_args

import numpy as np

from metra import pool
from metra.errors import OptionError
from metra.infer.defaults import SEED, TRIALS, Method
from metra.infer.draws import Weights, resamples
from metra.infer.weighing import Weighing
from metra.parallel import ordered_map, thread_count
from metra.pool import Array

Aggregate: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Sample:
    """What can be resampled: rows of statistics, and how their totals become a score."""

    rows: Array
    aggregate: Aggregate


def bootstrap(
    samples: Sequence[Sample],
    *,
    trials: int = TRIALS,
    rng: "np.random.Generator",
    progress: Callable[[int], None] = lambda _: None,
) -> list[Array]:
    """Scores of `trials` resamples of the segments (or of whatever the rows stand for).

    All samples share the draws. Efron 1979; for MT scores Koehn 2004, EMNLP.
    """
    weighing = Weighing([sample.rows for sample in samples])

    def scores(weights: Weights) -> list[Array]:
        totals = weighing.weighted(weights)
        return [
            sample.aggregate(found)
            for sample, found in zip(samples, totals, strict=True)
        ]

    found = np.empty((len(samples), trials))
    done = 0
    blocks = resamples(len(samples[0].rows), trials, rng)
    for block in ordered_map(scores, blocks, thread_count()):
        size = len(block[0])
        found[:, done : done + size] = block
        done += size
        progress(done)
    return list(found)


def interval(scores: Array, *, level: float = 0.95) -> tuple[float, float]:
    """Central interval that holds `level` of the resampled scores.

    >>> interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def interval_of_defined(
    scores: Array, *, level: float = 0.95
) -> tuple[float, float] | None:
    """Central interval of the scores that there are; None if there is none.

    A resample with nothing to score in it says nothing about the score.
    """
    there = scores[~np.isnan(scores)]
    return interval(there, level=level) if len(there) else None


def bca_interval(
    scores: Array, sample: Sample, *, level: float = 0.95
) -> tuple[float, float]:
    """Bias-corrected and accelerated interval (Efron 1987, JASA 82).

    Resampled scores that all lie on one side of the observed one leave nothing to
    correct with; then, and where all scores are equal, it is the percentile interval.
    """
    observed = sample.aggregate(pool.total(sample.rows))
    below = float(np.mean(scores < observed) + np.mean(scores == observed) / 2)
    if not 0 < below < 1:
        return interval(scores, level=level)

    from statistics import NormalDist

    normal = NormalDist()
    bias = normal.inv_cdf(below)
    influence = left_out(sample)
    influence = influence[~np.isnan(influence)]
    influence = influence.mean() - influence
    spread = float((influence**2).sum()) ** 1.5
    acceleration = float((influence**3).sum()) / (6 * spread) if spread else 0.0

    def corrected(share: float) -> float:
        shifted = bias + normal.inv_cdf(share)
        return normal.cdf(bias + shifted / (1 - acceleration * shifted))

    ends = [corrected((1 - level) / 2), corrected((1 + level) / 2)]
    low, high = np.quantile(scores, ends)
    return float(low), float(high)


def left_out(sample: Sample) -> Array:
    """Give the scores without each row in turn, for the jackknife."""
    return sample.aggregate(pool.leave_one_out(sample.rows))


def standard_error(scores: Array) -> float:
    """Jackknife standard error, from the scores that leaving out each row gives.

    Quenouille 1956; Tukey 1958. Of a mean it is the usual standard error. For differences,
    give the differences of two samples' scores.

    >>> values = np.array([1.0, 2, 3, 6])
    >>> without = (values.sum() - values) / 3
    >>> round(standard_error(without), 6), round(float(values.std(ddof=1)) / 2, 6)
    (1.080123, 1.080123)
    """
    count = len(scores)
    return float(np.sqrt((count - 1) / count * ((scores - scores.mean()) ** 2).sum()))


def confidence(
    samples: Sequence[Sample],
    *,
    method: Method = "percentile",
    trials: int = TRIALS,
    level: float = 0.95,
    seed: int = SEED,
) -> list[tuple[float, float] | None]:
    """Bootstrap intervals of corpus scores; None with fewer than two rows, or no score."""
    refuse_wrong(
        "An interval",
        {
            f"method={method!r}": (method in get_args(Method), "percentile or bca"),
            f"trials={trials}": (trials >= 1, "at least 1"),
            f"level={level}": (0 < level < 1, "a share between 0 and 1, such as 0.95"),
            f"seed={seed}": (seed >= 0, "0 or more"),
        },
    )
    if len(samples[0].rows) < 2:
        return [None for _ in samples]
    drawn = bootstrap(samples, trials=trials, rng=np.random.default_rng(seed))
    found: list[tuple[float, float] | None] = []
    for scores, sample in zip(drawn, samples, strict=True):
        there = scores[~np.isnan(scores)]
        if method == "bca" and len(there):
            found.append(bca_interval(there, sample, level=level))
        else:
            found.append(interval_of_defined(scores, level=level))
    return found


def refuse_wrong(what: str, given: Mapping[str, tuple[bool, str]]) -> None:
    """Refuse the first wish that is not possible, and say what was expected."""
    for wish, (possible, expected) in given.items():
        if not possible:
            msg = f"{what} with {wish} is not possible; expected {expected}."
            raise OptionError(msg)
