"""Admins and their passwords, sessions, and failed attempts to sign in."""

import hashlib
import hmac
import secrets
from dataclasses import asdict, dataclass

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
    token, csrf = new_token(), new_token()
    until = now + IDLE[role]
    session = Session(hash_token(token), role, judge, name, csrf, now, now, until)
    table = database.session
    db.execute(insert(table), asdict(session))
    db.execute(delete(table).where(table.c.expires_at < now))
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
    change = update(database.session).where(_OF_TOKEN)
    key = {"key": session.token_hash}
    db.execute(change, key | {"seen_at": now, "expires_at": until})


def end_session(db: Connection, session: Session) -> None:
    """End a session."""
    db.execute(delete(database.session).where(_OF_TOKEN), {"key": session.token_hash})


_OF_TOKEN = database.session.c.token_hash == bindparam("key")
_FIND = select(database.session).where(_OF_TOKEN)

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
    salt = secrets.token_bytes(16)
    kept = f"{salt.hex()}${_scrypt(password, salt)}"
    db.execute(insert(admin).values(name=name, scrypt=kept))
    db.execute(delete(session).where(session.c.role == "admin", session.c.name == name))
    audit.add_entry(db, who, "set password", {"admin": name}, now=now)


def find_password_hash(db: Connection, name: str) -> str | None:
    """Return the hash of an admin's password, if there is one."""
    admin = database.admin.c
    query = select(admin.scrypt).where(admin.name == strip_unstorable(name))
    return db.execute(query).scalar_one_or_none()


def check_password(password: str, kept: str | None) -> bool:
    """Return whether a password is the stored one; takes as long when there is none."""
    salt, _, wanted = (kept or f"{'00' * 16}$").partition("$")
    return hmac.compare_digest(_scrypt(password, bytes.fromhex(salt)), wanted)


def _scrypt(password: str, salt: bytes) -> str:
    secret = password.encode("utf-8", "replace")
    return hashlib.scrypt(secret, salt=salt, **_COST).hex()


WINDOW_SECONDS = 300.0


def count_failures(db: Connection, key: str, *, now: float) -> int:
    """Return how often this key failed lately."""
    attempt = database.attempt.c
    query = select(func.count()).where(attempt.key == strip_unstorable(key))
    recent = query.where(attempt.at > now - WINDOW_SECONDS)
    return int(db.execute(recent).scalar_one())


def add_failure(db: Connection, key: str, *, now: float) -> None:
    """Record a failure, and delete those that are long past."""
    attempt = database.attempt
    db.execute(delete(attempt).where(attempt.c.at < now - WINDOW_SECONDS))
    db.execute(insert(attempt).values(id=new_id(), key=strip_unstorable(key), at=now))


def forget_failures(db: Connection, key: str) -> None:
    """Delete the failures of a key that signed in after all."""
    attempt = database.attempt
    db.execute(delete(attempt).where(attempt.c.key == strip_unstorable(key)))
