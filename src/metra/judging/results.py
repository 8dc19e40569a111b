"""What a campaign found: each system's mean with an interval.

A system's score is the mean over its items of the mean of the item's judges. Calibration,
repeats and spoilt copies never enter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

import numpy as np

from metra.human.judgement import Judgement, latest
from metra.infer import SEED, TRIALS, Sample, confidence
from metra.infer.intervals import refuse_wrong
from metra.judging.figures import (
    Figure,
    Figures,
    by_system,
    figures_by_scorer,
    that_count,
)
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
    figures = that_count(figures_by_scorer(latest(judgements)))
    return means_of(figures, by=by, level=level, trials=trials, seed=seed)


def means_of(
    every: Figures, *, by: str, level: float, trials: int, seed: int
) -> list[SystemMean]:
    """The same from scores that have been read out."""
    found: list[SystemMean] = []
    for (scorer, higher), figures in every.items():
        units = numbered_units(figures, by)
        means = [
            _system(mine, scorer, units, by) for mine in by_system(figures).values()
        ]
        samples = [Sample(rows, mean_of) for _, pair in means for rows in pair]
        ends = confidence(samples, level=level, trials=trials, seed=seed)
        scored = [
            SystemMean(*mean[:5], ends[2 * at], mean[5], ends[2 * at + 1], higher)
            for at, (mean, _) in enumerate(means)
        ]
        worth = {
            name: float(mean_of(unit_rows(mine, units, by, ("worth",))[0].sum(0)))
            for name, mine in by_system(figures).items()
        }
        found += sorted(scored, key=lambda mean: (-worth[mean.system], mean.system))
    return found


def counted(judgements: Iterable[Judgement]) -> str:
    """Say how much there is."""
    kept = latest(judgements)
    judges = len({one.judge for one in kept})
    systems = len({name for one in kept for name in one.systems})
    return f"{len(kept)} answers by {judges} judges about {systems} systems."


def numbered_units(figures: Iterable[Figure], by: str) -> dict[str | int, int]:
    """Number what is resampled: segments or documents, in order."""
    return {unit: at for at, unit in enumerate(sorted(set(units_of(figures, by))))}


def units_of(figures: Iterable[Figure], by: str) -> list[str | int]:
    """The segment or the document of each score."""
    return [one.document if by == "document" else one.segment for one in figures]


def unit_rows(
    figures: Sequence[Figure],
    units: dict[str | int, int],
    by: str,
    names: Sequence[Literal["native", "hundred", "worth"]],
) -> list[Array]:
    """Sum of item means, and items, of each unit, by each name: units × 2."""
    # Items in the order in which they came, so that sums come to the same digits.
    items = dict.fromkeys(figure.segment for figure in figures)
    place = {segment: at for at, segment in enumerate(items)}
    item = np.array([place[figure.segment] for figure in figures], np.int64)
    unit = np.zeros(len(items), np.int64)
    # The first figure of an item tells its unit: it is written last.
    unit[item[::-1]] = [units[one] for one in units_of(figures, by)][::-1]
    each = np.bincount(item)
    count = np.bincount(unit, minlength=len(units)).astype(np.float64)
    found: list[Array] = []
    for name in names:
        values = np.array(list(map(attrgetter(name), figures)), np.float64)
        means = np.bincount(item, values, len(items)) / each
        found.append(np.column_stack([np.bincount(unit, means, len(units)), count]))
    return found


def _system(
    figures: list[Figure], scorer: str, units: dict[str | int, int], by: str
) -> tuple[tuple[str, str, int, int, float, float], tuple[Array, Array]]:
    """The rows of a system's units, native and to a hundred, and what they come to."""
    native, hundred = unit_rows(figures, units, by, ("native", "hundred"))
    means = [float(mean_of(rows.sum(0))) for rows in (native, hundred)]
    name, items = figures[0].system, len({figure.segment for figure in figures})
    return (name, scorer, items, len(figures), means[0], means[1]), (native, hundred)


def mean_of(totals: Array) -> Array:
    """Sum by count; nothing to judge gives no score."""
    counts = totals[..., 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, totals[..., 0] / counts, np.nan)
