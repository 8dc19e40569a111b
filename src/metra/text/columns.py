"""Columns of strings as callers have them, and the packed text made of them.

Arrow's columns become packed text without a Python string on the way.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from metra import errors
from metra._core import BadSegment, LineBuffer, NotUtf8, Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ColumnLike", "LineBuffer", "NotUtf8", "Segments", "Text"]


class ColumnLike(Protocol):
    """The interface that lists, numpy arrays, Arrow, pandas and polars columns share."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: Any, /) -> Any: ...


Segments: TypeAlias = Sequence[str | None] | ColumnLike | Text


Value = TypeVar("Value")


class RepeatedValues(Sequence[Value]):
    """A column of values that repeat: each value once, and which of them each row has.

    A Python object for each row is made only where the rows are asked for.
    """

    def __init__(self, distinct: Sequence[Value], codes: "NDArray[Any]") -> None:
        self.distinct = distinct
        self.codes = codes

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.codes)

    def __getitem__(self, index: Any) -> Any:
        """Return the value of a row, or those of some rows."""
        if isinstance(index, slice):
            return [self.distinct[code] for code in self.codes[index].tolist()]
        return self.distinct[self.codes[index]]

    def __iter__(self) -> Iterator[Value]:
        """Walk through the values of all rows."""
        return iter(self[:])


def as_column(segments: object, what: str) -> Segments:
    """Accept any column of strings; refuse a lone string, which would be cut into letters."""
    if isinstance(segments, (list, tuple, Text)):
        return segments
    kind = type(segments).__name__
    if isinstance(segments, (str, bytes)):
        msg = f"{what} is one {kind}; expected a sequence of strings, one per segment."
    elif isinstance(segments, (dict, set, frozenset)):
        msg = f"{what} is a {kind}; expected a sequence of strings, one per segment."
    elif hasattr(segments, "columns"):  # pandas, polars, Arrow
        msg = (
            f"{what} is a {kind}; expected one of its columns, one string per segment."
        )
    elif hasattr(segments, "__len__") and hasattr(segments, "__getitem__"):
        return segments
    elif hasattr(segments, "__iter__"):
        return list(segments)
    else:
        msg = f"{what} is a value of type {kind}; expected a sequence of strings."
    raise errors.CorpusError(msg)


def check_lengths(
    lengths: Mapping[str, int],
    rule: str = "each entry must be one segment, in the same order everywhere",
) -> None:
    """Raise an error unless all streams, by their names, have equally many segments.

    `rule` ends the message.

    >>> check_lengths({"ref.txt": 3, "out.txt": 2})
    Traceback (most recent call last):
        ...
    metra.errors.LengthError: out.txt has 2 segments but ref.txt has 3; each entry must \
be one segment, in the same order everywhere.
    """
    first = next(iter(lengths), "")
    for name, length in lengths.items():
        if length != lengths[first]:
            count = errors.format_count(length, "segment")
            msg = f"{name} has {count} but {first} has {lengths[first]:,}; {rule}."
            raise errors.LengthError(msg)


def window(segments: Segments, start: int, stop: int) -> list[str | None]:
    """Give the segments from `start` to `stop` as a list, whatever the column is made of."""
    if isinstance(segments, Text):
        return [segments[index] for index in range(start, stop)]
    column: Any = segments
    part = column.iloc[start:stop] if hasattr(column, "iloc") else column[start:stop]
    for method in ("to_pylist", "tolist", "to_list"):  # Arrow; numpy, pandas; polars
        if hasattr(part, method):
            return getattr(part, method)()
    return list(part)


def pack(segments: list[str | None], what: str, *, first: int = 0) -> Text:
    """Pack strings into one buffer; None, NaN and pandas' NA are missing segments.

    `what` and `first`, the position of the first segment, are for the error message.
    """
    try:
        return Text(segments)
    except BadSegment as error:
        raise _name_segment(error, what, first, "a string") from None


def import_pyarrow(why: str) -> Any:
    """Load pyarrow, or say what needs it and how to get it."""
    with errors.require_package(why, "pyarrow", "parquet"):
        import pyarrow
    return pyarrow


def is_text_type(kind: Any) -> bool:
    """Return True if the type is of strings, in any of Arrow's layouts, or of nulls."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return kind in (pa.string(), pa.large_string(), pa.string_view(), pa.null())


def pack_arrow_column(column: Any, what: str, *, first: int = 0) -> Text:
    """Pack a column of strings; nulls become missing segments.

    `what` and `first`, the position of the first segment, are for the error message.
    """
    import numpy as np
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    column = column.cast(pa.large_string())
    flags, bounds, values = column.buffers()
    start, stop = column.offset, column.offset + len(column)
    is_there = None
    if column.null_count:
        bits = np.unpackbits(np.frombuffer(flags, np.uint8), bitorder="little")
        is_there = bits[start:stop].astype(np.bool_)
    try:
        return Text.packed(
            np.frombuffer(values or b"", np.uint8),
            np.frombuffer(bounds, np.int64)[start : stop + 1],
            is_there,
        )
    except BadSegment as error:
        raise _name_segment(error, what, first, "text in UTF-8") from None


def _name_segment(
    error: BadSegment, what: str, first: int, expected: str
) -> errors.CorpusError:
    index, value = error.args
    place = f"Segment {first + index + 1} of {what}"
    return errors.CorpusError(f"{place} is {value}; expected {expected}.")
