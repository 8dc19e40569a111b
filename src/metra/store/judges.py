"""Judges with their links, consent and notes, and how they are forgotten."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, select, update

from metra.errors import UnknownNameError, no_such
from metra.store import audit, campaigns, database, tasks
from metra.store.database import (
    decode_json,
    encode_json,
    hash_token,
    new_token,
    strip_unstorable,
)


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge of a campaign."""

    id: str
    campaign: str
    label: str
    place: int
    has_link: bool
    revoked_at: float | None
    released_at: float | None
    consent_at: float | None
    guide_at: float | None
    seen_at: float | None
    profile: dict[str, Any]
    note: str
    completion_code: str
    anonymised_at: float | None


def list_judges(db: Connection, campaign: str) -> list[Judge]:
    """Return all judges of a campaign, in its order."""
    judge = database.judge
    query = select(judge).where(judge.c.campaign == campaign).order_by(judge.c.place)
    return [_build_judge(row) for row in db.execute(query)]


def find_judge(db: Connection, key: str, *, lock: bool = False) -> Judge | None:
    """Return a judge by id; `lock` keeps other writers of this judge's work waiting."""
    row = db.execute(_LOCK if lock else _FIND, {"key": strip_unstorable(key)}).first()
    return None if row is None else _build_judge(row)


def find_by_label(db: Connection, campaign: str, label: str) -> Judge:
    """Return a judge of a campaign by name."""
    known = {judge.label: judge for judge in list_judges(db, campaign)}
    if label not in known:
        raise UnknownNameError(no_such("judge", label, known))
    return known[label]


def find_by_token(db: Connection, token: str) -> Judge | None:
    """Return the judge of a link; None if it was revoked."""
    judge = database.judge
    query = select(judge).where(
        judge.c.token_hash == hash_token(token), judge.c.revoked_at.is_(None)
    )
    row = db.execute(query).first()
    return None if row is None else _build_judge(row)


def issue_link(db: Connection, key: str, *, now: float, who: str) -> str:
    """Create a new link for a judge and return its secret, this once; older links end."""
    judge = find_judge(db, key)
    if judge is not None:
        campaigns.refuse_imported(db, judge.campaign)
    token = new_token()
    db.execute(
        update(database.judge)
        .where(database.judge.c.id == key)
        .values(token_hash=hash_token(token), revoked_at=None)
    )
    end_sessions(db, key)
    _add_audit_entry(db, key, who, "issue link", now)
    return token


def revoke_link(db: Connection, key: str, *, now: float, who: str) -> None:
    """Revoke a judge's link; answers stay, and open tasks may go to others."""
    db.execute(
        update(database.judge)
        .where(database.judge.c.id == key)
        .values(token_hash=None, revoked_at=now)
    )
    end_sessions(db, key)
    _add_audit_entry(db, key, who, "revoke link", now)


def release_tasks(db: Connection, key: str, *, now: float, who: str) -> None:
    """Let others take a judge's open tasks; when the judge comes back, that ends."""
    _update_judge(db, key, released_at=now)
    _add_audit_entry(db, key, who, "release tasks", now)


def record_consent(
    db: Connection, key: str, *, now: float, profile: dict[str, Any] | None = None
) -> None:
    """Record that the judge agreed, when, and their profile."""
    _update_judge(db, key, consent_at=now, profile_json=encode_json(profile or {}))


def record_guide(db: Connection, key: str, *, now: float) -> None:
    """Record that the judge has been through the guide."""
    _update_judge(db, key, guide_at=now)


def record_activity(db: Connection, key: str, *, now: float) -> None:
    """Record that the judge is at work; tasks that are still theirs are kept."""
    db.execute(_SEEN, {"key": key, "now": now})


def set_note(db: Connection, key: str, note: str) -> None:
    """Store the admin's note about a judge."""
    _update_judge(db, key, note=strip_unstorable(note))


def end_sessions(db: Connection, key: str) -> None:
    """Sign a judge out of all browsers."""
    db.execute(delete(database.session).where(database.session.c.judge == key))


def _update_judge(db: Connection, key: str, **values: object) -> None:
    db.execute(
        update(database.judge).where(database.judge.c.id == key).values(**values)
    )


def _add_audit_entry(db: Connection, key: str, who: str, what: str, now: float) -> None:
    judge = find_judge(db, key)
    if judge is not None:
        data = {"judge": judge.label}
        audit.add_entry(db, who, what, data, now=now, campaign=judge.campaign)


def _build_judge(row: Any) -> Judge:
    values = dict(row._mapping)
    token = values.pop("token_hash")
    profile = decode_json(values.pop("profile_json"))
    return Judge(has_link=token is not None, profile=profile, **values)


# Statements of every request are built once.
_FIND = select(database.judge).where(database.judge.c.id == bindparam("key"))
_LOCK = _FIND.with_for_update()
_SEEN = (
    update(database.judge)
    .where(database.judge.c.id == bindparam("key"))
    .values(seen_at=bindparam("now"), released_at=None)
)


def anonymise_judge(db: Connection, key: str, *, now: float, who: str) -> str:
    """Replace a judge's name by one that reveals nothing; return the new name.

    Link, sessions, profile, note, comments, drafts and events go; values and times stay.
    """
    judge = find_judge(db, key, lock=True)
    if judge is None:
        msg = f"The judge {key} is not in the store."
        raise UnknownNameError(msg)
    name = f"judge-{key[:8]}"
    end_sessions(db, key)
    table, owned = database.judge, _select_owned_tasks(key)
    db.execute(
        update(table)
        .where(table.c.id == key)
        .values(
            label=name,
            token_hash=None,
            revoked_at=now if judge.revoked_at is None else judge.revoked_at,
            anonymised_at=now,
            profile_json=encode_json({}),
            note="",
        )
    )
    db.execute(
        update(database.judgement)
        .where(database.judgement.c.judge == key)
        .values(comment="")
    )
    for kept in (database.draft, database.event):
        db.execute(delete(kept).where(kept.c.task.in_(owned)))
    campaigns.rename_judge(db, judge.campaign, judge.label, name)
    _rename_in_audit(db, judge, name)
    audit.add_entry(
        db, who, "anonymise", {"judge": name}, now=now, campaign=judge.campaign
    )
    return name


def delete_answers(db: Connection, key: str, *, now: float, who: str) -> int:
    """Delete a judge's answers; return how many, all revisions counted."""
    table = database.judgement
    query = select(func.count()).where(table.c.judge == key)
    count = int(db.execute(query).scalar_one())
    db.execute(delete(table).where(table.c.judge == key))
    for kept in (database.draft, database.event, database.shown):
        db.execute(delete(kept).where(kept.c.task.in_(_select_owned_tasks(key))))
    for task in tasks.list_judge_tasks(db, key):
        tasks.set_state(db, task.task.id, "waiting")
    judge = find_judge(db, key)
    if judge is not None:
        data = {"judge": judge.label, "answers": count}
        audit.add_entry(
            db, who, "delete answers", data, now=now, campaign=judge.campaign
        )
    return count


def _select_owned_tasks(key: str) -> Select[Any]:
    return select(database.task.c.id).where(database.task.c.judge == key)


def _rename_in_audit(db: Connection, judge: Judge, name: str) -> None:
    """Replace a judge's name in the log."""
    log = database.audit
    db.execute(
        update(log)
        .where(log.c.campaign == judge.campaign, log.c.who == judge.label)
        .values(who=name)
    )
    query = select(log.c.id, log.c.data_json).where(log.c.campaign == judge.campaign)
    old, new = encode_json(judge.label), encode_json(name)
    for row in db.execute(query).all():
        if old in row.data_json:
            db.execute(
                update(log)
                .where(log.c.id == row.id)
                .values(data_json=row.data_json.replace(old, new))
            )
