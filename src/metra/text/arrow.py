"""Arrow's columns of strings as packed text, without a Python string on the way."""

from typing import Any

import numpy as np

from metra._core import BadSegment, Text
from metra.errors import CorpusError, MissingResourceError


def pyarrow(why: str) -> Any:
    """Load pyarrow, or say what needs it and how to get it."""
    try:
        import pyarrow
    except ImportError:
        msg = (
            f"{why} needs the package 'pyarrow', which is not installed; install it with: "
            "pip install 'metra[parquet]'"
        )
        raise MissingResourceError(msg) from None
    return pyarrow


def is_text(kind: Any) -> bool:
    """Whether values of this type are strings, in any of Arrow's layouts; or all null."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_string_view,
            pa.types.is_null,
        )
    )


def packed(column: Any, what: str, *, first: int = 0) -> Text:
    """Pack a column of strings; nulls become missing segments.

    `what` and `first`, the position of the first segment, are for the error message.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    column = column.cast(pa.large_string())
    flags, bounds, values = column.buffers()
    start, stop = column.offset, column.offset + len(column)
    there = None
    if column.null_count:
        bits = np.unpackbits(np.frombuffer(flags, np.uint8), bitorder="little")
        there = bits[start:stop].astype(np.bool_)
    try:
        return Text.packed(
            np.frombuffer(values or b"", np.uint8),
            np.frombuffer(bounds, np.int64)[start : stop + 1],
            there,
        )
    except BadSegment as error:
        index, found = error.args
        msg = (
            f"Segment {first + index + 1} of {what} is {found}; expected text in UTF-8."
        )
        raise CorpusError(msg) from None
