"""Work on all cores, and how far it is.

The kernels release the interpreter, so threads are enough.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, islice
from typing import TypeAlias, TypeVar

from metra.errors import OptionError

Item = TypeVar("Item")
Answer = TypeVar("Answer")
#: Receives how much is done and what share of all that is, None if it is not known.
Progress: TypeAlias = Callable[[int, float | None], None]


def thread_count() -> int:
    """Read METRA_THREADS, or count the cores that this process may use."""
    setting = os.environ.get("METRA_THREADS", "")
    if not setting:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if not setting.isdecimal() or int(setting) < 1:
        msg = f"METRA_THREADS is {setting!r}; expected a whole number of at least 1."
        raise OptionError(msg)
    return int(setting)


def ordered_map(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    threads: int,
    *,
    alone: int = 2,
) -> Iterator[Answer]:
    """Apply the function to each item, answers in order, few items at a time in memory.

    The first items are worked on without threads: for a small job they are not worth it.
    Whatever ends the iteration early, Ctrl-C included, stops the work of all threads.
    """
    items = iter(items)
    yield from map(function, items if threads == 1 else islice(items, alone))
    following = next(items, None)
    if following is None:
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    calls = StoppableCalls()
    with ThreadPoolExecutor(threads) as workers:
        waiting: deque[Future[Answer]] = deque()
        try:
            for item in chain([following], items):
                waiting.append(workers.submit(calls.call, function, item))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            calls.stop()


class StoppableCalls:
    """Calls in other threads, which can be stopped wherever they are.

    A kernel stops for its flag; Python code gets KeyboardInterrupt at its next step.
    """

    def __init__(self) -> None:
        from metra._core import StopFlag

        self._flag = StopFlag()
        self._lock = threading.Lock()
        self._threads: set[int] = set()

    def call(self, function: Callable[[Item], Answer], item: Item) -> Answer:
        """Call a function in this thread; raise KeyboardInterrupt once it is stopped."""
        thread = threading.get_ident()
        with self._lock:
            self._threads.add(thread)
        try:
            return self._flag.call(function, item)
        finally:
            # An interrupt that has not been raised yet is raised here, and not in the pool.
            with self._lock:
                self._threads.discard(thread)

    def stop(self) -> None:
        """Stop all running calls, and refuse later ones."""
        self._flag.set()
        with self._lock:
            for thread in self._threads:
                _interrupt(thread)


def _interrupt(thread: int) -> None:
    """Have the interpreter raise KeyboardInterrupt in a thread when it runs Python next."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
    )


#: Is told who works, and in a line how far they are.
Watcher: TypeAlias = Callable[[str, str], None]

_watchers: list[Watcher] = []


@contextmanager
def _add_listener(listeners: list[Item], listener: Item) -> Iterator[None]:
    listeners.append(listener)
    try:
        yield
    finally:
        listeners.remove(listener)


def watch_progress(show: Watcher) -> AbstractContextManager[None]:
    """Have a function told what work reports, from any thread, unless another one watches.

    >>> with watch_progress(lambda worker, line: print(f"{worker}: {line}")):
    ...     tell_progress("judge", "3 of 10 answers")
    judge: 3 of 10 answers
    """
    return _add_listener(_watchers, show)


def tell_progress(worker: str, line: str) -> None:
    """Report how far a worker is, to who began to watch last."""
    for show in _watchers[-1:]:
        show(worker, line)


#: Those who are told how much of long work is done, the last one first.
_counters: list[Progress] = []


def count_blocks(report: Progress) -> AbstractContextManager[None]:
    """Have a function told how far loops over blocks are.

    >>> with count_blocks(lambda done, share: print(done, share)):
    ...     starts = list(track_blocks(5, 2))
    0 0.0
    2 0.4
    4 0.8
    5 1.0
    >>> starts
    [0, 2, 4]
    """
    return _add_listener(_counters, report)


def track_blocks(total: int, block: int = 1) -> Iterator[int]:
    """Return where each block starts, and report it; loops inside do not report."""
    if not _counters:
        yield from range(0, total, block)
        return
    report = _counters.pop()
    try:
        report(0, 0.0)
        for start in range(0, total, block):
            yield start
            done = min(start + block, total)
            report(done, done / total)
    finally:
        _counters.append(report)
