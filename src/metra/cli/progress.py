"""A line on standard error that says how far long work has come."""

import sys
import time
from types import TracebackType


class Progress:
    """Counts segments; shows nothing for quick work, or where no one is watching."""

    def __init__(self, delay: float = 1.0) -> None:
        self._start = self._shown = time.monotonic()
        self._delay = delay
        self._watched = sys.stderr.isatty()
        self._visible = False

    def __call__(self, segments: int) -> None:
        """Say how many segments are done."""
        now = time.monotonic()
        if not self._watched or now - self._shown < self._delay:
            return
        rate = segments / (now - self._start)
        self._delay = 0.2
        self._shown = now
        self._visible = True
        line = f"\r{segments:,} segments, {rate:,.0f} a second \x1b[K"
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
