"""Following Spark at work: how many tasks are done, and no work left behind on Ctrl-C."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, TypeAlias
from uuid import uuid4

#: Told how many tasks are done, and how many there are so far.
Watcher: TypeAlias = Callable[[int, int], None]

_EVERY = 0.5  # seconds


@contextmanager
def watched(session: Any, progress: Watcher | None) -> Iterator[None]:
    """Tell how far the work inside has come, and cancel it if it is interrupted."""
    context = session.sparkContext
    group = f"metra-{uuid4().hex}"
    context.setJobGroup(group, "metra", interruptOnCancel=True)
    done = Event()
    thread = Thread(target=_follow, args=(context, group, progress, done), daemon=True)
    if progress is not None:
        thread.start()
    try:
        yield
    except BaseException:
        context.cancelJobGroup(group)
        raise
    finally:
        done.set()
        if progress is not None:
            thread.join()
        context.setLocalProperty("spark.jobGroup.id", None)


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
