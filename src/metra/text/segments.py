"""Columns of strings as callers have them, and the packed text made of them."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from metra._core import BadSegment, Text
from metra.errors import CorpusError

__all__ = ["Column", "Segments", "Text", "as_column", "pack", "window"]


class Column(Protocol):
    """What a list, a numpy array, an Arrow, pandas or polars column have in common."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: Any, /) -> Any: ...


Segments: TypeAlias = Sequence[str | None] | Column | Text


def as_column(segments: object, what: str) -> Segments:
    """Accept any column of strings; refuse a lone string, which would be cut into letters."""
    if isinstance(segments, (list, tuple, Text)):
        return segments
    if isinstance(segments, (str, bytes)):
        kind = type(segments).__name__
        msg = f"{what} is one {kind}; expected a sequence of strings, one a segment."
        raise CorpusError(msg)
    kind = type(segments).__name__
    if isinstance(segments, (dict, set, frozenset)):
        msg = f"{what} is a {kind}; expected a sequence of strings, one a segment."
        raise CorpusError(msg)
    if hasattr(segments, "columns"):  # pandas, polars, Arrow
        msg = f"{what} is a {kind}; expected one of its columns, one string a segment."
        raise CorpusError(msg)
    if hasattr(segments, "__len__") and hasattr(segments, "__getitem__"):
        return segments
    if hasattr(segments, "__iter__"):
        return list(segments)
    msg = f"{what} is a value of type {kind}; expected a sequence of strings."
    raise CorpusError(msg)


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
        index, found = error.args
        msg = f"Segment {first + index + 1} of {what} is {found}; expected a string."
        raise CorpusError(msg) from None
