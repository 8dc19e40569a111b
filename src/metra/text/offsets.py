"""Character spans in code points, and their conversion from and to UTF-16 offsets.

Browsers count UTF-16 units, in which most emoji take two; some programs store the last
character of a span instead of the position after it.
"""

from typing import NamedTuple


class Span(NamedTuple):
    """From `start` up to, but without, `end`, in code points."""

    start: int
    end: int


def to_utf16(text: str, span: Span) -> tuple[int, int]:
    """Count a span in UTF-16 units, the end not included.

    >>> to_utf16("a😀b", Span(2, 3))
    (3, 4)
    """
    return _units(text[: span.start]), _units(text[: span.end])


def from_utf16(text: str, start: int, end: int) -> Span:
    """Undo `to_utf16`; half of a character counts as the whole of it.

    >>> from_utf16("a😀b", 1, 2)
    Span(start=1, end=2)
    """
    return Span(_point(text, start, up=False), _point(text, end, up=True))


def to_utf16_inclusive(text: str, span: Span) -> tuple[int, int]:
    """Count a span in UTF-16 units, as its first and its last one.

    >>> to_utf16_inclusive("a😀b", Span(1, 2))
    (1, 2)
    """
    start, end = to_utf16(text, span)
    return start, end - 1


def from_utf16_inclusive(text: str, first: int, last: int) -> Span:
    """Undo `to_utf16_inclusive`."""
    return from_utf16(text, first, last + 1)


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _point(text: str, unit: int, *, up: bool) -> int:
    passed = 0
    for index, character in enumerate(text):
        if passed >= unit:
            return index
        passed += 1 + (character > "\uffff")
        if passed > unit and not up:
            return index
    return len(text)
