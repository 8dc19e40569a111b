"""Questions about answers of judges: `preferences`, `distribution`, `missing` and `pace`."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metra.meta.findings import MetaReport, build_count, build_figure, build_report
from metra.meta.judge_options import (
    DistributionOptions,
    MissingOptions,
    PaceOptions,
    PreferenceOptions,
)
from metra.meta.judges import find_answers, include_all
from metra.meta.question import Question, ask_of_rows
from metra.scores.judgement import NOT_TRANSLATION, UNSCORED, explain_skipped
from metra.scores.selection import Selection
from metra.scores.table import Scores
from metra.scores.views import collect_rankings, count_comparisons, promote_documents
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import Array, group_lines

_QUANTILES = (0, 0.25, 0.5, 0.75, 1)
_HEADS = ("n", "lowest", "lower quartile", "median", "upper quartile", "highest")
_SKIPPED = explain_skipped(NOT_TRANSLATION)
_CANNOT = explain_skipped("")
#: Bars of the picture of times.
_BARS = 20


class Preferences(NamedTuple):
    """Wins of the first system, ties and wins of the second, for each two systems."""

    scorer: str
    pairs: dict[tuple[str, str], tuple[int, int, int]]


def ask_preferences(
    scores: Scores, selection: Selection, scorer: str, _: PreferenceOptions
) -> Preferences:
    """Compare the outputs of each two systems on items that a judge gave both."""
    rows = promote_documents(selection.select(scores), scorer)
    if rows.scorers[rows.find(scorer)].compares:
        rows, _rankings = collect_rankings(rows, scorer)
    counts = count_comparisons(rows, scorer)
    pairs = {}
    for one, other in combinations(range(len(rows.systems)), 2):
        wins, losses = int(counts.wins[one, other]), int(counts.wins[other, one])
        met = int(counts.met[one, other])
        if met:
            names = rows.systems[one], rows.systems[other]
            pairs[names] = wins, met - wins - losses, losses
    return Preferences(scorer, pairs)


def report_preferences(answer: Preferences, options: PreferenceOptions) -> MetaReport:
    """Lay out the share of comparisons that each of two systems wins."""
    lines = []
    for (one, other), (wins, ties, losses) in answer.pairs.items():
        total = wins + ties + losses
        shares = (build_figure(100 * count / total) for count in (wins, ties, losses))
        lines.append((f"{one} – {other}", [build_count(total), *shares]))
    heads = ["n", "first better, %", "equal, %", "second better, %"]
    caption = f"Preferences by {answer.scorer}"
    table = make_table("systems", heads, lines, caption=caption, name="preferences")
    return build_report([table], options, scorer=answer.scorer)


PREFERENCES = Question(
    "preferences",
    ask_of_rows(ask_preferences),
    report_preferences,
    title="Preferences by {}",
)


def ask_distribution(
    scores: Scores, selection: Selection, scorer: str, _: DistributionOptions
) -> tuple[str, dict[str, Array]]:
    """Return the values of each system, one a score, in the scorer's own unit."""
    rows = selection.select(scores).lines(scorer)
    return scorer, {
        system: rows.value[rows.system == at]
        for at, system in enumerate(rows.systems)
        if (rows.system == at).any()
    }


def report_distribution(
    answer: tuple[str, dict[str, Array]], options: DistributionOptions
) -> MetaReport:
    """Lay out quartiles and the standard deviation of each system."""
    scorer, values = answer
    lines = []
    for system, column in values.items():
        quartiles = np.quantile(column, _QUANTILES).tolist()
        spread = float(column.std(ddof=1)) if len(column) > 1 else np.nan
        figures = map(build_figure, (*quartiles, spread))
        lines.append((system, [build_count(len(column)), *figures]))
    caption = f"Distribution of {scorer} by system"
    heads = [*_HEADS, "sd"]
    table = make_table("system", heads, lines, caption=caption, name="distribution")
    return build_report([table], options, scorer=scorer, quantiles="linear")


DISTRIBUTION = Question(
    "distribution",
    ask_of_rows(ask_distribution),
    report_distribution,
    title="Distribution of {}",
)


@dataclass(frozen=True, slots=True)
class SkippedOutputs:
    """Answers about a system that say that the output is not a translation."""

    system: str
    answers: int
    skipped: int

    @property
    def share(self) -> float:
        """The share of skipped outputs, in per cent."""
        return 100 * self.skipped / self.answers


@dataclass(frozen=True, slots=True)
class MissingScores:
    """Missing scores by system, scorer and reason, and outputs skipped as no translation."""

    counts: dict[tuple[str, str], Counter[str]]
    #: Empty if nobody skipped any.
    skipped: tuple[SkippedOutputs, ...]


def ask_missing(
    scores: Scores, selection: Selection, _: str, __: MissingOptions
) -> MissingScores:
    """Count missing scores of items that would count for systems."""
    rows = selection.select_answers(scores)
    counts: dict[tuple[str, str], Counter[str]] = {}
    skips: Counter[str] = Counter()
    lacking = rows.keep_lines(~np.isfinite(rows.value))
    names = lacking.names
    columns = (lacking.system, lacking.scorer, lacking.reason)
    for system, scorer, reason in zip(*(c.tolist() for c in columns), strict=True):
        why = lacking.reasons[reason] if reason >= 0 else ""
        if why == _SKIPPED:
            skips[lacking.systems[system]] += 1
        elif why != UNSCORED and not why.startswith(_CANNOT):
            key = lacking.systems[system], names[scorer]
            counts.setdefault(key, Counter())[why] += 1
    return MissingScores(counts, _share_skipped(rows, skips))


def _share_skipped(rows: Scores, skips: Counter[str]) -> tuple[SkippedOutputs, ...]:
    """Return the skipped outputs of each system; unjudged ones for other reasons go."""
    if not skips:
        return ()
    reasons = np.array([*(why.startswith(_CANNOT) for why in rows.reasons), False])
    judged = rows.keep_lines(~reasons[rows.reason])
    outputs = np.unique(judged.answer * len(rows.systems) + judged.system)
    counts = np.bincount(outputs % len(rows.systems), minlength=len(rows.systems))
    shares = (
        SkippedOutputs(system, count + skips[system], skips[system])
        for system, count in zip(rows.systems, counts.tolist(), strict=True)
        if count + skips[system]
    )
    return tuple(sorted(shares, key=lambda each: (-each.share, each.system)))


def report_missing(answer: MissingScores, options: MissingOptions) -> MetaReport:
    """Lay out the reasons, and the shares of skipped outputs."""
    tables: list[Table] = []
    rows = [
        (system, [Cell(scorer), build_count(count), Cell(why)])
        for (system, scorer), reasons in answer.counts.items()
        for why, count in reasons.items()
    ]
    if rows:
        heads = ["scorer", "answers", "reason"]
        tables.append(
            make_table("system", heads, rows, caption="No score", name="missing")
        )
    if answer.skipped:
        shares = [
            (
                each.system,
                [
                    build_count(each.skipped),
                    build_count(each.answers),
                    Cell(each.share, digits=1),
                ],
            )
            for each in answer.skipped
        ]
        heads = ["skipped", "of answers", "%"]
        caption = "Not a translation"
        tables.append(
            make_table("system", heads, shares, caption=caption, name="skipped")
        )
    notes = [] if tables else ["Every answer has a score."]
    return build_report(tables, options, notes)


MISSING = Question(
    "missing", ask_of_rows(ask_missing), report_missing, title="No score"
)


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
    quartiles: list[float] = np.quantile(seconds, _QUANTILES).tolist()
    counts, _ = np.histogram(np.minimum(seconds, edges[-1]), bins=edges)
    total = float(np.sort(seconds).sum())
    least, lower, median, upper, most = quartiles
    return ActiveTimes(
        *(judge, len(seconds), total, least, lower, median, upper, most),
        tuple(counts.tolist()),
    )


def report_pace(times: TimeTable | None, options: PaceOptions) -> MetaReport:
    """Lay out the times of all judges and of each."""
    if times is None:
        return build_report([], options, ["No answer was timed."], answers=0)
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
    return build_report([table], options, answers=times.all.answers)


PACE = Question(
    "pace", ask_of_rows(ask_pace), report_pace, title="Time", widen=include_all
)
