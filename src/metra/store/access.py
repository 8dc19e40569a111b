"""Admins and their passwords, sessions, and failed attempts to sign in."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from metra.errors import OptionError
from metra.store import audit, database
from metra.store.database import hash_token, new_id, new_token, strip_unstorable

#: How long a session lasts without a sign of life, and at most, by role; in seconds.
IDLE = {"judge": 14 * 86400.0, "admin": 2 * 3600.0}
LONGEST = {"judge": 60 * 86400.0, "admin": 12 * 3600.0}
#: How old the last sign of life may be before it is written down again.
NOTICE_SECONDS = 60.0


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


def begin_session(
    db: Connection, role: str, *, now: float, judge: str | None = None, name: str = ""
) -> tuple[str, Session]:
    """Begin a session; return the secret for the cookie, which is stored as a hash only."""
    token = new_token()
    session = Session(
        hash_token(token),
        role,
        judge,
        name,
        new_token(),
        now,
        now,
        now + IDLE[role],
    )
    values = {field: getattr(session, field) for field in Session.__slots__}
    db.execute(insert(database.session).values(**values))
    db.execute(delete(database.session).where(database.session.c.expires_at < now))
    return token, session


def find_session(db: Connection, token: str, *, now: float) -> Session | None:
    """Return the session of a cookie; None if it has expired."""
    row = db.execute(_FIND, {"key": hash_token(token)}).first()
    if row is None or row.expires_at < now:
        return None
    return Session(**row._mapping)


def extend_session(db: Connection, session: Session, *, now: float) -> None:
    """Extend a session up to its longest time."""
    until = min(now + IDLE[session.role], session.created_at + LONGEST[session.role])
    table = database.session
    db.execute(
        update(table)
        .where(table.c.token_hash == session.token_hash)
        .values(seen_at=now, expires_at=until)
    )


def end_session(db: Connection, session: Session) -> None:
    """End a session."""
    table = database.session
    db.execute(delete(table).where(table.c.token_hash == session.token_hash))


_FIND = select(database.session).where(
    database.session.c.token_hash == bindparam("key")
)


_SHORTEST = 10
# 64 MB and some tenths of a second for each guess.
_COST = {"n": 2**16, "r": 8, "p": 1, "maxmem": 2**27}


def set_password(
    db: Connection, name: str, password: str, *, now: float, who: str
) -> None:
    """Create an admin or replace their password, and end the sessions of the old one."""
    if len(password) < _SHORTEST:
        msg = f"The password has {len(password)} characters; expected {_SHORTEST} or more."
        raise OptionError(msg)
    admin, session = database.admin, database.session
    db.execute(delete(admin).where(admin.c.name == name))
    db.execute(insert(admin).values(name=name, scrypt=_hash(password)))
    db.execute(delete(session).where(session.c.role == "admin", session.c.name == name))
    audit.add_entry(db, who, "set password", {"admin": name}, now=now)


def find_password_hash(db: Connection, name: str) -> str | None:
    """Return the hash of an admin's password, if there is one."""
    admin = database.admin.c
    query = select(admin.scrypt).where(admin.name == strip_unstorable(name))
    return db.execute(query).scalar_one_or_none()


def has_admins(db: Connection) -> bool:
    """Whether there is any admin."""
    return db.execute(select(database.admin.c.name).limit(1)).first() is not None


def check_password(password: str, kept: str | None) -> bool:
    """Return whether a password is the stored one; takes as long when there is none."""
    salt, _, wanted = (kept or f"{'00' * 16}$").partition("$")
    hashed = _scrypt(password, bytes.fromhex(salt))
    return hmac.compare_digest(hashed.hex(), wanted)


def _hash(password: str) -> str:
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${_scrypt(password, salt).hex()}"


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, **_COST)


WINDOW_SECONDS = 300.0


def count_failures(db: Connection, key: str, *, now: float) -> int:
    """Return how often this key failed lately."""
    attempt = database.attempt.c
    query = select(func.count()).where(
        attempt.key == strip_unstorable(key), attempt.at > now - WINDOW_SECONDS
    )
    return int(db.execute(query).scalar_one())


def add_failure(db: Connection, key: str, *, now: float) -> None:
    """Record a failure, and delete those that are long past."""
    attempt = database.attempt
    db.execute(delete(attempt).where(attempt.c.at < now - WINDOW_SECONDS))
    db.execute(insert(attempt).values(id=new_id(), key=strip_unstorable(key), at=now))


def forget_failures(db: Connection, key: str) -> None:
    """Delete the failures of a key that signed in after all."""
    attempt = database.attempt
    db.execute(delete(attempt).where(attempt.c.key == strip_unstorable(key)))
