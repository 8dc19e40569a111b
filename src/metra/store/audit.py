"""The audit log: who did what, when."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from metra.store import database
from metra.store.database import decode_json, encode_json, new_id


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing done."""

    at: float
    who: str
    what: str
    campaign: str | None
    data: Any


def add_entry(
    db: Connection,
    who: str,
    what: str,
    data: object = None,
    *,
    now: float,
    campaign: str | None = None,
) -> None:
    """Record what somebody did."""
    row = {"id": new_id(), "at": now, "who": who, "what": what, "campaign": campaign}
    db.execute(insert(database.audit), row | {"data_json": encode_json(data)})


def add_export(
    db: Connection,
    form: str,
    size: int,
    *,
    rows: int,
    who: str,
    now: float,
    campaign: str | None = None,
    **more: object,
) -> None:
    """Record that judgements or scores left the store: in which format and how many."""
    data = {"format": form, **more, "rows": rows, "bytes": size}
    add_entry(db, who, "export", data, now=now, campaign=campaign)


def list_entries(
    db: Connection, campaign: str | None = None, *, what: str = ""
) -> list[AuditEntry]:
    """Return what was done, the newest first; in one campaign or in all, of one kind or all."""
    log = database.audit.c
    query = select(log.at, log.who, log.what, log.campaign, log.data_json)
    if campaign is not None:
        query = query.where(log.campaign == campaign)
    if what:
        query = query.where(log.what == what)
    rows = db.execute(query.order_by(log.at.desc(), log.id))
    return [AuditEntry(*row[:4], decode_json(row[4])) for row in rows]
