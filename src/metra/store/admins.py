"""Admins and their passwords, kept as scrypt hashes."""

import hashlib
import hmac
import secrets

from sqlalchemy import Connection, delete, insert, select

from metra.errors import OptionError
from metra.store import audit, tables
from metra.store.encoding import storable

_SHORTEST = 10
# 64 MB and some tenths of a second for each guess.
_COST = {"n": 2**16, "r": 8, "p": 1, "maxmem": 2**27}


def set_password(
    db: Connection, name: str, password: str, *, now: float, who: str
) -> None:
    """Make an admin, or give one a new password, and end the sessions of the old one."""
    if len(password) < _SHORTEST:
        msg = f"The password has {len(password)} characters; expected {_SHORTEST} or more."
        raise OptionError(msg)
    admin, session = tables.admin, tables.session
    db.execute(delete(admin).where(admin.c.name == name))
    db.execute(insert(admin).values(name=name, scrypt=_hash(password)))
    db.execute(delete(session).where(session.c.role == "admin", session.c.name == name))
    audit.note(db, who, "set password", {"admin": name}, now=now)


def password_hash(db: Connection, name: str) -> str | None:
    """Find the hash of an admin's password."""
    admin = tables.admin.c
    query = select(admin.scrypt).where(admin.name == storable(name))
    return db.execute(query).scalar_one_or_none()


def exist(db: Connection) -> bool:
    """Whether there is any admin."""
    return db.execute(select(tables.admin.c.name).limit(1)).first() is not None


def fits(password: str, kept: str | None) -> bool:
    """Whether a password is the one kept; takes as long when there is none."""
    salt, _, wanted = (kept or f"{'00' * 16}$").partition("$")
    found = _scrypt(password, bytes.fromhex(salt))
    return hmac.compare_digest(found.hex(), wanted)


def _hash(password: str) -> str:
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${_scrypt(password, salt).hex()}"


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, **_COST)
