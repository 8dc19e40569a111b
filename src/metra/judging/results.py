"""What a campaign found: each system's mean with an interval.

A system's score is the mean over its items of the mean of the item's judges. Calibration,
repeats and spoilt copies never enter.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metra.human.judgement import Judgement, latest
from metra.human.protocols import protocol
from metra.human.protocols.scored import Scored
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
    #: What systems are ranked by: higher is better.
    worth: float


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
    kept = [judgement for judgement in latest(judgements) if judgement.counts]
    for (scorer, higher), figures in figures_by_scorer(kept).items():
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
            name: float(mean_of(unit_rows(mine, units, by, "worth").sum(0)))
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


def figures_by_scorer(
    judgements: Iterable[Judgement],
) -> dict[tuple[str, bool], list[Figure]]:
    """All scores, by scorer and its direction; what has no score is not there."""
    found: dict[tuple[str, bool], list[Figure]] = {}
    for one in judgements:
        compared = protocol(one.protocol).contrastive
        for system, scores in zip(one.systems, one.scores(), strict=True):
            for scored in filter(_defined, scores):
                found.setdefault((scored.scorer, scored.higher_is_better), []).append(
                    Figure(
                        one.judge,
                        system,
                        one.document,
                        one.segment,
                        scored.native,
                        scored.hundred,
                        _worth(scored, compared),
                    )
                )
    return found


def _defined(scored: Scored) -> bool:
    return scored.defined


def _worth(scored: Scored, compared: bool) -> float:
    """The native score, upwards; of an order, the share of outputs that were beaten.

    A penalty is not cut off at 0 of 100 here, and ranks among two and among ten differ.
    """
    if compared:
        return scored.hundred
    return scored.native if scored.higher_is_better else -scored.native


def numbered_units(figures: Iterable[Figure], by: str) -> dict[str | int, int]:
    """Number what is resampled: segments or documents, in order."""
    return {unit: at for at, unit in enumerate(sorted(set(units_of(figures, by))))}


def units_of(figures: Iterable[Figure], by: str) -> list[str | int]:
    """The segment or the document of each score."""
    return [one.document if by == "document" else one.segment for one in figures]


def by_system(figures: Iterable[Figure]) -> dict[str, list[Figure]]:
    """Part scores by the systems that they are of."""
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        found.setdefault(figure.system, []).append(figure)
    return found


def unit_rows(
    figures: Iterable[Figure], units: dict[str | int, int], by: str, what: str
) -> Array:
    """Sum of item means, and items, of each unit: units × 2."""
    items: dict[int, list[Figure]] = {}
    for figure in figures:
        items.setdefault(figure.segment, []).append(figure)
    rows = np.zeros((len(units), 2))
    for mine in items.values():
        [unit] = units_of(mine[:1], by)
        rows[units[unit]] += np.mean([getattr(one, what) for one in mine]), 1
    return rows


def _system(
    figures: list[Figure], scorer: str, units: dict[str | int, int], by: str
) -> tuple[tuple[str, str, int, int, float, float], tuple[Array, Array]]:
    """The rows of a system's units, native and to a hundred, and what they come to."""
    native, hundred = (unit_rows(figures, units, by, w) for w in ("native", "hundred"))
    means = [float(mean_of(rows.sum(0))) for rows in (native, hundred)]
    name, items = figures[0].system, len({figure.segment for figure in figures})
    return (name, scorer, items, len(figures), means[0], means[1]), (native, hundred)


def mean_of(totals: Array) -> Array:
    """Sum by count; nothing to judge gives no score."""
    counts = totals[..., 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, totals[..., 0] / counts, np.nan)
