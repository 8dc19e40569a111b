"""Topping up: who has nothing left takes over what others have left behind.

The choice follows from what is stored, and is written to the audit log.
"""

from sqlalchemy import Connection, func, select

from metra.human.campaign import Campaign
from metra.human.opaque import opaque
from metra.human.task import COUNTED, Item, Task
from metra.store import audit, campaigns, judges, screens, tables, tasks
from metra.store.judges import Judge
from metra.store.opening import Store
from metra.store.tasks import StoredTask

#: Seconds after the end of the last lease from which on a judge counts as gone.
AWAY_SECONDS = 3 * 86400.0


def top_up(
    store: Store, judge: Judge, *, now: float, away_after: float = AWAY_SECONDS
) -> str | None:
    """Give a judge one task that somebody else left; its id, or None if there is none."""
    with store.transaction() as db:
        # One at a time in a campaign, so that no task goes to two judges.
        query = select(tables.campaign.c.id).where(
            tables.campaign.c.id == judge.campaign
        )
        db.execute(query.with_for_update())
        stored = campaigns.existing(db, judge.campaign)
        way = screens.way(db, judge.id)
        if stored.state != "open" or way.reached < len(way.places):
            return None
        left = _left(db, judge, now=now, away_after=away_after)
        # What went to others counts too: the judge may have seen it.
        had = tasks.ever_of_judge(db, judge.id)
        for task in left:
            if _may_take(stored.campaign, had, task) and _still_free(db, task):
                return _take(db, stored, judge, task, now=now)
    return None


def _left(
    db: Connection, judge: Judge, *, now: float, away_after: float
) -> list[StoredTask]:
    """What judges who are gone have not done, the first tasks first."""
    found = []
    for other in judges.of_campaign(db, judge.campaign):
        if other.id != judge.id and _is_gone(db, other, now - away_after):
            found += [
                task
                for task in tasks.of_judge(db, other.id)
                if task.state != "done" and task.task.kind in COUNTED
            ]
    return sorted(found, key=lambda task: task.task.position)


def _is_gone(db: Connection, judge: Judge, since: float) -> bool:
    if judge.revoked_at is not None or judge.released_at is not None:
        return True
    task = tables.task.c
    query = select(func.max(task.lease_until)).where(task.judge == judge.id)
    last = db.execute(query).scalar_one()
    return last is not None and last < since


def _may_take(campaign: Campaign, had: list[StoredTask], left: StoredTask) -> bool:
    """Whether a judge has not seen the text; of whole blocks, not these very versions."""
    wanted = _versions(left.task)
    if campaign.blocks:
        return all(_versions(mine.task) != wanted for mine in had)
    segments = {segment for segment, _ in wanted}
    return all(item.segment not in segments for mine in had for item in mine.task.items)


def _versions(task: Task) -> set[tuple[int, str]]:
    return {(item.segment, item.system) for item in task.items}


def _still_free(db: Connection, left: StoredTask) -> bool:
    """Lock the task: its judge may be back and answering it this moment."""
    task = tables.task.c
    query = select(task.state).where(task.id == left.task.id).with_for_update()
    return db.execute(query).scalar_one() in ("waiting", "open")


def _take(
    db: Connection,
    stored: campaigns.Stored,
    judge: Judge,
    left: StoredTask,
    *,
    now: float,
) -> str:
    task = tables.task.c
    query = select(func.max(task.position)).where(task.judge == judge.id)
    position = (db.execute(query).scalar_one() or 0) + 1
    name = stored.campaign.settings.name

    def hidden(*parts: object) -> str:
        return opaque(stored.secret, name, "top-up", judge.label, left.task.id, *parts)

    items = tuple(
        Item(hidden("output", number), item.system, item.segment, item.text)
        for number, item in enumerate(left.task.items)
    )
    new = Task(hidden("task"), judge.label, position, left.task.kind, items)
    tasks.set_state(db, left.task.id, "passed")
    tasks.add(
        db,
        stored.id,
        stored.campaign,
        [new],
        {judge.label: judge.id},
        topped_up_from=left.task.id,
    )
    data = {
        "from": left.task.judge,
        "to": judge.label,
        "task": left.task.id,
        "as": new.id,
    }
    audit.note(db, "metra", "top up", data, now=now, campaign=stored.id)
    return new.id
