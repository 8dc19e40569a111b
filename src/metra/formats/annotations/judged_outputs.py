"""Judged outputs: which output of which source sentence was given which score, by whom.

They are in a table, or in a database in SQLite that stays whole after a crash and that many
read while one writes.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from metra.errors import FormatError, MetraError
from metra.formats.annotations.table import read_annotation_table
from metra.formats.stream import split_file_name
from metra.formats.table import format_rows

if TYPE_CHECKING:
    import sqlite3

COLUMNS = ("source", "output", "score", "judge", "time")
MOST = 10.0

# Says in the database's head whose it is: "metr".
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


class JudgedOutput(NamedTuple):
    """An output of a source sentence, its score from 0 to 10, who gave it, and when."""

    source: str
    output: str
    score: float
    judge: str = ""
    time: str = ""


def read_judged_outputs(path: str) -> list[JudgedOutput]:
    """Read judged outputs from a table (.tsv) or a database."""
    is_table = split_file_name(path)[1].lower() == ".tsv"
    return read_judged_table(path) if is_table else read_database(path)


def read_judged_table(path: str, *, now: str = "") -> list[JudgedOutput]:
    """Read a table of judged outputs; `now` is the time of judgements that have none."""
    table = read_annotation_table(path, ["source", "output", "score"], COLUMNS)
    judged = []
    for row in table.rows:
        cells = row.cells
        source, output, cell = (cells[name] for name in COLUMNS[:3])
        if not source:
            expected = "every output has an id there"
            raise table.error(row, "the source is empty", expected)
        try:
            score = float(cell)
        except ValueError:
            score = math.nan
        if not 0 <= score <= MOST:
            expected = "expected a number from 0 to 10"
            raise table.error(row, f"the score is {cell!r}", expected)
        judge, time = cells.get("judge", ""), cells.get("time", "") or now
        judged.append(JudgedOutput(source, output, score, judge, time))
    return judged


def read_database(path: str) -> list[JudgedOutput]:
    """Read all judgements of a database, by source and output."""
    with _open_database(path, create=False) as database:
        judged = [JudgedOutput(*row) for row in database.execute(_ALL)]
    kinds = {tuple(map(type, one)) for one in judged}
    if not kinds <= {(str, str, kind, str, str) for kind in (int, float)}:
        msg = f"{path} is damaged: it contains values of other types; restore a backup."
        raise FormatError(msg)
    return sorted(judged, key=_sort_key)


def _sort_key(judged: JudgedOutput) -> tuple[int, str, str, str]:
    """Return a sort key; numeric sources come by number."""
    source = judged.source
    number = int(source) if source.isascii() and source.isdecimal() else 0
    return number, source, judged.output, judged.judge


def add_judged_outputs(path: str, judged: Iterable[JudgedOutput]) -> int:
    """Add judgements to a database, all of them or none; return how many were added.

    A judge's new score replaces the old one. The database is made where there is none.
    """
    with _open_database(path, create=True) as database, database:
        database.execute("BEGIN IMMEDIATE")
        return database.executemany(_ADD, judged).rowcount


@contextmanager
def _open_database(path: str, *, create: bool) -> Iterator["sqlite3.Connection"]:
    import sqlite3

    if not create and not Path(path).is_file():
        problem = f"No database of judged outputs at {path}"
        msg = f"{problem}; make one with: metra evaltrans import {path} FILE.tsv"
        raise FormatError(msg)
    try:
        connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        with closing(connection) as database:
            _prepare(database, path)
            yield database
    except MetraError:
        raise
    except (sqlite3.DatabaseError, ValueError) as error:
        # Also names of tables that are not UTF-8.
        msg = f"{path} cannot be used as a database of judged outputs: {error}."
        raise FormatError(msg) from None


def _prepare(database: "sqlite3.Connection", path: str) -> None:
    (owner,) = database.execute("PRAGMA application_id").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner != OWNER and tables:
        msg = f"{path} is a database of another program; expected judged outputs."
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
        msg = f"{path} was written by a newer metra (version {version}); update metra."
        raise FormatError(msg)
    database.execute("PRAGMA synchronous = FULL")


def format_judged_outputs(judged: Iterable[JudgedOutput]) -> Iterator[str]:
    """Yield judged outputs as lines of a table, the header first."""
    rows = ([*entry[:2], f"{entry.score:g}", *entry[3:]] for entry in judged)
    for row in chain([COLUMNS], rows):
        yield format_rows([row]).removesuffix("\n")


def compute_version(path: str, judged: Sequence[JudgedOutput]) -> str:
    """Return a collection's path with its size and a digest of it, for signatures."""
    content = "\n".join(sorted("\t".join(map(str, entry[:4])) for entry in judged))
    digest = sha256(content.encode()).hexdigest()[:12]
    return f"{path}[{len(judged)} judgements, sha256:{digest}]"


def format_current_time() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
