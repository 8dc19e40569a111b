"""Events of screens: keys and focus as browsers logged them, each kept once."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, func, insert, select

from metra.campaign.key_log import ANSWER, TYPED, matches_answer
from metra.store import answers, database
from metra.store.campaigns import StoredCampaign
from metra.store.database import decode_json, encode_json, strip_unstorable

KEY_LOG_SCHEMA = "metra-keys-1"
#: How many events a screen may have; what comes after is left out.
MOST = 20_000
#: The same where every key is recorded: more than anybody types into a text.
MOST_TYPED = 500_000


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
    task: str,
    number: int,
    events: Sequence[Event],
    *,
    most: int | None = None,
) -> None:
    """Store events that are not there yet; those without a number go to the end."""
    if not events:
        return
    event = database.event
    here = (event.c.task == task) & (event.c.number == number)
    count, last = db.execute(
        select(func.count(), func.max(event.c.seq)).where(here)
    ).one()
    asked = [one.seq for one in events if one.seq is not None]
    query = select(event.c.client, event.c.seq).where(here, event.c.seq.in_(asked))
    known = {(client, seq) for client, seq in db.execute(query)}
    following = max([-1 if last is None else last, *asked]) + 1
    rows = []
    for one in events:
        client, seq = strip_unstorable(one.client), one.seq
        if seq is None:
            seq, following = following, following + 1
        if (client, seq) not in known:
            known.add((client, seq))
            rows.append(
                {
                    "task": task,
                    "number": number,
                    "client": client,
                    "seq": seq,
                    "t_ms": one.t_ms,
                    "kind": strip_unstorable(one.kind),
                    "data_json": encode_json(one.data),
                }
            )
    allowed = MOST if most is None else most
    if rows := rows[: max(0, allowed - count)]:
        db.execute(insert(event), rows)


def get_next_number(db: Connection, task: str, number: int) -> int:
    """Return the number that the next event of a screen gets."""
    event = database.event.c
    last = select(func.max(event.seq)).where(event.task == task, event.number == number)
    highest = db.execute(last).scalar()
    return 0 if highest is None else highest + 1


def list_campaign_events(
    db: Connection, campaign: str, kinds: Collection[str]
) -> Iterator[tuple[str, str, int, Event]]:
    """Yield events of some kinds with judge, task and number, in order."""
    event, task, judge = database.event.c, database.task, database.judge
    query = (
        select(
            *(judge.c.label, event.task, event.number),
            *(event.seq, event.t_ms, event.kind, event.data_json),
        )
        .join_from(database.event, task, event.task == task.c.id)
        .join(judge, task.c.judge == judge.c.id)
        .where(task.c.campaign == campaign, event.kind.in_(sorted(kinds)))
        .order_by(judge.c.place, task.c.position, event.task, event.number, event.seq)
    )
    for row in db.execute(query):
        yield row[0], row[1], row[2], Event(*row[3:6], decode_json(row[6]))


def list_screen_events(db: Connection, task: str, number: int) -> list[Event]:
    """Return all events of a screen, in order; a window that is loaded again counts on."""
    event = database.event.c
    query = (
        select(event.seq, event.t_ms, event.kind, event.data_json, event.client)
        .where(event.task == task, event.number == number)
        .order_by(event.seq, event.client)
    )
    return [
        Event(row.seq, row.t_ms, row.kind, decode_json(row.data_json), row.client)
        for row in db.execute(query)
    ]


def write_key_log(db: Connection, stored: StoredCampaign) -> str:
    """Return what the judges of a campaign typed, as JSON lines, screen by screen."""
    values = {one.id: one.value for one in answers.read_judgements(db, stored)}
    logged = list_campaign_events(db, stored.id, {*TYPED, ANSWER})
    lines = []
    for (judge, task, number), screen in groupby(logged, lambda row: row[:3]):
        entries: list[dict[str, Any]] = []
        for *_, event in screen:
            entry = {
                "schema": KEY_LOG_SCHEMA,
                "judge": judge,
                "task": task,
                "number": number,
                "seq": event.seq,
                "t_ms": event.t_ms,
                "kind": event.kind,
                "data": event.data,
            }
            entries.append(entry)
            if event.kind == ANSWER:
                value = values.get(event.data["id"])
                entry["same"] = value is not None and matches_answer(entries, value)
            lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    return "".join(lines)
