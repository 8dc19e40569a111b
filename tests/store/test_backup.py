"""Backups, stores restored from them, and what can be read of a damaged file."""

import random
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import insert
from sqlalchemy.event import listen
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
def file(tmp_path):
    """A filled store in a file."""
    store = stores.open(str(tmp_path / "judge.db"))
    yield fill(store).store
    store.close()


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
    iterate = backup._iterate_rows

    def write_meanwhile(db, table):
        yield from iterate(db, table)
        if table.name == "campaign" and db.engine.url == store.engine.url:
            with closing(stores.open(store_url)) as other, other.transaction() as mine:
                audit.add_entry(mine, "somebody", "meanwhile", now=3.0)

    monkeypatch.setattr(backup, "_iterate_rows", write_meanwhile)
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


def test_what_can_be_read_of_a_damaged_store_is_saved(file, tmp_path):
    path = str(tmp_path / "damaged.db")
    leaves = damage(file, path, "answer 060", "answer 020")
    with closing(stores.open(str(tmp_path / "new.db"))) as new:
        found = backup.salvage_store(path, new)
        with pytest.raises(FormatError, match=r"The store is not empty \("):
            backup.salvage_store(path, new)
        new.check_integrity()
        query = "SELECT revision, comment, supersedes FROM judgement ORDER BY revision"
        with new.reading() as db, file.reading() as whole:
            kept = [tuple(row) for row in db.exec_driver_sql(query)]
            every = [tuple(row) for row in whole.exec_driver_sql(query)]
        content, right = content_of(new), content_of(file)
    lost = {row[0] for row in every} - {row[0] for row in kept}
    assert lost == {
        row[0] for row in every if f'{{"fluency": {row[0]}}}'.encode() in leaves
    }
    assert {20, 60} < lost
    assert found.lost == {"judgement": len(lost)}
    assert found.rows["judgement"] == len(kept) == ANSWERS - len(lost)
    assert found.unplaced == []
    # Whose predecessor is lost stands for herself.
    follow = {at + 1 for at in lost} - lost
    assert {row[0] for row in kept if row[2] is None} == {1} | follow
    assert all(row in every for row in kept if row[0] not in follow)
    assert {name for name in content if content[name] != right[name]} == {"judgement"}


@pytest.mark.parametrize("kind", [TABLE, INDEX], ids=["table", "index"])
def test_damage_is_found_before_it_is_copied(file, tmp_path, kind):
    path = str(tmp_path / "damaged.db")
    damage(file, path, "answer 060", kind=kind)
    before = content_of(file)
    with closing(stores.open(path)) as damaged:
        with pytest.raises(
            StoreError, match=r"is damaged .*restore .*--salvage"
        ) as said:
            damaged.check_integrity()
        assert said.value.kind == "damaged"
        with pytest.raises(StoreError, match=r"is damaged \("):
            write_backup(damaged, str(tmp_path / "no.db"))
    with pytest.raises(StoreError, match=rf"^{path} is damaged \(.* {path} --salvage"):
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


def read_rows(path):
    """All rows of a file by table, as dictionaries."""
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        return {
            name: [dict(row) for row in db.execute(f"SELECT * FROM {name}")]
            for name in database.SCHEMA.tables
        }


def test_rows_whose_campaign_is_lost_are_handed_over(file, tmp_path, monkeypatch):
    monkeypatch.setattr(backup, "_MOST_UNREADABLE", 500)
    path = str(tmp_path / "damaged.db")
    with file.reading() as db:
        key = db.exec_driver_sql("SELECT id FROM campaign").scalar_one()
    damage(file, path, f"{key}test")
    with closing(stores.open(str(tmp_path / "new.db"))) as new:
        found = backup.salvage_store(path, new)
    assert found.rows["campaign"] == found.rows["judgement"] == 0
    assert found.lost == {"campaign": 1}
    assert found.rows["audit"] == content_of(file)["audit"][0] > 1
    unplaced = [row for row in found.unplaced if row["table"] == "judgement"]
    assert {row["revision"] for row in unplaced} == {*range(1, 1 + ANSWERS)}
    assert {row["value_json"] for row in unplaced} == {
        f'{{"fluency": {at}}}' for at in range(1, 1 + ANSWERS)
    }


#: What is destroyed, and the tables whose rows then have no place.
LOSSES = {
    "DELETE FROM campaign": {"judge", "task", "judgement"},
    "DELETE FROM judge": {"task", "judgement"},
    "DELETE FROM task": {"judgement"},
    "DELETE FROM judgement WHERE revision = 1": set(),
    "UPDATE judgement SET protocol_version = NULL": {"judgement"},
}


@pytest.mark.parametrize("loss", LOSSES)
def test_no_row_is_refused_by_itself(file, tmp_path, loss):
    path = tmp_path / "damaged.db"
    write_backup(file, str(path))
    with closing(sqlite3.connect(path)) as db:
        if "NULL" in loss:
            db.execute("PRAGMA writable_schema = ON")
            db.execute(
                "UPDATE sqlite_master SET sql = replace(sql, 'protocol_version TEXT NOT NULL',"
                " 'protocol_version TEXT')"
            )
            db.commit()
    with closing(sqlite3.connect(path)) as db:
        db.execute(loss)
        db.commit()
    left = read_rows(path)
    savepoints = []
    with closing(stores.open(str(tmp_path / "new.db"))) as new:
        listen(new.engine, "savepoint", lambda _, name: savepoints.append(name))
        found = backup.salvage_store(str(path), new)
        new.check_integrity()
    kept = read_rows(tmp_path / "new.db")
    for name, rows in left.items():
        unplaced = [row for row in found.unplaced if row["table"] == name]
        assert len(kept[name]) == found.rows[name] == len(rows) - len(unplaced)
        assert bool(unplaced) == (name in LOSSES[loss])
        assert all({"table": name} | row in unplaced for row in rows if unplaced)
    if "NULL" not in loss:
        # As many as there are tables, however many rows are lost.
        assert len(savepoints) <= len(left)
    if "revision = 1" in loss:
        changed = {row["revision"] for row in kept["judgement"] if row["supersedes"]}
        assert changed == {*range(3, 1 + ANSWERS)}


def test_a_row_with_a_value_of_another_type_is_not_saved(file, tmp_path):
    path = tmp_path / "damaged.db"
    write_backup(file, str(path))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE judgement SET number = 'one' WHERE revision = 7")
        db.commit()
    with closing(stores.open(str(tmp_path / "new.db"))) as new:
        found = backup.salvage_store(str(path), new)
    assert found.lost == {"judgement": 1}
    kept = read_rows(tmp_path / "new.db")["judgement"]
    assert {row["revision"] for row in kept} == {*range(1, 1 + ANSWERS)} - {7}


def test_whatever_page_is_lost_what_is_saved_is_true(file, tmp_path, monkeypatch):
    monkeypatch.setattr(backup, "_MOST_UNREADABLE", 300)
    path, new_path = tmp_path / "damaged.db", tmp_path / "new.db"
    write_backup(file, str(path))
    whole, right = path.read_bytes(), read_rows(path)
    size = int.from_bytes(whole[16:18])
    pages = range(0, len(whole), size)
    noise = random.Random(7).randbytes(size)
    damages = [whole[:at] + bytes(size) + whole[at + size :] for at in pages[::2]]
    damages += [whole[:at] + noise + whole[at + size :] for at in pages[1::7]]
    damages += [whole[: len(whole) * part // 5] for part in range(1, 5)]
    answers, refusals = set(), set()
    with closing(stores.open(str(new_path))) as new:
        for damaged in damages:
            path.write_bytes(damaged)
            with new.transaction() as db:
                backup._empty_store(db, new, replace=True)
            try:
                found = backup.salvage_store(str(path), new)
            except StoreError as error:
                refusals.add(error.kind)
                continue
            new.check_integrity()
            kept = read_rows(new_path)
            answers.add(len(kept["judgement"]))
            for name, rows in kept.items():
                assert len(rows) == found.rows[name]
                for row in rows:
                    revised = row.get("supersedes", "") is None
                    assert row in right[name] or revised
    assert {0, ANSWERS} < answers
    assert refusals == {"damaged"}


def test_what_is_no_backup(file, tmp_path):
    (tmp_path / "notes.db").write_text("shopping list\n" * 100)
    for name, message in (
        ("notes.db", "not a SQLite database"),
        ("none.db", "no backup at"),
    ):
        with pytest.raises((FormatError, StoreError), match=message):
            restore_backup(str(tmp_path / name), file, replace=True)
