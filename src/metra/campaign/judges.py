"""Figures about each judge, and reasons to look at them.

How strict, steady and quick judges are, whether they notice degraded copies, and whether they
became stricter on the way. Nothing here drops anybody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, median, stdev
from typing import TypeVar

import numpy as np

from metra.campaign.judgement import keep_latest, score_outputs
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
        for judge, offs in _distances(timed).items():
            half = len(offs) // 2
            if half >= LEAST:
                early = np.array(offs[:half])
                late = np.array(offs[len(offs) - half :])
                up, down = rank_sum_p(late, early), rank_sum_p(early, late)
                change = float(late.mean() - early.mean())
                drifts[judge, scorer] = Drift(change, min(1.0, 2 * min(up, down)))
    return drifts


def _distances(figures: list[JudgeScore]) -> dict[str, list[float]]:
    means = {
        system: fmean(one.hundred for one in mine)
        for system, mine in group_by_system(figures).items()
    }
    distances: dict[str, list[float]] = {}
    for one in figures:
        distances.setdefault(one.judge, []).append(one.hundred - means[one.system])
    return distances


Answered = TypeVar("Answered", Judgement, JudgeScore)


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


def drop_checks(kept: Iterable[Judgement]) -> list[Judgement]:
    """Return judgements that describe judges: all except repeated and degraded items."""
    return [one for one in kept if one.counts or one.kind == "calibration"]


def build_judge_rows(
    kept: Sequence[Judgement], scores_by_scorer: ScoresByScorer, words_per_minute: float
) -> list[JudgeRow]:
    """Return the same rows from last revisions and scores without checks."""
    seconds: dict[str, list[float]] = {}
    for one in drop_checks(kept):
        if one.active_ms is not None:
            seconds.setdefault(one.judge, []).append(one.active_ms / 1000)
    quick, changed = (
        count_early_answers(kept, words_per_minute),
        compute_drifts(scores_by_scorer),
    )
    answers = _group_by_judge(kept)
    rows = []
    for (scorer, _), figures in scores_by_scorer.items():
        outputs: dict[tuple[str, int], list[JudgeScore]] = {}
        for figure in figures:
            outputs.setdefault((figure.system, figure.segment), []).append(figure)
        for judge, own in sorted(_group_by_judge(figures).items()):
            scores = [figure.hundred for figure in own]
            again = _differences(answers[judge], scorer, "repeat")
            less = _differences(answers[judge], scorer, "degraded")
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
                    median(seconds[judge]) if judge in seconds else None,
                    quick[judge],
                    changed.get((judge, scorer)),
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


def _group_by_judge(answers: Iterable[Answered]) -> dict[str, list[Answered]]:
    by_judge: dict[str, list[Answered]] = {}
    for one in answers:
        by_judge.setdefault(one.judge, []).append(one)
    return by_judge


def _compute_leniency(
    mine: list[JudgeScore], outputs: dict[tuple[str, int], list[JudgeScore]]
) -> float | None:
    gaps = []
    for figure in mine:
        together = outputs[figure.system, figure.segment]
        if len(together) == 1:
            continue
        others = [one.hundred for one in together if one.judge != figure.judge]
        if others:
            mean = others[0] if len(others) == 1 else fmean(others)
            gaps.append(figure.hundred - mean)
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
            before, after = (
                _get_percent_scores(first, scorer),
                _get_percent_scores(one, scorer),
            )
            differences += [
                after[system] - before[system] for system in after if system in before
            ]
    return differences


def _get_percent_scores(judgement: Judgement, scorer: str) -> dict[str, float]:
    return {
        system: scored.hundred
        for system, scores in zip(
            judgement.systems, score_outputs(judgement), strict=True
        )
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


def flag_judges(
    rows: Iterable[JudgeRow], rules: FlagRules | None = None
) -> dict[str, list[str]]:
    """Return each judge's reasons, once each; a judge without any has an empty list."""
    rules = rules or FlagRules()
    reasons_by_judge: dict[str, list[str]] = {}
    for row in rows:
        reasons = reasons_by_judge.setdefault(row.judge, [])
        reasons += [
            reason for reason in _find_reasons(row, rules) if reason not in reasons
        ]
    return reasons_by_judge


def find_flagged(rows: Iterable[JudgeRow], rules: FlagRules | None = None) -> set[str]:
    """Return the judges with at least one reason."""
    return {judge for judge, reasons in flag_judges(rows, rules).items() if reasons}


def _find_reasons(row: JudgeRow, rules: FlagRules) -> list[str]:
    reasons = []
    share = row.speed.share
    if share is not None and share > rules.too_fast:
        reasons.append(
            f"{row.speed.too_fast} of {row.speed.timed} answers faster than "
            f"{rules.words_per_minute:g} words a minute"
        )
    if row.degraded >= rules.degraded and (
        row.p_value is None or row.p_value >= rules.alpha
    ):
        chance = "" if row.p_value is None else f" (p = {row.p_value:.2f})"
        reasons.append(
            f"scored {row.noticed} of {row.degraded} spoilt copies lower{chance}"
        )
    if row.repeats >= rules.repeats and (row.distance or 0) > rules.distance:
        reasons.append(f"repeats are {row.distance:.0f} of 100 apart on average")
    if row.deviation == 0 and row.judgements >= rules.repeats:
        reasons.append(f"always the same score ({row.mean:.0f} of 100)")
    return reasons
