"""sacreBLEU's intervals and paired tests: its draws, its arithmetic, its p-values.

Draws come from numpy's generator with sacreBLEU's seed. Scores of bootstrap samples are
computed in single precision, those of swaps in double precision, as sacreBLEU does. Only
differences strictly above the observed one count against significance; `metra compare`
counts ties too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metra.compat.sacrebleu.metrics import References, SacreMetric, Segments
from metra.compat.sacrebleu.scores import Signature, read_seed
from metra.errors import OptionError, not_possible
from metra.stats.parallel import ordered_map, thread_count
from metra.stats.resampling import BLOCK, count_draws, share_reached
from metra.stats.weighted_sums import StackedRows

Array = NDArray[Any]

DEFAULT_SAMPLES = {"ar": 10_000, "bs": 1_000}

#: Sums of whole multiples of a quarter are exact in any order, as far as their digits fit.
_GRID = 4
#: Random bits are drawn 32 at a time; so many rows at a time use all of them.
_BITS = 32


@dataclass
class PairedResult:
    """A system's score; its p-value against the baseline; the mean and interval, if any."""

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def __repr__(self) -> str:
        pairs = (f"{name}={value}" for name, value in vars(self).items())
        return ",".join(pairs)


#: sacreBLEU's name of it.
Result = PairedResult


class PairedTest:
    """Systems against the first of them, by approximate randomisation or bootstrap."""

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Segments]],
        metrics: Mapping[str, SacreMetric],
        references: References | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in DEFAULT_SAMPLES:
            msg = not_possible(f"test_type={test_type!r}", "ar or bs")
            raise OptionError(msg)
        self.named_systems = named_systems
        self.metrics = metrics
        self.references = references
        self.test_type = test_type
        self.n_samples = n_samples if n_samples > 0 else DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence or DEFAULT_SAMPLES["bs"]
        #: Kept as it was given: metra uses all cores.
        self.n_jobs = n_jobs

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[Any]]]:
        """Return the metrics' signatures, and the systems with the results of each metric."""
        signatures: dict[str, Signature] = {}
        results: dict[str, list[Any]] = {
            "System": [name for name, _ in self.named_systems]
        }
        outputs = {
            f"{number}: {name}": segments
            for number, (name, segments) in enumerate(self.named_systems, 1)
        }
        for metric in self.metrics.values():
            rows = list(metric.count(outputs, self.references, keep=True).values())
            scores = [metric.build_score(metric.sum_rows(part)) for part in rows]
            name = scores[0].name
            results[name] = [PairedResult(score.score) for score in scores]
            test = self._test_bootstrap if self.test_type == "bs" else self._test_swaps
            test(metric, rows, results[name])
            signatures[name] = self._sign(metric)
        return signatures, results

    def _sign(self, metric: SacreMetric) -> Signature:
        signature = metric.get_signature()
        signature.update("seed", str(read_seed()).lower())
        signature.update(self.test_type, self.n_samples)
        if self.n_ar_confidence > 0:
            signature.update("bs", self.n_ar_confidence)
        return signature

    def _test_bootstrap(
        self, metric: SacreMetric, rows: list[Array], results: list[PairedResult]
    ) -> None:
        base, *others = resample(metric, rows, self.n_samples, make_generator())
        results[0].mean, results[0].ci = estimate_ci(base)
        for result, scores in zip(results[1:], others, strict=True):
            result.mean, result.ci = estimate_ci(scores)
            differences = np.abs(scores - base)
            observed = abs(results[0].score - result.score)
            result.p_value = compute_p_value(differences - differences.mean(), observed)

    def _test_swaps(
        self, metric: SacreMetric, rows: list[Array], results: list[PairedResult]
    ) -> None:
        rng = make_generator()
        trials = swap_outputs(metric, rows, self.n_samples, rng)
        for result, differences in zip(results[1:], trials, strict=True):
            observed = abs(results[0].score - result.score)
            result.p_value = compute_p_value(differences, observed)
        if self.n_ar_confidence > 0:
            # Systems are drawn after the swaps, and the baseline anew.
            count = self.n_ar_confidence
            samples = [
                *resample(metric, rows[:1], count, make_generator()),
                *resample(metric, rows[1:], count, rng),
            ]
            for result, scores in zip(results, samples, strict=True):
                result.mean, result.ci = estimate_ci(scores)


def make_generator() -> np.random.Generator:
    """Make the generator of a call's draws, with the seed of the environment."""
    return np.random.default_rng(read_seed())


def resample(
    metric: SacreMetric,
    rows: Sequence[Array],
    samples: int,
    rng: np.random.Generator,
) -> list[Array]:
    """Score bootstrap samples of each system's rows; all systems share the draws."""
    count = len(rows[0])
    stacked = StackedRows(rows)
    exact = all(_is_exact(part, np.float32) for part in rows)
    singles = [part.astype(np.float32) for part in rows]

    def score(draws: Array) -> list[Array]:
        if exact:
            sums = stacked.sum_weighted(count_draws(draws, np.uint16))
        else:
            sums = [_add_in_order(part[row] for row in draws.T) for part in singles]
        return [metric.score_samples(each.astype(np.float32)) for each in sums]

    sizes = _split_trials(samples, count)
    blocks = (rng.integers(0, count, (size, count)) for size in sizes)
    return _join(ordered_map(score, blocks, thread_count()))


def swap_outputs(
    metric: SacreMetric,
    rows: Sequence[Array],
    trials: int,
    rng: np.random.Generator,
) -> list[Array]:
    """Give the differences between the first system and each other after random swaps."""
    count = len(rows[0])
    stacked = StackedRows(rows)
    exact = all(_is_exact(part, np.float64) for part in rows)

    def score(swaps: Array) -> list[Array]:
        # Where the coin shows 1, sacreBLEU leaves both outputs where they are.
        if exact:
            kept = stacked.sum_weighted(swaps)
            moved = [t - k for t, k in zip(stacked.totals, kept, strict=True)]
        else:
            kept = [swaps @ part for part in rows]
            moved = [~swaps @ part for part in rows]
        firsts = [kept[0] + each for each in moved[1:]]
        seconds = [moved[0] + each for each in kept[1:]]
        return [
            np.abs(metric.score_samples(first) - metric.score_samples(second))
            for first, second in zip(firsts, seconds, strict=True)
        ]

    sizes = _split_trials(trials, count)
    blocks = (rng.integers(2, size=(size, count), dtype=bool) for size in sizes)
    return _join(ordered_map(score, blocks, thread_count()))


def estimate_ci(scores: Array) -> tuple[float, float]:
    """Return the mean of resampled scores, and half the width of their 95 % interval."""
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    half = 0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut])
    return float(ordered.mean()), float(half)


def compute_p_value(differences: Array, observed: float) -> float:
    """Return the share of differences above the observed one, which is counted as well.

    >>> compute_p_value(np.array([1.0, 2.0, 3.0]), 2.0)
    0.5
    """
    return share_reached(int((differences > observed).sum()), len(differences))


def _split_trials(trials: int, count: int) -> Iterator[int]:
    """Split trials into blocks that give the same draws as all of them at once."""
    size = max(_BITS, BLOCK // count // _BITS * _BITS)
    for start in range(0, trials, size):
        yield min(size, trials - start)


def _join(blocks: Iterable[list[Array]]) -> list[Array]:
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def _is_exact(rows: Array, kind: type[np.floating[Any]]) -> bool:
    """Tell whether sums of as many rows are exact in a precision, in any order."""
    grid = rows * _GRID
    largest = len(rows) * np.abs(grid).max(initial=0)
    return bool((grid == np.rint(grid)).all() and largest < 2 ** np.finfo(kind).nmant)


def _add_in_order(parts: Iterable[Array]) -> Array:
    """Add arrays one after the other, as numpy adds rows."""
    return reduce(np.add, parts)
