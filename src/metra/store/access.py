"""Admins: passwords, second factors (TOTP, RFC 6238), sessions, waits after wrong attempts."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

import pyotp
from pyotp.hotp import HOTP
from pyotp.totp import TOTP
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from metra.errors import OptionError
from metra.store import audit, database, workspaces
from metra.store.database import hash_token, new_token, strip_unstorable

#: How long a session lasts without a sign of life, and at most, by role; in seconds.
IDLE = {"judge": 14 * 86400.0, "admin": 2 * 3600.0}
LONGEST = {"judge": 60 * 86400.0, "admin": 12 * 3600.0}
#: How old the last sign of life may be before it is written down again.
NOTICE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that came in; `judge` is the judge's id, `name` the admin's.

    `address` and `client`, a name of the browser, are known of admins only.
    """

    token_hash: str
    role: str
    judge: str | None
    name: str
    csrf: str
    created_at: float
    seen_at: float
    expires_at: float
    address: str = ""
    client: str = ""

    @property
    def key(self) -> str:
        """A name of the session for pages, which opens nothing."""
        return self.token_hash[:20]


def begin_session(
    db: Connection,
    role: str,
    *,
    now: float,
    judge: str | None = None,
    name: str = "",
    address: str = "",
    client: str = "",
) -> tuple[str, Session]:
    """Begin a session; return the secret for the cookie, which is stored as a hash only."""
    token, csrf = new_token(), new_token()
    until = now + IDLE[role]
    about = (role, judge, name, csrf, now, now, until, address, client)
    session = Session(hash_token(token), *about)
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


def list_sessions(db: Connection, name: str, *, now: float) -> list[Session]:
    """Return the valid sessions of an admin, the last one used first."""
    session = database.session
    query = select(session).where(session.c.role == "admin", session.c.name == name)
    query = query.where(session.c.expires_at >= now)
    rows = db.execute(query.order_by(session.c.seen_at.desc(), session.c.token_hash))
    return [Session(**row._mapping) for row in rows]


def end_session(db: Connection, session: Session) -> None:
    """End a session."""
    db.execute(delete(database.session).where(_OF_TOKEN), {"key": session.token_hash})


def end_sessions(db: Connection, name: str, *, kept: Session | None = None) -> int:
    """End all sessions of an admin but one, and return how many ended."""
    session = database.session
    ended = delete(session).where(session.c.role == "admin", session.c.name == name)
    if kept is not None:
        ended = ended.where(session.c.token_hash != kept.token_hash)
    return db.execute(ended).rowcount


_OF_TOKEN = database.session.c.token_hash == bindparam("key")
_FIND = select(database.session).where(_OF_TOKEN)

_SHORTEST = 10
# 64 MB and some tenths of a second for each guess.
_COST = {"n": 2**16, "r": 8, "p": 1}


def set_password(
    db: Connection, name: str, password: str, *, now: float, who: str
) -> None:
    """Create an admin or replace their password, and end the sessions of the old one."""
    if len(password) < _SHORTEST:
        msg = f"The password has {len(password)} characters; expected {_SHORTEST} or more."
        raise OptionError(msg)
    kept = {"scrypt": _hash_password(password)}
    change = update(database.admin).where(database.admin.c.name == name).values(kept)
    if db.execute(change).rowcount == 0:
        db.execute(insert(database.admin), kept | {"name": name})
        workspaces.add_to_main(db, name, now=now)
    end_sessions(db, name)
    audit.add_entry(db, who, "set password", {"admin": name}, now=now)


def list_admins(db: Connection) -> list[str]:
    """Return the names of all admins, in order."""
    name = database.admin.c.name
    return list(db.execute(select(name).order_by(name)).scalars())


def find_password_hash(db: Connection, name: str) -> str | None:
    """Return the hash of an admin's password, if there is one."""
    admin = database.admin.c
    query = select(admin.scrypt).where(admin.name == strip_unstorable(name))
    return db.execute(query).scalar_one_or_none()


def check_password(password: str, kept: str | None) -> bool:
    """Return whether a password is the stored one; takes as long when there is none."""
    cost, salt, wanted = _parse_hash(kept) if kept else (_COST, bytes(16), "")
    return hmac.compare_digest(_scrypt(password, salt, cost), wanted)


def _hash_password(password: str) -> str:
    """Return a hash with its parameters: n$r$p$salt$hash."""
    salt = secrets.token_bytes(16)
    cost = map(str, _COST.values())
    return "$".join((*cost, salt.hex(), _scrypt(password, salt, _COST)))


def _parse_hash(kept: str) -> tuple[dict[str, int], bytes, str]:
    *cost, salt, hashed = kept.split("$")
    costs = dict(zip(_COST, map(int, cost), strict=True))
    return costs, bytes.fromhex(salt), hashed


def _scrypt(password: str, salt: bytes, cost: Mapping[str, int]) -> str:
    secret = password.encode("utf-8", "replace")
    # Twice what it takes.
    most = 256 * cost["r"] * (cost["n"] + cost["p"])
    return hashlib.scrypt(secret, salt=salt, **cost, maxmem=most).hex()


#: A key without failures for so long is forgotten.
FORGET_SECONDS = 86400.0
LONGEST_WAIT = 300.0
#: More keys than these are never stored; the oldest give way.
_MOST_KEYS = 10_000


def begin_attempt(db: Connection, free: Mapping[str, int], *, now: float) -> float:
    """Count an attempt as failed, before it is checked; return the seconds it must wait.

    It counts for each key of `free`, which gives the number of attempts without a wait. Then
    the wait is 1 second, and doubles with each further attempt up to `LONGEST_WAIT`. 0 means
    that the attempt may be checked now. One that must wait is neither checked nor counted,
    so that the wait never grows by asking.
    """
    attempt = database.attempt
    if db.dialect.name == "postgresql":
        # Attempts at the same time count one after the other, as they do on SQLite.
        db.exec_driver_sql("LOCK TABLE attempt IN EXCLUSIVE MODE")
    db.execute(delete(attempt).where(attempt.c.at < now - FORGET_SECONDS))
    # Times ahead of now come from a clock that was set back since: no wait is longer for it.
    db.execute(update(attempt).where(attempt.c.at > now).values(at=now))
    allowed = {hash_token(key): count for key, count in free.items()}
    rows = db.execute(select(attempt).where(attempt.c.key.in_(allowed))).all()
    for row in rows:
        wait = _compute_delay(row.failures - allowed[row.key]) - (now - row.at)
        if wait > 0:
            return wait
    counted = {"failures": attempt.c.failures + 1, "at": now}
    db.execute(update(attempt).where(attempt.c.key.in_(allowed)).values(counted))
    unknown = allowed.keys() - {row.key for row in rows}
    if unknown:
        first = [{"key": key, "failures": 1, "at": now} for key in sorted(unknown)]
        db.execute(insert(attempt), first)
        newest = select(attempt.c.key).order_by(attempt.c.at.desc(), attempt.c.key)
        oldest = attempt.c.key.in_(newest.offset(_MOST_KEYS))
        db.execute(delete(attempt).where(oldest))
    return 0.0


def _compute_delay(excess: int) -> float:
    """Return the seconds between attempts, by how many were made beyond the free ones.

    >>> [_compute_delay(excess) for excess in (-1, 0, 1, 8, 9, 10**9)]
    [0.0, 1.0, 2.0, 256.0, 300.0, 300.0]
    """
    return 0.0 if excess < 0 else min(2.0 ** min(excess, 60), LONGEST_WAIT)


def forget_attempts(db: Connection, keys: Iterable[str] | None = None) -> None:
    """Delete the failures of keys that signed in after all, or of all keys."""
    deleted = delete(database.attempt)
    if keys is not None:
        chosen = database.attempt.c.key.in_([hash_token(key) for key in keys])
        deleted = deleted.where(chosen)
    db.execute(deleted)


def sign_text(password_hash: str, text: str) -> str:
    """Sign a text for an admin; a new password makes the signature worthless."""
    return hmac.new(password_hash.encode(), text.encode(), "sha256").hexdigest()


def check_signature(password_hash: str | None, text: str, signature: str) -> bool:
    """Return whether the store signed a text for the admin with this password hash."""
    if password_hash is None:
        return False
    wanted = sign_text(password_hash, text)
    return hmac.compare_digest(wanted.encode(), signature.encode("utf-8", "replace"))


PERIOD_SECONDS = 30
DIGITS = 6
#: How many periods the clock of a telephone may be wrong, either way.
_DRIFT = 1
_RECOVERY_CODES = 10


def new_secret() -> str:
    """Draw a secret of 160 bits, in base 32."""
    return pyotp.random_base32()


def compute_code(secret: str, period: int) -> str:
    """Return the code of a period of time, counted from 1970 (RFC 4226, section 5.3).

    >>> compute_code("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 1)
    '287082'
    """
    try:
        return HOTP(secret, digits=DIGITS).at(period)
    except ValueError:
        msg = "The secret of a second factor is not in base 32; set it up again."
        raise OptionError(msg) from None


def write_uri(secret: str, account: str) -> str:
    """Return the address that authenticator apps read, often from a QR code.

    >>> write_uri(32 * "A", "ann@judge.example.org")[:54]
    'otpauth://totp/metra:ann%40judge.example.org?secret=AA'
    """
    return TOTP(secret).provisioning_uri(name=account, issuer_name="metra")


def has_second_factor(db: Connection, name: str) -> bool:
    """Return whether an admin has set up a second factor."""
    return _find_secret(db, name) is not None


def count_recovery_codes(db: Connection, name: str) -> int:
    """Return how many recovery codes an admin has left."""
    code = database.recovery_code.c
    query = select(func.count()).where(code.admin == name)
    return int(db.execute(query).scalar_one())


def enable_second_factor(
    db: Connection, name: str, secret: str, code: str, *, now: float
) -> list[str]:
    """Set up a second factor if `code` proves that the app knows the secret.

    Returns the recovery codes, of which only hashes are stored; none if the code is wrong.
    """
    period = _find_period(secret, _strip_code(code), now=now)
    if period is None:
        return []
    admin = database.admin
    values = {"totp_secret": secret, "totp_period": period}
    db.execute(update(admin).where(admin.c.name == name).values(values))
    audit.add_entry(db, name, "set up second factor", now=now)
    return _draw_recovery_codes(db, name)


def disable_second_factor(db: Connection, name: str, *, now: float, who: str) -> None:
    """Remove an admin's second factor; the password alone opens again."""
    admin = database.admin
    db.execute(update(admin).where(admin.c.name == name).values(totp_secret=None))
    _delete_recovery_codes(db, name)
    audit.add_entry(db, who, "remove second factor", {"admin": name}, now=now)


def use_code(db: Connection, name: str, code: str, *, now: float) -> str | None:
    """Use up a code; return its kind, or None if it is wrong or was used before."""
    stripped = _strip_code(code)
    if len(stripped) != DIGITS:
        table = database.recovery_code
        spent = delete(table).where(table.c.admin == name)
        spent = spent.where(table.c.code_hash == hash_token(stripped))
        return "recovery code" if db.execute(spent).rowcount == 1 else None
    secret, admin = _find_secret(db, name), database.admin
    period = None if secret is None else _find_period(secret, stripped, now=now)
    if period is None:
        return None
    # A code that was used finds no row; neither does the second of two at the same time.
    unused = (admin.c.name == name) & (admin.c.totp_period < period)
    change = update(admin).where(unused).values(totp_period=period)
    return "code" if db.execute(change).rowcount == 1 else None


def _find_secret(db: Connection, name: str) -> str | None:
    query = select(database.admin.c.totp_secret).where(database.admin.c.name == name)
    return db.execute(query).scalar_one_or_none()


def _strip_code(code: str) -> str:
    """Return a code without what people type to read it better.

    >>> _strip_code(" 123 456 "), _strip_code("abcd-efgh")
    ('123456', 'ABCDEFGH')
    """
    return code.replace(" ", "").replace("-", "").strip().upper()


def _find_period(secret: str, code: str, *, now: float) -> int | None:
    """Return the period near now whose code this is."""
    present = int(now // PERIOD_SECONDS)
    for period in range(present - _DRIFT, present + _DRIFT + 1):
        wanted = compute_code(secret, period) if period >= 0 else ""
        if hmac.compare_digest(wanted.encode(), code.encode("utf-8", "replace")):
            return period
    return None


def _draw_recovery_codes(db: Connection, name: str) -> list[str]:
    _delete_recovery_codes(db, name)
    drawn = [new_secret()[:16] for _ in range(_RECOVERY_CODES)]
    rows = [{"admin": name, "code_hash": hash_token(code)} for code in drawn]
    db.execute(insert(database.recovery_code), rows)
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in drawn]


def _delete_recovery_codes(db: Connection, name: str) -> None:
    table = database.recovery_code
    db.execute(delete(table).where(table.c.admin == name))
