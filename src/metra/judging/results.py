"""What a campaign found: each system's mean with an interval.

A system's score is the mean over its items of the mean of the item's judges. Calibration,
repeats and spoilt copies never enter. Agreement between judges is for `metra meta`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metra.human.judgement import Judgement, latest
from metra.infer import SEED, TRIALS, Sample, confidence
from metra.infer.intervals import refuse_wrong
from metra.pool import Array

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SystemMean:
    """One system by one scorer, on the native scale and between 0 and 100."""

    system: str
    scorer: str
    items: int
    judgements: int
    native: float
    native_interval: Interval | None
    hundred: float
    hundred_interval: Interval | None
    higher_is_better: bool


class Figure(NamedTuple):
    """One score of one output by one judge."""

    judge: str
    system: str
    document: str
    segment: int
    native: float
    hundred: float


def system_means(
    judgements: Iterable[Judgement],
    *,
    by: str = "segment",
    level: float = 0.95,
    trials: int = TRIALS,
    seed: int = SEED,
) -> list[SystemMean]:
    """Mean and bootstrap interval of every system and scorer, the best system first.

    `by` is what is resampled: segments, or whole documents, which do not pretend that
    sentences of one text are independent.
    """
    possible = by in ("segment", "document")
    refuse_wrong("A mean", {f"by={by!r}": (possible, "segment or document")})
    found: list[SystemMean] = []
    counted = [judgement for judgement in latest(judgements) if judgement.counts]
    for (scorer, higher), figures in figures_by_scorer(counted).items():
        units = {unit: at for at, unit in enumerate(sorted(set(_units(figures, by))))}
        means = [
            _system(mine, scorer, units, by) for mine in _by_system(figures).values()
        ]
        samples = [Sample(rows, _mean) for _, pair in means for rows in pair]
        ends = confidence(samples, level=level, trials=trials, seed=seed)
        scored = [
            SystemMean(*mean[:5], ends[2 * at], mean[5], ends[2 * at + 1], higher)
            for at, (mean, _) in enumerate(means)
        ]
        found += sorted(scored, key=lambda mean: (-mean.hundred, mean.system))
    return found


def figures_by_scorer(
    judgements: Iterable[Judgement],
) -> dict[tuple[str, bool], list[Figure]]:
    """All scores, by scorer and its direction."""
    found: dict[tuple[str, bool], list[Figure]] = {}
    for one in judgements:
        for system, scores in zip(one.systems, one.scores(), strict=True):
            for scored in scores:
                found.setdefault((scored.scorer, scored.higher_is_better), []).append(
                    Figure(
                        one.judge,
                        system,
                        one.document,
                        one.segment,
                        scored.native,
                        scored.hundred,
                    )
                )
    return found


def _units(figures: Iterable[Figure], by: str) -> list[str | int]:
    return [one.document if by == "document" else one.segment for one in figures]


def _by_system(figures: Iterable[Figure]) -> dict[str, list[Figure]]:
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        found.setdefault(figure.system, []).append(figure)
    return found


def _system(
    figures: list[Figure],
    scorer: str,
    units: dict[str | int, int],
    by: str,
) -> tuple[tuple[str, str, int, int, float, float], tuple[Array, Array]]:
    """Rows (sum of item means, items) of each unit, native and to a hundred."""
    items: dict[int, list[Figure]] = {}
    for figure in figures:
        items.setdefault(figure.segment, []).append(figure)
    native, hundred = (np.zeros((len(units), 2)) for _ in range(2))
    for mine in items.values():
        [unit] = _units(mine[:1], by)
        native[units[unit]] += np.mean([one.native for one in mine]), 1
        hundred[units[unit]] += np.mean([one.hundred for one in mine]), 1
    means = [float(_mean(rows.sum(0))) for rows in (native, hundred)]
    name = figures[0].system
    return (name, scorer, len(items), len(figures), means[0], means[1]), (
        native,
        hundred,
    )


def _mean(totals: Array) -> Array:
    """Sum by count; nothing to judge gives no score."""
    counts = totals[..., 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, totals[..., 0] / counts, np.nan)
