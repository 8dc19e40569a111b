"""A store by its address: what is made, what is brought up to date, what is refused."""

import hashlib
import os
import sqlite3

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import OperationalError
from tests.campaigns import run_together
from tests.tables import load_cases

from metra import store as stores
from metra.errors import FormatError, OptionError, StoreError
from metra.store import access, audit, database
from metra.store.database import convert_error, list_migrations


def test_the_tables_are_as_the_queries_name_them(store):
    found = inspect(store.engine)
    assert set(found.get_table_names()) == {*database.SCHEMA.tables, "schema_version"}
    for name, table in database.SCHEMA.tables.items():
        there = {
            column["name"]: column["type"].as_generic().__class__.__name__
            for column in found.get_columns(name)
        }
        assert set(there) == {column.name for column in table.columns}
        for column in table.columns:
            kind = type(column.type).__name__.replace("Double", "Float")
            assert there[column.name].replace("Double", "Float") == kind


def test_a_store_is_opened_again_with_what_is_in_it(store, store_url):
    with store.transaction() as db:
        audit.add_entry(db, "somebody", "something", {"a": ["ü\0"]}, now=1.0)
    again = stores.open(store_url, create=False)
    with again.reading() as db:
        [entry] = audit.list_entries(db)
    again.close()
    assert (entry.who, entry.what, entry.data) == (
        "somebody",
        "something",
        {"a": ["ü\0"]},
    )


def test_a_newer_store_is_refused(store, store_url, monkeypatch):
    with store.transaction() as db:
        db.execute(text("UPDATE schema_version SET version = 99"))
    closed = []
    monkeypatch.setattr(database.Store, "close", lambda self: closed.append(self))
    with pytest.raises(
        FormatError, match=r"created by a newer metra .*version is 99, this"
    ):
        stores.open(store_url)
    # Nobody else can close the connections of a store that was not handed out.
    [refused] = closed
    refused.engine.dispose()


def test_another_programs_database_is_refused(tmp_path):
    path = str(tmp_path / "other.db")
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    with pytest.raises(
        FormatError, match=r"holds tables of another program \(recipes\)"
    ):
        stores.open(path)


@pytest.mark.parametrize(
    ("url", "create", "message"),
    [
        pytest.param("none.db", False, "There is no store at none.db", id="no file"),
        pytest.param("sqlite://", True, "lost with its connection", id="in memory"),
        pytest.param("mysql://x/y", True, "cannot be kept in mysql", id="other kind"),
    ],
)
def test_what_is_no_store(url, create, message):
    with pytest.raises((FormatError, OptionError), match=message):
        stores.open(url, create=create)


def test_a_failed_transaction_leaves_nothing(store):
    def note_and_fall() -> None:
        with store.transaction() as db:
            audit.add_entry(db, "somebody", "something", now=1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        note_and_fall()
    with store.reading() as db:
        assert audit.list_entries(db) == []


def test_two_that_open_a_new_store_at_once_migrate_it_once(store_url):
    failures = []

    def opening(_: int) -> None:
        try:
            stores.open(store_url).close()
        except Exception as error:
            failures.append(error)

    run_together(opening, range(4))
    assert failures == []


def test_nothing_is_lost_when_the_power_fails(sqlite_store):
    with sqlite_store.reading() as db:
        assert db.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert db.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_migrations_are_numbered_without_gaps():
    from importlib import resources

    names = sorted(
        file.name
        for file in (resources.files("metra.store") / "migrations").iterdir()
        if file.name.endswith(".sql")
    )
    assert [int(name[:4]) for name in names] == list(
        range(1, len(list_migrations()) + 1)
    )


def test_errors_do_not_tell_what_judges_wrote(store):
    with pytest.raises(StoreError) as caught, store.transaction() as db:
        db.execute(text("INSERT INTO nowhere VALUES (:x)"), {"x": "my secret words"})
    for error in (caught.value, caught.value.__cause__):
        assert "my secret words" not in str(error)


def test_an_older_store_is_brought_up_to_date_with_what_is_in_it(
    store_url, monkeypatch
):
    first = list_migrations()[:1]
    salt = bytes(range(16))
    key = hashlib.scrypt(b"my password", salt=salt, n=2**16, r=8, p=1, maxmem=2**27)
    bare = f"{salt.hex()}${key.hex()}"
    with monkeypatch.context() as patched:
        patched.setattr("metra.store.database.list_migrations", lambda: first)
        old = stores.open(store_url)
    with old.transaction() as db:
        for sql in (
            "INSERT INTO campaign VALUES ('c', 'spring', '{}', 'v', '00', 'open', NULL, 1)",
            "INSERT INTO judge VALUES ('j', 'c', 'ann', 0, NULL, NULL, NULL, NULL, NULL, "
            "NULL, '{}', '', 'CODE', NULL)",
            "INSERT INTO task VALUES ('t', 'c', 'j', 1, 'judged', NULL, '[]', 1, 'done', "
            "NULL, NULL)",
            *(
                f"INSERT INTO judgement VALUES ('{key}', 't', 0, {at}, {before}, 'j', '{{}}', "
                "'', NULL, 1, 1, 2, 1000, 900, 0, 0, 0, 'v')"
                for at, key, before in ((1, "a", "NULL"), (2, "b", "'a'"))
            ),
            "INSERT INTO event VALUES ('t', 0, 3, 10, 'blur', 'null')",
            f"INSERT INTO admin VALUES ('ann', '{bare}')",
        ):
            db.exec_driver_sql(sql)
    old.close()
    new = stores.open(store_url)
    with new.reading() as db:
        kept = db.execute(text("SELECT id, supersedes, wall_ms, called FROM judgement"))
        assert sorted(map(tuple, kept)) == [
            ("a", None, 1000, None),
            ("b", "a", 1000, None),
        ]
        event = db.execute(text("SELECT client, seq, kind FROM event")).one()
        assert tuple(event) == ("", 3, "blur")
        kept = access.find_password_hash(db, "ann")
        assert access.check_password("my password", kept)
    new.close()


def test_a_new_store_is_its_owners_alone(tmp_path):
    mask = os.umask(0o022)
    try:
        store = stores.open(str(tmp_path / "judge.db"))
        with store.transaction() as db:
            audit.add_entry(db, "somebody", "something", {}, now=1.0)
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        store.close()
    finally:
        os.umask(mask)
    assert {*modes.values()} == {0o600}
    assert "judge.db" in modes
    assert len(modes) > 1, "the log of what is written was looked at, too"


@pytest.mark.parametrize(
    ("said", "kind", "message"), load_cases("opening: what databases say has a remedy")
)
def test_what_databases_say_has_a_remedy(said, kind, message):
    error = convert_error(Exception(said))
    assert error.kind == kind
    assert str(error).startswith("The store cannot be used: ")
    assert message in str(error)
    # Down is what may be up again, whatever it says; a mistake of ours is not.
    down = convert_error(OperationalError("SELECT 1", {}, Exception(said)))
    assert down.kind == ("unreachable" if kind == "fault" else kind)
