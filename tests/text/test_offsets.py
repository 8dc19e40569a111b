"""Places in texts: what browsers count, what Python counts, and ends in or out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.text.words import Span, from_utf16_inclusive, to_utf16_inclusive

#: Letters, combining marks, emoji outside the first plane, joiners, right-to-left letters.
ALPHABET = "ab é\u0301\u0308😀👩\u200d👧ﷺאب語"


@st.composite
def places(draw):
    text = draw(st.text(ALPHABET, min_size=1, max_size=12))
    start = draw(st.integers(0, len(text) - 1))
    return text, Span(start, draw(st.integers(start + 1, len(text))))


@given(places())
def test_inclusive_ends_and_back(place):
    text, span = place
    first, last = to_utf16_inclusive(text, span)
    encoded = text.encode("utf-16-le")
    assert encoded[2 * first : 2 * (last + 1)].decode("utf-16-le") == text[slice(*span)]
    assert from_utf16_inclusive(text, first, last) == span


CASES = [  # by hand: each emoji takes two units
    pytest.param("a😀b", Span(0, 1), (0, 1), id="before the emoji"),
    pytest.param("a😀b", Span(1, 2), (1, 3), id="the emoji"),
    pytest.param("a😀b", Span(2, 3), (3, 4), id="after the emoji"),
    pytest.param("e\u0301x", Span(2, 3), (2, 3), id="a combining mark is one of each"),
    pytest.param("👩\u200d👧", Span(0, 3), (0, 5), id="a family of two"),
]


@pytest.mark.parametrize(("text", "span", "expected"), CASES)
def test_by_hand(text, span, expected):
    start, end = expected
    assert to_utf16_inclusive(text, span) == (start, end - 1)


def test_half_a_character_is_the_whole_of_it():
    assert from_utf16_inclusive("a😀b", 2, 2) == Span(1, 2)
    assert from_utf16_inclusive("a😀b", 1, 1) == Span(1, 2)


def test_beyond_the_end_is_the_end():
    assert from_utf16_inclusive("a😀", 0, 98) == Span(0, 2)
