"""Resampling: random draws in blocks, totals of weighted rows, bootstrap intervals.

Intervals need only a metric's rows and its `aggregate`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from metra.errors import OptionError
from metra.stats import totals as pool
from metra.stats.defaults import SEED, TRIALS, Method
from metra.stats.parallel import ordered_map, thread_count
from metra.stats.totals import Array

Weights: TypeAlias = NDArray[Any]

#: Trials times units in one block, and of those how many are drawn at a time.
BLOCK = 4_000_000
STEP = 1_000_000

#: Larger blocks multiply no faster.
MOST_TRIALS = 256


def draw_weights(
    count: int,
    trials: int,
    rng: "np.random.Generator",
    *,
    block: int = BLOCK,
    step: int = STEP,
) -> Iterator[Weights]:
    """Draw `count` units out of `count`, with replacement, `trials` times.

    Each block tells for some trials how often each unit was drawn: (trials, count).
    """
    for size in _sizes(count, trials, block):
        weights = np.empty((size, count), np.uint16)
        start = 0
        for draws in _sizes(count, size, step):
            weights[start : start + draws] = draw_counts(count, draws, rng)
            start += draws
        yield weights


def draw_counts(
    count: int, draws: int, rng: "np.random.Generator"
) -> NDArray[np.int64]:
    """Draw `count` units out of `count`, and count how often each came: (draws, count)."""
    drawn = rng.integers(0, count, (draws, count))
    return count_draws(drawn)


def count_draws(drawn: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count in each row how often each number below the row's length was drawn."""
    draws, count = drawn.shape
    cells = drawn + np.arange(draws)[:, None] * count
    counts = np.bincount(cells.ravel(), minlength=draws * count)
    return counts.reshape(draws, count)


def draw_swaps(
    count: int, trials: int, rng: "np.random.Generator", *, block: int = BLOCK
) -> Iterator[Weights]:
    """Choose each unit or not, as by a coin, `trials` times: ones or zeros, (trials, count)."""
    words = -(-count // 64)
    for size in _sizes(count, trials, block):
        drawn = rng.integers(
            0, 2**64 - 1, (size, words), dtype=np.uint64, endpoint=True
        )
        bits = drawn.astype("<u8").view(np.uint8)
        yield np.unpackbits(bits, axis=1, count=count, bitorder="little")


def _sizes(count: int, trials: int, budget: int) -> Iterator[int]:
    size = max(1, min(MOST_TRIALS, budget // count))
    for start in range(0, trials, size):
        yield min(size, trials - start)


#: Matrices of more numbers than this together are not copied into one.
MOST_STACKED = 4_000_000


class StackedRows:
    """Matrices of rows that share their weights."""

    def __init__(self, matrices: Sequence[Array]) -> None:
        self._rows = [round_to_grid(rows) for rows in matrices]
        self._ends = np.cumsum([rows.shape[1] for rows in matrices])
        #: The plain sums of all rows, exact.
        self.totals = [rows.sum(0) for rows in self._rows]
        if sum(rows.size for rows in self._rows) <= MOST_STACKED:
            # One product of wide matrices is some times quicker than many of narrow ones.
            self._rows = [np.concatenate(self._rows, axis=1)]

    def sum_weighted(self, weights: Weights) -> list[Array]:
        """Give each matrix's totals under each row of weights: (trials, columns)."""
        trials, count = weights.shape
        sums = [np.zeros((trials, rows.shape[1])) for rows in self._rows]
        step = max(1, STEP // trials)
        for start in range(0, count, step):
            part = weights[:, start : start + step].astype(np.float64)
            for total, rows in zip(sums, self._rows, strict=True):
                total += part @ rows[start : start + step]
        if len(sums) == len(self._ends):
            return sums
        parts = np.split(sums[0], self._ends[:-1], axis=1)
        return [np.ascontiguousarray(part) for part in parts]


def round_to_grid(rows: Array) -> Array:
    """Round each column so that sums of as many of its numbers are exact in any order.

    >>> round_to_grid(np.array([[3.0], [0.1]])).tolist()
    [[3.0], [0.09999999999999964]]
    """
    whole = rows == np.rint(rows)
    if whole.all() or not np.isfinite(rows).all():
        return rows
    largest = np.abs(rows).max(0, initial=0)
    _, exponent = np.frexp(len(rows) * largest)
    bits = 53 - exponent
    return np.ldexp(np.rint(np.ldexp(rows, bits)), -bits)


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
    weighing = StackedRows([sample.rows for sample in samples])

    def scores(weights: Weights) -> list[Array]:
        totals = weighing.sum_weighted(weights)
        return [
            sample.aggregate(found)
            for sample, found in zip(samples, totals, strict=True)
        ]

    found = np.empty((len(samples), trials))
    done = 0
    blocks = draw_weights(len(samples[0].rows), trials, rng)
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
    observed = sample.aggregate(pool.sum_rows(sample.rows))
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
    low, high = np.quantile(scores, ends)
    return float(low), float(high)


def jackknife_scores(sample: Sample) -> Array:
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


def compute_intervals(
    samples: Sequence[Sample],
    *,
    method: Method = "percentile",
    trials: int = TRIALS,
    level: float = 0.95,
    seed: int = SEED,
) -> list[tuple[float, float] | None]:
    """Bootstrap intervals of corpus scores; None with fewer than two rows, or no score."""
    check_settings(
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


def check_settings(what: str, given: Mapping[str, tuple[bool, str]]) -> None:
    """Refuse the first wish that is not possible, and say what was expected."""
    for wish, (possible, expected) in given.items():
        if not possible:
            msg = f"{what} with {wish} is not possible; expected {expected}."
            raise OptionError(msg)
