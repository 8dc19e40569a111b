"""Topping up: judges who have nothing left take over what others have left behind.

The choice depends on the store alone, and is written to the audit log.
"""

from sqlalchemy import Connection, func, select

from metra.campaign.assignment import Task, make_opaque_id
from metra.campaign.campaign import Campaign
from metra.scores.table import COUNTED
from metra.store import audit, campaigns, database, judges, tasks
from metra.store.database import Store
from metra.store.judges import Judge
from metra.store.tasks import StoredTask

#: Seconds without a sign of life after which a judge counts as gone.
AWAY_SECONDS = 3 * 86400.0


def take_over_task(
    store: Store, judge: Judge, *, now: float, away_after: float = AWAY_SECONDS
) -> str | None:
    """Give a judge a task that somebody else left; return its id, or None."""
    campaign = database.campaign.c
    with store.transaction() as db:
        # One at a time in a campaign, so that no task goes to two judges.
        query = select(campaign.id).where(campaign.id == judge.campaign)
        db.execute(query.with_for_update())
        stored = campaigns.get_campaign(db, judge.campaign)
        way = tasks.list_screens(db, judge.id)
        if stored.state != "open" or way.reached < len(way.places):
            return None
        abandoned = [
            task
            for other in judges.list_judges(db, judge.campaign)
            if other.id != judge.id and _is_gone(other, now - away_after)
            for task in tasks.list_judge_tasks(db, other.id)
            if task.state != "done" and task.task.kind in COUNTED
        ]
        # What went to others counts too: the judge may have seen it.
        had = tasks.list_all_judge_tasks(db, judge.id)
        for task in sorted(abandoned, key=lambda task: task.task.position):
            if _may_take(stored.campaign, had, task) and _lock_if_free(db, task):
                return _take_task(db, stored, judge, task, now=now)
    return None


def _is_gone(judge: Judge, since: float) -> bool:
    if judge.revoked_at is not None or judge.released_at is not None:
        return True
    return judge.seen_at is not None and judge.seen_at < since


def _may_take(campaign: Campaign, had: list[StoredTask], left: StoredTask) -> bool:
    """Return whether a judge has not seen the text, or of blocks these very versions."""
    wanted = {(item.segment, item.system) for item in left.task.items}
    seen = [{(item.segment, item.system) for item in one.task.items} for one in had]
    if campaign.blocks:
        return wanted not in seen
    segments = {segment for segment, _ in wanted}
    return not any(segment in segments for versions in seen for segment, _ in versions)


def _lock_if_free(db: Connection, left: StoredTask) -> bool:
    """Lock a task, whose judge may answer it this moment; return whether it is free."""
    task = database.task.c
    query = select(task.state).where(task.id == left.task.id).with_for_update()
    return db.execute(query).scalar_one() in ("waiting", "open")


def _take_task(
    db: Connection,
    stored: campaigns.StoredCampaign,
    judge: Judge,
    left: StoredTask,
    *,
    now: float,
) -> str:
    task = database.task.c
    query = select(func.max(task.position)).where(task.judge == judge.id)
    position = (db.execute(query).scalar_one() or 0) + 1
    old, name = left.task, stored.campaign.settings.name

    def make_id(*parts: object) -> str:
        named = (name, "top-up", judge.label, old.id, *parts)
        return make_opaque_id(stored.secret, *named)

    items = tuple(
        item._replace(id=make_id("output", number))
        for number, item in enumerate(old.items)
    )
    new = Task(make_id("task"), judge.label, position, old.kind, items)
    tasks.set_state(db, old.id, "passed")
    ids = {judge.label: judge.id}
    tasks.add_tasks(db, stored.id, stored.campaign, [new], ids, topped_up_from=old.id)
    data = {"from": old.judge, "to": judge.label, "task": old.id, "as": new.id}
    audit.add_entry(db, "metra", "top up", data, now=now, campaign=stored.id)
    return new.id
