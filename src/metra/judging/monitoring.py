"""How a campaign goes while it runs: each judge's pace, checks and agreement so far."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from metra.human.judgement import Judgement, latest
from metra.judging.agreement import AgreementOn, agreement
from metra.judging.flags import Rules, flags
from metra.judging.judges import JudgeRow, judge_table


@dataclass(frozen=True, slots=True)
class JudgeSoFar:
    """One judge's work so far; figures are None while there is too little."""

    judge: str
    answers: int
    changed: int
    cannot: int
    comments: int
    active_minutes: float
    #: Median active seconds of an answer.
    seconds: float | None
    too_fast: int
    spoilt: int
    noticed: int
    repeats: int
    same: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SoFar:
    """The whole campaign so far."""

    answers: int
    active_minutes: float
    judges: dict[str, JudgeSoFar]
    agreement: Sequence[AgreementOn]
    #: Judges' names and what they wrote, the newest first.
    comments: Sequence[Judgement]


def so_far(judgements: Iterable[Judgement], rules: Rules | None = None) -> SoFar:
    """Look at what has come in; agreement without intervals, which take their time."""
    rules = rules or Rules()
    everything = list(judgements)
    kept = latest(everything)
    rows = judge_table(kept, words_per_minute=rules.words_per_minute)
    reasons = flags(rows, rules)
    by_judge: dict[str, list[Judgement]] = {}
    for one in kept:
        by_judge.setdefault(one.judge, []).append(one)
    judges = {
        judge: _judge(
            judge,
            mine,
            sum(one.judge == judge and one.revision > 1 for one in everything),
            [row for row in rows if row.judge == judge],
            reasons.get(judge, []),
        )
        for judge, mine in by_judge.items()
    }
    said = [one for one in kept if one.comment or one.cannot]
    return SoFar(
        len(kept),
        sum(one.active_minutes for one in judges.values()),
        judges,
        agreement(kept, trials=0),
        sorted(said, key=lambda one: -(one.submitted_at or 0)),
    )


def _judge(
    judge: str,
    mine: list[Judgement],
    changed: int,
    rows: list[JudgeRow],
    reasons: list[str],
) -> JudgeSoFar:
    times = [one.active_ms / 1000 for one in mine if one.active_ms is not None]
    row = rows[0] if rows else None
    return JudgeSoFar(
        judge,
        len(mine),
        changed,
        sum(one.cannot is not None for one in mine),
        sum(bool(one.comment) for one in mine),
        sum(times) / 60,
        median(times) if times else None,
        row.speed.too_fast if row else 0,
        row.spoilt if row else 0,
        row.noticed if row else 0,
        row.repeats if row else 0,
        row.same if row else None,
        tuple(reasons),
    )
