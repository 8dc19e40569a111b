"""Backups, stores restored from them, and damaged files."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import insert
from tests.campaigns import made, opened

from metra import store as stores
from metra.errors import FormatError, StoreError
from metra.store import access, audit, backup, database
from metra.store.backup import digest_content, restore_backup, write_backup

ANSWERS = 120


def fill(store):
    """A campaign with answers of one judge, who changed her mind again and again."""
    house = opened(store, made())
    with store.transaction() as db:
        task, judge = db.exec_driver_sql("SELECT id, judge FROM task").first()
        times = dict.fromkeys(
            ("wall_ms", "active_ms", "hidden_ms", "idle_ms", "paused_ms"), 2**40
        )
        rows = [
            {
                "id": f"answer {at:03} {'x' * 40}",
                "task": task,
                "judge": judge,
                "number": 0,
                "revision": at,
                "supersedes": None if at == 1 else f"answer {at - 1:03} {'x' * 40}",
                "value_json": f'{{"fluency": {at}}}',
                "comment": "naïve 日本 " * 9,
                "submitted_at": 0.1 + at,
                "protocol_version": "v",
                "wording": "",
                "wording_version": "",
            }
            | times
            for at in range(1, 1 + ANSWERS)
        ]
        # The newest first: their order in the file says nothing.
        rows.reverse()
        if store.is_sqlite:
            db.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            db.execute(insert(database.judgement), rows)
        else:
            for row in reversed(rows):
                db.execute(insert(database.judgement), row)
        audit.add_entry(db, "somebody", "something", {"a": ["ü", None, 1.5]}, now=1.0)
        # A session that belongs to no judge.
        access.begin_session(db, "admin", now=1.0, name="ann")
    return house


def content_of(store):
    with store.reading() as db:
        return digest_content(db)


@pytest.fixture
def file(sqlite_store):
    """A filled store in a file."""
    return fill(sqlite_store).store


def test_a_backup_restored_is_equal_on_either_kind_of_store(store, tmp_path):
    fill(store)
    path = tmp_path / "copies" / "backup.db"
    path.parent.mkdir()
    told = write_backup(store, str(path))
    assert told == content_of(store)
    assert told["judgement"][0] == ANSWERS
    assert [one.name for one in path.parent.iterdir()] == ["backup.db"]
    assert path.stat().st_mode & 0o777 == 0o600
    as_it_was = path.read_bytes()
    with closing(stores.open(str(tmp_path / "new.db"))) as new:
        assert restore_backup(str(path), new) == content_of(new) == told
    with store.transaction() as db:
        audit.add_entry(db, "somebody", "something later", now=2.0)
    assert content_of(store) != told
    with pytest.raises(FormatError, match=r"not empty \(1 row in campaign\); name"):
        restore_backup(str(path), store)
    assert restore_backup(str(path), store, replace=True) == told == content_of(store)
    assert path.read_bytes() == as_it_was
    assert [one.name for one in path.parent.iterdir()] == ["backup.db"]


def test_what_counts_as_equal(file):
    before = content_of(file)
    changes = (
        "UPDATE judgement SET comment = '' WHERE revision = 7",
        "UPDATE judgement SET submitted_at = submitted_at + 0.0001 WHERE revision = 7",
        "DELETE FROM audit",
        "INSERT INTO attempt VALUES ('a', 1, 1.0)",
    )
    seen = [before]
    for change in changes:
        with file.transaction() as db:
            db.exec_driver_sql(change)
        assert content_of(file) not in seen
        seen.append(content_of(file))


def test_a_backup_holds_one_state_while_others_write(
    store, store_url, tmp_path, monkeypatch
):
    fill(store)
    before = content_of(store)
    select_rows = backup._select_rows

    def write_meanwhile(db, table):
        if table.name == "judge" and db.engine.url == store.engine.url:
            with closing(stores.open(store_url)) as other, other.transaction() as mine:
                audit.add_entry(mine, "somebody", "meanwhile", now=3.0)
        return select_rows(db, table)

    monkeypatch.setattr(backup, "_select_rows", write_meanwhile)
    assert write_backup(store, str(tmp_path / "backup.db")) == before
    monkeypatch.undo()
    assert content_of(store) != before


def test_a_backup_that_breaks_off_leaves_nothing(file, tmp_path, monkeypatch):
    monkeypatch.setattr(backup, "_PIECE", 7)

    def fall(rows):
        raise StoreError(f"{len([*rows])} rows")  # noqa: EM102

    with monkeypatch.context() as patched:
        patched.setattr(backup, "_sum_digests", fall)
        with pytest.raises(StoreError, match="1 rows"):
            write_backup(file, str(tmp_path / "backup.db"))
    assert [*tmp_path.glob("backup*")] == []
    write_backup(file, str(tmp_path / "backup.db"))
    with pytest.raises(FormatError, match="already exists"):
        write_backup(file, str(tmp_path / "backup.db"))


def test_a_restore_that_breaks_off_changes_nothing(store, tmp_path, monkeypatch):
    path = str(tmp_path / "backup.db")
    with closing(stores.open(str(tmp_path / "other.db"))) as other:
        fill(other)
        write_backup(other, path)
    opened(store, made())
    before = content_of(store)
    digests = iter([{"a": (1, "b")}, {}])
    monkeypatch.setattr(backup, "digest_content", lambda _: next(digests))
    with pytest.raises(StoreError, match="differs from the store; nothing was written"):
        restore_backup(path, store, replace=True)
    assert content_of(store) == before


def test_a_backup_of_an_older_metra_is_brought_up_to_date(tmp_path, monkeypatch):
    first = database.list_migrations()[:1]
    path = str(tmp_path / "old.db")
    with monkeypatch.context() as patched:
        patched.setattr(database, "list_migrations", lambda: first)
        with closing(stores.open(path)) as old, old.transaction() as db:
            db.exec_driver_sql("INSERT INTO admin VALUES ('ann', 'hash')")
    with closing(stores.open(str(tmp_path / "new.db"))) as new:
        assert restore_backup(path, new)["admin"][0] == 1
    with closing(sqlite3.connect(path)) as old:
        assert old.execute("SELECT version FROM schema_version").fetchall() == [(1,)]


def test_reading_sees_one_state(store, store_url):
    with store.reading() as db, closing(stores.open(store_url)) as other:
        assert audit.list_entries(db) == []
        with other.transaction() as mine:
            audit.add_entry(mine, "somebody", "something", now=1.0)
        assert audit.list_entries(db) == []
    with store.reading() as db:
        assert len(audit.list_entries(db)) == 1


TABLE, INDEX = 13, 10


def damage(store, path, *texts, kind=TABLE):
    """Back up a store, and empty a leaf of the copy for each text; return those leaves."""
    write_backup(store, path)
    leaves = b""
    with open(path, "r+b") as file:
        content = file.read()
        size = int.from_bytes(content[16:18])
        for text in texts:
            at = next(
                at
                for at in range(size, len(content), size)
                if content[at] == kind and text.encode() in content[at : at + size]
            )
            leaves += content[at : at + size]
            file.seek(at)
            file.write(bytes(size))
    return leaves


@pytest.mark.parametrize("kind", [TABLE, INDEX], ids=["table", "index"])
def test_damage_is_found_before_it_is_copied(file, tmp_path, kind):
    path = str(tmp_path / "damaged.db")
    damage(file, path, "answer 060", kind=kind)
    before = content_of(file)
    with closing(stores.open(path)) as damaged:
        with pytest.raises(StoreError, match=r"is damaged .*restore .*recover") as said:
            damaged.check_integrity()
        assert said.value.kind == "damaged"
        with pytest.raises(StoreError, match=r"is damaged \("):
            write_backup(damaged, str(tmp_path / "no.db"))
    with pytest.raises(StoreError, match=rf"^{path} is damaged \(.* {path} .recover"):
        restore_backup(path, file, replace=True)
    assert content_of(file) == before


def test_nobody_writes_while_a_backup_is_restored(
    store, store_url, tmp_path, monkeypatch
):
    path = str(tmp_path / "backup.db")
    fill(store)
    write_backup(store, path)
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.05)
    copy, refusals = backup._copy_tables, []

    def write_meanwhile(source, target):
        with closing(stores.open(store_url)) as other:
            with pytest.raises(StoreError) as said:
                write(other)
            refusals.append(str(said.value))
        return copy(source, target)

    def write(other):
        with other.transaction() as db:
            if not other.is_sqlite:
                db.exec_driver_sql("SET LOCAL lock_timeout = 50")
            audit.add_entry(db, "somebody", "meanwhile", now=3.0)

    monkeypatch.setattr(backup, "_copy_tables", write_meanwhile)
    restore_backup(path, store, replace=True)
    assert len(refusals) == 1
    assert "lock" in refusals[0] or "another program" in refusals[0]


def test_what_is_no_backup(file, tmp_path):
    (tmp_path / "notes.db").write_text("shopping list\n" * 100)
    for name, message in (
        ("notes.db", "not a SQLite database"),
        ("none.db", "no backup at"),
    ):
        with pytest.raises((FormatError, StoreError), match=message):
            restore_backup(str(tmp_path / name), file, replace=True)
