"""Copies of a store: backups, and stores restored from them.

A backup is itself a store in a file, whatever kind of store it was made of.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from metra.errors import FormatError, StoreError
from metra.store import database
from metra.store.database import Store, convert_error

#: Rows that are read or written at once.
_PIECE = 500

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


def digest_content(db: sa.Connection) -> Content:
    """Return how many rows each table has, and a digest of them in any order."""
    return {
        name: _sum_digests(_select_rows(db, table))
        for name, table in database.SCHEMA.tables.items()
    }


def _copy_tables(source: sa.Connection, target: sa.Connection) -> Content:
    """Copy all rows, and compare what the target holds then."""
    for table in database.SCHEMA.tables.values():
        for piece in _select_rows(source, table).partitions(_PIECE):
            target.execute(sa.insert(table), [dict(row) for row in piece])
    content = digest_content(source)
    if digest_content(target) != content:
        msg = "The copy of the store differs from the store; nothing was written."
        raise StoreError(msg, "damaged")
    return content


def _select_rows(db: sa.Connection, table: sa.Table) -> sa.MappingResult:
    query = sa.select(table)
    if "revision" in table.c:
        # An answer refers to the one that it changes.
        query = query.order_by(table.c.revision)
    return db.execution_options(yield_per=_PIECE).execute(query).mappings()


def _sum_digests(rows: Iterable[sa.RowMapping]) -> tuple[int, str]:
    count = total = 0
    for row in rows:
        content = json.dumps(list(row.values()), default=bytes.hex).encode()
        total += int.from_bytes(hashlib.sha256(content).digest())
        count += 1
    return count, f"{total % 2**256:064x}"


def _empty_store(db: sa.Connection, store: Store, *, replace: bool) -> None:
    """Delete the content of a store if `replace` allows it, and lock it until the end."""
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


def _delete_store(path: Path) -> None:
    """Delete a file of SQLite with its logs."""
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
