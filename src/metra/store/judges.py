"""Judges with their links, consent and notes, and how they are forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, select, update

from metra.errors import UnknownNameError, no_such
from metra.store import audit, campaigns, database, tasks


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
    #: Shared by the judges of several campaigns who are one person.
    person: str | None
    #: What the judge says of the campaign when it is done.
    remark: str


def list_judges(db: Connection, campaign: str) -> list[Judge]:
    """Return all judges of a campaign, in its order."""
    judge = database.judge
    query = select(judge).where(judge.c.campaign == campaign).order_by(judge.c.place)
    return [_build_judge(row) for row in db.execute(query)]


def find_judge(db: Connection, key: str, *, lock: bool = False) -> Judge | None:
    """Return a judge by id; `lock` keeps other writers of this judge's work waiting."""
    key = database.strip_unstorable(key)
    row = db.execute(_LOCK if lock else _FIND, {"key": key}).first()
    return None if row is None else _build_judge(row)


def find_by_label(db: Connection, campaign: str, label: str) -> Judge:
    """Return a judge of a campaign by name."""
    by_label = {judge.label: judge for judge in list_judges(db, campaign)}
    if label not in by_label:
        raise UnknownNameError(no_such("judge", label, by_label))
    return by_label[label]


def find_by_token(db: Connection, token: str) -> Judge | None:
    """Return the judge of a link; None if it was revoked."""
    judge = database.judge
    query = select(judge).where(judge.c.token_hash == database.hash_token(token))
    row = db.execute(query.where(judge.c.revoked_at.is_(None))).first()
    return None if row is None else _build_judge(row)


def join_judges(db: Connection, keys: Sequence[str]) -> None:
    """Make judges of several campaigns one person: the link of one opens all."""
    person = database.new_id()
    for key in keys:
        _update_judge(db, key, person=person)


def list_parts(db: Connection, judge: Judge) -> list[Judge]:
    """Return the judge in all campaigns, in the order in which these were created."""
    if judge.person is None:
        return [judge]
    table, of = database.judge, database.campaign
    query = select(table).join(of, of.c.id == table.c.campaign)
    query = query.where(table.c.person == judge.person)
    rows = db.execute(query.order_by(of.c.created_at, of.c.name))
    return [_build_judge(row) for row in rows]


def issue_link(db: Connection, key: str, *, now: float, who: str) -> str:
    """Create a new link for a judge and return its secret, this once; older links end."""
    judge = find_judge(db, key)
    if judge is not None:
        campaigns.refuse_imported(db, judge.campaign)
    token = database.new_token()
    _update_judge(db, key, token_hash=database.hash_token(token), revoked_at=None)
    end_sessions(db, key)
    _add_audit_entry(db, key, who, "issue link", now)
    return token


def revoke_link(db: Connection, key: str, *, now: float, who: str) -> None:
    """Revoke a judge's link; answers stay, and open tasks may go to others."""
    _update_judge(db, key, token_hash=None, revoked_at=now)
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
    encoded = database.encode_json(profile or {})
    _update_judge(db, key, consent_at=now, profile_json=encoded)


def record_guide(db: Connection, key: str, *, now: float) -> None:
    """Record that the judge has been through the guide."""
    _update_judge(db, key, guide_at=now)


def record_activity(db: Connection, key: str, *, now: float) -> None:
    """Record that the judge is at work, and stop releasing their tasks."""
    _update_judge(db, key, seen_at=now, released_at=None)


def set_remark(db: Connection, key: str, remark: str) -> None:
    """Store what a judge says of a campaign."""
    _update_judge(db, key, remark=database.strip_unstorable(remark))


def set_note(db: Connection, key: str, note: str) -> None:
    """Store the admin's note about a judge."""
    _update_judge(db, key, note=database.strip_unstorable(note))


def end_sessions(db: Connection, key: str) -> None:
    """Sign a judge out of all browsers."""
    db.execute(delete(database.session).where(database.session.c.judge == key))


def _update_judge(db: Connection, key: str, **values: object) -> None:
    db.execute(_CHANGE, {"key": key} | values)


def _add_audit_entry(
    db: Connection, key: str, who: str, what: str, now: float, **more: object
) -> None:
    judge = find_judge(db, key)
    if judge is not None:
        data = {"judge": judge.label} | more
        audit.add_entry(db, who, what, data, now=now, campaign=judge.campaign)


def _build_judge(row: Any) -> Judge:
    values = dict(row._mapping)
    token = values.pop("token_hash")
    profile = database.decode_json(values.pop("profile_json"))
    return Judge(has_link=token is not None, profile=profile, **values)


# Statements of every request are built once.
_FIND = select(database.judge).where(database.judge.c.id == bindparam("key"))
_LOCK = _FIND.with_for_update()
_CHANGE = update(database.judge).where(database.judge.c.id == bindparam("key"))


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
    _update_judge(
        db,
        key,
        label=name,
        token_hash=None,
        revoked_at=now if judge.revoked_at is None else judge.revoked_at,
        anonymised_at=now,
        profile_json="{}",
        note="",
        remark="",
        person=None,
    )
    judgement = database.judgement
    db.execute(update(judgement).where(judgement.c.judge == key).values(comment=""))
    _delete_of_tasks(db, key, database.draft, database.event)
    campaigns.rename_judge(db, judge.campaign, judge.label, name)
    _rename_in_audit(db, judge, name)
    _add_audit_entry(db, key, who, "anonymise", now)
    return name


def delete_answers(db: Connection, key: str, *, now: float, who: str) -> int:
    """Delete a judge's answers; return how many, all revisions counted."""
    table = database.judgement
    count = db.execute(delete(table).where(table.c.judge == key)).rowcount
    _delete_of_tasks(db, key, database.draft, database.event, database.shown)
    for task in tasks.list_judge_tasks(db, key):
        tasks.set_state(db, task.task.id, "waiting")
    _add_audit_entry(db, key, who, "delete answers", now, answers=count)
    return count


def _delete_of_tasks(db: Connection, key: str, *tables: Table) -> None:
    """Delete the rows of some tables that belong to a judge's tasks."""
    owned = select(database.task.c.id).where(database.task.c.judge == key)
    for table in tables:
        db.execute(delete(table).where(table.c.task.in_(owned)))


def _rename_in_audit(db: Connection, judge: Judge, name: str) -> None:
    log = database.audit
    here = log.c.campaign == judge.campaign
    db.execute(update(log).where(here, log.c.who == judge.label).values(who=name))
    old, new = database.encode_json(judge.label), database.encode_json(name)
    for key, data in db.execute(select(log.c.id, log.c.data_json).where(here)).all():
        if old in data:
            changed = data.replace(old, new)
            db.execute(update(log).where(log.c.id == key).values(data_json=changed))
