"""The question `pace`: active times of answers, by judge and together."""

from dataclasses import dataclass

import numpy as np

from metra.meta.findings import MetaReport, build_count, build_signature
from metra.meta.judge_options import PaceOptions
from metra.meta.judges import find_answers, include_all
from metra.meta.question import Question
from metra.scores.selection import Selection
from metra.scores.table import Scores
from metra.scoring.table import Cell, make_table
from metra.stats.arrays import Array, group_lines

#: Bars of the picture.
_BARS = 20


@dataclass(frozen=True, slots=True)
class ActiveTimes:
    """The active seconds of one judge, or of all; quartiles by linear interpolation."""

    judge: str
    answers: int
    total: float
    least: float
    lower: float
    median: float
    upper: float
    most: float
    #: Number of answers between each two edges of the picture.
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TimeTable:
    """The times of all, then of each judge; the last bar holds longer ones too."""

    edges: tuple[float, ...]
    all: ActiveTimes
    judges: tuple[ActiveTimes, ...]

    @property
    def is_cut(self) -> bool:
        """True if some answers took longer than the last edge."""
        return self.all.most > self.edges[-1]


def ask_pace(
    scores: Scores, selection: Selection, _: str, __: PaceOptions
) -> TimeTable | None:
    """Return the distribution of active times of answers of every kind; None without any."""
    rows = include_all(selection).select_answers(scores)
    answers = rows.keep_lines(find_answers(rows))
    if not len(answers.seconds):
        return None
    timed = answers.keep_lines(np.isfinite(answers.seconds) & (answers.judge >= 0))
    if not len(timed):
        return None
    seconds = timed.seconds
    by_judge = {timed.judges[at]: seconds[own] for at, own in group_lines(timed.judge)}
    # A judge who left the desk must not press all others into one bar.
    longest = float(np.quantile(seconds, 0.95)) or 1.0
    edges = np.linspace(0, longest, _BARS + 1)
    return TimeTable(
        tuple(edges.tolist()),
        _summarise_times("", seconds, edges),
        tuple(
            _summarise_times(name, own, edges) for name, own in sorted(by_judge.items())
        ),
    )


def _summarise_times(judge: str, seconds: Array, edges: Array) -> ActiveTimes:
    quartiles: list[float] = np.quantile(seconds, [0, 0.25, 0.5, 0.75, 1]).tolist()
    counts, _ = np.histogram(np.minimum(seconds, edges[-1]), bins=edges)
    total = float(np.sort(seconds).sum())
    least, lower, median, upper, most = quartiles
    return ActiveTimes(
        *(judge, len(seconds), total, least, lower, median, upper, most),
        tuple(counts.tolist()),
    )


def report_pace(times: TimeTable | None, _: PaceOptions) -> MetaReport:
    """Lay out the times of all judges and of each."""
    if times is None:
        signature = build_signature(answers=0)
        return MetaReport([], signature, ["No answer was timed."])
    rows = []
    for each in (times.all, *times.judges):
        figures = (each.least, each.lower, each.median, each.upper, each.most)
        cells = [Cell(value, digits=1) for value in figures]
        minutes = Cell(each.total / 60, digits=1)
        rows.append((each.judge or "all", [build_count(each.answers), minutes, *cells]))
    heads = [
        *("answers", "total minutes", "shortest", "lower quartile", "median"),
        *("upper quartile", "longest"),
    ]
    table = make_table(
        "judge", heads, rows, caption="Active seconds per answer", name="pace"
    )
    return MetaReport([table], build_signature(answers=times.all.answers))


QUESTION = Question("pace", "Time", ask_pace, report_pace, include_all)
