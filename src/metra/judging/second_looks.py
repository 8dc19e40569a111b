"""Campaigns that settle what another left open: close answers, and tags of several raters."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metra.errors import CorpusError
from metra.human.campaign import Campaign
from metra.human.judgement import Judgement, latest
from metra.human.protocols.tagging import SETTLED_BY
from metra.human.reconciling import reconciliation
from metra.human.second_look import cases, verdict_campaign, with_verdicts
from metra.judging.wordings import worded
from metra.store import answers, campaigns
from metra.store.campaigns import Stored

if TYPE_CHECKING:
    from sqlalchemy import Connection

#: Where a campaign's material names the campaign that it settles.
FIRST = "first"
#: Protocols of campaigns that are made of another campaign's answers.
MADE_OF_OTHERS = frozenset({"verdicts", "entity-check", *SETTLED_BY.values()})


def waiting(campaign: Campaign, judgements: Iterable[Judgement]) -> int:
    """How many answers, or tagged texts, somebody else has to look at."""
    kept = latest(judgements)
    if campaign.protocol.name in SETTLED_BY:
        return len({one.segment for one in kept if one.cannot is None})
    return len(cases(kept))


def follow_up(
    first: Stored,
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
        made = reconciliation(first.campaign, judgements, judges=judges, name=name)
    else:
        made = verdict_campaign(
            first.campaign, judgements, judges=judges, each=each, name=name
        )
    return worded(replace(made, material=made.material | {FIRST: first.id}))


def second_looks(db: "Connection", first: Stored) -> list[Stored]:
    """The campaigns that settle this one, the oldest first."""
    # Contents are large: only those that name the campaign are looked into.
    return [
        stored
        for stored in campaigns.holding(db, first.id)
        if stored.campaign.material.get(FIRST) == first.id
    ]


def completed(db: "Connection", stored: Stored) -> list[Judgement]:
    """All answers of a campaign; where others gave verdicts on them, the last with these."""
    every = answers.judgements(db, stored)
    looks = [
        second
        for second in second_looks(db, stored)
        if second.campaign.protocol.name == "verdicts"
    ]
    for second in looks:
        settled = with_verdicts(every, second.campaign, answers.judgements(db, second))
        last = {one.id: one for one in settled}
        every = [last.get(one.id, one) for one in every]
    return every
