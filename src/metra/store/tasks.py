"""Tasks: what each judge has to do, its state, and for how long it is reserved."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, insert, select, update

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


def count_screens(campaign: Campaign, task: Task) -> int:
    """Return how many screens a task has: compared outputs stand on one."""
    return 1 if campaign.protocol.contrastive else len(task.items)


def add_tasks(
    db: Connection,
    key: str,
    campaign: Campaign,
    tasks: Iterable[Task],
    judges: Mapping[str, str],
    *,
    topped_up_from: str | None = None,
) -> None:
    """Store tasks; `judges` gives the ids of the judges by their labels."""
    rows = [
        {
            "id": task.id,
            "campaign": key,
            "judge": judges[task.judge],
            "position": task.position,
            "kind": task.kind,
            "original": task.original,
            "items_json": encode_json([asdict(item) for item in task.items]),
            "screens": count_screens(campaign, task),
            "state": "waiting",
            "lease_until": None,
            "topped_up_from": topped_up_from,
        }
        for task in tasks
    ]
    if rows:
        db.execute(insert(database.task), rows)


def list_campaign_tasks(db: Connection, campaign: str) -> list[StoredTask]:
    """Return all tasks, judge by judge in the campaign's order, then by position."""
    task, judge = database.task, database.judge
    query = (
        _select()
        .where(task.c.campaign == campaign)
        .order_by(judge.c.place, task.c.position)
    )
    return [_build_task(row) for row in db.execute(query).all()]


def list_judge_tasks(db: Connection, judge: str) -> list[StoredTask]:
    """Return a judge's tasks in order, without those that went to others."""
    task = database.task.c
    query = (
        _select()
        .where(task.judge == judge, task.state != "passed")
        .order_by(task.position)
    )
    return [_build_task(row) for row in db.execute(query).all()]


def list_all_judge_tasks(db: Connection, judge: str) -> list[StoredTask]:
    """Return all tasks that a judge ever had, also those that went to others."""
    query = _select().where(database.task.c.judge == judge)
    return [
        _build_task(row) for row in db.execute(query.order_by(database.task.c.position))
    ]


def find_task(db: Connection, judge: str, key: str) -> StoredTask | None:
    """Return one of the judge's own tasks; None for tasks of others."""
    row = db.execute(_FIND, {"key": strip_unstorable(key), "of": judge}).first()
    return None if row is None else _build_task(row)


def extend_lease(db: Connection, key: str, *, now: float) -> None:
    """Reserve a task for its judge a while longer."""
    db.execute(_EXTEND, {"key": key, "until": now + LEASE_SECONDS})


def set_state(db: Connection, key: str, state: str) -> None:
    """Set the state of a task; one that went to somebody else keeps its state."""
    db.execute(_SET_STATE, {"key": key, "new": state})


def _select() -> Select[Any]:
    task, judge = database.task, database.judge
    return select(
        task.c.id,
        judge.c.label,
        task.c.position,
        task.c.kind,
        task.c.items_json,
        task.c.original,
        task.c.judge,
        task.c.screens,
        task.c.state,
        task.c.lease_until,
        task.c.topped_up_from,
        task.c.called,
    ).join_from(task, judge, task.c.judge == judge.c.id)


def _build_task(row: Any) -> StoredTask:
    key, label, position, kind, items, original, *more = row
    shown = tuple(
        TaskItem(one["id"], one["system"], one["segment"], one["text"])
        for one in decode_json(items)
    )
    return StoredTask(Task(key, label, position, kind, shown, original), *more)


# Statements of every request are built once.
_FIND = _select().where(
    database.task.c.id == bindparam("key"),
    database.task.c.judge == bindparam("of"),
    database.task.c.state != "passed",
)
_EXTEND = (
    update(database.task)
    .where(database.task.c.id == bindparam("key"))
    .values(lease_until=bindparam("until"))
)
_SET_STATE = (
    update(database.task)
    .where(database.task.c.id == bindparam("key"), database.task.c.state != "passed")
    .values(state=bindparam("new"))
)
