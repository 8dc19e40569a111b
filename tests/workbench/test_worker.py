"""Jobs are done once, also if workers die or work at the same time."""

import pytest
from tests.campaigns import run_together
from tests.workbench.workspaces import make_room

from metra import store as stores
from metra.errors import CorpusError
from metra.store import jobs, score_arrays, test_sets
from metra.store.jobs import LEASE_SECONDS, MOST_TRIES
from metra.workbench import worker


def list_scores(room):
    with room.store.reading() as db:
        runs = [run.id for run in test_sets.list_runs(db, room.test_set)]
        return score_arrays.list_scores(db, runs)


def get_job(room):
    with room.store.reading() as db:
        return jobs.list_jobs(db, "main")[0]


def test_the_same_job_waits_once(store):
    room = make_room(store)
    with store.transaction() as db:
        again = jobs.add_job(
            db,
            "main",
            "score",
            room.test_set.id,
            get_job(room).payload,
            now=1.0,
            who="",
        )
    assert again == get_job(room).id
    assert room.work() == 1


def test_a_job_whose_worker_died_is_done_by_another(store):
    room = make_room(store)
    with store.transaction() as db:
        assert jobs.claim_job(db, worker.HANDLERS, now=room.clock()).tries == 1
    assert room.work() == 0
    room.clock.pass_by(LEASE_SECONDS + 1)
    assert room.work() == 1
    assert len(list_scores(room)) == 9
    assert get_job(room).state == "done"


def test_a_worker_that_lost_its_job_stores_nothing(store, monkeypatch):
    room = make_room(store)
    score = worker.HANDLERS["score"]

    def score_slowly(*arguments):
        write = score(*arguments)
        room.clock.pass_by(LEASE_SECONDS + 1)
        with store.transaction() as db:
            jobs.claim_job(db, worker.HANDLERS, now=room.clock())
        return write

    monkeypatch.setitem(worker.HANDLERS, "score", score_slowly)
    assert worker.do_next_job(store, room.clock)
    assert list_scores(room) == []
    assert (get_job(room).state, get_job(room).tries) == ("running", 2)


def test_a_job_that_kills_its_workers_is_given_up(store):
    room = make_room(store)
    for _ in range(MOST_TRIES):
        with store.transaction() as db:
            assert jobs.claim_job(db, worker.HANDLERS, now=room.clock()) is not None
        room.clock.pass_by(LEASE_SECONDS + 1)
    assert room.work() == 0
    job = get_job(room)
    assert (job.state, job.error) == (
        "failed",
        "The job was interrupted 3 times; start it again.",
    )


def test_workers_share_jobs(store, store_url):
    room = make_room(store)
    with store.transaction() as db:
        for metric in ("wer", "per", "f1", "recall"):
            runs = [run.id for run in test_sets.list_runs(db, room.test_set)]
            payload = {"runs": runs, "specs": [metric]}
            more = {"now": room.clock(), "who": "ann"}
            jobs.add_job(db, "main", "score", room.test_set.id, payload, **more)
    done = []

    def work(_: int) -> None:
        again = stores.open(store_url)
        while worker.do_next_job(again, room.clock):
            done.append(1)
        again.close()

    run_together(work, range(3))
    assert len(done) == 5
    assert len(list_scores(room)) == 3 * 7


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CorpusError("Two lines are missing."), "Two lines are missing."),
        (
            ZeroDivisionError("secret"),
            "An internal error occurred; the log of the server has its details.",
        ),
    ],
)
def test_a_job_that_fails_says_why(sqlite_store, monkeypatch, error, words):
    room = make_room(sqlite_store)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setitem(worker.HANDLERS, "score", fail)
    assert room.work() == 1
    assert (get_job(room).state, get_job(room).error) == ("failed", words)


def test_progress_is_written_while_a_job_runs(sqlite_store, monkeypatch):
    room = make_room(sqlite_store)
    monkeypatch.setattr(worker, "LEASE_SECONDS", 0.06)
    shares = []

    def watch(_store, _job, progress):
        progress(20, 0.5)
        while not shares or shares[-1] < 0.5:
            shares.append(get_job(room).share)
        return lambda _: None

    monkeypatch.setitem(worker.HANDLERS, "score", watch)
    assert room.work() == 1
    assert shares[-1] == 0.5


def test_runs_that_were_deleted_are_left_out(sqlite_store):
    room = make_room(sqlite_store)
    with sqlite_store.transaction() as db:
        first, *_ = test_sets.list_runs(db, room.test_set)
        test_sets.delete_run(db, first, now=1.0, who="ann")
    assert room.work() == 1
    assert len(list_scores(room)) == 6
    with sqlite_store.transaction() as db:
        test_sets.delete_test_set(db, room.test_set, now=1.0, who="ann")
    assert list_scores(room) == []
