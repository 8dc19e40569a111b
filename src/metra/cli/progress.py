"""A line on standard error that says how far long work has come."""

import sys
import time
from collections.abc import Callable
from types import TracebackType


class Progress:
    """Counts segments, or trials; shows nothing for quick work, or where no one watches."""

    def __init__(self, noun: str = "segments", delay: float = 1.0) -> None:
        self._noun = noun
        self._start = self._shown = time.monotonic()
        self._delay = delay
        self._watched = sys.stderr.isatty()
        self._visible = False
        #: What share of the work is done, from 0 to 1, if that can be told.
        self.share: Callable[[], float | None] = lambda: None

    def __call__(self, done: int) -> None:
        """Say how many are done."""
        now = time.monotonic()
        if not self._watched or now - self._shown < self._delay:
            return
        spent = now - self._start
        self._delay = 0.2
        self._shown = now
        self._visible = True
        rate = f"{done:,} {self._noun}, {done / spent:,.0f} a second"
        line = f"\r{rate}{_left(self.share(), spent)} \x1b[K"
        print(line, end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._visible:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _left(share: float | None, spent: float) -> str:
    """Say how much is done and how long the rest will take, at the pace so far."""
    if not share or share > 1:
        return ""
    return f", {share:.0%}, {duration(spent * (1 - share) / share)} left"


def duration(seconds: float) -> str:
    """Write a time in its two largest units.

    >>> duration(42), duration(200), duration(8000)
    ('42 s', '3 min 20 s', '2 h 13 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
