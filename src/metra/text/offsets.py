"""Character spans in code points, and their conversion from and to UTF-16 offsets.

Browsers count UTF-16 units, in which most emoji take two; some programs store the last
character of a span instead of the position after it.
"""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import NamedTuple


class Span(NamedTuple):
    """From `start` up to, but without, `end`, in code points."""

    start: int
    end: int


def to_utf16_inclusive(text: str, span: Span) -> tuple[int, int]:
    """Count a span in UTF-16 units, as its first and its last one.

    >>> to_utf16_inclusive("a😀b", Span(1, 2))
    (1, 2)
    """
    before, inside = text[: span.start], text[span.start : span.end]
    first = _count_all_units(before)
    return first, first + _count_all_units(inside) - 1


def from_utf16_inclusive(text: str, first: int, last: int) -> Span:
    """Undo `to_utf16_inclusive`; half of a character counts as the whole of it.

    >>> from_utf16_inclusive("a😀b", 1, 1)
    Span(start=1, end=2)
    """
    edges = list(accumulate(map(_count_units, text), initial=0))
    start = max(bisect_right(edges, first) - 1, 0)
    return Span(start, min(bisect_left(edges, last + 1), len(text)))


def _count_all_units(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_count_units, text))


def _count_units(character: str) -> int:
    return 1 + (character > "\uffff")
