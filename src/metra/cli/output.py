"""Where results go: standard output, or a file that is whole or not there."""

import os
import sys
from pathlib import Path

import click

from metra.errors import FormatError


def wants_color() -> bool:
    """Colour for people only: not when piped, not with NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write(text: str, path: str | None) -> None:
    """Print the text, or put it into the file in one step."""
    if path is None or path == "-":
        click.echo(text, color=True)
        return
    from tempfile import NamedTemporaryFile

    target = Path(path)
    try:
        with NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=target.parent, delete=False
        ) as file:
            try:
                file.write(text + "\n")
                file.flush()
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, target)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; nothing was written."
        raise FormatError(msg) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
