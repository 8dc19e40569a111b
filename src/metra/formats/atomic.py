"""Write files and folders that are whole or not there: aside first, then put into place.

Also here: temporary files for texts that are written apart and read back together.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, cast

from metra.errors import FormatError
from metra.formats.stream import BLOCK, STDIN

STDOUT = STDIN

# There is a temporary file for each text, and there may be a hundred texts.
_IN_MEMORY = 1 << 22


@contextmanager
def write_file(path: str) -> Iterator[IO[bytes]]:
    """Write a file, packed if its name ends in .gz, .xz or .zst; `-` is standard output.

    What is no ordinary file, such as a pipe, is written as the bytes come.
    """
    if path == STDOUT:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise close_stdout(error) from None
        return
    from tempfile import NamedTemporaryFile

    target = Path(os.path.realpath(path))
    with _translate_errors(path), ExitStack() as stack:
        if target.exists() and not target.is_file():
            yield stack.enter_context(open(target, "wb"))
            return
        aside = stack.enter_context(NamedTemporaryFile(dir=target.parent, delete=False))
        try:
            with _open_compressed(aside, target.suffix) as file:
                yield file
            aside.flush()
            # Else the name could be there after a power failure, and the bytes not.
            os.fsync(aside.fileno())
            os.chmod(aside.name, 0o666 & ~_get_umask())
            os.replace(aside.name, target)
        except BaseException:
            os.unlink(aside.name)
            raise


def write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file of these bytes; see `write_file`."""
    with write_file(path) as file:
        for piece in pieces:
            file.write(piece)


def is_folder_name(path: str) -> bool:
    """Whether what is written to this path is a folder: there already, or by its name."""
    return path != STDOUT and (
        path.endswith("/") or Path(path).is_dir() or not Path(path).suffix
    )


def close_stdout(error: OSError) -> FormatError:
    """Return the error of a standard output that cannot be written, and drop what is left.

    Python would try once more at the end, and say in its own words that it cannot.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return FormatError(f"Standard output cannot be written: {error.strerror}.")


@contextmanager
def write_folder(path: str) -> Iterator[Path]:
    """Fill a new folder; one that is there already must be empty."""
    import shutil
    from tempfile import mkdtemp

    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        msg = f"{path} is there already; give the name of a new or empty folder."
        raise FormatError(msg)
    with _translate_errors(path):
        aside = Path(mkdtemp(prefix=".metra-", dir=target.parent))
        try:
            yield aside
            aside.chmod(0o777 & ~_get_umask())
            aside.replace(target)
        except BaseException:
            shutil.rmtree(aside)
            raise


@contextmanager
def _translate_errors(path: str) -> Iterator[None]:
    """Turn system errors into messages for the user."""
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        msg = f"{path} cannot be written: {error.strerror}; nothing was written."
        raise FormatError(msg) from None


@contextmanager
def _open_compressed(file: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    if suffix == ".gz":
        import gzip

        # Without a time and a name, the same text gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast("IO[bytes]", packed)
    elif suffix == ".xz":
        import lzma

        with lzma.LZMAFile(file, "wb") as squeezed:
            yield cast("IO[bytes]", squeezed)
    elif suffix == ".zst":
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as writer:
            yield cast("IO[bytes]", writer)
    else:
        yield file


def _get_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def open_spool(stack: ExitStack) -> IO[bytes]:
    """Open a temporary file, in memory while it is small, until the stack is closed."""
    from tempfile import SpooledTemporaryFile

    file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115, the stack closes it
    stack.enter_context(file)
    return cast("IO[bytes]", file)


def drain_spool(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what was written, and empty the file."""
    file.seek(0)
    yield from iter(partial(file.read, BLOCK), b"")
    file.seek(0)
    file.truncate()
