"""Drafts: the newest state of an answer that is not given yet."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from metra.store import tables
from metra.store.encoding import decoded, encoded, storable


@dataclass(frozen=True, slots=True)
class Draft:
    """What a judge has put in so far; the browser counts `rev` up."""

    rev: int
    value: Any
    comment: str


def find(db: Connection, task: str, number: int) -> Draft | None:
    """Find the draft of a screen."""
    row = db.execute(_FIND, {"of": task, "place": number}).first()
    if row is None:
        return None
    payload = decoded(row.payload_json)
    return Draft(row.rev, payload["value"], payload["comment"])


def save(
    db: Connection, task: str, number: int, new: Draft, *, now: float
) -> Draft | None:
    """Keep a newer draft; give the stored one if it is newer, or as new with another value.

    The same value under the same number, as after a lost reply, is no conflict.
    """
    stored = find(db, task, number)
    tidy = Draft(new.rev, new.value, storable(new.comment))
    payload = encoded({"value": tidy.value, "comment": tidy.comment})
    if stored is None:
        where = {"task": task, "number": number}
        db.execute(_ADD, where | {"rev": new.rev, "payload_json": payload, "at": now})
        return None
    same = new.rev == stored.rev and encoded(new.value) == encoded(stored.value)
    if new.rev <= stored.rev and not same:
        return stored
    values = {"rev": new.rev, "payload": payload, "now": now}
    db.execute(_CHANGE, {"of": task, "place": number} | values)
    return None


def drop(db: Connection, task: str, number: int) -> None:
    """Forget a draft, because the answer has been given."""
    db.execute(_DROP, {"of": task, "place": number})


# What every request asks is put together once.
_HERE = (tables.draft.c.task == bindparam("of")) & (
    tables.draft.c.number == bindparam("place")
)
_FIND = select(tables.draft.c.rev, tables.draft.c.payload_json).where(_HERE)
_DROP = delete(tables.draft).where(_HERE)
_ADD = insert(tables.draft)
_CHANGE = (
    update(tables.draft)
    .where(_HERE)
    .values(
        rev=bindparam("rev"), payload_json=bindparam("payload"), at=bindparam("now")
    )
)
