"""Tasks: what each judge has to do, its state, and for how long it is reserved."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, insert, select, update

from metra.campaign.assignment import Task, TaskItem
from metra.campaign.campaign import Campaign
from metra.store import database
from metra.store.database import decode_json, encode_json, strip_unstorable

#: How long a judge who shows no sign keeps an open task.
LEASE_SECONDS = 30 * 60.0


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task and its state; `judge` is the judge's id."""

    task: Task
    judge: str
    screens: int
    state: str
    lease_until: float | None
    topped_up_from: str | None
    #: What the file calls it that an imported campaign comes from.
    called: str | None = None


def add_tasks(
    db: Connection,
    key: str,
    campaign: Campaign,
    tasks: Iterable[Task],
    judges: Mapping[str, str],
    *,
    state: str = "waiting",
    topped_up_from: str | None = None,
    called: Mapping[str, str] | None = None,
) -> None:
    """Store tasks; `judges` gives the ids of the judges by their labels.

    `called` gives the names of imported tasks in their file, by their ids.
    """
    rows = [
        {
            "id": task.id,
            "campaign": key,
            "judge": judges[task.judge],
            "position": task.position,
            "kind": task.kind,
            "original": task.original,
            "items_json": encode_json([item._asdict() for item in task.items]),
            # Compared outputs stand on one screen.
            "screens": 1 if campaign.protocol.contrastive else len(task.items),
            "state": state,
            "topped_up_from": topped_up_from,
            "called": (called or {}).get(task.id),
        }
        for task in tasks
    ]
    if rows:
        db.execute(insert(database.task), rows)


def list_campaign_tasks(
    db: Connection, campaign: str, *, most: int | None = None
) -> list[StoredTask]:
    """Return tasks, judge by judge in the campaign's order, then by position."""
    query = _SELECT.where(database.task.c.campaign == campaign)
    ordered = query.order_by(database.judge.c.place, database.task.c.position)
    return [_build_task(row) for row in db.execute(ordered.limit(most))]


def count_states(db: Connection) -> dict[str, Counter[str]]:
    """Count the tasks of each campaign by their states."""
    query = select(_task.campaign, _task.state, func.count(_task.id))
    counts: dict[str, Counter[str]] = {}
    for campaign, state, count in db.execute(
        query.group_by(_task.campaign, _task.state)
    ):
        counts.setdefault(campaign, Counter())[state] = count
    return counts


class GivenTask(NamedTuple):
    """The fields of a task that judgements carry."""

    id: str
    place: int
    position: int
    judge: str
    kind: str
    original: str | None
    #: Its name, also in the file that an imported campaign comes from.
    task: str
    #: The fields of each `TaskItem`.
    items: list[dict[str, Any]]


def list_given_tasks(
    db: Connection, campaign: str, judge: str | None = None
) -> list[GivenTask]:
    """Return all tasks of a campaign, or of a judge, in the order of all tasks."""
    place = database.judge.c.place
    query = select(
        *(_task.id, place, _task.position, database.judge.c.label, _task.kind),
        *(_task.original, _task.called, _task.items_json),
    ).join_from(database.task, database.judge, _task.judge == database.judge.c.id)
    is_asked_for = _task.campaign == campaign if judge is None else _task.judge == judge
    rows = db.execute(query.where(is_asked_for)).all()
    # Thousands of texts are decoded as one.
    shown = decode_json(f"[{','.join([row[-1] for row in rows])}]")
    given = [
        GivenTask._make((*about, called or about[0], items))
        for (*about, called, _), items in zip(rows, shown, strict=True)
    ]
    # A database would sort whole rows, which takes longer.
    return sorted(given, key=attrgetter("place", "position"))


def list_judge_tasks(db: Connection, judge: str) -> list[StoredTask]:
    """Return a judge's tasks in order, without those that went to others."""
    return [one for one in list_all_judge_tasks(db, judge) if one.state != "passed"]


def list_all_judge_tasks(db: Connection, judge: str) -> list[StoredTask]:
    """Return all tasks that a judge ever had, also those that went to others."""
    query = _SELECT.where(database.task.c.judge == judge)
    ordered = query.order_by(database.task.c.position)
    return [_build_task(row) for row in db.execute(ordered)]


def find_task(db: Connection, judge: str, key: str) -> StoredTask | None:
    """Return one of the judge's own tasks; None for tasks of others."""
    row = db.execute(_FIND, {"key": strip_unstorable(key), "of": judge}).first()
    return None if row is None else _build_task(row)


def extend_lease(db: Connection, key: str, *, now: float) -> None:
    """Reserve a task for its judge a while longer."""
    db.execute(_EXTEND, {"key": key, "lease_until": now + LEASE_SECONDS})


def set_state(db: Connection, key: str, state: str) -> None:
    """Set the state of a task; one that went to somebody else keeps its state."""
    db.execute(_SET_STATE, {"key": key, "state": state})


def _build_task(row: Any) -> StoredTask:
    key, label, position, kind, items, original, *more = row
    shown = tuple([TaskItem(**item) for item in decode_json(items)])
    return StoredTask(Task(key, label, position, kind, shown, original), *more)


# Statements of every request are built once.
_task = database.task.c
_SELECT = select(
    *(_task.id, database.judge.c.label, _task.position, _task.kind, _task.items_json),
    *(_task.original, _task.judge, _task.screens, _task.state, _task.lease_until),
    *(_task.topped_up_from, _task.called),
).join_from(database.task, database.judge, _task.judge == database.judge.c.id)
_FIND = _SELECT.where(
    _task.id == bindparam("key"),
    _task.judge == bindparam("of"),
    _task.state != "passed",
)
_EXTEND = update(database.task).where(_task.id == bindparam("key"))
_SET_STATE = _EXTEND.where(_task.state != "passed")
