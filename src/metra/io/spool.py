"""Temporary files for texts that are written apart and read back together."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import IO, cast

from metra.io.stream import BLOCK

# There is one for each text, and there may be a hundred texts.
_IN_MEMORY = 1 << 22


def spool(stack: ExitStack) -> IO[bytes]:
    """Open a temporary file, in memory while it is small, until the stack is closed."""
    from tempfile import SpooledTemporaryFile

    file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115, the stack closes it
    stack.enter_context(file)
    return cast("IO[bytes]", file)


def emptied(file: IO[bytes]) -> Iterator[bytes]:
    """Give what was written, and make room for more."""
    file.seek(0)
    yield from iter(partial(file.read, BLOCK), b"")
    file.seek(0)
    file.truncate()
