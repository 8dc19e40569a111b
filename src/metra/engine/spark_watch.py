"""Spark at work: how many tasks are done, and no work left behind on Ctrl-C."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4

#: Told how many tasks are done, and how many there are so far.
Watcher: TypeAlias = Callable[[int, int], None]
Answer = TypeVar("Answer")

_EVERY = 0.5  # seconds
_PATIENCE = 60


def run(session: Any, work: Callable[[], Answer], progress: Watcher | None) -> Answer:
    """Have work done that waits for Spark, and cancel it if it is interrupted.

    It waits in a thread of its own: Ctrl-C reaches the main thread, and finds it free to
    tell Spark.
    """
    context = session.sparkContext
    group = f"metra-{uuid4().hex}"
    done = Event()
    found: list[Answer] = []
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            context.setJobGroup(group, "metra", interruptOnCancel=True)
            found.append(work())
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threads = [Thread(target=attempt, daemon=True)]
    if progress is not None:
        following = (context, group, progress, done)
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
            context.cancelJobGroup(group)
            if done.wait(_EVERY):
                break
        if not found:  # else it was finished before Spark could be told
            raise
    if failed:
        raise failed[0]
    return found[0]


def _follow(context: Any, group: str, progress: Watcher, done: Event) -> None:
    tracker = context.statusTracker()
    while not done.wait(_EVERY):
        stages = [
            tracker.getStageInfo(stage)
            for job in tracker.getJobIdsForGroup(group)
            for stage in getattr(tracker.getJobInfo(job), "stageIds", ())
        ]
        known = [stage for stage in stages if stage is not None]
        finished = sum(stage.numCompletedTasks for stage in known)
        progress(finished, sum(stage.numTasks for stage in known))
