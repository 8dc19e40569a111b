"""Questions about answers of judges, and their work so far while a campaign runs.

The questions are `distribution`, `missing` and `pace`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from metra.meta.agree import AgreementAnswer
from metra.meta.findings import MetaReport, build_report, build_table
from metra.meta.judges import add_flags, build_judge_rows, include_all, keep_timed
from metra.meta.options import AgreeOptions, NoOptions
from metra.meta.question import Evidence, Question, answer_all
from metra.scores import judgement
from metra.scores.selection import DEFAULT
from metra.scores.table import ITEM_KINDS, Scores
from metra.scoring.table import Cell, Table
from metra.stats.arrays import Array, group_lines

_QUANTILES = (0, 0.25, 0.5, 0.75, 1)
_SKIPPED = judgement.explain_skipped(judgement.NOT_TRANSLATION)
_CANNOT = judgement.explain_skipped("")
_BARS = 20


def ask_distribution(evidence: Evidence, _: NoOptions) -> tuple[str, dict[str, Array]]:
    """Return the values of each system, one a score, in the scorer's own unit."""
    rows = evidence.rows.lines(evidence.scorer)
    return evidence.scorer, {
        rows.systems[at]: rows.value[lines] for at, lines in group_lines(rows.system)
    }


def report_distribution(
    answer: tuple[str, dict[str, Array]], options: NoOptions
) -> MetaReport:
    """Lay out quartiles and the standard deviation of each system."""
    scorer, values = answer
    rows = []
    for system, column in values.items():
        quartiles: list[float] = np.quantile(column, _QUANTILES).tolist()
        spread = float(column.std(ddof=1)) if len(column) > 1 else np.nan
        rows.append((system, [len(column), *quartiles, spread]))
    heads = [
        *("n", "lowest", "lower quartile", "median", "upper quartile", "highest"),
        "sd",
    ]
    caption = f"Distribution of {scorer} by system"
    table = build_table("system", heads, rows, caption, "distribution")
    return build_report([table], options, scorer=scorer, quantiles="linear")


DISTRIBUTION = Question(
    "distribution", ask_distribution, report_distribution, title="Distribution of {}"
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


def ask_missing(evidence: Evidence, _: NoOptions) -> MissingScores:
    """Count missing scores of items that would count for systems."""
    rows = evidence.selection.select_answers(evidence.scores)
    counts: dict[tuple[str, str], Counter[str]] = {}
    skips: Counter[str] = Counter()
    lacking = rows.keep_lines(~np.isfinite(rows.value))
    columns = (lacking.system, lacking.scorer, lacking.reason)
    for system, scorer, reason in zip(*(c.tolist() for c in columns), strict=True):
        why = lacking.reasons[reason] if reason >= 0 else ""
        if why == _SKIPPED:
            skips[lacking.systems[system]] += 1
        elif why != judgement.UNSCORED and not why.startswith(_CANNOT):
            key = lacking.systems[system], lacking.names[scorer]
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


def report_missing(answer: MissingScores, options: NoOptions) -> MetaReport:
    """Lay out the reasons, and the shares of skipped outputs."""
    tables: list[Table] = []
    rows = [
        (system, [scorer, count, why])
        for (system, scorer), reasons in answer.counts.items()
        for why, count in reasons.items()
    ]
    if rows:
        heads = ["scorer", "answers", "reason"]
        tables.append(build_table("system", heads, rows, "No score", "missing"))
    if answer.skipped:
        shares = [
            (each.system, [each.skipped, each.answers, Cell(each.share, digits=1)])
            for each in answer.skipped
        ]
        heads = ["skipped", "of answers", "%"]
        caption = "Not a translation"
        tables.append(build_table("system", heads, shares, caption, "skipped"))
    notes = [] if tables else ["Every answer has a score."]
    return build_report(tables, options, notes)


MISSING = Question("missing", ask_missing, report_missing, title="No score")


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


def ask_pace(evidence: Evidence, _: NoOptions) -> TimeTable | None:
    """Return the distribution of active times of answers of every kind; None without any."""
    timed = keep_timed(include_all(evidence.selection).select_answers(evidence.scores))
    if not len(timed):
        return None
    seconds = timed.seconds
    by_judge = {timed.judges[at]: seconds[own] for at, own in group_lines(timed.judge)}
    # A judge who left the desk must not press all others into one bar.
    longest = float(np.quantile(seconds, 0.95)) or 1.0
    edges = np.linspace(0, longest, _BARS + 1)
    every = [("", seconds), *sorted(by_judge.items())]
    first, *judges = (_summarise_times(*each, edges) for each in every)
    return TimeTable(tuple(edges.tolist()), first, tuple(judges))


def _summarise_times(judge: str, seconds: Array, edges: Array) -> ActiveTimes:
    counts, _ = np.histogram(np.minimum(seconds, edges[-1]), bins=edges)
    total = float(np.sort(seconds).sum())
    low, lower, middle, upper, high = np.quantile(seconds, _QUANTILES).tolist()
    bars = tuple(counts.tolist())
    return ActiveTimes(
        judge, len(seconds), total, low, lower, middle, upper, high, bars
    )


def report_pace(times: TimeTable | None, options: NoOptions) -> MetaReport:
    """Lay out the times of all judges and of each."""
    if times is None:
        return build_report([], options, ["No answer was timed."], answers=0)
    rows = []
    for each in (times.all, *times.judges):
        quartiles = (each.least, each.lower, each.median, each.upper, each.most)
        figures = [Cell(value, digits=1) for value in (each.total / 60, *quartiles)]
        rows.append((each.judge or "all", [each.answers, *figures]))
    heads = [
        *("answers", "total minutes", "shortest", "lower quartile", "median"),
        *("upper quartile", "longest"),
    ]
    table = build_table("judge", heads, rows, "Active seconds per answer", "pace")
    return build_report([table], options, answers=times.all.answers)


PACE = Question("pace", ask_pace, report_pace, title="Time", widen=include_all)


COEFFICIENTS = {
    "exact": "equal",
    "within": "within 1",
    "mean quadratic": "Cohen's kappa, quadratic",
    "alpha ordinal": "Krippendorff's alpha, ordinal",
}


@dataclass(frozen=True, slots=True)
class JudgeStatus:
    """One judge's work so far; figures are None while there is too little."""

    active_minutes: float
    #: Median active seconds of an answer.
    seconds: float | None
    too_fast: int
    degraded: int
    noticed: int
    repeats: int
    same: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgreementStatus:
    """Agreement on one scorer so far."""

    scorer: str
    outputs: int
    #: Coefficients by the names of `COEFFICIENTS`.
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """The whole campaign so far."""

    active_minutes: float
    judges: dict[str, JudgeStatus]
    agreement: Sequence[AgreementStatus]
    #: Judges' names and what they wrote, the newest first.
    comments: Sequence[judgement.Judgement]
    #: The rows that agreement counts, in a few words.
    selection: str


def compute_status(
    judgements: Sequence[judgement.Judgement], scores: Scores
) -> CampaignStatus:
    """Return the status; agreement has no intervals, which would take time."""
    scores = add_flags(scores)
    earlier = ITEM_KINDS.index("earlier")
    is_last = [True] * len(judgements)
    for answer, kind in zip(scores.answer.tolist(), scores.kind.tolist(), strict=True):
        is_last[answer] = kind != earlier
    by_judge: dict[str, list[judgement.Judgement]] = {}
    latest = [one for one, last in zip(judgements, is_last, strict=True) if last]
    for one in latest:
        by_judge.setdefault(one.judge, []).append(one)
    judges = {}
    rows = {row.judge: row for row in reversed(build_judge_rows(scores))}
    for judge, answers in by_judge.items():
        row = rows.get(judge)
        times = [one.active_ms / 1000 for one in answers if one.active_ms is not None]
        checks = (row.too_fast, row.degraded, row.noticed, row.repeats) if row else ()
        judges[judge] = JudgeStatus(
            sum(times) / 60,
            median(times) if times else None,
            *(checks or (0, 0, 0, 0)),
            row.same if row else None,
            scores.flags.get(judge, ()),
        )
    comments = [one for one in latest if one.comment or one.cannot]
    options = {"agree": AgreeOptions(trials=0, brief=True)}
    answered = answer_all(scores, DEFAULT, options, ["agree"]) if len(scores) else []
    return CampaignStatus(
        sum(one.active_minutes for one in judges.values()),
        judges,
        [each for one in answered for each in _describe_agreement(one.answer)],
        sorted(comments, key=lambda one: -(one.submitted_at or 0)),
        DEFAULT.describe(scores) if len(scores) else "",
    )


def _describe_agreement(answer: AgreementAnswer | None) -> list[AgreementStatus]:
    if answer is None or answer.agreement is None:
        return []
    values = answer.agreement.values
    shown = {label: values.get(key, np.nan) for key, label in COEFFICIENTS.items()}
    return [AgreementStatus(answer.scorer, answer.agreement.units, shown)]
