"""How far long work has come, told to whoever watches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

#: Is told who works, and in a line how far they are.
Watcher: TypeAlias = Callable[[str, str], None]

_watchers: list[Watcher] = []


@contextmanager
def watch_progress(show: Watcher) -> Iterator[None]:
    """Have a function told what work reports, from any thread, unless another one watches.

    >>> with watch_progress(lambda worker, line: print(f"{worker}: {line}")):
    ...     tell_progress("judge", "3 of 10 answers")
    judge: 3 of 10 answers
    """
    _watchers.append(show)
    try:
        yield
    finally:
        _watchers.remove(show)


def tell_progress(worker: str, line: str) -> None:
    """Report how far a worker is, to who began to watch last."""
    for show in _watchers[-1:]:
        show(worker, line)
