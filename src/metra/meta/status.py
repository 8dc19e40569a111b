"""The status of a running campaign: each judge's work so far, and agreement."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from metra.meta.agree import AgreementAnswer
from metra.meta.judge_options import AgreeOptions
from metra.meta.judges import add_flags, build_judge_rows
from metra.meta.question import answer_all
from metra.scores.judgement import Judgement
from metra.scores.selection import DEFAULT
from metra.scores.table import ITEM_KINDS, Scores

#: Coefficients that are shown while a campaign runs.
COEFFICIENTS = {
    "exact": "equal",
    "within": "within 1",
    "mean quadratic": "Cohen's kappa, quadratic",
    "alpha ordinal": "Krippendorff's alpha, ordinal",
}


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
class AgreementStatus:
    """Agreement on one scorer so far."""

    scorer: str
    outputs: int
    #: Coefficients by the names of `COEFFICIENTS`.
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """The whole campaign so far."""

    answers: int
    active_minutes: float
    judges: dict[str, JudgeStatus]
    agreement: Sequence[AgreementStatus]
    #: Judges' names and what they wrote, the newest first.
    comments: Sequence[Judgement]
    #: The rows that agreement counts, in a few words.
    selection: str


def compute_status(judgements: Sequence[Judgement], scores: Scores) -> CampaignStatus:
    """Return the status; agreement has no intervals, which would take time."""
    scores = add_flags(scores)
    earlier = ITEM_KINDS.index("earlier")
    is_last = [True] * len(judgements)
    for answer, kind in zip(scores.answer.tolist(), scores.kind.tolist(), strict=True):
        is_last[answer] = kind != earlier
    rows = {row.judge: row for row in reversed(build_judge_rows(scores))}
    changed = Counter(one.judge for one in judgements if one.revision > 1)
    by_judge: dict[str, list[Judgement]] = {}
    latest = [one for one, last in zip(judgements, is_last, strict=True) if last]
    for one in latest:
        by_judge.setdefault(one.judge, []).append(one)
    judges = {}
    for judge, answers in by_judge.items():
        row = rows.get(judge)
        times = [one.active_ms / 1000 for one in answers if one.active_ms is not None]
        judges[judge] = JudgeStatus(
            judge,
            len(answers),
            changed[judge],
            sum(one.cannot is not None for one in answers),
            sum(bool(one.comment) for one in answers),
            sum(times) / 60,
            median(times) if times else None,
            row.too_fast if row else 0,
            row.degraded if row else 0,
            row.noticed if row else 0,
            row.repeats if row else 0,
            row.same if row else None,
            scores.flags.get(judge, ()),
        )
    comments = [one for one in latest if one.comment or one.cannot]
    options = {"agree": AgreeOptions(trials=0, brief=True)}
    answered = answer_all(scores, DEFAULT, options, ["agree"]) if len(scores) else []
    return CampaignStatus(
        len(latest),
        sum(one.active_minutes for one in judges.values()),
        judges,
        [_describe(one.answer) for one in answered if _has_pairs(one.answer)],
        sorted(comments, key=lambda one: -(one.submitted_at or 0)),
        DEFAULT.describe(scores) if len(scores) else "",
    )


def _has_pairs(answer: AgreementAnswer | None) -> bool:
    return answer is not None and answer.agreement is not None


def _describe(answer: AgreementAnswer) -> AgreementStatus:
    agreement = answer.require_pairs()
    values = {
        label: agreement.values.get(key, float("nan"))
        for key, label in COEFFICIENTS.items()
    }
    return AgreementStatus(answer.scorer, agreement.units, values)
