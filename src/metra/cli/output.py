"""Where results go: standard output, or a file that is whole or not there."""

import os
import sys

import click

from metra.errors import FormatError


def wants_color() -> bool:
    """Colour for people only: not when piped, not with NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def screen_width() -> int | None:
    """Give the columns of the screen; None where the output goes elsewhere."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    return (
        os.get_terminal_size(sys.stdout.fileno()).columns
        if sys.stdout.isatty()
        else None
    )


def write(text: str, path: str | None) -> None:
    """Print the text, or put it into the file in one step."""
    if path is None or path == "-":
        _print(text)
        return
    from metra.io.whole import whole_file

    with whole_file(path) as file:
        file.write(f"{text}\n".encode())


def _print(text: str) -> None:
    try:
        click.echo(text, color=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        from metra.io.whole import given_up

        raise given_up(error) from None
    except UnicodeEncodeError as error:
        msg = (
            f"Standard output has no {error.object[error.start]!r} in its encoding, "
            f"{error.encoding}; set PYTHONIOENCODING=utf-8, or name a file with -o."
        )
        raise FormatError(msg) from None
