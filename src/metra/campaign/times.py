"""How long answers took, by judge and together, and which came too fast to be read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metra.campaign.judgement import keep_latest
from metra.formats.scores.judgement import Judgement
from metra.text.words import count_words_to_read

#: Bars of the picture.
_BARS = 20


@dataclass(frozen=True, slots=True)
class ActiveTimes:
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
    all: ActiveTimes
    judges: tuple[ActiveTimes, ...]


def build_time_table(judgements: Iterable[Judgement]) -> TimeTable | None:
    """Return the distribution of active times; None where nothing was timed."""
    by_judge: dict[str, list[float]] = {}
    for judgement in keep_latest(judgements):
        if judgement.active_ms is not None:
            active = judgement.active_ms / 1000
            by_judge.setdefault(judgement.judge, []).append(active)
    everything = [seconds for times in by_judge.values() for seconds in times]
    if not everything:
        return None
    # A judge who left the desk must not press all others into one bar.
    longest = float(np.quantile(everything, 0.95)) or 1.0
    edges = np.linspace(0, longest, _BARS + 1)
    return TimeTable(
        tuple(edges.tolist()),
        _summarise_times("", everything, edges.tolist()),
        tuple(
            _summarise_times(judge, by_judge[judge], edges.tolist())
            for judge in sorted(by_judge)
        ),
    )


def _summarise_times(
    judge: str, seconds: Sequence[float], edges: Sequence[float]
) -> ActiveTimes:
    least, lower, median, upper, most = np.quantile(
        seconds, [0, 0.25, 0.5, 0.75, 1]
    ).tolist()
    counts, _ = np.histogram(np.minimum(seconds, edges[-1]), bins=np.array(edges))
    return ActiveTimes(
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


#: Twice as fast as quick readers of plain prose read (Brysbaert 2019: 175 to 300).
WORDS_PER_MINUTE = 600.0


@dataclass(frozen=True, slots=True)
class Speed:
    """How many answers of a judge were timed, and how many came too early to be read."""

    timed: int
    too_fast: int

    @property
    def share(self) -> float | None:
        """The share of early answers; None where nothing was timed."""
        return self.too_fast / self.timed if self.timed else None


def compute_least_seconds(
    judgement: Judgement, words_per_minute: float = WORDS_PER_MINUTE
) -> float:
    """Return the time that reading the judged outputs takes at a speed."""
    words = sum(map(count_words_to_read, judgement.outputs))
    return 60 * words / words_per_minute


def is_too_fast(
    judgement: Judgement, words_per_minute: float = WORDS_PER_MINUTE
) -> bool | None:
    """Return whether the active time is too short to read; None if not measured."""
    if judgement.active_ms is None:
        return None
    return judgement.active_ms / 1000 < compute_least_seconds(
        judgement, words_per_minute
    )


def count_early_answers(
    judgements: Iterable[Judgement], words_per_minute: float = WORDS_PER_MINUTE
) -> dict[str, Speed]:
    """Return how many answers of each judge came too early."""
    by_judge: dict[str, list[bool]] = {}
    for judgement in judgements:
        is_early = is_too_fast(judgement, words_per_minute)
        timed = by_judge.setdefault(judgement.judge, [])
        if is_early is not None:
            timed.append(is_early)
    return {judge: Speed(len(timed), sum(timed)) for judge, timed in by_judge.items()}
