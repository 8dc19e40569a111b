"""Writers who wait for each other, readers who wait for nobody, and lost connections."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from tests.campaigns import made, opened
from tests.patience import PATIENCE

from metra import store as stores
from metra.errors import StoreError
from metra.store import audit, judges

WRITERS, ROUNDS = 4, 12


@pytest.fixture
def other(store_url):
    """The same database, as another process has it open."""
    with closing(stores.open(store_url)) as opened_again:
        yield opened_again


def test_a_writer_waits_until_the_other_has_ended(tmp_path):
    """Also one that has written nothing yet: it may build on what it has read."""
    path = str(tmp_path / "judge.db")
    order, asked = [], threading.Event()
    with closing(stores.open(path)) as one, closing(stores.open(path)) as two:

        def write() -> None:
            asked.set()
            with two.transaction() as db:
                order.append(len(audit.list_entries(db)))

        with ThreadPoolExecutor(1) as pool:
            with one.transaction() as db:
                waiting = pool.submit(write)
                asked.wait(PATIENCE)
                with pytest.raises(TimeoutError):
                    waiting.result(0.2)
                audit.add_entry(db, "one", "wrote", now=1.0)
            waiting.result(PATIENCE)
    assert order == [1]


def test_nothing_is_lost_between_writers(store, store_url):
    """What is read in a transaction stands until it ends, from whatever process."""

    def count_up(_: int) -> None:
        with closing(stores.open(store_url)) as mine:
            for _ in range(ROUNDS):
                with mine.transaction() as db:
                    if not mine.is_sqlite:
                        db.exec_driver_sql("LOCK TABLE attempt IN EXCLUSIVE MODE")
                    at = db.exec_driver_sql("SELECT at FROM attempt").scalar_one()
                    db.exec_driver_sql(f"UPDATE attempt SET at = {at + 1}")

    with store.transaction() as db:
        db.exec_driver_sql("INSERT INTO attempt VALUES ('a', 1, 0)")
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(count_up, range(WRITERS)))
    with store.reading() as db:
        at = db.exec_driver_sql("SELECT at FROM attempt").scalar_one()
    assert at == WRITERS * ROUNDS


def test_who_waits_to_write_holds_no_connection(tmp_path):
    with closing(stores.open(str(tmp_path / "judge.db"))) as store:
        asked = threading.Barrier(4)

        def write() -> None:
            asked.wait()
            with store.transaction() as db:
                audit.add_entry(db, "somebody", "something", now=1.0)

        with ThreadPoolExecutor(3) as pool:
            with store.transaction():
                waiting = [pool.submit(write) for _ in range(3)]
                asked.wait()
                with pytest.raises(TimeoutError):
                    waiting[0].result(0.1)
                assert store.engine.pool.checkedout() == 1
            for one in waiting:
                one.result(PATIENCE)


def test_who_reads_waits_for_nobody(store, other):
    with store.transaction() as db:
        audit.add_entry(db, "somebody", "something", now=1.0)
        with other.reading() as theirs:
            assert audit.list_entries(theirs) == []


def test_requests_of_one_judge_wait_for_each_other(store, other):
    house = opened(store, made())
    with store.reading() as db:
        judge, second, *_ = judges.list_judges(db, house.campaign)

    def lock(key: str) -> str:
        with other.transaction() as db:
            return judges.find_judge(db, key, lock=True).id

    with ThreadPoolExecutor(2) as pool:
        with store.transaction() as db:
            judges.find_judge(db, judge.id, lock=True)
            waiting = pool.submit(lock, judge.id)
            if not store.is_sqlite:
                # Requests of others go on.
                assert pool.submit(lock, second.id).result(PATIENCE) == second.id
            with pytest.raises(TimeoutError):
                waiting.result(0.2)
        assert waiting.result(PATIENCE) == judge.id


def test_a_store_that_stays_locked_says_so(tmp_path, monkeypatch):
    from metra.store import database

    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.05)
    path = str(tmp_path / "judge.db")
    with closing(stores.open(path)) as one, closing(stores.open(path)) as two:
        with (
            one.transaction(),
            pytest.raises(StoreError, match="another program") as said,
            two.transaction(),
        ):
            pass
        assert said.value.kind == "busy"
        assert two.trouble is said.value
        two.check_writable()
        assert two.trouble is None


def end_connections(db):
    """End all connections to the database but this one, as a restart of PostgreSQL does."""
    db.exec_driver_sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_a_connection_that_was_lost_is_made_anew(store, other):
    with store.transaction() as db:
        audit.add_entry(db, "somebody", "before", now=1.0)

    def write() -> None:
        with store.transaction() as db:
            audit.add_entry(db, "somebody", "never", now=2.0)
            with other.transaction() as theirs:
                end_connections(theirs)
            audit.add_entry(db, "somebody", "never", now=3.0)

    with other.transaction() as theirs:
        end_connections(theirs)
    # One that was lost while nobody used it is not noticed.
    with store.transaction() as db:
        assert len(audit.list_entries(db)) == 1
    with pytest.raises(StoreError) as said:
        write()
    assert said.value.kind == "unreachable"
    with store.transaction() as db:
        audit.add_entry(db, "somebody", "after", now=4.0)
        assert {one.what for one in audit.list_entries(db)} == {"before", "after"}
