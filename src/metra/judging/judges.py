"""The judges: how strict, how steady, how quick, and whether they saw what was spoilt.

Nothing here drops anybody; it says what there is to know.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, median, stdev
from typing import TypeVar

from metra.human.judgement import Judgement, latest
from metra.judging.drift import Drift, drifts_of
from metra.judging.figures import Figure, Figures, figures_by_scorer
from metra.judging.reading_speed import WORDS_PER_MINUTE, Speed, speeds

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
