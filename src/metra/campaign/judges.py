"""Figures about each judge, and reasons to look at them.

How strict, steady and quick judges are, whether they notice degraded copies, and whether they
became stricter on the way. Nothing here drops anybody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, median, stdev

import numpy as np

from metra.campaign.campaign import group_by
from metra.campaign.judgement import drop_checks, keep_latest, score_outputs
from metra.campaign.results import (
    JudgeScore,
    ScoresByScorer,
    group_by_scorer,
    group_by_system,
)
from metra.campaign.times import WORDS_PER_MINUTE, Speed, count_early_answers
from metra.formats.scores.judgement import Judgement
from metra.stats.exact_tests import rank_sum_p

#: Fewer answers than these in either half say nothing.
LEAST = 4


@dataclass(frozen=True, slots=True)
class Drift:
    """The second half of a judge's work against the first, between 0 and 100."""

    #: Above zero: milder towards the end.
    change: float
    #: Two-sided, of the rank sums of both halves.
    p_value: float


def compute_drifts(
    scores_by_scorer: ScoresByScorer,
) -> dict[tuple[str, str], Drift]:
    """Return the drifts by judge and scorer; without times or with too few there is none.

    Each score counts as its distance from its system's mean, so that a judge who met the
    better systems later has not drifted.
    """
    drifts: dict[tuple[str, str], Drift] = {}
    for (scorer, _), figures in scores_by_scorer.items():
        timed = [one for one in figures if one.submitted_at is not None]
        timed.sort(key=lambda one: one.submitted_at or 0.0)
        means = {
            system: fmean(one.hundred for one in mine)
            for system, mine in group_by_system(timed).items()
        }
        for judge, own in group_by(timed, lambda one: one.judge).items():
            half = len(own) // 2
            if half >= LEAST:
                offs = np.array([one.hundred - means[one.system] for one in own])
                early, late = offs[:half], offs[len(offs) - half :]
                up, down = rank_sum_p(late, early), rank_sum_p(early, late)
                change = float(late.mean() - early.mean())
                drifts[judge, scorer] = Drift(change, min(1.0, 2 * min(up, down)))
    return drifts


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
    kept: Sequence[Judgement], scores_by_scorer: ScoresByScorer, words_per_minute: float
) -> list[JudgeRow]:
    """Return the same rows from last revisions and scores without checks."""
    timed = group_by(
        (one for one in drop_checks(kept) if one.active_ms is not None),
        lambda one: one.judge,
    )
    speeds = count_early_answers(kept, words_per_minute)
    drifts = compute_drifts(scores_by_scorer)
    answers = group_by(kept, lambda one: one.judge)
    rows = []
    for (scorer, _), figures in scores_by_scorer.items():
        outputs = group_by(figures, lambda one: (one.system, one.segment))
        for judge, own in sorted(group_by(figures, lambda one: one.judge).items()):
            scores = [figure.hundred for figure in own]
            again = _differences(answers[judge], scorer, "repeat")
            less = _differences(answers[judge], scorer, "degraded")
            seconds = [(one.active_ms or 0) / 1000 for one in timed.get(judge, ())]
            rows.append(
                JudgeRow(
                    judge,
                    scorer,
                    len(own),
                    fmean(scores),
                    stdev(scores) if len(scores) > 1 else None,
                    _compute_leniency(own, outputs),
                    len(again),
                    fmean(gap == 0 for gap in again) if again else None,
                    fmean(map(abs, again)) if again else None,
                    len(less),
                    sum(gap < 0 for gap in less),
                    compute_sign_test(less),
                    median(seconds) if seconds else None,
                    speeds[judge],
                    drifts.get((judge, scorer)),
                )
            )
    return rows


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


def _compute_leniency(
    mine: list[JudgeScore], outputs: dict[tuple[str, int], list[JudgeScore]]
) -> float | None:
    gaps = []
    for figure in mine:
        together = outputs[figure.system, figure.segment]
        others = [one.hundred for one in together if one.judge != figure.judge]
        if others:
            gaps.append(figure.hundred - fmean(others))
    return fmean(gaps) if gaps else None


def _differences(judgements: list[Judgement], scorer: str, kind: str) -> list[float]:
    """Return a judge's scores of repeated items minus those of their originals."""
    again = [one for one in judgements if one.kind == kind]
    wanted = {one.original for one in again}
    firsts = {(one.task, one.segment): one for one in judgements if one.task in wanted}
    differences = []
    for one in again:
        first = firsts.get((one.original or "", one.segment))
        if first is not None:
            # Compared outputs may come back in another order: systems are matched by name.
            before, after = (_get_percent_scores(each, scorer) for each in (first, one))
            differences += [
                after[name] - before[name] for name in after if name in before
            ]
    return differences


def _get_percent_scores(judgement: Judgement, scorer: str) -> dict[str, float]:
    outputs = zip(judgement.systems, score_outputs(judgement), strict=True)
    return {
        system: scored.hundred
        for system, scores in outputs
        for scored in scores
        if scored.scorer == scorer and scored.is_defined
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
            f"{speed.too_fast} of {speed.timed} answers faster than "
            f"{rules.words_per_minute:g} words a minute"
        )
    if row.degraded >= rules.degraded and (p_value is None or p_value >= rules.alpha):
        chance = "" if p_value is None else f" (p = {p_value:.2f})"
        seen = f"{row.noticed} of {row.degraded}"
        reasons.append(f"scored {seen} spoilt copies lower{chance}")
    if row.repeats >= rules.repeats and (row.distance or 0) > rules.distance:
        reasons.append(f"repeats are {row.distance:.0f} of 100 apart on average")
    if row.deviation == 0 and row.judgements >= rules.repeats:
        reasons.append(f"always the same score ({row.mean:.0f} of 100)")
    return reasons
