"""Sessions: who is in which browser, until when."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from metra.store import tables
from metra.store.tokens import hashed, new_token

#: How long a session lasts without a sign of life, and at most, by role; in seconds.
IDLE = {"judge": 14 * 86400.0, "admin": 2 * 3600.0}
LONGEST = {"judge": 60 * 86400.0, "admin": 12 * 3600.0}
_NOTICE = 60.0


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that came in; `judge` is the judge's id, `name` the admin's."""

    token_hash: str
    role: str
    judge: str | None
    name: str
    csrf: str
    created_at: float
    seen_at: float
    expires_at: float


def begin(
    db: Connection, role: str, *, now: float, judge: str | None = None, name: str = ""
) -> tuple[str, Session]:
    """Begin a session; give the secret for the cookie, which is kept as a hash only."""
    token = new_token()
    session = Session(
        hashed(token),
        role,
        judge,
        name,
        new_token(),
        now,
        now,
        now + IDLE[role],
    )
    values = {field: getattr(session, field) for field in Session.__slots__}
    db.execute(insert(tables.session).values(**values))
    db.execute(delete(tables.session).where(tables.session.c.expires_at < now))
    return token, session


def find(db: Connection, token: str, *, now: float) -> Session | None:
    """Find whose cookie this is; an expired one is nobody's."""
    row = db.execute(_FIND, {"key": hashed(token)}).first()
    if row is None or row.expires_at < now:
        return None
    return Session(**row._mapping)


def is_stale(session: Session, *, now: float) -> bool:
    """Whether the session's last sign of life should be written down again."""
    return now - session.seen_at > _NOTICE


def touch(db: Connection, session: Session, *, now: float) -> None:
    """Let a session last longer, but not for ever."""
    until = min(now + IDLE[session.role], session.created_at + LONGEST[session.role])
    table = tables.session
    db.execute(
        update(table)
        .where(table.c.token_hash == session.token_hash)
        .values(seen_at=now, expires_at=until)
    )


def end(db: Connection, session: Session) -> None:
    """End a session."""
    table = tables.session
    db.execute(delete(table).where(table.c.token_hash == session.token_hash))


_FIND = select(tables.session).where(tables.session.c.token_hash == bindparam("key"))
