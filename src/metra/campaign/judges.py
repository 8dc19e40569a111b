"""Figures about each judge, and reasons to look at them.

How strict, steady and quick judges are, whether they notice degraded copies, and whether they
became stricter on the way. Nothing here drops anybody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from operator import itemgetter
from statistics import fmean

import numpy as np

from metra.campaign.judgement import (
    KnownScores,
    build_campaign_scores,
    drop_checks,
    keep_latest,
    score_each,
)
from metra.campaign.results import ScorerColumns, group_by_scorer
from metra.campaign.times import (
    WORDS_PER_MINUTE,
    Speed,
    count_early_answers,
    get_active_seconds,
)
from metra.errors import format_count
from metra.scores.judgement import Judgement, OutputScore
from metra.scores.table import Scores
from metra.stats.arrays import Array, group_lines, number_names, sort_codes
from metra.stats.exact_tests import rank_sum, strata_p

#: Fewer answers than these in either half say nothing.
LEAST = 4


@dataclass(frozen=True, slots=True)
class Drift:
    """The second half of a judge's work against the first, between 0 and 100."""

    #: Above zero: milder towards the end.
    change: float
    #: Two-sided, of the rank sums of both halves.
    p_value: float


def compute_drifts(every: Iterable[ScorerColumns]) -> dict[tuple[str, str], Drift]:
    """Return the drifts by judge and scorer; without times or with too few there is none.

    Each score counts as its distance from its system's mean, so that a judge who met the
    better systems later has not drifted.
    """
    drifts: dict[tuple[str, str], Drift] = {}
    for scores in every:
        timed = scores.keep_lines(np.isfinite(scores.submitted_at))
        offs = timed.hundred.copy()
        for system, _, _, mean in timed.average(timed.system):
            offs[timed.system == system] -= mean
        in_time = np.argsort(timed.submitted_at, kind="stable")
        offs = offs[in_time]
        for judge, lines in group_lines(timed.judge[in_time]):
            half = len(lines) // 2
            if half >= LEAST:
                early, late = offs[lines[:half]], offs[lines[len(lines) - half :]]
                change = float(late.mean() - early.mean())
                drift = Drift(change, _test_both_sides(late, early))
                drifts[scores.judges[judge], scores.scorer] = drift
    return drifts


def _test_both_sides(late: Array, early: Array) -> float:
    """Return the two-sided p-value of the rank sums."""
    above = rank_sum(late, early)
    # Many values are ranked once: the sum of the others lies as far on the other side.
    below = above._replace(above=-above.above)
    if above.exact is not None:
        below = rank_sum(early, late)
    return min(1.0, 2 * min(strata_p([above]), strata_p([below])))


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge by one scorer; scores are between 0 and 100, higher is better."""

    judge: str
    scorer: str
    judgements: int
    mean: float
    #: None with a single judgement.
    deviation: float | None
    #: By how much the judge is milder than the others on the same outputs; None if alone.
    milder: float | None
    repeats: int
    #: Share of repeats with the same score, and the mean distance; None without repeats.
    same: float | None
    distance: float | None
    degraded: int
    #: Degraded copies that got less than the original, and the sign test's p-value.
    noticed: int
    p_value: float | None
    #: Median seconds of active time; None where nobody measured.
    seconds: float | None
    #: How many answers came before the text could be read.
    speed: Speed
    #: Whether the judge became milder on the way; None without times or with too little.
    drift: Drift | None


def build_judge_table(
    judgements: Iterable[Judgement], *, words_per_minute: float = WORDS_PER_MINUTE
) -> list[JudgeRow]:
    """Return a row for each judge and scorer, in the order of the judges' names."""
    kept = keep_latest(judgements)
    return build_judge_rows(kept, group_by_scorer(drop_checks(kept)), words_per_minute)


def build_judge_rows(
    kept: Sequence[Judgement],
    every: Sequence[ScorerColumns],
    words_per_minute: float,
    known: KnownScores | None = None,
) -> list[JudgeRow]:
    """Return the same rows from last revisions and scores without checks."""
    timed = [one for one in drop_checks(kept) if one.active_ms is not None]
    active, (names, judge_of) = (
        get_active_seconds(timed),
        number_names([one.judge for one in timed]),
    )
    seconds = {
        names[at]: float(np.median(active[mine])) for at, mine in group_lines(judge_of)
    }
    speeds = count_early_answers(kept, words_per_minute)
    drifts = compute_drifts(every)
    gaps = _compare_with_originals(kept, known)
    rows = []
    for scores in every:
        scorer, milder = scores.scorer, _compute_leniency(scores)
        lines_by_judge = {
            scores.judges[at]: mine for at, mine in group_lines(scores.judge)
        }
        for judge, lines in sorted(lines_by_judge.items(), key=itemgetter(0)):
            hundreds = scores.hundred[lines].tolist()
            again = gaps.get(("repeat", judge, scorer), [])
            less = gaps.get(("degraded", judge, scorer), [])
            rows.append(
                JudgeRow(
                    judge,
                    scorer,
                    len(hundreds),
                    fmean(hundreds),
                    _compute_deviation(scores.hundred[lines]),
                    milder.get(judge),
                    len(again),
                    fmean(gap == 0 for gap in again) if again else None,
                    fmean(map(abs, again)) if again else None,
                    len(less),
                    sum(gap < 0 for gap in less),
                    compute_sign_test(less),
                    seconds.get(judge),
                    speeds[judge],
                    drifts.get((judge, scorer)),
                )
            )
    return rows


def _compute_deviation(values: Array) -> float | None:
    """Return the standard deviation of a judge's scores, of equal ones exactly 0."""
    return float((values - values[0]).std(ddof=1)) if len(values) > 1 else None


def compute_sign_test(differences: Iterable[float]) -> float | None:
    """Return the chance of as many negative differences if signs were random, without ties.

    >>> compute_sign_test([-5, -1, -2, 3])
    0.3125
    """
    signs = [gap < 0 for gap in differences if gap]
    count = len(signs)
    if not count:
        return None
    return sum(comb(count, at) for at in range(sum(signs), count + 1)) / 2**count


def _compute_leniency(scores: ScorerColumns) -> dict[str, float]:
    """Return how much milder judges are than the others on the same outputs, on average."""
    judge, hundred = scores.judge, scores.hundred
    gaps = np.full(len(scores), np.nan)
    outputs = scores.segment * len(scores.systems) + scores.system
    order = sort_codes(outputs)
    starts = np.flatnonzero(np.diff(outputs[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    # Most outputs have two judges: all of these at once.
    one, other = (order[starts[sizes == 2] + at] for at in (0, 1))
    apart = judge[one] != judge[other]
    one, other = one[apart], other[apart]
    gaps[one], gaps[other] = (
        hundred[one] - hundred[other],
        hundred[other] - hundred[one],
    )
    more = sizes > 2
    for start, size in zip(starts[more].tolist(), sizes[more].tolist(), strict=True):
        lines = order[start : start + size]
        together = list(
            zip(judge[lines].tolist(), hundred[lines].tolist(), strict=True)
        )
        for line, (name, own) in zip(lines.tolist(), together, strict=True):
            others = [value for another, value in together if another != name]
            if others:
                gaps[line] = own - fmean(others)
    compared = np.flatnonzero(np.isfinite(gaps))
    return {
        scores.judges[at]: fmean(gaps[compared[mine]].tolist())
        for at, mine in group_lines(judge[compared])
    }


def _compare_with_originals(
    judgements: Sequence[Judgement], known: KnownScores | None
) -> dict[tuple[str, str, str], list[float]]:
    """Return scores of repeats and degraded copies minus their originals'.

    They are by kind, judge and scorer.
    """
    again = [one for one in judgements if one.kind in ("repeat", "degraded")]
    wanted = {one.original for one in again}
    originals = [one for one in judgements if one.task in wanted]
    firsts = {
        (one.judge, one.task, one.segment): (one, scores)
        for one, scores in zip(originals, score_each(originals, known), strict=True)
    }
    differences: dict[tuple[str, str, str], list[float]] = {}
    for one, scores in zip(again, score_each(again, known), strict=True):
        first = firsts.get((one.judge, one.original or "", one.segment))
        if first is not None:
            # Compared outputs may come back in another order: systems are matched by name.
            before = _get_percent_scores(*first)
            for (scorer, system), after in _get_percent_scores(one, scores).items():
                if (scorer, system) in before:
                    gaps = differences.setdefault((one.kind, one.judge, scorer), [])
                    gaps.append(after - before[scorer, system])
    return differences


def _get_percent_scores(
    judgement: Judgement, outputs: list[tuple[OutputScore, ...]]
) -> dict[tuple[str, str], float]:
    return {
        (scored.scorer, system): scored.hundred
        for system, scores in zip(judgement.systems, outputs, strict=True)
        for scored in scores
        if not scored.reason
    }


@dataclass(frozen=True, slots=True)
class FlagRules:
    """The limits from which a judge is flagged."""

    #: Nobody can read faster.
    words_per_minute: float = WORDS_PER_MINUTE
    #: The share of early answers that is still allowed.
    too_fast: float = 0.1
    #: So many degraded copies are needed before anything is said about them.
    degraded: int = 5
    #: A judge who saw them has a p-value below this.
    alpha: float = 0.05
    #: So many repeats are needed, and so far apart may they be, between 0 and 100.
    repeats: int = 5
    distance: float = 25.0


DEFAULT_RULES = FlagRules()


def build_flagged_scores(judgements: Sequence[Judgement]) -> Scores:
    """Return all answers as a table of scores that names the flagged judges."""
    flags = flag_judges(build_judge_table(judgements))
    return build_campaign_scores(judgements, flags)


def flag_judges(
    rows: Iterable[JudgeRow], rules: FlagRules = DEFAULT_RULES
) -> dict[str, list[str]]:
    """Return each judge's reasons, once each; a judge without any has an empty list."""
    reasons_by_judge: dict[str, list[str]] = {}
    for row in rows:
        reasons = reasons_by_judge.setdefault(row.judge, [])
        reasons += [one for one in _find_reasons(row, rules) if one not in reasons]
    return reasons_by_judge


def _find_reasons(row: JudgeRow, rules: FlagRules) -> list[str]:
    reasons = []
    speed, p_value = row.speed, row.p_value
    if speed.share is not None and speed.share > rules.too_fast:
        reasons.append(
            f"{speed.too_fast} of {format_count(speed.timed, 'answer')} faster than "
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
