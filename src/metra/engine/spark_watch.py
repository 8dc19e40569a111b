"""Spark at work: how many tasks are done, and no work left behind on Ctrl-C."""

from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any, TypeAlias
from uuid import uuid4

#: Told how many tasks are done, and what share of the work that is, from 0 to 1.
Watcher: TypeAlias = Callable[[int, float], None]

_EVERY = 0.5  # seconds
_PATIENCE = 240  # times that; a second Ctrl-C is always quicker


def run(
    session: Any, steps: Sequence[Callable[[], None]], progress: Watcher | None
) -> None:
    """Have steps done that wait for Spark, and cancel them if they are interrupted.

    They wait in a thread of its own: Ctrl-C reaches the main thread, and finds it free to
    tell Spark.
    """
    context = session.sparkContext
    # Each step has its own group of jobs, so that it can be told how far it is.
    groups = [f"metra-{uuid4().hex}" for _ in steps]
    done = Event()
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            for group, step in zip(groups, steps, strict=True):
                context.setJobGroup(group, "metra", interruptOnCancel=True)
                step()
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threads = [Thread(target=attempt, daemon=True)]
    if progress is not None:
        following = (context, groups, progress, done)
        threads.append(Thread(target=_follow, args=following, daemon=True))
    for thread in threads:
        thread.start()
    try:
        while not done.wait(_EVERY):
            pass
        # Nobody is told of work that is over, nor asks a session that may be stopped.
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        # What Spark has not begun yet it cannot cancel: it is told until nothing comes.
        for _ in range(_PATIENCE):
            for group in groups:
                context.cancelJobGroup(group)
            if done.wait(_EVERY):
                break
        # Else it was finished before Spark could be told.
        if failed or not done.is_set():
            raise
    if failed:
        raise failed[0]


def _follow(
    context: Any, groups: Sequence[str], progress: Watcher, done: Event
) -> None:
    tracker = context.statusTracker()
    share = 0.0
    while not done.wait(_EVERY):
        tasks = [_tasks(tracker, group) for group in groups]
        begun = [pair for pair in tasks if pair[1]]
        if not begun:
            continue
        finished, known = begun[-1]
        # A step may turn out to have more tasks than it had so far: what was said stands.
        share = max(share, (len(begun) - 1 + finished / known) / len(groups))
        progress(sum(finished for finished, _ in tasks), share)


def _tasks(tracker: Any, group: str) -> tuple[int, int]:
    """How many tasks of a group of jobs are done, and how many there are so far."""
    stages = [
        tracker.getStageInfo(stage)
        for job in tracker.getJobIdsForGroup(group)
        for stage in getattr(tracker.getJobInfo(job), "stageIds", ())
    ]
    known = [stage for stage in stages if stage is not None]
    finished = sum(stage.numCompletedTasks for stage in known)
    return finished, sum(stage.numTasks for stage in known)
