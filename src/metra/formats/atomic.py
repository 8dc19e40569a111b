"""Write files and folders as a whole or not at all: aside first, then put into place.

Also here: temporary files for texts to be written in another order.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, cast

from metra.errors import FormatError
from metra.formats.remote import is_remote, write_remote
from metra.formats.stream import BLOCK, PACKED_SUFFIXES, STDIN


@contextmanager
def write_file(path: str) -> Iterator[IO[bytes]]:
    """Write a file, packed if its name ends in .gz, .xz or .zst; `-` is standard output.

    A pipe, or another special file, is written as the bytes come.
    """
    if path == STDIN:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise close_stdout(error) from None
        return
    if is_remote(path):
        with write_remote(path) as remote:
            yield remote
        return
    target = Path(os.path.realpath(path))
    with _translate_errors(path), ExitStack() as stack:
        if target.exists() and not target.is_file():
            yield stack.enter_context(open(target, "wb"))
            return
        aside = stack.enter_context(_open_aside(target))
        if target.suffix in PACKED_SUFFIXES:
            from metra.formats.compression import open_packed

            with open_packed(aside, target.suffix, "wb") as packed:
                yield packed
        else:
            yield aside


@contextmanager
def _open_aside(target: Path) -> Iterator[IO[bytes]]:
    """Open a file that becomes the target when the block ends without an error.

    On Linux it has no name until then, so that a killed process leaves nothing.
    """
    name = target.parent / f".metra-{os.urandom(8).hex()}"
    nameless = True
    try:
        os.stat(_PROCESS_FILES)
        number = os.open(target.parent, os.O_TMPFILE | os.O_RDWR, 0o600)
    except (AttributeError, OSError):
        nameless = False
        number = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    with os.fdopen(number, "w+b") as aside:
        try:
            yield aside
            aside.flush()
            # Else the name could be there after a power failure, and the bytes not.
            os.fsync(number)
            os.chmod(number, 0o666 & ~_get_umask())
            if nameless:
                # `link` follows a link only where it is given a folder, which is not used.
                own = f"{_PROCESS_FILES}/{number}"
                os.link(own, name, src_dir_fd=number, follow_symlinks=True)
            os.replace(name, target)
        except BaseException:
            name.unlink(missing_ok=True)
            raise


#: Where Linux shows the open files of a process.
_PROCESS_FILES = "/proc/self/fd"


def write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file of these bytes; see `write_file`."""
    with write_file(path) as file:
        for piece in pieces:
            file.write(piece)


def open_spool(most: int = 1 << 22) -> IO[bytes]:
    """Open a temporary file, which stays in memory up to a size."""
    from tempfile import SpooledTemporaryFile

    return cast("IO[bytes]", SpooledTemporaryFile(max_size=most))


def drain_spool(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what was written, and empty the file."""
    file.seek(0)
    yield from iter(partial(file.read, BLOCK), b"")
    file.seek(0)
    file.truncate()


def is_folder_name(path: str) -> bool:
    """Return True if a path names a folder: an existing one, or by its form."""
    is_folder = path.endswith("/") or Path(path).is_dir() or not Path(path).suffix
    return path != STDIN and is_folder


def close_stdout(error: OSError) -> FormatError:
    """Return the error of a standard output that cannot be written, and drop the rest.

    Python would try once more at the end, and say in its own words that it cannot.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return FormatError(f"Standard output cannot be written: {error.strerror}.")


@contextmanager
def write_folder(path: str) -> Iterator[Path]:
    """Fill a new or empty folder."""
    import shutil
    from tempfile import mkdtemp

    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        msg = f"{path} already exists; give the name of a new or empty folder."
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
    except BrokenPipeError:
        raise
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; nothing was written."
        raise FormatError(msg) from None


def _get_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
