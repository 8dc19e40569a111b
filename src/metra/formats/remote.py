"""Files in object stores and on clusters: `s3://`, `gs://` and `hdfs://`, by pyarrow."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import IO, Any

from metra.errors import FormatError, missing_package

#: How the address of a file begins that is on no disk of this machine.
_ADDRESS = re.compile(r"(s3|gs|gcs|hdfs|viewfs)://", re.IGNORECASE)


def is_remote(path: str) -> bool:
    """Return True if a path is the address of a file elsewhere.

    >>> is_remote("s3://bucket/a.parquet"), is_remote("data/a.parquet")
    (True, False)
    """
    return _ADDRESS.match(path) is not None


def open_remote(path: str) -> Any:
    """Open a file for reading, at any place in it."""
    with translate_errors(path):
        system, place = _find(path)
        return system.open_input_file(place)


def get_remote_state(path: str) -> tuple[int, int] | None:
    """Return when a file was changed and its size, None if there is none."""
    with translate_errors(path):
        system, place = _find(path)
        info = system.get_file_info(place)
    return (info.mtime_ns or 0, info.size) if info.is_file else None


def list_remote(path: str) -> list[str] | None:
    """List the addresses of all files below a folder; None if it is a file, or nothing."""
    from pyarrow.fs import FileSelector, FileType

    with translate_errors(path):
        system, place = _find(path)
        if system.get_file_info(place).type != FileType.Directory:
            return None
        files = system.get_file_info(FileSelector(place, recursive=True))
    root = path.rstrip("/")
    names = (info.path.removeprefix(f"{place}/") for info in files if info.is_file)
    return [f"{root}/{name}" for name in sorted(names)]


@contextmanager
def write_remote(path: str) -> Iterator[IO[bytes]]:
    """Write a file here, and send it when it is whole: until then, it is not there."""
    import shutil
    from tempfile import TemporaryFile

    with TemporaryFile() as aside:
        yield aside
        aside.seek(0)
        with translate_errors(path, "written"):
            system, place = _find(path)
            if system.type_name == "hdfs":
                system.create_dir(place.rpartition("/")[0])
            # A part that was sent before the sending breaks off is not shown as a file.
            with system.open_output_stream(place) as target:
                shutil.copyfileobj(aside, target, 1 << 20)


@lru_cache(maxsize=64)
def _find_system(scheme: str, host: str) -> Any:
    """Return the file system of an address."""
    from pyarrow import fs

    return fs.FileSystem.from_uri(f"{scheme}://{host}/")[0]


def _find(path: str) -> tuple[Any, str]:
    """Return the file system of an address, and the place in it."""
    scheme, _, rest = path.partition("://")
    host, _, place = rest.partition("/")
    system = _find_system(scheme.lower(), host)
    if system.type_name == "hdfs":
        return system, f"/{place}"
    return system, f"{host}/{place}".rstrip("/")


@contextmanager
def translate_errors(path: str, done: str = "read") -> Iterator[None]:
    """Turn errors of a store into one that names the address."""
    try:
        yield
    except ImportError:
        msg = f"{missing_package(str(path), 'pyarrow', 'parquet')}."
        raise FormatError(msg) from None
    except (OSError, ValueError, NotImplementedError) as error:
        reason = str(error).split("\n")[0].rstrip(".") or type(error).__name__
        problem = f"{path} cannot be {done}: {reason}"
        msg = f"{problem}; check the address, your permissions and the connection."
        raise FormatError(msg) from None
