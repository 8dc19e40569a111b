"""Parquet files: their columns, the number of their rows, and the rows, some at a time."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from metra.errors import FormatError
from metra.io.stream import STDIN

# So many rows are decoded at a time.
ROWS = 8192

# A column's pages are read through a buffer of so many bytes, whatever a row group's size.
_BUFFER = 1 << 20


def schema_of(path: str) -> pa.Schema:
    """Tell a file's columns."""
    with _said(path), _opened(path) as file:
        return file.schema_arrow


def row_count(path: str) -> int:
    """Tell how many rows a file says that it has."""
    with _said(path), _opened(path) as file:
        return file.metadata.num_rows


def batches(
    path: str, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Read a file's rows, some at a time, and of these columns only."""
    with _said(path):
        opened = _opened(path)
    with opened as file:
        found = file.iter_batches(ROWS, columns=columns, use_threads=False)
        while True:
            with _said(path):
                batch = next(found, None)
            if batch is None:
                return
            yield batch


def _opened(path: str) -> pq.ParquetFile:
    if path == STDIN:
        msg = "Parquet cannot be read from standard input; give the file's name."
        raise FormatError(msg)
    if os.path.isdir(path):
        msg = f"{path} is a folder; expected a Parquet file here."
        raise FormatError(msg)
    return pq.ParquetFile(Path(path), pre_buffer=False, buffer_size=_BUFFER)


@contextmanager
def _said(path: str) -> Iterator[None]:
    """Say what the library's errors mean for the user."""
    try:
        yield
    except FormatError:
        raise
    except (FileNotFoundError, PermissionError) as error:
        reason = os.strerror(error.errno or 0)
        msg = f"{path} cannot be read: {reason}; check the name and its rights."
        raise FormatError(msg) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).split("\n", 1)[0].rstrip(".")
        msg = (
            f"{path} is damaged, breaks off or is no Parquet: {reason}; write it again, or "
            "leave it out."
        )
        raise FormatError(msg) from None
