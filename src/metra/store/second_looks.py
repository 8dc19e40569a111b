"""Campaigns in the store that settle what another left open, and what came of them."""

import secrets
from collections.abc import Sequence

from sqlalchemy import Connection, select

from metra.campaign.campaign import FIRST
from metra.campaign.judgement import KEPT, keep_latest
from metra.campaign.second_look import Disagreement, apply_verdicts, build_adjudication
from metra.scores.judgement import Judgement
from metra.store import answers, audit, campaigns, database, tasks
from metra.store.campaigns import StoredCampaign
from metra.store.database import new_id


def find_second_looks(db: Connection, first: StoredCampaign) -> list[StoredCampaign]:
    """Return the campaigns that settle this one, the oldest first."""
    row = database.campaign.c
    # Contents are large: only those that name the campaign are looked into.
    query = select(row.id).where(row.content_json.contains(first.id))
    keys = db.execute(query.order_by(row.created_at, row.name.desc())).scalars()
    naming = [campaigns.get_campaign(db, key) for key in keys.all()]
    return [one for one in naming if one.campaign.material.get(FIRST) == first.id]


def read_completed(
    db: Connection, stored: StoredCampaign, *, fields: Sequence[str] = ("id", *KEPT)
) -> list[Judgement]:
    """Return all answers of a campaign, the latest with the verdicts of second judges.

    Of ids and the fields `KEPT`, others than those named may stay empty.
    """
    seconds = [
        one
        for one in find_second_looks(db, stored)
        if one.campaign.protocol.name == "verdicts"
    ]
    # Verdicts name the answers that they are about.
    fields = ("id", *KEPT) if seconds else fields
    judgements = answers.read_judgements(db, stored, fields=fields)
    for second in seconds:
        verdicts = answers.read_judgements(db, second)
        settled = apply_verdicts(judgements, second.campaign, verdicts)
        latest = {one.id: one for one in settled}
        judgements = [latest.get(one.id, one) for one in judgements]
    return judgements


def create_adjudication_draft(
    db: Connection,
    stored: StoredCampaign,
    disagreements: Sequence[Disagreement],
    *,
    judges: Sequence[str],
    now: float,
    who: str,
) -> str:
    """Keep a campaign in which others judge outputs anew, as a draft; return its id."""
    secret, key = secrets.token_bytes(32), new_id()
    content, given = build_adjudication(
        stored.campaign,
        stored.id,
        disagreements,
        judges=judges,
        name=name_second_look(db, stored),
        secret=secret,
    )
    ids = campaigns.add_campaign(
        db, key, content, secret=secret, now=now, state="draft"
    )
    tasks.add_tasks(db, key, content, given, ids)
    data = {"first": stored.name, "outputs": len(disagreements)}
    audit.add_entry(db, who, "create", data, now=now, campaign=key)
    return key


def name_second_look(db: Connection, first: StoredCampaign) -> str:
    """Return the name of the next campaign that settles this one."""
    return f"{first.name}: second look {len(find_second_looks(db, first)) + 1}"


def read_adjudications(
    db: Connection, stored: StoredCampaign
) -> dict[tuple[str, int], list[Judgement]]:
    """Return the judgements of second judges by system and segment."""
    judgements: dict[tuple[str, int], list[Judgement]] = {}
    for second in find_second_looks(db, stored):
        if second.campaign.protocol == stored.campaign.protocol:
            for one in keep_latest(answers.read_judgements(db, second)):
                judgements.setdefault((one.systems[0], one.segment), []).append(one)
    return judgements
