"""How long answers took, by judge and together, and which came too fast to be read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from metra.campaign.protocols.timed import FASTEST
from metra.scores.judgement import Judgement
from metra.stats.arrays import Array, group_lines, number_names
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
    seconds = get_active_seconds(timed)
    names, judge = number_names([one.judge for one in timed])
    by_judge = {names[at]: seconds[mine] for at, mine in group_lines(judge)}
    everything = np.concatenate(list(by_judge.values()))
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


def get_active_seconds(timed: Iterable[Judgement]) -> Array:
    """Return the active seconds of judgements that have been timed."""
    return np.array([one.active_ms or 0 for one in timed], np.float64) / 1000


def _summarise_times(judge: str, seconds: Array, edges: Array) -> ActiveTimes:
    quarters: list[Any] = np.quantile(seconds, [0, 0.25, 0.5, 0.75, 1]).tolist()
    counts, _ = np.histogram(np.minimum(seconds, edges[-1]), bins=edges)
    rest = *quarters, tuple(counts.tolist())
    return ActiveTimes(judge, len(seconds), sum(seconds.tolist()), *rest)


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
    judgements = list(judgements)
    names, judge = number_names([one.judge for one in judgements])
    has_time = np.array([one.active_ms is not None for one in judgements], bool)
    sizes = np.array([len(one.outputs) for one in judgements], np.int64)
    words = count_words_to_read([text for one in judgements for text in one.outputs])
    to_read = np.bincount(np.repeat(np.arange(len(sizes)), sizes), words, len(sizes))
    seconds = get_active_seconds(judgements)
    early = has_time & (seconds < 60 * to_read / words_per_minute)
    timed, too_fast = (
        np.bincount(judge[each], minlength=len(names)) for each in (has_time, early)
    )
    counts = zip(names, timed.tolist(), too_fast.tolist(), strict=True)
    return {name: Speed(each, fast) for name, each, fast in counts}
