"""Where results go, how far long work has come, and where a report comes from."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from metra.errors import FormatError

if TYPE_CHECKING:
    from metra.report.html.page import Provenance
    from metra.report.table import Style


@contextmanager
def show_progress(
    noun: str = "segments", delay: float = 1.0
) -> Iterator[Callable[..., None]]:
    """Give a function that shows how many are done, on a line that is gone at the end.

    It may be told what share of the work that is; work that is reported with 0 done begins
    only then. Nothing is shown of quick work, or where no one watches.
    """
    is_visible = False
    start = shown = time.monotonic()

    def report(done: int, share: float | None = None) -> None:
        nonlocal start, shown, delay, is_visible
        now = time.monotonic()
        if not done:
            start = shown = now
        if now - shown < delay or not sys.stderr.isatty():
            return
        spent = now - start
        delay, shown, is_visible = 0.2, now, True
        rate = f"{done:,} {noun}, {done / spent:,.0f} a second"
        _write_line(f"{rate}{_format_remaining(share, spent)} ")

    try:
        yield report
    finally:
        if is_visible:
            _write_line("")


@contextmanager
def name_stages() -> Iterator[Callable[[str], None]]:
    """Give a function that says what comes next, where it cannot be counted."""
    is_watched = sys.stderr.isatty()
    stages: list[str] = []

    def name_stage(stage: str) -> None:
        stages.append(stage)
        if is_watched:
            _write_line(f"{stage} … ")

    try:
        yield name_stage
    finally:
        if is_watched and stages:
            _write_line("")


def _write_line(text: str) -> None:
    """Write over the line that is there."""
    print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


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


def build_style(
    out: str | None = None, *, digits: int = 2, sort: bool = False
) -> "Style":
    """Choose how results look: in colour and as wide as the screen, or as in a file.

    Colour is for people only: not when piped, not with NO_COLOR.
    """
    from metra.report.table import Style

    if out:
        return Style(digits=digits, sort=sort)
    is_screen = sys.stdout.isatty()
    width = int(wanted) if (wanted := os.environ.get("COLUMNS", "")).isdecimal() else 0
    if is_screen and not width:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    has_color = is_screen and not os.environ.get("NO_COLOR")
    return Style(digits, has_color, sort, width or None)


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
    import shlex

    from metra.report.html.page import Provenance, get_date

    command = shlex.join(["metra", *sys.argv[1:]])
    return Provenance(command, files, get_date())
