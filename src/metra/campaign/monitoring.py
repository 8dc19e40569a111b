"""Outputs on which judges are far apart: where one should look, or ask somebody else.

EvalTrans as it goes: what the judgements so far say of every output, judged or not.
How a campaign goes while it runs: each judge's pace, checks and agreement so far.
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from metra.campaign.agreement import ScorerAgreement, compute_agreement
from metra.campaign.campaign import Campaign
from metra.campaign.judgement import keep_latest
from metra.campaign.judges import (
    FlagRules,
    JudgeRow,
    build_judge_table,
    drop_checks,
    flag_judges,
)
from metra.campaign.results import group_by_scorer
from metra.campaign.second_look import FIRST, find_second_looks
from metra.campaign.settings import derive_settings
from metra.campaign.task import Task, TaskItem, make_opaque_id
from metra.corpus.batch import Batch
from metra.errors import CorpusError
from metra.formats.annotations.judged_outputs import JudgedOutput
from metra.formats.scores.judgement import Judgement
from metra.metrics.evaltrans import build_metric, parts
from metra.metrics.record import Parts
from metra.store import answers, audit, campaigns, tasks
from metra.store.campaigns import StoredCampaign
from metra.store.database import new_id
from metra.text.preparation import preparation
from metra.text.words import is_unspaced

if TYPE_CHECKING:
    from sqlalchemy import Connection


#: Apart by so much of 100 is worth a look.
APART = 25.0


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One output, and what its judges say of it by the question they differ most on."""

    system: str
    segment: int
    scorer: str
    #: Between the highest and the lowest score, of 100.
    apart: float
    answers: tuple[Judgement, ...]
    #: The judges' scores, in the order of the answers: native, and between 0 and 100.
    scores: tuple[tuple[float, float], ...]

    @property
    def output(self) -> str:
        """The text that they judged."""
        first = self.answers[0]
        return first.outputs[first.systems.index(self.system)]


def find_disagreements(
    judgements: Iterable[Judgement], *, apart: float = APART
) -> list[Disagreement]:
    """Outputs whose judges are at least so far apart, the farthest first; each once."""
    shown = drop_checks(keep_latest(judgements))
    answers: dict[tuple[str, int], dict[str, Judgement]] = {}
    for one in shown:
        for system in one.systems:
            answers.setdefault((system, one.segment), {}).setdefault(one.judge, one)
    found: dict[tuple[str, int], Disagreement] = {}
    for (scorer, _), figures in group_by_scorer(shown).items():
        by_output: dict[tuple[str, int], dict[str, tuple[float, float]]] = {}
        for figure in figures:
            mine = by_output.setdefault((figure.system, figure.segment), {})
            mine.setdefault(figure.judge, (figure.native, figure.hundred))
        for key, mine in by_output.items():
            hundreds = [hundred for _, hundred in mine.values()]
            gap = max(hundreds) - min(hundreds)
            farther = key not in found or gap > found[key].apart
            if len(mine) > 1 and gap >= apart and farther:
                found[key] = Disagreement(
                    *key,
                    scorer,
                    gap,
                    tuple(answers[key][judge] for judge in mine),
                    tuple(mine.values()),
                )
    return sorted(found.values(), key=lambda one: (-one.apart, one.segment, one.system))


def build_adjudication(
    stored: StoredCampaign,
    found: Sequence[Disagreement],
    *,
    judges: Sequence[str],
    name: str,
    secret: bytes,
) -> tuple[Campaign, list[Task]]:
    """A campaign in which others judge these outputs anew, blind to systems and judges.

    Every judge sees all of them, each for itself, in an order that tells nothing.
    """
    first = stored.campaign
    wrong = {
        "outputs are compared here, so that none can be judged for itself": (
            first.protocol.contrastive
        ),
        "there is nothing that judges are so far apart on": not found,
        "a second look needs at least one judge": not judges,
    }
    for what, is_wrong in wrong.items():
        if is_wrong:
            msg = f"{stored.name}: {what}."
            raise CorpusError(msg)
    wishes = derive_settings(
        first.settings,
        name=name,
        protocol=first.settings.protocol,
        judges=judges,
        each=len(judges),
    )
    material = first.material | {FIRST: stored.id}
    content = replace(first, settings=wishes, material=material)
    places = {first.number(at): at for at in range(len(first.segments))}
    given = []
    for judge in judges:
        hidden = [
            (make_opaque_id(secret, name, judge, one.system, one.segment), one)
            for one in found
        ]
        for at, (key, one) in enumerate(sorted(hidden, key=lambda pair: pair[0]), 1):
            item = TaskItem(
                make_opaque_id(secret, name, judge, "output", key),
                one.system,
                places[one.segment],
                one.output,
            )
            given.append(Task(key, judge, at, "judged", (item,)))
    return content, given


def create_adjudication_draft(
    db: "Connection",
    stored: StoredCampaign,
    found: Sequence[Disagreement],
    *,
    judges: Sequence[str],
    now: float,
    who: str,
) -> str:
    """Keep such a campaign as a draft; give its id."""
    secret = secrets.token_bytes(32)
    number = len(find_second_looks(db, stored)) + 1
    name = f"{stored.name}: second look {number}"
    content, given = build_adjudication(
        stored, found, judges=judges, name=name, secret=secret
    )
    key = new_id()
    ids = campaigns.add_campaign(
        db, key, content, secret=secret, now=now, state="draft"
    )
    tasks.add_tasks(db, key, content, given, ids)
    data = {"first": stored.name, "outputs": len(found)}
    audit.add_entry(db, who, "create", data, now=now, campaign=key)
    return key


def read_adjudications(
    db: "Connection", stored: StoredCampaign
) -> dict[tuple[str, int], list[Judgement]]:
    """What others said who were asked anew, by system and segment."""
    found: dict[tuple[str, int], list[Judgement]] = {}
    for second in find_second_looks(db, stored):
        if second.campaign.protocol == stored.campaign.protocol:
            for one in keep_latest(answers.read_judgements(db, second)):
                found.setdefault((one.systems[0], one.segment), []).append(one)
    return found


PROTOCOL = "evaltrans"


@dataclass(frozen=True, slots=True)
class RunningScores:
    """One system so far: sser, mwer and the rest that `evaltrans` tells; None if nothing."""

    system: str
    parts: Parts

    def figure(self, name: str) -> float | None:
        """A part by its name, such as sser; None where there is nothing to tell."""
        found = self.parts.get(name)
        return float(found) if isinstance(found, int | float) else None


def collect_judged_outputs(
    campaign: Campaign, judgements: Iterable[Judgement]
) -> list[JudgedOutput]:
    """What the campaign began with and what its judges have added."""
    begun = [
        JudgedOutput(source, output, score)
        for source, listed in campaign.material.get("judged", {}).items()
        for output, score in listed
    ]
    return begun + collect_added_outputs(judgements)


def collect_added_outputs(judgements: Iterable[Judgement]) -> list[JudgedOutput]:
    """What judges have added to the collection; spoilt copies and repeats are left out."""
    return [
        JudgedOutput(
            str(one.segment),
            " ".join(one.outputs[0].split()),
            float(one.value[PROTOCOL]["score"]),
            one.judge,
        )
        for one in keep_latest(judgements)
        if one.protocol == PROTOCOL
        and one.cannot is None
        and (one.counts or one.kind == "calibration")
    ]


def compute_running_scores(
    campaign: Campaign, judgements: Iterable[Judgement]
) -> list[RunningScores]:
    """SSER, mWER and how far they rest on extrapolation, for each system."""
    # As on the screen, letters are words where there are no blanks.
    every = "\n".join(output for one in campaign.systems for output in one.outputs)
    tok = "char" if is_unspaced(every) else "none"
    text = preparation(tok=tok, case="mixed", stem="no")
    judged = collect_judged_outputs(campaign, judgements)
    metric = build_metric(judged, k=1, lend=False, key="segment", text=text)
    references = _references(campaign)
    found = []
    for system in campaign.systems:
        batch = Batch(list(system.outputs), references)
        found.append(RunningScores(system.name, parts(metric.rows(batch).sum(0))))
    return found


def _references(campaign: Campaign) -> list[list[str | None]]:
    """References as columns; a segment that has fewer leaves the rest empty."""
    most = max((len(segment.references) for segment in campaign.segments), default=0)
    return [
        [
            segment.references[at] if at < len(segment.references) else None
            for segment in campaign.segments
        ]
        for at in range(most)
    ]


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
    spoilt: int
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
    """Look at what has come in; agreement without intervals, which take their time."""
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
            mine,
            sum(one.judge == judge and one.revision > 1 for one in everything),
            [row for row in rows if row.judge == judge],
            reasons.get(judge, []),
        )
        for judge, mine in by_judge.items()
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
    mine: list[Judgement],
    changed: int,
    rows: list[JudgeRow],
    reasons: list[str],
) -> JudgeStatus:
    times = [one.active_ms / 1000 for one in mine if one.active_ms is not None]
    row = rows[0] if rows else None
    return JudgeStatus(
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
