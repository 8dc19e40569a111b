"""Intervals for any measure, from its rows and its `aggregate` alone.

Random draws in blocks: how often each unit is taken, or which units change sides.
Totals of weighted rows, for many rows of weights and many samples at once.
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
        for some in _sizes(count, size, step):
            draws = rng.integers(0, count, (some, count))
            draws += np.arange(some)[:, None] * count
            counts = np.bincount(draws.ravel(), minlength=some * count)
            weights[start : start + some] = counts.reshape(some, count)
            start += some
        yield weights


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
    """Matrices of rows that share their weights; one that is given twice is summed once."""

    def __init__(self, matrices: Sequence[Array]) -> None:
        distinct = {id(rows): rows for rows in matrices}
        numbers = {key: number for number, key in enumerate(distinct)}
        self._numbers = [numbers[id(rows)] for rows in matrices]
        rounded = [round_to_grid(rows) for rows in distinct.values()]
        sums = [rows.sum(0) for rows in rounded]
        #: The plain sums of all rows of each matrix, exact.
        self.totals = [sums[number] for number in self._numbers]
        narrow = [_shorten_floats(rows) for rows in rounded]
        stacked = sum(rows.size for rows in rounded) <= MOST_STACKED
        #: Numbers of matrices, and these side by side: one product of wide matrices is some
        #: times quicker than many of narrow ones.
        self._stacks: list[tuple[list[int], NDArray[Any]]] = []
        for kind in (np.float32, np.float64):
            alike = [at for at, rows in enumerate(narrow) if rows.dtype == kind]
            for group in [alike] if stacked and alike else [[at] for at in alike]:
                rows = narrow[group[0]]
                if len(group) > 1:
                    rows = np.concatenate([narrow[at] for at in group], axis=1)
                self._stacks.append((group, rows))
        self._widths = [rows.shape[1] for rows in narrow]

    def sum_weighted(self, weights: Weights) -> list[Array]:
        """Give each matrix's totals under each row of weights: (trials, columns)."""
        trials, count = weights.shape
        totals = [np.zeros((trials, rows.shape[1])) for _, rows in self._stacks]
        step = max(1, STEP // trials)
        for start in range(0, count, step):
            part = weights[:, start : start + step]
            parts = {rows.dtype: part.astype(rows.dtype) for _, rows in self._stacks}
            for total, (_, rows) in zip(totals, self._stacks, strict=True):
                total += parts[rows.dtype] @ rows[start : start + step]
        sums: dict[int, Array] = {}
        for (group, _), total in zip(self._stacks, totals, strict=True):
            ends = np.cumsum([self._widths[at] for at in group])[:-1]
            pieces = np.split(total, ends, axis=1)
            sums |= zip(group, map(np.ascontiguousarray, pieces), strict=True)
        return [sums[number] for number in self._numbers]


def _shorten_floats(rows: Array) -> NDArray[Any]:
    """Halve the size of numbers whose weighted sums stay exact, and twice as quick.

    The weights of a trial add up to no more than the number of rows.
    """
    whole = bool((rows == np.rint(rows)).all())
    if whole and len(rows) * np.abs(rows).max(initial=0) < 2**24:
        return rows.astype(np.float32)
    return rows


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
    return intervals_of_rows(scores[None], level=level)[0]


def intervals_of_rows(
    scores: Array, *, level: float = 0.95
) -> list[tuple[float, float]]:
    """Give the interval of each row of resampled scores, all at once.

    >>> intervals_of_rows(np.array([np.arange(101.0), np.zeros(101)]), level=0.5)
    [(25.0, 75.0), (0.0, 0.0)]
    """
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2], axis=-1)
    return list(zip(low.tolist(), high.tolist(), strict=True))


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
    """Bias-correct_share and accelerated interval (Efron 1987, JASA 82).

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
