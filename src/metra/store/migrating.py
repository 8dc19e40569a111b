"""Numbered migrations: what is not yet in the database is applied, in one transaction."""

from importlib import resources
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from metra.errors import FormatError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from metra.store.opening import Store

# Two servers that start at once must not both migrate: "metra" in digits of a keypad.
_LOCK = 63872


def migrate(store: "Store", place: str) -> int:
    """Bring the tables up to date and give their version; refuse what a newer metra made."""
    steps = migrations()
    with store.reading() as db:
        version = _version(db)
    if version == len(steps):
        return version
    with store.transaction() as db:
        if not store.is_sqlite:
            db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        version = _version(db)
        if version > len(steps):
            msg = (
                f"{place} was made by a newer metra (its tables have version {version}, "
                f"this metra knows {len(steps)}); update metra."
            )
            raise FormatError(msg)
        if version == 0:
            _refuse_strangers(db, place)
            db.execute(text("CREATE TABLE schema_version (version INTEGER NOT NULL)"))
            db.execute(text("INSERT INTO schema_version VALUES (0)"))
        for sql in steps[version:]:
            for statement in _statements(sql):
                db.exec_driver_sql(statement)
        db.execute(text("UPDATE schema_version SET version = :to"), {"to": len(steps)})
    return len(steps)


def migrations() -> list[str]:
    """All of them, in the order of their numbers."""
    folder = resources.files("metra.store") / "migrations"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    return [file.read_text(encoding="utf-8") for file in files]


def _version(db: "Connection") -> int:
    if not inspect(db).has_table("schema_version"):
        return 0
    return int(db.execute(text("SELECT version FROM schema_version")).scalar_one())


def _refuse_strangers(db: "Connection", place: str) -> None:
    found = inspect(db).get_table_names()
    if found:
        msg = (
            f"{place} holds tables of something else ({found[0]}); "
            "expected an empty database or a store of metra's."
        )
        raise FormatError(msg)


def _statements(sql: str) -> list[str]:
    lines = (line for line in sql.split("\n") if not line.startswith("--"))
    return [part for part in "\n".join(lines).split(";") if part.strip()]
