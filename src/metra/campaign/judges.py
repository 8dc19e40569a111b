"""The judges: how strict, how steady, how quick, and whether they saw what was spoilt.

Nothing here drops anybody; it says what there is to know.

Whether a judge became stricter or milder on the way.
What an organiser should look at: a reason in words for each judge, never a verdict.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, median, stdev
from typing import TypeVar

import numpy as np

from metra.campaign.judgement import Judgement, latest
from metra.campaign.results import Figure, Figures, by_system, figures_by_scorer
from metra.campaign.times import WORDS_PER_MINUTE, Speed, speeds
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


def drifts(judgements: Iterable[Judgement]) -> dict[tuple[str, str], Drift]:
    """Compare the halves, by judge and scorer; what has no times or is too little is left out.

    Each score counts as its distance from its system's mean, so that a judge who met the
    better systems later has not drifted.
    """
    return drifts_of(figures_by_scorer(judgements))


def drifts_of(every: Figures) -> dict[tuple[str, str], Drift]:
    """The same from scores that have been read out."""
    found: dict[tuple[str, str], Drift] = {}
    for (scorer, _), figures in every.items():
        timed = [one for one in figures if one.submitted_at is not None]
        timed.sort(key=lambda one: one.submitted_at or 0.0)
        for judge, offs in _distances(timed).items():
            half = len(offs) // 2
            if half >= LEAST:
                early = np.array(offs[:half])
                late = np.array(offs[len(offs) - half :])
                up, down = rank_sum_p(late, early), rank_sum_p(early, late)
                change = float(late.mean() - early.mean())
                found[judge, scorer] = Drift(change, min(1.0, 2 * min(up, down)))
    return found


def _distances(figures: list[Figure]) -> dict[str, list[float]]:
    means = {
        system: fmean(one.hundred for one in mine)
        for system, mine in by_system(figures).items()
    }
    found: dict[str, list[float]] = {}
    for one in figures:
        found.setdefault(one.judge, []).append(one.hundred - means[one.system])
    return found


Answered = TypeVar("Answered", Judgement, Figure)


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
    spoilt: int
    #: Spoilt copies that got less than the original, and the sign test's p-value.
    noticed: int
    p_value: float | None
    #: Median seconds of active time; None where nobody measured.
    seconds: float | None
    #: How many answers came before the text could be read.
    speed: Speed
    #: Whether the judge became milder on the way; None without times or with too little.
    drift: Drift | None


def judge_table(
    judgements: Iterable[Judgement], *, words_per_minute: float = WORDS_PER_MINUTE
) -> list[JudgeRow]:
    """One row for each judge and scorer, in the order of the judges' names."""
    kept = latest(judgements)
    return judges_of(kept, figures_by_scorer(plain(kept)), words_per_minute)


def plain(kept: Iterable[Judgement]) -> list[Judgement]:
    """What tells how judges judge: all but what came back, as it was or spoilt."""
    return [one for one in kept if one.counts or one.kind == "calibration"]


def judges_of(
    kept: Sequence[Judgement], every: Figures, words_per_minute: float
) -> list[JudgeRow]:
    """The same from last revisions and the scores of what is plain."""
    seconds: dict[str, list[float]] = {}
    for one in plain(kept):
        if one.active_ms is not None:
            seconds.setdefault(one.judge, []).append(one.active_ms / 1000)
    quick, changed = speeds(kept, words_per_minute), drifts_of(every)
    answers = _by_judge(kept)
    rows = []
    for (scorer, _), figures in every.items():
        outputs: dict[tuple[str, int], list[Figure]] = {}
        for figure in figures:
            outputs.setdefault((figure.system, figure.segment), []).append(figure)
        for judge, mine in sorted(_by_judge(figures).items()):
            scores = [figure.hundred for figure in mine]
            again = _differences(answers[judge], scorer, "repeat")
            less = _differences(answers[judge], scorer, "degraded")
            rows.append(
                JudgeRow(
                    judge,
                    scorer,
                    len(mine),
                    fmean(scores),
                    stdev(scores) if len(scores) > 1 else None,
                    _milder(mine, outputs),
                    len(again),
                    fmean(gap == 0 for gap in again) if again else None,
                    fmean(map(abs, again)) if again else None,
                    len(less),
                    sum(gap < 0 for gap in less),
                    sign_test(less),
                    median(seconds[judge]) if judge in seconds else None,
                    quick[judge],
                    changed.get((judge, scorer)),
                )
            )
    return rows


def sign_test(differences: Iterable[float]) -> float | None:
    """Chance of as many negative differences if either sign were as likely; ties are left out.

    >>> sign_test([-5, -1, -2, 3])
    0.3125
    """
    signs = [gap < 0 for gap in differences if gap]
    count = len(signs)
    if not count:
        return None
    return sum(comb(count, at) for at in range(sum(signs), count + 1)) / 2**count


def _by_judge(answers: Iterable[Answered]) -> dict[str, list[Answered]]:
    found: dict[str, list[Answered]] = {}
    for one in answers:
        found.setdefault(one.judge, []).append(one)
    return found


def _milder(
    mine: list[Figure], outputs: dict[tuple[str, int], list[Figure]]
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
    """A judge's scores of what came back less those of its originals, if both are there."""
    again = [one for one in judgements if one.kind == kind]
    wanted = {one.original for one in again}
    firsts = {(one.task, one.segment): one for one in judgements if one.task in wanted}
    found = []
    for one in again:
        first = firsts.get((one.original or "", one.segment))
        if first is not None:
            # Compared outputs may come back in another order: systems are matched by name.
            before, after = _hundreds(first, scorer), _hundreds(one, scorer)
            found += [
                after[system] - before[system] for system in after if system in before
            ]
    return found


def _hundreds(judgement: Judgement, scorer: str) -> dict[str, float]:
    return {
        system: scored.hundred
        for system, scores in zip(judgement.systems, judgement.scores(), strict=True)
        for scored in scores
        if scored.scorer == scorer and scored.defined
    }


@dataclass(frozen=True, slots=True)
class Rules:
    """When a judge is flagged; every limit is somebody's choice, so it can be another."""

    #: Nobody reads faster.
    words_per_minute: float = WORDS_PER_MINUTE
    #: The share of early answers that is still allowed.
    too_fast: float = 0.1
    #: So many spoilt copies are needed before anything is said about them.
    spoilt: int = 5
    #: A judge who saw them has a p-value below this.
    alpha: float = 0.05
    #: So many repeats are needed, and so far apart may they be, between 0 and 100.
    repeats: int = 5
    distance: float = 25.0


def flags(rows: Iterable[JudgeRow], rules: Rules | None = None) -> dict[str, list[str]]:
    """Give each judge's reasons, once each; a judge without any has an empty list."""
    rules = rules or Rules()
    found: dict[str, list[str]] = {}
    for row in rows:
        mine = found.setdefault(row.judge, [])
        mine += [reason for reason in _reasons(row, rules) if reason not in mine]
    return found


def flagged(rows: Iterable[JudgeRow], rules: Rules | None = None) -> set[str]:
    """The judges with at least one reason."""
    return {judge for judge, reasons in flags(rows, rules).items() if reasons}


def _reasons(row: JudgeRow, rules: Rules) -> list[str]:
    found = []
    share = row.speed.share
    if share is not None and share > rules.too_fast:
        found.append(
            f"{row.speed.too_fast} of {row.speed.timed} answers faster than "
            f"{rules.words_per_minute:g} words a minute"
        )
    if row.spoilt >= rules.spoilt and (
        row.p_value is None or row.p_value >= rules.alpha
    ):
        chance = "" if row.p_value is None else f" (p = {row.p_value:.2f})"
        found.append(
            f"scored {row.noticed} of {row.spoilt} spoilt copies lower{chance}"
        )
    if row.repeats >= rules.repeats and (row.distance or 0) > rules.distance:
        found.append(f"repeats are {row.distance:.0f} of 100 apart on average")
    if row.deviation == 0 and row.judgements >= rules.repeats:
        found.append(f"always the same score ({row.mean:.0f} of 100)")
    return found
