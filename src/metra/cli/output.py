"""Output of results, progress on standard error, and the provenance of a report."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from metra.errors import CorpusError, FormatError

if TYPE_CHECKING:
    from metra.report.table import PaperOptions, Style


@contextmanager
def show_progress(noun: str = "segments") -> Iterator[Callable[..., None]]:
    """Give a function that shows progress on a line, which is removed at the end.

    It takes the share of the work as well; work begins when 0 done are reported. Nothing is
    shown of quick work, or without a terminal. Messages of workers replace the line as they
    come, and the last one of each stays.
    """
    from metra.stats.parallel import watch_progress

    is_visible, delay = False, 1.0
    start = shown = time.monotonic()
    last_words: dict[str, str] = {}

    def show_worker(worker: str, line: str) -> None:
        nonlocal shown, is_visible
        last_words[worker] = line
        now = time.monotonic()
        if now - shown >= 0.2 and sys.stderr.isatty():
            shown, is_visible = now, True
            _write_line(f"{worker}: {line} ")

    def report(done: int, share: float | None = None) -> None:
        nonlocal start, shown, delay, is_visible
        now = time.monotonic()
        if not done:
            start = shown = now
        if now - shown < delay or not sys.stderr.isatty():
            return
        spent = now - start
        delay, shown, is_visible = 0.2, now, True
        rate = f"{done:,} {noun}, {done / spent:,.0f} per second"
        _write_line(f"{rate}{_format_remaining(share, spent)} ")

    try:
        with watch_progress(show_worker):
            yield report
    finally:
        if is_visible:
            _write_line("")
        for worker, line in last_words.items():
            click.echo(f"metra: {worker}: {line}.", err=True)


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


@contextmanager
def show_text_warnings(*, strict: bool) -> Iterator[None]:
    """Write what looks wrong with the texts to standard error; with `strict`, then fail."""
    import warnings

    from metra.cli import name_flags
    from metra.cli.options import STRAY_OUTPUTS
    from metra.errors import TextWarning

    messages = [
        f"{output} comes after a reference, but is scored as a system; if it is a "
        f"reference, write -r {output}."
        for output in click.get_current_context().meta.get(STRAY_OUTPUTS, [])
    ]
    show_other = warnings.showwarning

    def show(message: Warning | str, *details: Any, **more: Any) -> None:
        if isinstance(message, TextWarning):
            messages[:] = dict.fromkeys([*messages, name_flags(str(message))])
        else:
            show_other(message, *details, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("always", TextWarning)
        warnings.showwarning = show
        yield
    for message in messages:
        click.echo(f"metra: warning: {message}", err=True)
    if strict and messages:
        count = "1 warning" if len(messages) == 1 else f"{len(messages)} warnings"
        msg = f"{count} and --strict: nothing was written."
        raise CorpusError(msg)


def _write_line(text: str) -> None:
    """Replace the current line."""
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


def format_size(count: int) -> str:
    """Write a number of bytes in kB or MB.

    >>> format_size(900), format_size(2_340_000)
    ('1 kB', '2.3 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count / 1e3:.0f} kB"


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


def build_result_style(
    form: str, out: str | None, given: Mapping[str, Any], *, sort: bool = False
) -> "Style":
    """Choose how scores look, and refuse what the format cannot show."""
    from metra.report import PAPER_FORMATS

    if form == "xlsx" and not given["methods"]:
        from metra.formats.workbook import import_xlsxwriter

        import_xlsxwriter()
        if out is None or out == "-":
            msg = "A workbook cannot be printed; name a file with -o FILE.xlsx."
            raise click.UsageError(msg)
    digits = given["digits"]
    if digits is None:
        digits = 1 if form in PAPER_FORMATS else 2
    style = build_style(out, digits=digits, sort=sort)._replace(
        signature=given["signature"], verbose=bool(given.get("verbose"))
    )
    if given["paper"]:
        paper = _read_paper_options(given["paper"], form, "all_pairs" in given)
        style = style._replace(paper=paper)
    return style


def _read_paper_options(
    given: Sequence[str], form: str, has_differences: bool
) -> "PaperOptions":
    """Read the settings of --table."""
    from metra.cli.settings import check_choice, parse_settings
    from metra.report import PAPER_FORMATS
    from metra.report.table import PaperOptions

    if form not in PAPER_FORMATS:
        listed = ", ".join(PAPER_FORMATS)
        msg = f"--table {given[0]} needs a table for papers: --format {listed}."
        raise click.UsageError(msg)
    settings = parse_settings("--table", given, PaperOptions._fields)
    differences = check_choice(
        "--table", {"differences": "no"} | settings, "differences", ("yes", "no")
    )
    if differences == "yes" and not has_differences:
        msg = "--table differences=yes is a table of metra compare; leave it out."
        raise click.UsageError(msg)
    return PaperOptions(
        settings.get("caption"), settings.get("label"), differences == "yes"
    )


def write_picture(
    draw: "Callable[[float | None], str]", path: str, width: float | None
) -> None:
    """Draw a picture, and write it in the format that the file's name asks for.

    With a `width`, in millimetres, it is for print.
    """
    from metra.report.picture_file import check_picture_path, convert_picture

    suffix = check_picture_path(path)
    write_output(convert_picture(draw(width), suffix, width), path)


def write_output(content: str | bytes | Iterator[str], path: str | None) -> None:
    """Print the text, or put it, or other content, into the file in one step.

    A text may come in pieces, which are written as they come.
    """
    if isinstance(content, bytes):
        pieces: Iterator[str | bytes] = iter([content])
    else:
        pieces = _join_pieces(
            chain([content] if isinstance(content, str) else content, "\n")
        )
    if path is not None and path != "-":
        from metra.formats.atomic import write_file

        with write_file(path) as file:
            for piece in pieces:
                file.write(piece if isinstance(piece, bytes) else piece.encode())
        return
    try:
        for piece in pieces:
            text = f"{piece.decode()}\n" if isinstance(piece, bytes) else piece
            click.echo(text, nl=False, color=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        from metra.formats.atomic import close_stdout

        raise close_stdout(error) from None
    except UnicodeEncodeError as error:
        msg = (
            f"Standard output cannot encode {error.object[error.start]!r} in "
            f"{error.encoding}; set PYTHONIOENCODING=utf-8, or write to a file with "
            "-o."
        )
        raise FormatError(msg) from None


def _join_pieces(pieces: Iterator[str]) -> Iterator[str]:
    """Put many small pieces together: each is written by itself."""
    while some := list(islice(pieces, 1000)):
        yield "".join(some)


def format_command() -> str:
    """Write the command line as a shell reads it."""
    import shlex

    return shlex.join(["metra", *sys.argv[1:]])
