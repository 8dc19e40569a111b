"""The status of a running campaign: each judge's pace, checks and agreement so far."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from metra.campaign.agreement import ScorerAgreement, compute_agreement
from metra.campaign.judgement import keep_latest
from metra.campaign.judges import FlagRules, JudgeRow, build_judge_table, flag_judges
from metra.formats.scores.judgement import Judgement


@dataclass(frozen=True, slots=True)
class JudgeStatus:
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
    degraded: int
    noticed: int
    repeats: int
    same: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """The whole campaign so far."""

    answers: int
    active_minutes: float
    judges: dict[str, JudgeStatus]
    agreement: Sequence[ScorerAgreement]
    #: Judges' names and what they wrote, the newest first.
    comments: Sequence[Judgement]


def compute_status(
    judgements: Iterable[Judgement], rules: FlagRules | None = None
) -> CampaignStatus:
    """Return the status; agreement has no intervals, which would take time."""
    rules = rules or FlagRules()
    everything = list(judgements)
    kept = keep_latest(everything)
    rows = build_judge_table(kept, words_per_minute=rules.words_per_minute)
    reasons = flag_judges(rows, rules)
    by_judge: dict[str, list[Judgement]] = {}
    for one in kept:
        by_judge.setdefault(one.judge, []).append(one)
    judges = {
        judge: _compute_judge_status(
            judge,
            answers,
            sum(one.judge == judge and one.revision > 1 for one in everything),
            [row for row in rows if row.judge == judge],
            reasons.get(judge, []),
        )
        for judge, answers in by_judge.items()
    }
    said = [one for one in kept if one.comment or one.cannot]
    return CampaignStatus(
        len(kept),
        sum(one.active_minutes for one in judges.values()),
        judges,
        compute_agreement(kept, trials=0),
        sorted(said, key=lambda one: -(one.submitted_at or 0)),
    )


def _compute_judge_status(
    judge: str,
    answers: list[Judgement],
    changed: int,
    rows: list[JudgeRow],
    reasons: list[str],
) -> JudgeStatus:
    times = [one.active_ms / 1000 for one in answers if one.active_ms is not None]
    row = rows[0] if rows else None
    return JudgeStatus(
        judge,
        len(answers),
        changed,
        sum(one.cannot is not None for one in answers),
        sum(bool(one.comment) for one in answers),
        sum(times) / 60,
        median(times) if times else None,
        row.speed.too_fast if row else 0,
        row.degraded if row else 0,
        row.noticed if row else 0,
        row.repeats if row else 0,
        row.same if row else None,
        tuple(reasons),
    )
