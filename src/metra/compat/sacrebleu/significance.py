"""sacreBLEU's intervals and paired tests: its draws, its arithmetic, its p-values.

Draws come from numpy's generator with sacreBLEU's seed. Scores of bootstrap samples are
computed in single precision, those of swaps in double precision, as sacreBLEU does. Only
differences strictly above the observed one count against significance; `metra compare`
counts ties too.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metra.compat.sacrebleu.metrics import References, SacreMetric, Segments
from metra.compat.sacrebleu.scores import Signature, read_seed
from metra.errors import OptionError, not_possible
from metra.stats.weighted_sums import StackedRows

DEFAULT_SAMPLES = {"ar": 10_000, "bs": 1_000}

#: Sums of whole multiples of a quarter are exact in any order, as far as their digits fit.
_GRID = 4


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
        n_jobs: int = 1,  # noqa: ARG002, sacreBLEU's; metra uses all cores
    ) -> None:
        if test_type not in DEFAULT_SAMPLES:
            msg = not_possible(f"test_type={test_type!r}", "ar or bs")
            raise OptionError(msg)
        self.named_systems = named_systems
        self.metrics = metrics
        self.references = references
        self.test_type = test_type
        self.n_samples = n_samples or DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence
        self._seed = os.environ.get("SACREBLEU_SEED", "12345")

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[Any]]]:
        """Return the metrics' signatures, and the systems with the results of each metric."""
        outputs = dict(self.named_systems)
        signatures: dict[str, Signature] = {}
        results: dict[str, list[Any]] = {"System": list(outputs)}
        for metric in self.metrics.values():
            rows = list(metric.count(outputs, self.references, keep=True).values())
            scores = [metric.build_score(metric.sum_rows(part)) for part in rows]
            name = scores[0].name
            results[name] = [PairedResult(score.score) for score in scores]
            test = self._test_bootstrap if self.test_type == "bs" else self._test_swaps
            test(metric, rows, results[name])
            signature = metric.get_signature()
            signature.update(self.test_type, self.n_samples)
            signature.update("seed", self._seed.lower())
            signatures[name] = signature
        return signatures, results

    def _test_bootstrap(
        self,
        metric: SacreMetric,
        rows: list[NDArray[Any]],
        results: list[PairedResult],
    ) -> None:
        resampler = Resampler(len(rows[0]), self.n_samples, read_seed(self._seed))
        samples = [resampler.resample(metric, part) for part in rows]
        for result, scores in zip(results, samples, strict=True):
            result.mean, result.ci = estimate_ci(scores)
        for result, scores in zip(results[1:], samples[1:], strict=True):
            differences = np.abs(scores - samples[0])
            observed = abs(results[0].score - result.score)
            result.p_value = compute_p_value(differences - differences.mean(), observed)

    def _test_swaps(
        self,
        metric: SacreMetric,
        rows: list[NDArray[Any]],
        results: list[PairedResult],
    ) -> None:
        rng = np.random.default_rng(read_seed(self._seed))
        size = (self.n_samples, len(rows[0]))
        swaps = rng.integers(2, size=size, dtype=bool)
        for result, part in zip(results[1:], rows[1:], strict=True):
            totals = _swap_rows(swaps, rows[0], part)
            first, second = (metric.score_samples(sums) for sums in totals)
            observed = abs(results[0].score - result.score)
            result.p_value = compute_p_value(np.abs(first - second), observed)
        if self.n_ar_confidence > 0:
            count = self.n_ar_confidence
            resampler = Resampler(len(rows[0]), count, read_seed(self._seed))
            for result, part in zip(results, rows, strict=True):
                result.mean, result.ci = estimate_ci(resampler.resample(metric, part))


class Resampler:
    """Segments drawn with replacement, the same for every metric and system."""

    def __init__(self, segments: int, samples: int, seed: int | None) -> None:
        rng = np.random.default_rng(seed)
        self.segments = segments
        self.samples = samples
        self.draws = rng.choice(segments, size=(samples, segments), replace=True)
        self._weights: NDArray[Any] | None = None

    def resample(self, metric: SacreMetric, rows: NDArray[Any]) -> NDArray[Any]:
        """Score every drawn sample of the rows."""
        return metric.score_samples(self._sum_samples(rows))

    def _sum_samples(self, rows: NDArray[Any]) -> NDArray[Any]:
        if not _is_exact(rows, np.float32):
            single = rows.astype(np.float32)
            return _add_in_order(single[column] for column in self.draws.T)
        if self._weights is None:
            starts = self.segments * np.arange(self.samples)[:, None]
            counts = np.bincount(
                (self.draws + starts).ravel(), minlength=self.draws.size
            )
            self._weights = counts.reshape(self.draws.shape)
        (sums,) = StackedRows([rows]).sum_weighted(self._weights)
        return sums.astype(np.float32)


def estimate_ci(scores: NDArray[Any]) -> tuple[float, float]:
    """Return the mean of resampled scores, and half the width of their 95 % interval."""
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    half = 0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut])
    return float(ordered.mean()), float(half)


def compute_p_value(differences: NDArray[Any], observed: float) -> float:
    """Return the share of differences above the observed one, which is counted as well.

    >>> compute_p_value(np.array([1.0, 2.0, 3.0]), 2.0)
    0.5
    """
    above = int((differences > observed).sum())
    return (above + 1) / (len(differences) + 1)


def _swap_rows(
    swaps: NDArray[Any], base: NDArray[Any], other: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sum both systems' rows under each choice of swapped segments."""
    if _is_exact(base, np.float64) and _is_exact(other, np.float64):
        stacked = StackedRows([base, other])
        chosen, given = stacked.sum_weighted(swaps)
        whole = stacked.totals
        return whole[0] - chosen + given, whole[1] - given + chosen
    columns = swaps.T[:, :, None]
    first = _add_in_order(
        np.where(swap, b, a) for swap, a, b in zip(columns, base, other, strict=True)
    )
    second = _add_in_order(
        np.where(swap, a, b) for swap, a, b in zip(columns, base, other, strict=True)
    )
    return first, second


def _is_exact(rows: NDArray[Any], kind: type[np.floating[Any]]) -> bool:
    """Whether sums of as many rows are exact in a precision, in any order."""
    grid = rows * _GRID
    largest = len(rows) * np.abs(grid).max(initial=0)
    return bool((grid == np.rint(grid)).all() and largest < 2 ** np.finfo(kind).nmant)


def _add_in_order(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Add arrays one after the other, as numpy adds rows."""
    return reduce(np.add, parts)
