"""A line on standard error that says how far long work has come."""

import sys
import time
from types import TracebackType


class Progress:
    """Counts segments, or trials; shows nothing for quick work, or where no one watches."""

    def __init__(self, noun: str = "segments", delay: float = 1.0) -> None:
        self._noun = noun
        self._start = self._shown = time.monotonic()
        self._delay = delay
        self._watched = sys.stderr.isatty()
        self._visible = False

    def __call__(self, done: int) -> None:
        """Say how many are done."""
        now = time.monotonic()
        if not self._watched or now - self._shown < self._delay:
            return
        rate = done / (now - self._start)
        self._delay = 0.2
        self._shown = now
        self._visible = True
        line = f"\r{done:,} {self._noun}, {rate:,.0f} a second \x1b[K"
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
