"""Words of running text, and places in texts as browsers and Python count them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.text.words import (
    Span,
    find_running_words,
    from_utf16_inclusive,
    split_word_parts,
    to_utf16_inclusive,
)

RUNNING = load_cases("words: running")


@pytest.mark.parametrize(("text", "words", "names"), RUNNING)
def test_running_words(text, words, names):
    found = [word for word in find_running_words(text) if word.letters]
    assert [word.text for word in found] == words
    assert [word.text for word in found if word.is_name] == names


def test_parts():
    assert list(split_word_parts(["L'Eau", "a-b", "c"])) == [
        *("l'eau", "l", "eau"),
        *("a-b", "a", "b"),
        "c",
    ]


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


def test_half_a_character_is_the_whole_of_it():
    assert from_utf16_inclusive("a😀b", 2, 2) == Span(1, 2)
    assert from_utf16_inclusive("a😀b", 1, 1) == Span(1, 2)


def test_beyond_the_end_is_the_end():
    assert from_utf16_inclusive("a😀", 0, 98) == Span(0, 2)
