"""How long answers took: active time of each screen, by judge and together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metra.human.judgement import Judgement, latest

#: Bars of the picture.
_BARS = 20


@dataclass(frozen=True, slots=True)
class Times:
    """The active seconds of one judge, or of all; quarters by linear interpolation."""

    judge: str
    answers: int
    total: float
    least: float
    lower: float
    median: float
    upper: float
    most: float
    #: How many answers fall between each two edges of the picture.
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TimeTable:
    """The times of all, then of each judge; the last bar holds what is longer."""

    edges: tuple[float, ...]
    all: Times
    judges: tuple[Times, ...]


def time_table(judgements: Iterable[Judgement]) -> TimeTable | None:
    """Describe the active times; None where nothing was timed."""
    return times_of(latest(judgements))


def times_of(kept: Iterable[Judgement]) -> TimeTable | None:
    """The same from last revisions."""
    mine: dict[str, list[float]] = {}
    for one in kept:
        if one.active_ms is not None:
            mine.setdefault(one.judge, []).append(one.active_ms / 1000)
    everything = [seconds for times in mine.values() for seconds in times]
    if not everything:
        return None
    # A judge who left the desk must not press all others into one bar.
    longest = float(np.quantile(everything, 0.95)) or 1.0
    edges = np.linspace(0, longest, _BARS + 1)
    return TimeTable(
        tuple(edges.tolist()),
        _times("", everything, edges.tolist()),
        tuple(_times(judge, mine[judge], edges.tolist()) for judge in sorted(mine)),
    )


def _times(judge: str, seconds: Sequence[float], edges: Sequence[float]) -> Times:
    least, lower, median, upper, most = np.quantile(
        seconds, [0, 0.25, 0.5, 0.75, 1]
    ).tolist()
    counts, _ = np.histogram(np.minimum(seconds, edges[-1]), bins=np.array(edges))
    return Times(
        judge,
        len(seconds),
        sum(seconds),
        least,
        lower,
        median,
        upper,
        most,
        tuple(counts.tolist()),
    )
