"""Jobs done one after the other; each is done once, also if workers are killed."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from metra.errors import MetraError, StoreError
from metra.stats.parallel import Progress
from metra.store import jobs, test_sets
from metra.store.database import Store
from metra.store.jobs import LEASE_SECONDS, Job
from metra.workbench import run_scores
from metra.workbench.leaderboard import build_leaderboard
from metra.workbench.run_scores import Write

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Computes the results of a job, outside of any transaction.
Handler = Callable[[Store, Job, Progress], Write]
HANDLERS: dict[str, Handler] = {run_scores.KIND: run_scores.score_runs}
#: Seconds between two looks for a job.
_PAUSE = 0.5
_log = logging.getLogger("metra.web")


def start_worker(store: Store, clock: Callable[[], float]) -> threading.Event:
    """Work on the jobs of a store in a thread; it ends after the event is set."""
    stop = threading.Event()
    run = threading.Thread(
        target=_work, args=(store, clock, stop), daemon=True, name="metra-jobs"
    )
    run.start()
    return stop


def _work(store: Store, clock: Callable[[], float], stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            is_done = do_next_job(store, clock)
        except StoreError as error:
            _log.error("Jobs wait: %s", error)
            is_done = False
        if not is_done:
            stop.wait(_PAUSE)


def do_next_job(store: Store, clock: Callable[[], float] = time.time) -> bool:
    """Do the oldest job; return False if none waits."""
    with store.reading() as db:
        if not jobs.count_claimable(db, now=clock()):
            return False
    with store.transaction() as db:
        job = jobs.claim_job(db, HANDLERS, now=clock())
    if job is None:
        return False
    try:
        with _keep_lease(store, job, clock) as progress:
            write = HANDLERS[job.kind](store, job, progress)
        with store.transaction() as db:
            if jobs.end_job(db, job, now=clock()):
                write(db)
        prepare_board(store, job)
        return True
    except StoreError:
        raise
    except MetraError as error:
        message = str(error)
    except Exception:
        _log.exception("A job failed: %s %s", job.kind, job.id)
        message = "An internal error occurred; the log of the server has its details."
    with store.transaction() as db:
        jobs.end_job(db, job, now=clock(), error=message)
    return True


def prepare_board(store: Store, job: Job) -> None:
    """Compute the leaderboard that a job has changed, before somebody asks for it."""
    with store.reading() as db:
        stored = test_sets.find_test_set(db, job.workspace, job.subject)
        if stored is not None:
            build_leaderboard(db, stored)


@contextmanager
def _keep_lease(
    store: Store, job: Job, clock: Callable[[], float]
) -> "Iterator[Progress]":
    """Keep a job and write down its progress, while a handler works on it."""
    share, is_over = 0.0, threading.Event()

    def note(_: int, done: float | None) -> None:
        nonlocal share
        share = done or share

    def extend() -> None:
        while not is_over.wait(LEASE_SECONDS / 6):
            # A store that is busy now is asked again before the lease ends.
            with suppress(StoreError), store.transaction() as db:
                jobs.extend_lease(db, job, share, now=clock())

    thread = threading.Thread(target=extend, daemon=True, name="metra-lease")
    thread.start()
    try:
        yield note
    finally:
        is_over.set()
        thread.join()
