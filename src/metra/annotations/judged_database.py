"""The database of judged outputs: SQLite, whole after a crash, open to many readers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from metra.errors import FormatError

if TYPE_CHECKING:
    import sqlite3

# Says in the file's head whose it is: "metr".
OWNER = 0x6D657472
VERSION = 1

_SCHEMA = """
CREATE TABLE judged (
    source TEXT NOT NULL,
    output TEXT NOT NULL,
    score REAL NOT NULL CHECK (score BETWEEN 0 AND 10),
    judge TEXT NOT NULL,
    time TEXT NOT NULL,
    PRIMARY KEY (source, output, judge)
) WITHOUT ROWID
"""
_ADD = "INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?, ?)"
_ALL = "SELECT source, output, score, judge, time FROM judged"

Entry = tuple[str, str, float, str, str]


def add(path: str, judged: Iterable[Entry]) -> int:
    """Add judgements, all of them or none; a judge's new score replaces the old one.

    The database is made where there is none. Gives the number of judgements added.
    """
    with _opened(path, create=True) as database, database:
        database.execute("BEGIN IMMEDIATE")
        return database.executemany(_ADD, judged).rowcount


def rows_of(path: str) -> list[Entry]:
    """Read all judgements, by source and output."""
    with _opened(path, create=False) as database:
        return sorted(database.execute(_ALL).fetchall(), key=_order)


def _order(entry: Entry) -> tuple[int, str, str, str]:
    """Sources that are numbers come by number."""
    source = entry[0]
    number = int(source) if source.isascii() and source.isdecimal() else 0
    return number, source, entry[1], entry[3]


@contextmanager
def _opened(path: str, *, create: bool) -> Iterator["sqlite3.Connection"]:
    import sqlite3
    from contextlib import closing

    if not create and not Path(path).is_file():
        msg = (
            f"There is no database of judged outputs at {path}; make one with: "
            f"metra evaltrans import {path} FILE.tsv"
        )
        raise FormatError(msg)
    try:
        with closing(
            sqlite3.connect(path, timeout=30, isolation_level=None)
        ) as database:
            _prepare(database, path)
            yield database
    except sqlite3.DatabaseError as error:
        msg = f"{path} cannot be used as a database of judged outputs: {error}."
        raise FormatError(msg) from None


def _prepare(database: "sqlite3.Connection", path: str) -> None:
    (owner,) = database.execute("PRAGMA application_id").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner != OWNER and tables:
        msg = f"{path} is a database of something else; expected judged outputs."
        raise FormatError(msg)
    if not tables:
        # Readers go on reading while one writes, and what a crash cuts off is undone.
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("BEGIN IMMEDIATE")
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            database.execute(_SCHEMA)
            database.execute(f"PRAGMA application_id = {OWNER}")
            database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        msg = f"{path} was made by a newer metra (version {version}); update metra."
        raise FormatError(msg)
    database.execute("PRAGMA synchronous = FULL")
