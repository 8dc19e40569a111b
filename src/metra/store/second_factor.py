"""The second factor of admins: codes by time (TOTP, RFC 6238) and recovery codes."""

import hmac

import pyotp
from pyotp.hotp import HOTP
from pyotp.totp import TOTP
from sqlalchemy import Connection, delete, func, insert, select, update

from metra.errors import OptionError
from metra.store import audit, database
from metra.store.database import hash_token

PERIOD_SECONDS = 30
DIGITS = 6
#: How many periods the clock of a telephone may be wrong, either way.
_DRIFT = 1
_RECOVERY_CODES = 10


def new_secret() -> str:
    """Draw a secret of 160 bits, in base 32."""
    return pyotp.random_base32()


def compute_code(secret: str, period: int, *, digits: int = DIGITS) -> str:
    """Return the code of a period of time, counted from 1970 (RFC 4226, section 5.3).

    >>> compute_code("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 1, digits=8)
    '94287082'
    """
    try:
        return HOTP(secret, digits=digits).at(period)
    except ValueError:
        msg = "The secret of a second factor is not in base 32; set it up again."
        raise OptionError(msg) from None


def write_uri(secret: str, account: str) -> str:
    """Return the address that authenticator apps read, often from a QR code.

    >>> write_uri("ABCD", "ann@judge.example.org")
    'otpauth://totp/metra:ann%40judge.example.org?secret=ABCD&issuer=metra'
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


def replace_recovery_codes(db: Connection, name: str, *, now: float) -> list[str]:
    """Return new recovery codes; the old ones stop working."""
    audit.add_entry(db, name, "replace recovery codes", now=now)
    return _draw_recovery_codes(db, name)


def disable_second_factor(db: Connection, name: str, *, now: float, who: str) -> None:
    """Remove an admin's second factor; the password alone opens again."""
    admin = database.admin
    change = update(admin).where(admin.c.name == name).values(totp_secret=None)
    db.execute(change)
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
