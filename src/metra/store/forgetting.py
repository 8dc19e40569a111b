"""Forgetting a judge: who it was, or also what she answered."""

from typing import Any

from sqlalchemy import Connection, Select, delete, func, select, update

from metra.errors import UnknownNameError
from metra.store import audit, campaigns, judges, tables, tasks
from metra.store.encoding import encoded


def anonymise(db: Connection, key: str, *, now: float, who: str) -> str:
    """Put a name that tells nothing in place of the judge's; give the new name.

    Link, sessions, profile, note, comments, drafts and events go; values and times stay.
    """
    judge = judges.find(db, key, lock=True)
    if judge is None:
        msg = f"The judge {key} is not in the store."
        raise UnknownNameError(msg)
    name = f"judge-{key[:8]}"
    judges.end_sessions(db, key)
    table, owned = tables.judge, _owned(key)
    db.execute(
        update(table)
        .where(table.c.id == key)
        .values(
            label=name,
            token_hash=None,
            revoked_at=now if judge.revoked_at is None else judge.revoked_at,
            anonymised_at=now,
            profile_json=encoded({}),
            note="",
        )
    )
    db.execute(
        update(tables.judgement)
        .where(tables.judgement.c.judge == key)
        .values(comment="")
    )
    for kept in (tables.draft, tables.event):
        db.execute(delete(kept).where(kept.c.task.in_(owned)))
    campaigns.rename_judge(db, judge.campaign, judge.label, name)
    _rename_in_audit(db, judge, name)
    audit.note(db, who, "anonymise", {"judge": name}, now=now, campaign=judge.campaign)
    return name


def delete_answers(db: Connection, key: str, *, now: float, who: str) -> int:
    """Delete all that a judge answered; give how many answers, all revisions counted."""
    table = tables.judgement
    query = select(func.count()).where(table.c.judge == key)
    count = int(db.execute(query).scalar_one())
    db.execute(delete(table).where(table.c.judge == key))
    for kept in (tables.draft, tables.event, tables.shown):
        db.execute(delete(kept).where(kept.c.task.in_(_owned(key))))
    for task in tasks.of_judge(db, key):
        tasks.set_state(db, task.task.id, "waiting")
    judge = judges.find(db, key)
    if judge is not None:
        data = {"judge": judge.label, "answers": count}
        audit.note(db, who, "delete answers", data, now=now, campaign=judge.campaign)
    return count


def _owned(key: str) -> Select[Any]:
    return select(tables.task.c.id).where(tables.task.c.judge == key)


def _rename_in_audit(db: Connection, judge: judges.Judge, name: str) -> None:
    """The log goes on telling what was done, under the new name."""
    log = tables.audit
    db.execute(
        update(log)
        .where(log.c.campaign == judge.campaign, log.c.who == judge.label)
        .values(who=name)
    )
    query = select(log.c.id, log.c.data_json).where(log.c.campaign == judge.campaign)
    old, new = encoded(judge.label), encoded(name)
    for row in db.execute(query).all():
        if old in row.data_json:
            db.execute(
                update(log)
                .where(log.c.id == row.id)
                .values(data_json=row.data_json.replace(old, new))
            )
