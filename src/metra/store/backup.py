"""Copies of a store: backups, stores restored from them, and what a damaged store still holds.

A backup is itself a store in a file, whatever kind of store it was made of.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError

from metra.errors import FormatError, StoreError
from metra.store import database
from metra.store.database import Store, convert_error, decode_json

#: Rows that are read or written at once.
_PIECE = 500
#: A file that is damaged holds no more rows if so many in a row cannot be read.
_MOST_UNREADABLE = 20_000
#: The only column that refers to its own table: the answer that an answer changes.
_LINK = "supersedes"

#: Rows of each table, and a digest of what is in them in any order.
Content = dict[str, tuple[int, str]]


def write_backup(store: Store, path: str) -> Content:
    """Copy one state of a store into a new file, while others write to the store.

    The file appears when it is complete and was read again; only its owner may read it.
    """
    target = Path(path)
    if target.exists():
        msg = f"{path} already exists; give the backup another name."
        raise FormatError(msg)
    store.check_integrity()
    aside = target.with_name(f"{target.name}.part")
    _delete_store(aside)
    try:
        with closing(database.open(str(aside))) as copy:
            with store.reading() as source, copy.transaction() as db:
                content = _copy_tables(source, db)
            copy.check_integrity()
        with closing(sqlite3.connect(aside)) as db:
            # One file and no log beside it: it can be moved, and read where nothing is written.
            db.execute("PRAGMA journal_mode = DELETE")
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.rename(target)
    except BaseException:
        _delete_store(aside)
        raise
    return content


def restore_backup(path: str, store: Store, *, replace: bool = False) -> Content:
    """Put the content of a backup into a store, all or nothing.

    `replace` allows that the store holds something, which is deleted.
    """
    with _stage_file(path) as staged, closing(database.open(str(staged))) as source:
        source.check_integrity(path)
        with source.reading() as copy, store.transaction() as db:
            _empty_store(db, store, replace=replace)
            return _copy_tables(copy, db)


@dataclass
class Salvage:
    """What a damaged store still held: rows by table, and what is missing of them."""

    rows: dict[str, int] = field(default_factory=dict)
    #: Rows that cannot be read, as far as that is known.
    lost: dict[str, int] = field(default_factory=dict)
    #: Rows that could be read, but belong to others that could not.
    unplaced: list[dict[str, Any]] = field(default_factory=list)


def salvage_store(path: str, store: Store) -> Salvage:
    """Put all rows that can be read of a damaged file into an empty store."""
    found = Salvage()
    with (
        _stage_file(path) as staged,
        closing(sqlite3.connect(staged)) as damaged,
        store.transaction() as db,
    ):
        _empty_store(db, store, replace=False)
        for table in database.SCHEMA.tables.values():
            _salvage_table(damaged, db, table, found)
    return found


def digest_content(db: sa.Connection) -> Content:
    """Return how many rows each table has, and a digest of them in any order."""
    return {
        name: _sum_digests(_iterate_rows(db, table))
        for name, table in database.SCHEMA.tables.items()
    }


def _copy_tables(source: sa.Connection, target: sa.Connection) -> Content:
    """Copy all rows, and compare what the target holds then."""
    for table in database.SCHEMA.tables.values():
        piece: list[dict[str, Any]] = []
        for row in _iterate_rows(source, table):
            piece.append(dict(row))
            if len(piece) == _PIECE:
                target.execute(sa.insert(table), piece)
                piece = []
        if piece:
            target.execute(sa.insert(table), piece)
    content = digest_content(source)
    if digest_content(target) != content:
        msg = "The copy of the store differs from the store; nothing was written."
        raise StoreError(msg, "damaged")
    return content


def _iterate_rows(db: sa.Connection, table: sa.Table) -> Iterator[sa.RowMapping]:
    query = sa.select(table)
    if "revision" in table.c:
        # An answer refers to the one that it changes.
        query = query.order_by(table.c.revision)
    found = db.execution_options(yield_per=_PIECE).execute(query)
    yield from found.mappings()


def _sum_digests(rows: Iterator[sa.RowMapping]) -> tuple[int, str]:
    count = total = 0
    for row in rows:
        content = json.dumps(list(row.values())).encode()
        total += int.from_bytes(hashlib.sha256(content).digest())
        count += 1
    return count, f"{total % 2**256:064x}"


def _empty_store(db: sa.Connection, store: Store, *, replace: bool) -> None:
    """Delete what a store holds, if that is allowed; nobody else writes until the end."""
    tables = list(database.SCHEMA.tables.values())
    if not store.is_sqlite:
        names = ", ".join(table.name for table in tables)
        db.exec_driver_sql(f"LOCK TABLE {names} IN EXCLUSIVE MODE")
    held = [
        f"{count} {'row' if count == 1 else 'rows'} in {table.name}"
        for table in tables
        if (count := db.execute(sa.select(sa.func.count()).select_from(table)).scalar())
    ]
    if held and not replace:
        msg = (
            f"The store is not empty ({held[0]}); name a new one with `store`, or give "
            "`replace` to delete its contents."
        )
        raise FormatError(msg)
    for table in reversed(tables):
        db.execute(sa.delete(table))


@contextmanager
def _stage_file(path: str) -> Iterator[Path]:
    """Copy a file of SQLite with what its log still holds; the file stays as it is."""
    if not Path(path).is_file():
        msg = f"There is no backup at {path}; expected a file from metra judge backup."
        raise FormatError(msg)
    with TemporaryDirectory(prefix="metra-") as folder:
        staged = Path(folder) / "copy.db"
        address = f"{Path(path).resolve().as_uri()}?mode=ro"
        try:
            with (
                closing(sqlite3.connect(address, uri=True)) as source,
                closing(sqlite3.connect(staged)) as target,
            ):
                source.backup(target)
        except sqlite3.Error as error:
            raise convert_error(error, path) from error
        yield staged


def _salvage_table(
    damaged: sqlite3.Connection, db: sa.Connection, table: sa.Table, found: Salvage
) -> None:
    """Put the rows of one table that can be read into the store."""
    placed = list(_iterate_readable(damaged, table))
    unplaced: list[dict[str, Any]] = []
    for column, parent in _list_references(db, table):
        # The database would refuse the rows of a lost campaign one by one.
        held = {None, *db.execute(sa.select(parent)).scalars()}
        unplaced += [row for row in placed if row[column] not in held]
        placed = [row for row in placed if row[column] in held]
    refused: list[dict[str, Any]] = []
    for at in range(0, len(placed), _PIECE):
        refused += _insert_rows(db, table, placed[at : at + _PIECE])
    kept = len(placed) - len(refused)
    unplaced += refused
    if table is database.judgement:
        _link_revisions(db, placed)
    found.rows[table.name] = kept
    found.unplaced += [{"table": table.name} | row for row in unplaced]
    with suppress(sqlite3.Error):
        # An index often knows rows that cannot be read.
        [count] = damaged.execute(f"SELECT COUNT(*) FROM {table.name}").fetchone()
        if count > kept + len(unplaced):
            found.lost[table.name] = count - kept - len(unplaced)


def _list_references(
    db: sa.Connection, table: sa.Table
) -> list[tuple[str, sa.Column[Any]]]:
    """Return the columns of a table that refer to other tables, and what they refer to."""
    return [
        (column, database.SCHEMA.tables[key["referred_table"]].c[parent])
        for key in sa.inspect(db).get_foreign_keys(table.name)
        for column, parent in zip(
            key["constrained_columns"], key["referred_columns"], strict=True
        )
        if key["referred_table"] != table.name
    ]


def _insert_rows(
    db: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Insert rows without links among them; return those that the database refuses."""
    if not rows:
        return []
    values = [{k: v for k, v in row.items() if k != _LINK} for row in rows]
    try:
        with db.begin_nested():
            db.execute(sa.insert(table), values)
    except (IntegrityError, DataError, ProgrammingError):
        if len(rows) == 1:
            return rows
        half = len(rows) // 2
        first, second = rows[:half], rows[half:]
        return _insert_rows(db, table, first) + _insert_rows(db, table, second)
    return []


def _link_revisions(db: sa.Connection, rows: list[dict[str, Any]]) -> None:
    """Link answers to those that they changed; they count without that, too."""
    answer = database.judgement
    held = set(db.execute(sa.select(answer.c.id)).scalars())
    links = [
        {"answer": row["id"], "changed": row[_LINK]}
        for row in rows
        if row[_LINK] in held
    ]
    if links:
        change = sa.update(answer).where(answer.c.id == sa.bindparam("answer"))
        db.execute(change.values({_LINK: sa.bindparam("changed")}), links)


def _iterate_readable(
    damaged: sqlite3.Connection, table: sa.Table
) -> Iterator[dict[str, Any]]:
    """Yield rows that can be read, by their numbers, and skip those that cannot."""
    try:
        known = [row[1] for row in damaged.execute(f"PRAGMA table_info({table.name})")]
    except sqlite3.Error:
        return
    types = {name: table.c[name].type.python_type for name in known if name in table.c}
    if not types:
        return
    query = (
        f"SELECT rowid, {', '.join(types)} FROM {table.name} NOT INDEXED WHERE rowid "
    )
    last = unreadable = 0
    while unreadable < _MOST_UNREADABLE:
        try:
            for number, *values in damaged.execute(
                f"{query} > ? ORDER BY rowid", [last]
            ):
                last, unreadable = number, 0
                yield from _keep_whole(dict(zip(types, values, strict=True)), types)
            return
        except sqlite3.Error:
            # The next row may be whole: it is not seen if the one after it is not.
            last, unreadable = last + 1, unreadable + 1
            with suppress(sqlite3.Error):
                for _, *values in damaged.execute(f"{query} = ?", [last]):
                    unreadable = 0
                    yield from _keep_whole(dict(zip(types, values, strict=True)), types)


def _keep_whole(
    row: dict[str, Any], types: dict[str, type[Any]]
) -> Iterator[dict[str, Any]]:
    """Yield a row if its values are of the right types and its JSON can be read."""
    with suppress(ValueError):
        for (name, value), kind in zip(row.items(), types.values(), strict=True):
            if value is None:
                continue
            if not isinstance(value, kind):
                return
            if name.endswith("_json"):
                decode_json(value)
        yield row


def _delete_store(path: Path) -> None:
    """Delete a file of SQLite with its logs."""
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
