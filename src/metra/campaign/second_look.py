"""Answers that somebody else has to look at: cases for a campaign of verdicts, and back.

Whoever gives verdicts sees a gap in its surroundings, or a question, with what was expected
and what was answered: neither the reader nor the system. Equal cases are judged once.

Campaigns that settle what another left open: close answers, and tags of several raters.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from metra.campaign.campaign import Campaign, CampaignSegment, System
from metra.campaign.judgement import keep_latest
from metra.campaign.own_wording import freeze_wordings
from metra.campaign.protocols.answers import KEY
from metra.campaign.protocols.gaps import find_undecided
from metra.campaign.protocols.questions import find_unlisted
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.task_protocols import SETTLED_BY
from metra.campaign.reconciliation import build_reconciliation
from metra.campaign.settings import derive_settings
from metra.errors import CorpusError
from metra.formats.scores.judgement import Judgement
from metra.store import answers, campaigns
from metra.store.campaigns import StoredCampaign

if TYPE_CHECKING:
    from sqlalchemy import Connection


#: How many characters of the text are shown on each side of a gap.
AROUND = 120


def build_verdict_campaign(
    first: Campaign,
    judgements: Iterable[Judgement],
    *,
    judges: Sequence[str],
    each: int = 1,
    name: str = "",
) -> Campaign:
    """Make a campaign of the answers that are neither exact nor accepted by a list."""
    open_cases = collect_cases(judgements)
    if not open_cases:
        msg = f"{first.settings.name} has no answers that wait for a second look."
        raise CorpusError(msg)
    settings = derive_settings(
        first.settings,
        name=name or f"{first.settings.name}: close answers",
        protocol="verdicts",
        judges=judges,
        each=each,
    )
    listed = [
        {"shown": dict(shown), "answer": answer, "of": places}
        for (answer, shown), places in open_cases.items()
    ]
    return Campaign(
        settings,
        protocol("verdicts"),
        tuple(CampaignSegment("", None, ()) for _ in listed),
        (System("answers", "mt", tuple(str(case["answer"]) for case in listed)),),
        {"cases": listed},
    )


def apply_verdicts(
    judgements: Iterable[Judgement], second: Campaign, verdicts: Iterable[Judgement]
) -> list[Judgement]:
    """Fill in the share of second judges who accept an answer, where all is decided."""
    votes: dict[int, list[bool]] = {}
    for one in keep_latest(verdicts):
        if one.counts:
            votes.setdefault(one.segment - 1, []).append(one.value["verdict"]["right"])
    decided: dict[tuple[str, str], dict[int, float]] = {}
    for at, case in enumerate(second.material["cases"]):
        for judgement, step, place in case["of"] if at in votes else ():
            decided.setdefault((judgement, step), {})[place] = fmean(votes[at])
    return [_fill_verdicts(one, decided) for one in keep_latest(judgements)]


Case = tuple[str, tuple[tuple[str, str], ...]]


def collect_cases(judgements: Iterable[Judgement]) -> dict[Case, list[list[Any]]]:
    """Answers that wait, equal ones once, with the places where they were given."""
    found: dict[Case, list[list[Any]]] = {}
    for one in keep_latest(judgements):
        for name, step in one.value.items():
            if not isinstance(step, dict):
                continue
            for at, shown in _find_open_answers(step, one.outputs[0]):
                case = step["answers"][at], tuple(shown.items())
                found.setdefault(case, []).append([one.id, name, at])
    return dict(sorted(found.items()))


def _find_open_answers(
    step: Mapping[str, Any], output: str
) -> Iterable[tuple[int, dict[str, str]]]:
    key = step.get(KEY, {})
    if "close" in key:
        for at in find_undecided(step):
            start, word = key["starts"][at], key["words"][at]
            before, after = _cut_context(output, start, start + len(word))
            yield at, {"before": before, "after": after, "expected": word}
    elif "verdicts" in key:
        for at in find_unlisted(step):
            question = key["questions"][at]
            expected = " / ".join(question["accepted"])
            yield at, {"question": question["question"], "expected": expected}


def _cut_context(output: str, start: int, end: int) -> tuple[str, str]:
    """What stands on both sides of a gap, cut between words.

    >>> _cut_context("x" * 150 + " a gap " + "y" * 150, 153, 156)
    ('… a ', ' …')
    """
    before, after = output[:start], output[end:]
    if len(before) > AROUND:
        kept = before[-AROUND:]
        cut = next((at for at, sign in enumerate(kept) if sign.isspace()), 0)
        before = f"…{kept[cut:]}"
    if len(after) > AROUND:
        kept = after[:AROUND]
        cut = next(
            (at for at in range(AROUND, 0, -1) if kept[at - 1].isspace()), AROUND
        )
        after = f"{kept[:cut]}…"
    return before, after


def _fill_verdicts(
    judgement: Judgement, decided: Mapping[tuple[str, str], Mapping[int, float]]
) -> Judgement:
    value = dict(judgement.value)
    for name, step in judgement.value.items():
        shares = decided.get((judgement.id, name))
        if shares:
            what = "close" if "close" in step[KEY] else "verdicts"
            filled = list(step[KEY][what])
            for at, share in shares.items():
                filled[at] = share
            value[name] = step | {KEY: step[KEY] | {what: filled}}
    return replace(judgement, value=value)


#: Where a campaign's material names the campaign that it settles.
FIRST = "first"
#: Protocols of campaigns that are made of another campaign's answers.
MADE_OF_OTHERS = frozenset({"verdicts", "entity-check", *SETTLED_BY.values()})


def count_open_answers(campaign: Campaign, judgements: Iterable[Judgement]) -> int:
    """How many answers, or tagged texts, somebody else has to look at."""
    kept = keep_latest(judgements)
    if campaign.protocol.name in SETTLED_BY:
        return len({one.segment for one in kept if one.cannot is None})
    return len(collect_cases(kept))


def build_follow_up(
    first: StoredCampaign,
    judgements: Sequence[Judgement],
    *,
    judges: Sequence[str],
    each: int = 1,
    name: str = "",
) -> Campaign:
    """Make the campaign that settles what this one left open."""
    if not judges:
        msg = f"{first.name}: a second look needs at least one judge."
        raise CorpusError(msg)
    if first.campaign.protocol.name in SETTLED_BY:
        made = build_reconciliation(
            first.campaign, judgements, judges=judges, name=name
        )
    else:
        made = build_verdict_campaign(
            first.campaign, judgements, judges=judges, each=each, name=name
        )
    return freeze_wordings(replace(made, material=made.material | {FIRST: first.id}))


def find_second_looks(db: "Connection", first: StoredCampaign) -> list[StoredCampaign]:
    """The campaigns that settle this one, the oldest first."""
    # Contents are large: only those that name the campaign are looked into.
    return [
        stored
        for stored in campaigns.find_containing(db, first.id)
        if stored.campaign.material.get(FIRST) == first.id
    ]


def read_completed(db: "Connection", stored: StoredCampaign) -> list[Judgement]:
    """All answers of a campaign; where others gave verdicts on them, the last with these."""
    every = answers.read_judgements(db, stored)
    looks = [
        second
        for second in find_second_looks(db, stored)
        if second.campaign.protocol.name == "verdicts"
    ]
    for second in looks:
        settled = apply_verdicts(
            every, second.campaign, answers.read_judgements(db, second)
        )
        last = {one.id: one for one in settled}
        every = [last.get(one.id, one) for one in every]
    return every
