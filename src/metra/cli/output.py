"""Where results go: standard output, or a file that is whole or not there."""

import os
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import click

from metra.errors import FormatError


def wants_color() -> bool:
    """Colour for people only: not when piped, not with NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write(text: str, path: str | None) -> None:
    """Print the text, or put it into the file in one step."""
    if path is None or path == "-":
        _print(text)
        return
    target = Path(path).resolve()  # a link stays, the file that it names is replaced
    try:
        if target.exists() and not target.is_file():
            # A device or a pipe is written to: replacing it would take it away.
            target.write_text(text + "\n", encoding="utf-8", newline="\n")
        else:
            _replace(target, text + "\n")
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; nothing was written."
        raise FormatError(msg) from None


def _print(text: str) -> None:
    try:
        click.echo(text, color=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        msg = f"Standard output cannot be written: {error.strerror}."
        raise FormatError(msg) from None
    except UnicodeEncodeError as error:
        msg = (
            f"Standard output has no {error.object[error.start]!r} in its encoding, "
            f"{error.encoding}; set PYTHONIOENCODING=utf-8, or name a file with -o."
        )
        raise FormatError(msg) from None


def _replace(target: Path, content: str) -> None:
    with NamedTemporaryFile(
        "w", encoding="utf-8", newline="\n", dir=target.parent, delete=False
    ) as file:
        try:
            file.write(content)
            file.flush()
            os.chmod(file.name, 0o666 & ~_umask())
            os.replace(file.name, target)
        except BaseException:
            os.unlink(file.name)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
