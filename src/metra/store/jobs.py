"""Jobs: work that takes longer than a request, leased by workers, and run again if one dies."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    func,
    insert,
    or_,
    select,
    update,
)

from metra.store import database
from metra.store.database import decode_json, encode_json, new_id

#: A worker that has not been heard of for so long has lost its job.
LEASE_SECONDS = 30.0
#: A job that has killed so many workers is given up.
MOST_TRIES = 3


@dataclass(frozen=True, slots=True)
class Job:
    """A job; `subject` is the id of the test set or run that it is about."""

    id: str
    workspace: str
    kind: str
    subject: str
    payload: Any
    state: str
    #: The share that is done.
    share: float
    tries: int
    error: str | None
    created_by: str
    created_at: float
    ended_at: float | None


_FIELDS = (
    *("id", "workspace", "kind", "subject", "payload_json", "state", "share"),
    *("tries", "error", "created_by", "created_at", "ended_at"),
)


def add_job(
    db: Connection,
    workspace: str,
    kind: str,
    subject: str,
    payload: object,
    *,
    now: float,
    who: str,
) -> str:
    """Queue a job, unless the same one waits already; return its id."""
    job, written = database.job.c, encode_json(payload)
    same = select(job.id).where(
        job.state == "waiting",
        job.workspace == workspace,
        job.kind == kind,
        job.subject == subject,
        job.payload_json == written,
    )
    key = db.execute(same).scalars().first()
    if key is not None:
        return key
    row = {
        "id": new_id(),
        "workspace": workspace,
        "kind": kind,
        "subject": subject,
        "payload_json": written,
        "state": "waiting",
        "share": 0.0,
        "tries": 0,
        "created_by": who,
        "created_at": now,
    }
    db.execute(insert(database.job), row)
    return str(row["id"])


def count_claimable(db: Connection, *, now: float) -> int:
    """Return how many jobs wait or have lost their worker."""
    job = database.job.c
    query = select(func.count()).where(or_(job.state == "waiting", _is_lost(now)))
    return int(db.execute(query).scalar_one())


def _is_lost(now: float) -> ColumnElement[bool]:
    job = database.job.c
    return and_(job.state == "running", job.lease_until < now)


def claim_job(db: Connection, kinds: Collection[str], *, now: float) -> Job | None:
    """Lease the oldest job that waits or whose worker is gone; None if none does."""
    job = database.job.c
    is_lost = _is_lost(now)
    spent = update(database.job).where(is_lost, job.tries >= MOST_TRIES)
    error = f"The job was interrupted {MOST_TRIES} times; start it again."
    db.execute(spent.values(state="failed", error=error, ended_at=now))
    query = select(*(job[name] for name in _FIELDS))
    query = query.where(or_(job.state == "waiting", is_lost), job.kind.in_(kinds))
    query = query.order_by(job.created_at, job.id).limit(1)
    row = db.execute(query.with_for_update(skip_locked=True)).first()
    if row is None:
        return None
    claimed = replace(_build_job(row), state="running", tries=row.tries + 1)
    values = {
        "state": claimed.state,
        "tries": claimed.tries,
        "lease_until": now + LEASE_SECONDS,
    }
    db.execute(update(database.job).where(job.id == claimed.id).values(values))
    return claimed


def extend_lease(db: Connection, held: Job, share: float, *, now: float) -> bool:
    """Report progress and keep a job; False if another worker has it."""
    values = {"share": share, "lease_until": now + LEASE_SECONDS}
    return _change_held(db, held, values)


def end_job(db: Connection, held: Job, *, now: float, error: str | None = None) -> bool:
    """End a job in the transaction that stores its results; False if another has it.

    Whoever gets False must not store anything.
    """
    state = "done" if error is None else "failed"
    values = {"state": state, "share": 1.0, "error": error, "ended_at": now}
    return _change_held(db, held, values)


def _change_held(db: Connection, held: Job, values: dict[str, Any]) -> bool:
    job = database.job
    is_held = job.c.id == held.id, job.c.state == "running", job.c.tries == held.tries
    return db.execute(update(job).where(*is_held).values(values)).rowcount == 1


def list_jobs(db: Connection, workspace: str, subject: str | None = None) -> list[Job]:
    """Return the jobs of a workspace, or about a subject, the newest first."""
    job = database.job.c
    query = select(*(job[name] for name in _FIELDS)).where(job.workspace == workspace)
    if subject is not None:
        query = query.where(job.subject == subject)
    rows = db.execute(query.order_by(job.created_at.desc(), job.id).limit(200))
    return [_build_job(row) for row in rows]


def _build_job(row: Any) -> Job:
    values = dict(row._mapping)
    return Job(payload=decode_json(values.pop("payload_json")), **values)
