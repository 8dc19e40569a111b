"""The questions `judges` and `normalise`: figures about each judge, flags, one scale.

Strictness, consistency, speed, attention to degraded copies, and drift over time. Nothing
here drops anybody: `metra.scores.selection` decides what becomes of flagged judges.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from metra.errors import format_count
from metra.meta.findings import MetaReport, build_report, build_table, name_some
from metra.meta.normalise import NormalisedScores, find_failing_judges, normalise
from metra.meta.options import FlagRules, NormaliseOptions
from metra.meta.question import Evidence, Question
from metra.scores.selection import DEFAULT, EVERY_KIND, Flagged, Selection
from metra.scores.table import Scores
from metra.scoring.table import Cell, Table
from metra.stats.arrays import Array, group_lines
from metra.stats.distributions import binomial_tail
from metra.stats.exact_tests import rank_sum, strata_p

#: Fewer answers in either half say nothing about drift.
LEAST = 4

DEFAULT_RULES = FlagRules()


class Drift(NamedTuple):
    """The second half of a judge's work against the first, from 0 to 100."""

    #: Above zero: more lenient towards the end.
    change: float
    #: Two-sided, of the rank sums of both halves.
    p_value: float


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge by one scorer; scores are from 0 to 100, higher is better."""

    judge: str
    scorer: str
    judgements: int
    mean: float
    #: None with a single judgement.
    deviation: float | None
    #: Mean difference from the other judges of the same outputs; None if alone.
    leniency: float | None
    repeats: int
    #: Share of repeats with the same score, and the mean distance; None without repeats.
    same: float | None
    distance: float | None
    degraded: int
    #: Degraded copies that scored lower than the original, and the sign test's p-value.
    noticed: int
    p_value: float | None
    #: Median seconds of active time; None if nothing was timed.
    seconds: float | None
    #: Answers that were timed, and those that came before the text could be read.
    timed: int
    too_fast: int
    #: None without times or with too few answers.
    drift: Drift | None


@dataclass(frozen=True)
class JudgesAnswer:
    """The judges of one scorer, their flags, and their means of each system."""

    scorer: str
    rows: tuple[JudgeRow, ...]
    flags: Mapping[str, tuple[str, ...]]
    systems: tuple[str, ...]
    #: Mean and number of scores by judge and system.
    means: Mapping[tuple[str, str], tuple[float, float, int]]


def ask_judges(evidence: Evidence, options: FlagRules) -> JudgesAnswer:
    """Describe each judge by one scorer; calibration items describe judges too."""
    scores, selection, scorer = evidence.scores, evidence.selection, evidence.scorer
    every = build_judge_rows(scores, selection, options)
    rows = tuple(row for row in every if row.scorer == scorer)
    counted = replace(include_judged(selection), kinds=selection.kinds).select(scores)
    if scorer not in counted.names:
        return JudgesAnswer(scorer, rows, scores.flags, (), {})
    lines = counted.lines(scorer).compact()
    systems, means = tuple(sorted(lines.systems)), _average_by_judge(lines)
    return JudgesAnswer(scorer, rows, scores.flags, systems, means)


def include_judged(selection: Selection) -> Selection:
    """Return the selection with calibration items and, unless left out, flagged judges."""
    flagged: Flagged = "out" if selection.flagged == "out" else "count"
    kinds = selection.kinds | {"calibration"}
    return replace(selection, kinds=kinds, flagged=flagged)


def _average_by_judge(lines: Scores) -> dict[tuple[str, str], tuple[float, float, int]]:
    """Return mean, mean from 0 to 100 and count of each judge's scores of each system."""
    judged = lines.keep_lines(lines.judge >= 0)
    hundred = judged.hundred if len(judged.hundred) else np.full(len(judged), np.nan)
    means = {}
    for code, rows in group_lines(judged.judge * len(judged.systems) + judged.system):
        judge, system = divmod(code, len(judged.systems))
        figures = float(judged.value[rows].mean()), float(hundred[rows].mean())
        means[judged.judges[judge], judged.systems[system]] = (*figures, len(rows))
    return means


def build_judge_rows(
    scores: Scores, selection: Selection = DEFAULT, rules: FlagRules = DEFAULT_RULES
) -> list[JudgeRow]:
    """Return a row for each judge and scorer, in the order of the judges' names."""
    if not len(scores.hundred):
        return []
    described = include_judged(selection).select(scores)
    timed = keep_timed(include_all(selection).select_answers(scores))
    early = timed.seconds < 60 * timed.words / rules.words_per_minute
    speeds = {
        timed.judges[at]: (len(lines), int(early[lines].sum()))
        for at, lines in group_lines(timed.judge)
    }
    timed = keep_timed(described)
    seconds = {
        timed.judges[at]: float(np.median(timed.seconds[lines]))
        for at, lines in group_lines(timed.judge)
    }
    repeats, degraded = (
        _compare_with_originals(scores, selection, kind)
        for kind in ("repeat", "degraded")
    )
    rows = []
    for scorer in described.names:
        lines = described.lines(scorer)
        leniency, drifts = _compute_leniency(lines), _compute_drifts(lines)
        by_judge = dict(group_lines(lines.judge))
        for judge, at in sorted(
            (described.judges[at], at) for at in by_judge if at >= 0
        ):
            hundred = lines.hundred[by_judge[at]]
            several = len(hundred) > 1
            again = repeats.get((judge, scorer), np.empty(0))
            worse = degraded.get((judge, scorer), np.empty(0))
            rows.append(
                JudgeRow(
                    *(judge, scorer, len(hundred), float(hundred.mean())),
                    # Of equal scores exactly 0.
                    float((hundred - hundred[0]).std(ddof=1)) if several else None,
                    leniency.get(at),
                    len(again),
                    float((again == 0).mean()) if len(again) else None,
                    float(np.abs(again).mean()) if len(again) else None,
                    len(worse),
                    int((worse < 0).sum()),
                    compute_sign_test(worse.tolist()),
                    seconds.get(judge),
                    *speeds.get(judge, (0, 0)),
                    drifts.get(at),
                )
            )
    return rows


def keep_timed(rows: Scores) -> Scores:
    """Return the first row of each answer of a judge that was timed."""
    if len(rows.answer):
        firsts = np.unique(rows.answer, return_index=True)[1]
        rows = rows.keep_lines(np.sort(firsts))
    seconds = rows.seconds if len(rows.seconds) else np.full(len(rows), np.nan)
    return rows.keep_lines(np.isfinite(seconds) & (rows.judge >= 0))


def add_flags(scores: Scores, rules: FlagRules = DEFAULT_RULES) -> Scores:
    """Return the scores with the reasons for flags of their judges, from all rows."""
    flags: dict[str, list[str]] = {}
    for row in build_judge_rows(scores, replace(DEFAULT, flagged="count"), rules):
        reasons = flags.setdefault(row.judge, [])
        reasons += [why for why in _find_reasons(row, rules) if why not in reasons]
    flagged = {judge: tuple(why) for judge, why in flags.items() if why}
    return replace(scores, flags=flagged)


def _find_reasons(row: JudgeRow, rules: FlagRules) -> list[str]:
    reasons = []
    p_value = row.p_value
    if row.timed and row.too_fast / row.timed > rules.too_fast:
        reasons.append(
            f"{row.too_fast} of {format_count(row.timed, 'answer')} faster than "
            f"{rules.words_per_minute:g} words per minute"
        )
    if row.degraded >= rules.degraded and (p_value is None or p_value >= rules.alpha):
        chance = "" if p_value is None else f" (p = {p_value:.2f})"
        items = format_count(row.degraded, "degraded item")
        reasons.append(f"scored {row.noticed} of {items} lower{chance}")
    if row.repeats >= rules.repeats and (row.distance or 0) > rules.distance:
        reasons.append(f"repeats differ by {row.distance:.0f} of 100 points on average")
    if row.deviation == 0 and row.judgements >= rules.repeats:
        reasons.append(f"always gives the same score ({row.mean:.0f} of 100)")
    return reasons


def include_all(selection: Selection) -> Selection:
    """Return the selection with items of every kind, for times."""
    return replace(include_judged(selection), kinds=EVERY_KIND)


def compute_sign_test(differences: Iterable[float]) -> float | None:
    """Return the chance of as many negative differences if signs were random, without ties.

    >>> compute_sign_test([-5, -1, -2, 3])
    0.3125
    """
    signs = [gap < 0 for gap in differences if gap]
    return binomial_tail(len(signs), sum(signs)) if signs else None


def _compute_leniency(lines: Scores) -> dict[int, float]:
    """Return the mean difference of each judge from the others on the same outputs."""
    output = lines.item * len(lines.systems) + lines.system
    _, place = np.unique(output, return_inverse=True)
    width = len(lines.judges) + 1
    pairs, pair = np.unique(place * width + lines.judge + 1, return_inverse=True)
    own_sum, own_count = np.bincount(pair, lines.hundred), np.bincount(pair)
    total, count = np.bincount(place, lines.hundred), np.bincount(place)
    at, judge = np.divmod(pairs, width)
    others = count[at] - own_count
    compared = others > 0
    rest = (total[at] - own_sum)[compared] / others[compared]
    # Each of a judge's scores of an output is compared with the others' mean.
    gap = own_sum[compared] - own_count[compared] * rest
    weight = own_count[compared]
    return {
        code - 1: float(gap[rows].sum() / weight[rows].sum())
        for code, rows in group_lines(judge[compared])
        if code
    }


def _compute_drifts(lines: Scores) -> dict[int, Drift]:
    """Return the drift of each judge; none without times or with too few answers.

    Each score counts as its distance from its system's mean, so that a judge who met the
    better systems later has not drifted.
    """
    if not len(lines.submitted_at):
        return {}
    timed = lines.keep_lines(np.isfinite(lines.submitted_at))
    systems = len(timed.systems)
    totals = np.bincount(timed.system, timed.hundred, systems)
    means = totals / np.maximum(np.bincount(timed.system, minlength=systems), 1)
    in_time = np.argsort(timed.submitted_at, kind="stable")
    offs = (timed.hundred - means[timed.system])[in_time]
    drifts = {}
    for judge, rows in group_lines(timed.judge[in_time]):
        half = len(rows) // 2
        if half >= LEAST:
            early, late = offs[rows[:half]], offs[rows[len(rows) - half :]]
            change = float(late.mean() - early.mean())
            drifts[judge] = Drift(change, _test_both_sides(late, early))
    return drifts


def _test_both_sides(late: Array, early: Array) -> float:
    """Return the two-sided p-value of the rank sums."""
    above = rank_sum(late, early)
    # Many values are ranked once: the sum of the others lies as far on the other side.
    below = above._replace(above=-above.above)
    if above.exact is not None:
        below = rank_sum(early, late)
    return min(1.0, 2 * min(strata_p([above]), strata_p([below])))


def _compare_with_originals(
    scores: Scores, selection: Selection, kind: str
) -> dict[tuple[str, str], Array]:
    """Return scores of repeats or degraded copies minus their originals', by judge and scorer.

    Outputs that were compared may come back in another order: systems are matched by name.
    """
    if not len(scores.original):
        return {}
    chosen = replace(include_all(selection), kinds=frozenset({kind}))
    copies = chosen.select_answers(scores)
    copies = copies.keep_lines((copies.original >= 0) & np.isfinite(copies.value))
    width = len(scores.scorers) * len(scores.systems)
    cell = scores.scorer * len(scores.systems) + scores.system
    key = scores.answer * width + cell
    order = np.argsort(key, kind="stable")
    wanted = (
        copies.original * width + copies.scorer * len(scores.systems) + copies.system
    )
    place = np.searchsorted(key[order], wanted)
    first = order[np.minimum(place, len(order) - 1)]
    matched = (key[first] == wanted) & np.isfinite(scores.value[first])
    gaps = (copies.hundred - scores.hundred[first])[matched]
    groups = (copies.judge * len(scores.scorers) + copies.scorer)[matched]
    names = scores.names
    return {
        (scores.judges[at // len(names)], names[at % len(names)]): gaps[rows]
        for at, rows in group_lines(groups)
        if at >= 0
    }


def report_judges(answer: JudgesAnswer, options: FlagRules) -> MetaReport:
    """Lay out the judges with their flags, and their means of each system."""
    tables = [_build_judge_table(answer)]
    if answer.means:
        nothing = (np.nan,)
        rows = [
            (judge, [answer.means.get((judge, s), nothing)[0] for s in answer.systems])
            for judge in sorted({judge for judge, _ in answer.means})
        ]
        caption = f"Means of {answer.scorer} by judge and system"
        table = build_table("judge", answer.systems, rows, caption, "judge by system")
        tables.append(table)
    notes = [
        f"{judge}: {'; '.join(reasons)}."
        for judge, reasons in answer.flags.items()
        if any(row.judge == judge for row in answer.rows)
    ]
    notes.append(
        "Leniency: mean difference from the other judges on the same outputs. Drift: second "
        "half of a judge's work minus the first, after subtracting each system's mean. Same: "
        "share of repeats with the same score; Δ: their mean difference. Caught: degraded "
        "copies that scored lower than the original, with the p-value of a sign test."
    )
    judges = len(answer.rows)
    return build_report(tables, options, notes, scorer=answer.scorer, judges=judges)


#: Columns of the table of judges: heading, field of a row, and digits.
_COLUMNS = (
    ("answers", "judgements", 0),
    ("mean, 0–100", "mean", 1),
    ("sd", "deviation", 1),
    ("leniency", "leniency", 1),
    ("drift", "change", 1),
    ("p of drift", "p_of_drift", 3),
    ("repeats", "repeats", 0),
    ("same", "same", 2),
    ("Δ", "distance", 1),
    ("degraded", "degraded", 0),
    ("caught", "noticed", 0),
    ("p of caught", "p_value", 3),
    ("median seconds", "seconds", 1),
    ("too fast", "too_fast", 0),
)


def _build_judge_table(answer: JudgesAnswer) -> Table:
    rows = []
    for row in answer.rows:
        change, p = row.drift or (None, None)
        figures = {name: getattr(row, name) for name in row.__slots__}
        figures |= {"change": change, "p_of_drift": p}
        cells = [
            Cell(figures[name], digits=digits, signed=name in ("leniency", "change"))
            for _, name, digits in _COLUMNS
        ]
        flagged = "yes" if answer.flags.get(row.judge) else "no"
        rows.append((row.judge, [flagged, *cells]))
    heads = ["flagged", *(heading for heading, _, _ in _COLUMNS)]
    return build_table("judge", heads, rows, f"Judges of {answer.scorer}", "judges")


JUDGES = Question(
    "judges", ask_judges, report_judges, title="Judges: {}", widen=include_judged
)


class Normalisation(NamedTuple):
    """A scorer's normalised values, and judges who fail on degraded items."""

    scorer: str
    normalised: NormalisedScores
    failed: Mapping[str, str]


def ask_normalisation(evidence: Evidence, options: NormaliseOptions) -> Normalisation:
    """Normalise the values of a scorer, without judges who fail quality control."""
    scores, name = evidence.rows, evidence.scorer
    failed: dict[str, str] = {}
    if options.bad:
        failed = find_failing_judges(evidence.scores, name, options.bad)
        if options.bad in scores.systems:
            is_other = scores.system != scores.systems.index(options.bad)
            scores = scores.keep_lines(is_other).compact()
    # A judge of degraded outputs only has gone with them.
    left_out = [judge for judge in failed if judge in scores.judges]
    normalised = normalise(scores, name, options.method, left_out=left_out)
    return Normalisation(name, normalised, failed)


def report_normalisation(found: Normalisation, options: NormaliseOptions) -> MetaReport:
    """Lay out a report of the judges; of many, those left out first."""
    normalised, most = found.normalised, options.most_judges
    judges = list(normalised.judges.items())
    hidden = len(judges) - most if most else 0
    if hidden > 0:
        judges = sorted(judges, key=lambda item: not item[1].left_out)[:most]
    rows = [
        (judge, [s.n, s.mean, s.sd, s.low, s.high, s.left_out or "kept"])
        for judge, s in judges
    ]
    heads = ["n", "mean", "sd", "lowest", "highest", "kept"]
    caption = f"Judges of {found.scorer} before normalising by {options.method}"
    table = build_table("judge", heads, rows, caption, "judges")
    left_out = normalised.left_out
    count = len(normalised.judges) - len(left_out)
    values = format_count(len(normalised.scores), "value")
    notes = [f"Normalised: {values} of {format_count(count, 'judge')}."]
    if left_out:
        lost = format_count(sum(spread.n for spread in left_out.values()), "value")
        names = [f"{judge} ({s.left_out})" for judge, s in left_out.items()]
        notes.append(f"Excluded with {lost}: {name_some(names)}.")
    if hidden > 0:
        more = format_count(hidden, "more judge")
        notes.append(f"{more}; `most_judges` 0 shows all.")
    if found.failed:
        listed = name_some([f"{judge} ({why})" for judge, why in found.failed.items()])
        notes.append(f"Judges who did not score {options.bad} lower: {listed}.")
    ddof = 1 if options.method == "z" else None
    return build_report([table], options, notes, scorer=found.scorer, ddof=ddof)


NORMALISE = Question("normalise", ask_normalisation, report_normalisation)
