"""Events of screens: keys and focus as browsers logged them, each kept once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select

from metra.store import database
from metra.store.campaigns import StoredCampaign
from metra.store.database import decode_json, encode_json, strip_unstorable

#: Kinds of events that tell what was typed: what a field held when it was opened, what went
#: and what came at a place in code points, and keys, which change nothing.
TYPED = frozenset({"text", "write", "key"})
#: The event that says under which id an answer was handed in.
ANSWER = "answer"
KEY_LOG_SCHEMA = "metra-keys-1"
#: How many events a screen may have; what comes after is left out.
MOST = 20_000
#: The same where every key is recorded: more than anybody types into a text.
MOST_TYPED = 500_000
_LOGGED = ("judge", "task", "number", "seq", "t_ms", "kind")


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `t_ms` is the browser's own clock, from when the screen was opened.

    `client` names the window that counts `seq`; another window counts its own.
    """

    seq: int | None
    t_ms: float
    kind: str
    data: Any = None
    client: str = ""


def add_events(
    db: Connection,
    stored: StoredCampaign,
    task: str,
    number: int,
    events: Sequence[Event],
) -> None:
    """Store new events; those without a number go to the end.

    What was typed is stored only if the campaign records keys.
    """
    most = MOST_TYPED
    if not stored.campaign.settings.log_keys:
        tells, most = TYPED | {ANSWER}, MOST
        events = [one for one in events if one.kind not in tells or one.data is None]
    if not events:
        return
    event = database.event
    here = (event.c.task == task) & (event.c.number == number)
    query = select(func.count(), func.max(event.c.seq)).where(here)
    count, last = db.execute(query).one()
    asked = [one.seq for one in events if one.seq is not None]
    twins = select(event.c.client, event.c.seq).where(here, event.c.seq.in_(asked))
    stored_numbers = {(client, seq) for client, seq in db.execute(twins)}
    following = max([-1 if last is None else last, *asked]) + 1
    rows = []
    for one in events:
        client, seq = strip_unstorable(one.client), one.seq
        if seq is None:
            seq, following = following, following + 1
        if (client, seq) not in stored_numbers:
            stored_numbers.add((client, seq))
            row = {"task": task, "number": number, "client": client, "seq": seq}
            row |= {"t_ms": one.t_ms, "kind": strip_unstorable(one.kind)}
            rows.append(row | {"data_json": encode_json(one.data)})
    if rows := rows[: max(0, most - count)]:
        db.execute(insert(event), rows)


def get_next_number(db: Connection, task: str, number: int) -> int:
    """Return the number that the next event of a screen gets."""
    event = database.event.c
    last = select(func.max(event.seq)).where(event.task == task, event.number == number)
    highest = db.execute(last).scalar()
    return 0 if highest is None else highest + 1


def write_key_log(db: Connection, stored: StoredCampaign) -> str:
    """Return what the judges of a campaign typed, as JSON lines, screen by screen."""
    event, task, judge = database.event.c, database.task.c, database.judge.c
    query = (
        select(judge.label.label("judge"), database.event)
        .join_from(database.event, database.task, event.task == task.id)
        .join(database.judge, task.judge == judge.id)
        .where(task.campaign == stored.id, event.kind.in_([*TYPED, ANSWER]))
        .order_by(judge.place, task.position, event.task, event.number, event.seq)
    )
    lines = []
    for row in db.execute(query).mappings():
        entry = {"schema": KEY_LOG_SCHEMA} | {name: row[name] for name in _LOGGED}
        entry["data"] = decode_json(row["data_json"])
        lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    return "".join(lines)
