"""How long answers took, by judge and together, and which came too fast to be read."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from metra.campaign.campaign import group_by
from metra.campaign.protocols.timed import FASTEST
from metra.formats.scores.judgement import Judgement
from metra.stats.arrays import Array
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

    @property
    def is_cut(self) -> bool:
        """Whether some answers took longer than the last edge."""
        return self.all.most > self.edges[-1]


def build_time_table(kept: Iterable[Judgement]) -> TimeTable | None:
    """Return how active times of last revisions are distributed; None where there are none."""
    timed = [one for one in kept if one.active_ms is not None]
    if not timed:
        return None
    by_judge = {
        judge: [(one.active_ms or 0) / 1000 for one in own]
        for judge, own in group_by(timed, attrgetter("judge")).items()
    }
    everything = [seconds for times in by_judge.values() for seconds in times]
    # A judge who left the desk must not press all others into one bar.
    longest = float(np.quantile(everything, 0.95)) or 1.0
    edges = np.linspace(0, longest, _BARS + 1)
    return TimeTable(
        tuple(edges.tolist()),
        _summarise_times("", everything, edges),
        tuple(
            _summarise_times(name, own, edges) for name, own in sorted(by_judge.items())
        ),
    )


def _summarise_times(judge: str, seconds: list[float], edges: Array) -> ActiveTimes:
    quarters: list[Any] = np.quantile(seconds, [0, 0.25, 0.5, 0.75, 1]).tolist()
    counts, _ = np.histogram(np.minimum(seconds, edges[-1]), bins=edges)
    rest = *quarters, tuple(counts.tolist())
    return ActiveTimes(judge, len(seconds), sum(seconds), *rest)


#: Faster than anybody reads.
WORDS_PER_MINUTE = FASTEST


@dataclass(frozen=True, slots=True)
class Speed:
    """How many answers of a judge were timed, and how many came too early to be read."""

    timed: int
    too_fast: int

    @property
    def share(self) -> float | None:
        """The share of early answers; None where nothing was timed."""
        return self.too_fast / self.timed if self.timed else None


def count_early_answers(
    judgements: Iterable[Judgement], words_per_minute: float = WORDS_PER_MINUTE
) -> dict[str, Speed]:
    """Return how many answers of each judge came before the outputs could be read."""
    speeds = {}
    for judge, own in group_by(judgements, attrgetter("judge")).items():
        timed = [one for one in own if one.active_ms is not None]
        early = sum(_is_early(one, words_per_minute) for one in timed)
        speeds[judge] = Speed(len(timed), early)
    return speeds


def _is_early(judgement: Judgement, words_per_minute: float) -> bool:
    seconds = (judgement.active_ms or 0) / 1000
    # A word takes a letter and a blank at least, so that most texts need not be cut.
    most = sum([len(text) + 1 for text in judgement.outputs]) / 2
    if seconds >= 60 * most / words_per_minute:
        return False
    words = sum(map(count_words_to_read, judgement.outputs))
    return seconds < 60 * words / words_per_minute
