"""Workspaces, test sets, runs and arrays in the store."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sqlalchemy import func, select
from tests.workbench.workspaces import make_room, make_texts

from metra import store as stores
from metra.errors import CorpusError, OptionError
from metra.store import access, database, score_arrays, test_sets, workspaces
from metra.store.backup import restore_backup, write_backup
from metra.store.score_arrays import RunScore, choose_type

BY = {"now": 1.0, "who": "ann"}


def count_rows(store, table):
    with store.reading() as db:
        return db.execute(select(func.count()).select_from(table)).scalar_one()


def test_the_first_account_owns_the_main_workspace(store):
    with store.transaction() as db:
        access.set_password(db, "ann", "a long password", **BY)
        [main] = workspaces.list_workspaces(db, "ann")
    assert (main.id, main.name, main.role) == ("main", "Main", "owner")
    assert main.allows("viewer")


def test_accounts_of_an_older_store_own_the_main_workspace(store, store_url):
    """As a store is that the version before this one has left."""
    tables = ("score_array", "run", "test_set", "content", "job", "access_token")
    with store.transaction() as db:
        access.set_password(db, "ann", "a long password", **BY)
        for name in (*tables, "member", "workspace"):
            db.exec_driver_sql(f"DROP TABLE {name}")
        db.exec_driver_sql("ALTER TABLE campaign DROP COLUMN test_set")
        db.exec_driver_sql("UPDATE schema_version SET version = 7")
    again = stores.open(store_url)
    with again.reading() as db:
        assert workspaces.list_members(db, "main") == [("ann", "owner")]
    again.close()


def test_only_members_find_a_workspace(store):
    room = make_room(store)
    with room.store.reading() as db:
        assert workspaces.find_workspace(db, "main", "sue") is None
        assert workspaces.find_workspace(db, "main", "vic").role == "viewer"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("main", "ann", "viewer"), "ann is the only owner"),
        (("main", "ann", None), "ann is the only owner"),
        (("main", "vic", "king"), "A role cannot be 'king'; expected viewer"),
        (("main", "who", "viewer"), "No account is named 'who'"),
    ],
)
def test_members_are_refused(sqlite_store, arguments, message):
    make_room(sqlite_store)
    with (
        pytest.raises(OptionError, match=message),
        sqlite_store.transaction() as db,
    ):
        workspaces.set_member(db, *arguments, **BY)


def test_a_second_workspace_has_a_name_of_its_own(store):
    room = make_room(store)
    with store.transaction() as db:
        key = workspaces.create_workspace(db, " Second  one ", now=2.0, who="vic")
        names = [(one.name, one.role) for one in workspaces.list_workspaces(db, "vic")]
        assert names == [("Main", "viewer"), ("Second one", "owner")]
        assert test_sets.find_test_set(db, key, room.test_set.id) is None
        for taken in ("Second one", " "):
            with pytest.raises(OptionError, match="choose another name"):
                workspaces.create_workspace(db, taken, **BY)


def test_a_token_opens_its_workspace_until_it_is_revoked(store):
    make_room(store)
    with store.transaction() as db:
        secret = workspaces.create_token(db, "main", "CI", "viewer", **BY)
        assert workspaces.use_token(db, "wrong", now=2.0) is None
        workspace, name = workspaces.use_token(db, secret, now=3.0)
        assert (workspace.id, workspace.role, name) == ("main", "viewer", "CI")
        [token] = workspaces.list_tokens(db, "main")
        assert token.used_at == 3.0
        workspaces.revoke_token(db, "other", token.id, **BY)
        assert workspaces.use_token(db, secret, now=4.0) is not None
        workspaces.revoke_token(db, "main", token.id, **BY)
        assert workspaces.use_token(db, secret, now=5.0) is None
        with pytest.raises(OptionError, match="cannot have the role 'owner'"):
            workspaces.create_token(db, "main", "x", "owner", **BY)


def test_the_same_texts_are_one_test_set_and_others_its_next_version(store):
    room = make_room(store)
    columns = {"segments": 2, "references": [["a", None]], "source": ["x", "y"]}
    with store.transaction() as db:
        first = test_sets.add_test_set(db, "main", "small", columns, **BY)
        same = test_sets.add_test_set(db, "main", " small ", columns, **BY)
        other = columns | {"references": [["a", "b"]]}
        second = test_sets.add_test_set(db, "main", "small", other, now=2.0, who="x")
        assert same == first
        assert (second.version, second.title) == (2, "small v2")
        assert test_sets.find_set_by_name(db, "main", "small") == second
        [digest] = first.parts.references
        assert test_sets.read_texts(db, digest) == ["a", None]
        with pytest.raises(OptionError, match="has no name"):
            test_sets.add_test_set(db, "main", "  ", columns, **BY)
        assert [one.name for one, _ in test_sets.list_test_sets(db, "main")] == [
            "news",
            "small",
            "small",
        ]
    assert room.test_set.version == 1


def test_the_same_outputs_are_one_run(store):
    room = make_room(store)
    outputs = make_texts().outputs["system 0"]
    with store.transaction() as db:
        before = test_sets.list_runs(db, room.test_set)
        run = test_sets.add_run(db, room.test_set, "system 0", outputs, **BY)
        assert test_sets.list_runs(db, room.test_set) == before
        assert run in before
        with pytest.raises(
            CorpusError, match="has 1 segment but the test set news has"
        ):
            test_sets.add_run(db, room.test_set, "short", ["one"], **BY)


def test_texts_are_kept_once_and_deleted_with_the_last_that_has_them(store):
    room = make_room(store)
    contents = count_rows(store, database.content)
    texts = make_texts()
    columns = {"segments": 40, "references": texts.references}
    with store.transaction() as db:
        other = test_sets.add_test_set(db, "main", "same", columns, **BY)
        test_sets.add_run(db, other, "copy", texts.outputs["system 0"], **BY)
    assert count_rows(store, database.content) == contents
    with store.transaction() as db:
        test_sets.delete_test_set(db, room.test_set, **BY)
    assert count_rows(store, database.content) == 2
    with store.transaction() as db:
        test_sets.delete_test_set(db, other, **BY)
    assert count_rows(store, database.content) == 0


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(0, 5), st.integers(1, 4)),
        elements=st.one_of(
            st.integers(0, 2**33).map(float),
            st.floats(allow_nan=True, allow_infinity=True),
        ),
    )
)
def test_arrays_are_kept_to_the_last_bit(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "arrays.db"
    is_new = not path.exists()
    store = stores.open(str(path))
    with store.transaction() as db:
        if is_new:
            columns = {"segments": 1, "references": [["a"]]}
            access.set_password(db, "ann", "a long password", **BY)
            stored = test_sets.add_test_set(db, "main", "x", columns, **BY)
            test_sets.add_run(db, stored, "x", ["a"], **BY)
        [(stored, _)] = test_sets.list_test_sets(db, "main")
        [run] = test_sets.list_runs(db, stored)
        score_arrays.put_scores(db, RunScore(run.id, "m", "m", None), rows)
        kept = score_arrays.read_rows(db, [run.id], ["m"])[run.id, "m"]
    store.close()
    assert kept.tobytes() == rows.tobytes()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 255], "u1"),
        ([256], "u2"),
        ([65_536], "u4"),
        ([2**32], "f8"),
        ([-1], "f8"),
        ([-0.0], "f8"),
        ([0.5], "f8"),
        ([float("nan")], "f8"),
        ([float("inf")], "f8"),
    ],
)
def test_whole_numbers_take_little_room(values, kind):
    assert choose_type(np.array([values], dtype=float)) == kind


def test_a_backup_has_test_sets_runs_and_scores(store, tmp_path):
    room = make_room(store)
    room.work()
    path = str(tmp_path / "backup.db")
    written = write_backup(store, path)
    assert written["score_array"][0] == 9
    copy = stores.open(str(tmp_path / "copy.db"))
    assert restore_backup(path, copy) == written
    copy.close()
