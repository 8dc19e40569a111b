"""Resampling: random draws in blocks, totals of weighted rows, bootstrap intervals.

Intervals need only a metric's rows and its `aggregate`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from metra.errors import OptionError, not_possible
from metra.stats.arrays import Array, Codes, find_quantiles
from metra.stats.defaults import LEAST_UNITS, SEED, TRIALS, Method
from metra.stats.direction import HIGHER, Direction
from metra.stats.distributions import student_quantile
from metra.stats.parallel import ordered_map, thread_count
from metra.stats.totals import sum_rows
from metra.stats.weighted_sums import StackedRows, Weights

#: Trials times units in one block; of those, so many are drawn at a time.
BLOCK = 4_000_000
STEP = 100_000

#: Larger blocks multiply no faster.
MOST_TRIALS = 256


def draw_weights(count: int, trials: int, rng: Generator) -> Iterator[Weights]:
    """Draw `count` units out of `count`, with replacement, `trials` times.

    Each block tells for some trials how often each unit was drawn: (trials, count).
    """
    for size in _sizes(count, trials, BLOCK):
        yield np.concatenate(
            [
                count_draws(rng.integers(0, count, (draws, count)), np.uint16)
                for draws in _sizes(count, size, STEP)
            ]
        )


def draw_crossed_weights(
    units: Sequence[Codes], trials: int, rng: Generator
) -> Iterator[Weights]:
    """Draw units of several kinds, such as segments and raters, each with replacement.

    `units` number the unit of each row, kind by kind. A row counts as often as all of its
    units were drawn: (trials, rows). With one kind, this draws whole clusters of rows.
    """
    for size in _sizes(len(units[0]), trials, BLOCK):
        weights: Weights = np.ones((size, len(units[0])), np.int64)
        for codes in units:
            weights *= draw_counts(int(codes.max()) + 1, size, rng)[:, codes]
        yield weights


def draw_counts(count: int, draws: int, rng: Generator) -> Codes:
    """Draw `count` units out of `count`, and count how often each came: (draws, count)."""
    return count_draws(rng.integers(0, count, (draws, count)))


def count_draws(
    drawn: Codes, kind: type = np.int64, *, count: int | None = None
) -> NDArray[Any]:
    """Count in each row how often each number below `count`, or its length, was drawn."""
    width = drawn.shape[1] if count is None else count
    counts: NDArray[Any] = np.empty((len(drawn), width), kind)
    # Row by row: the counts of one row stay in the cache while they are made.
    for place, row in enumerate(drawn):
        counts[place] = np.bincount(row, minlength=width)
    return counts


def draw_swaps(count: int, trials: int, rng: Generator) -> Iterator[Weights]:
    """Choose each unit or not, as by a coin, `trials` times: ones or zeros, (trials, count)."""
    for size in _sizes(count, trials, BLOCK):
        yield _draw_bits(size, count, rng, "little")


def draw_signs(trials: int, width: int, rng: Generator) -> Iterator[Array]:
    """Draw rows of +1 and -1, some at a time, from single random bits."""
    for size in _sizes(max(width, 1), trials, BLOCK):
        yield _draw_bits(size, width, rng, "big").astype(np.float64) * 2.0 - 1.0


def _draw_bits(
    draws: int, count: int, rng: Generator, order: Literal["little", "big"]
) -> NDArray[np.uint8]:
    """Draw random bits, 64 at a time: (draws, count); `order` is that within bytes."""
    words = rng.integers(0, 2**64, (draws, -(-count // 64)), np.uint64)
    octets = words.astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=count, bitorder=order)


def _sizes(count: int, trials: int, budget: int) -> Iterator[int]:
    size = max(1, min(MOST_TRIALS, budget // count))
    for start in range(0, trials, size):
        yield min(size, trials - start)


Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows of statistics for resampling, and the function from totals to a score."""

    rows: Array
    aggregate: Callable[[Array], Array]
    #: Which scores are best, where samples are compared.
    direction: Direction = HIGHER


def bootstrap_scores(
    samples: Sequence[Sample],
    *,
    trials: int = TRIALS,
    rng: Generator,
    units: Sequence[Codes] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> list[Array]:
    """Scores of `trials` resamples of the segments (or of whatever the rows stand for).

    All samples share the draws. Efron 1979; for MT scores Koehn 2004, EMNLP. Dependent
    rows are drawn by their `units`, as `draw_crossed_weights` takes them.
    """
    weighing = StackedRows([sample.rows for sample in samples])

    def scores(weights: Weights) -> list[Array]:
        totals = weighing.sum_weighted(weights)
        return [s.aggregate(total) for s, total in zip(samples, totals, strict=True)]

    drawn = np.empty((len(samples), trials))
    done = 0
    blocks = (
        draw_crossed_weights(units, trials, rng)
        if units
        else draw_weights(len(samples[0].rows), trials, rng)
    )
    for block in ordered_map(scores, blocks, thread_count()):
        size = len(block[0])
        drawn[:, done : done + size] = block
        done += size
        progress(done)
    return list(drawn)


def interval(scores: Array, *, level: float = 0.95) -> Interval:
    """Central interval that holds `level` of the resampled scores.

    >>> interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    return intervals_of_rows(scores[None], level=level)[0]


def intervals_of_rows(scores: Array, *, level: float = 0.95) -> list[Interval]:
    """Give the interval of each row of resampled scores, all at once.

    >>> intervals_of_rows(np.array([np.arange(101.0), np.zeros(101)]), level=0.5)
    [(25.0, 75.0), (0.0, 0.0)]
    """
    low, high = find_quantiles(scores, [(1 - level) / 2, (1 + level) / 2])
    return list(zip(low.tolist(), high.tolist(), strict=True))


def interval_of_defined(scores: Array) -> Interval | None:
    """Central interval of the defined scores; None if there are none.

    A resample with nothing to score in it says nothing about the score.
    """
    defined = scores[~np.isnan(scores)]
    return interval(defined) if len(defined) else None


def expand_level(level: float, count: int) -> float:
    """Return the level of a percentile interval that few units make too narrow.

    It is as wide as Student's interval of a mean (Hesterberg 2015, American Statistician).

    >>> round(expand_level(0.95, 20), 3), round(expand_level(0.95, 2000), 3)
    (0.968, 0.95)
    """
    from statistics import NormalDist

    t = student_quantile((1 + level) / 2, count - 1)
    return 2 * NormalDist().cdf(t * (count / (count - 1)) ** 0.5) - 1


def bca_interval(scores: Array, sample: Sample, *, level: float = 0.95) -> Interval:
    """Bias-corrected and accelerated interval (Efron 1987, JASA 82).

    Resampled scores that all lie on one side of the observed one leave nothing to
    correct with; then, and where all scores are equal, it is the percentile interval.
    """
    observed = sample.aggregate(sum_rows(sample.rows))
    below = float(np.mean(scores < observed) + np.mean(scores == observed) / 2)
    if not 0 < below < 1:
        return interval(scores, level=level)

    from statistics import NormalDist

    normal = NormalDist()
    bias = normal.inv_cdf(below)
    influence = jackknife_scores(sample)
    influence = influence[~np.isnan(influence)]
    influence = influence.mean() - influence
    spread = float((influence**2).sum()) ** 1.5
    acceleration = float((influence**3).sum()) / (6 * spread) if spread else 0.0

    def correct_share(share: float) -> float:
        shifted = bias + normal.inv_cdf(share)
        return normal.cdf(bias + shifted / (1 - acceleration * shifted))

    ends = [correct_share((1 - level) / 2), correct_share((1 + level) / 2)]
    low, high = find_quantiles(scores, ends)
    return float(low), float(high)


def jackknife_scores(sample: Sample) -> Array:
    """Give the scores without each row in turn, for the jackknife."""
    return sample.aggregate(sum_rows(sample.rows) - sample.rows)


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


def compute_intervals(
    samples: Sequence[Sample],
    *,
    method: Method | Literal["expanded"] = "percentile",
    trials: int = TRIALS,
    level: float = 0.95,
    seed: int = SEED,
    units: Sequence[Codes] = (),
) -> list[Interval | None]:
    """Bootstrap intervals of corpus scores; None with few units, or no score.

    `units` are what rows are drawn by, as in `bootstrap_scores`. `LEAST_UNITS` rows of a
    sample must hold something, or of the first kind of units, where rows are drawn by them.
    """
    check_settings(
        "An interval",
        {
            f"method={method!r}": (
                method in (*get_args(Method), "expanded"),
                "percentile or bca",
            ),
            f"trials={trials}": (trials >= 1, "at least 1"),
            f"level={level}": (0 < level < 1, "a share between 0 and 1, such as 0.95"),
            f"seed={seed}": (seed >= 0, "0 or more"),
        },
    )
    counts = [_count_units(sample, units) for sample in samples]
    if max(counts, default=0) < LEAST_UNITS:
        return [None for _ in samples]
    rng = np.random.default_rng(seed)
    drawn = bootstrap_scores(samples, trials=trials, rng=rng, units=units)
    intervals: list[Interval | None] = []
    for sample, scores, count in zip(samples, drawn, counts, strict=True):
        defined = scores[~np.isnan(scores)]
        least = min([count, *(int(codes.max()) + 1 for codes in units)])
        if count < LEAST_UNITS or least < 2 or not len(defined):
            intervals.append(None)
        elif method == "expanded":
            intervals.append(interval(defined, level=expand_level(level, least)))
        elif method == "percentile":
            intervals.append(interval(defined, level=level))
        else:
            intervals.append(bca_interval(defined, sample, level=level))
    return intervals


def _count_units(sample: Sample, units: Sequence[Codes]) -> int:
    """Count the drawn units that hold something of the sample."""
    held = sample.rows.reshape(len(sample.rows), -1).any(1)
    return len(np.unique(units[0][held])) if units else int(held.sum())


def share_reached(reached: int, trials: int) -> float:
    """Return the p-value of a test that draws: (b + 1) / (k + 1), and so never 0.

    `reached` of the trials had at least the observed difference, which counts as a draw.

    >>> share_reached(9, 99)
    0.1
    """
    return (reached + 1) / (trials + 1)


def check_settings(what: str, given: Mapping[str, tuple[bool, str]]) -> None:
    """Refuse the first impossible setting, and say what was expected."""
    for setting, (possible, expected) in given.items():
        if not possible:
            raise OptionError(not_possible(f"{what} with {setting}", expected))
