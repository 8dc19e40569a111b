"""Where results go: standard output, or a file that is whole or not there."""

import os
import sys

import click


def wants_color() -> bool:
    """Colour for people only: not when piped, not with NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write(text: str, path: str | None) -> None:
    """Print the text, or put it into the file in one step."""
    if path is None or path == "-":
        click.echo(text, color=True)
        return
    from metra.io.whole import whole_file

    with whole_file(path) as file:
        file.write(f"{text}\n".encode())
