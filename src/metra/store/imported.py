"""Campaigns from files of judgements: stored as if they had been judged here, and closed.

Ids are made anew, because the same judgements may be in the store already, under the
campaign that they were exported from; the ids in the files are stored beside them.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select

from metra.campaign.imports import Screen, group_by_campaign, rebuild_campaign
from metra.campaign.judgement import KEPT
from metra.errors import OptionError
from metra.scores.judgement import Judgement
from metra.scores.judgement_jsonl import format_judgements
from metra.store import audit, campaigns, database, tasks
from metra.store.database import decode_json, encode_json, new_id, strip_unstorable


class ImportedCampaign(NamedTuple):
    """The id of a campaign, and whether it was put into the store just now."""

    id: str
    is_new: bool


def import_campaigns(
    db: Connection,
    judgements: Sequence[Judgement],
    *,
    files: Sequence[str],
    now: float,
    who: str,
    name: str | None = None,
) -> dict[str, ImportedCampaign]:
    """Store all campaigns that the judgements are of; a name renames the only one."""
    parts = group_by_campaign(judgements)
    if name is not None:
        if len(parts) > 1:
            msg = (
                f"The files hold {len(parts)} campaigns ({', '.join(parts)}), which "
                f"cannot all be named {name!r}; import them one by one, or give no "
                "name."
            )
            raise OptionError(msg)
        parts = {name: list(judgements)}
    return {
        name: import_campaign(db, mine, name=name, files=files, now=now, who=who)
        for name, mine in parts.items()
    }


def import_campaign(
    db: Connection,
    judgements: Sequence[Judgement],
    *,
    name: str,
    files: Sequence[str],
    now: float,
    who: str,
) -> ImportedCampaign:
    """Store the judgements of one campaign; the same ones again change nothing."""
    content = format_judgements(judgements).encode("utf-8", "surrogatepass")
    fingerprint = hashlib.sha256(content).hexdigest()
    table = database.campaign.c
    query = select(table.id, table.imported_json).where(table.name == name)
    namesake = db.execute(query).first()
    if namesake is not None:
        origin = namesake.imported_json
        if origin and decode_json(origin)["fingerprint"] == fingerprint:
            return ImportedCampaign(namesake.id, is_new=False)
        msg = (
            f"A campaign named {name!r} with other judgements already exists; choose "
            "another name."
        )
        raise OptionError(msg)
    over = rebuild_campaign(judgements, name)
    key = new_id()
    judges = campaigns.add_campaign(
        db,
        key,
        over.campaign,
        secret=secrets.token_bytes(32),
        now=now,
        state="closed",
        imported={"fingerprint": fingerprint, "files": list(files)},
    )
    renamed = {
        id(task): replace(
            task,
            id=new_id(),
            original=task.original and strip_unstorable(task.original),
        )
        for task in over.tasks
    }
    called = {renamed[id(task)].id: strip_unstorable(task.id) for task in over.tasks}
    tasks.add_tasks(
        db, key, over.campaign, renamed.values(), judges, state="done", called=called
    )
    rows = [
        row
        for screen in over.screens
        for row in _build_answer_rows(screen, renamed[id(screen.task)].id, judges)
    ]
    db.execute(insert(database.judgement), rows)
    data = {"files": list(files), "answers": len(rows)}
    audit.add_entry(db, who, "import", data, now=now, campaign=key)
    return ImportedCampaign(key, is_new=True)


def _build_answer_rows(
    screen: Screen, task: str, judges: dict[str, str]
) -> list[dict[str, Any]]:
    """Return the rows of the answers to a screen, each replacing the one before it."""
    rows: list[dict[str, Any]] = []
    for answer in screen.answers:
        row = {
            "id": new_id(),
            "called": answer.id,
            "task": task,
            "number": screen.number,
            "supersedes": rows[-1]["id"] if rows else None,
            "judge": judges[answer.judge],
            "value_json": encode_json(answer.value),
        } | {name: getattr(answer, name) for name in KEPT}
        texts = {key: entry for key, entry in row.items() if isinstance(entry, str)}
        rows.append(
            row | {key: strip_unstorable(entry) for key, entry in texts.items()}
        )
    return rows
