"""Where results go, how far long work has come, and where a report comes from."""

import os
import shlex
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from metra.errors import FormatError

if TYPE_CHECKING:
    from metra.report.html.page import Provenance
    from metra.report.table import Style


class ProgressLine:
    """A line that is written over and over, and gone at the end; none where no one watches.

    It counts segments, or trials, and shows nothing for quick work.
    """

    def __init__(self, noun: str = "segments", delay: float = 1.0) -> None:
        self._noun = noun
        self._delay = delay
        self._watched = sys.stderr.isatty()
        self._visible = False
        self._start = self._shown = time.monotonic()

    def __call__(self, done: int, share: float | None = None) -> None:
        """Say how many are done, and what share of the work that is, if it is known.

        Work that is reported with 0 done begins only now.
        """
        now = time.monotonic()
        if not done:
            self._start = self._shown = now
        if not self._watched or now - self._shown < self._delay:
            return
        spent = now - self._start
        self._delay = 0.2
        self._shown = now
        rate = f"{done:,} {self._noun}, {done / spent:,.0f} a second"
        self._show(rate + _format_remaining(share, spent))

    def name_stage(self, stage: str) -> None:
        """Say what comes next, where it cannot be counted."""
        self._show(f"{stage} …")

    def _show(self, text: str) -> None:
        if self._watched:
            self._visible = True
            print(f"\r{text} \x1b[K", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._visible:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _format_remaining(share: float | None, spent: float) -> str:
    """Say how much is done and how long the rest will take, at the pace so far."""
    if not share or share > 1:
        return ""
    return f", {share:.0%}, {format_duration(spent * (1 - share) / share)} left"


def format_duration(seconds: float) -> str:
    """Write a time in its two largest units.

    >>> format_duration(42), format_duration(200), format_duration(8000)
    ('42 s', '3 min 20 s', '2 h 13 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def wants_color() -> bool:
    """Colour for people only: not when piped, not with NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def get_screen_width() -> int | None:
    """Give the columns of the screen; None where the output goes elsewhere."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    return (
        os.get_terminal_size(sys.stdout.fileno()).columns
        if sys.stdout.isatty()
        else None
    )


def build_style(digits: int, out: str | None, *, sort: bool = False) -> "Style":
    """Choose how results look: in colour and as wide as the screen, or as in a file."""
    from metra.report.table import Style

    return Style(
        digits=digits,
        color=wants_color() and not out,
        sort=sort,
        width=None if out else get_screen_width(),
    )


def write_output(text: str, path: str | None) -> None:
    """Print the text, or put it into the file in one step."""
    if path is not None and path != "-":
        from metra.formats.atomic import write_file

        with write_file(path) as file:
            file.write(f"{text}\n".encode())
        return
    try:
        click.echo(text, color=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        from metra.formats.atomic import close_stdout

        raise close_stdout(error) from None
    except UnicodeEncodeError as error:
        msg = (
            f"Standard output has no {error.object[error.start]!r} in its encoding, "
            f"{error.encoding}; set PYTHONIOENCODING=utf-8, or name a file with -o."
        )
        raise FormatError(msg) from None


def build_provenance(files: Sequence[str]) -> "Provenance":
    """Note the command line and the day, or the day that SOURCE_DATE_EPOCH says."""
    from metra.report.html.page import Provenance

    command = shlex.join(["metra", *sys.argv[1:]])
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return Provenance(command, files, time.strftime("%Y-%m-%d", time.gmtime(moment)))
