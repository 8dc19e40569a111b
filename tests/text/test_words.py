"""Words of running text, and places in texts as browsers and Python count them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.text.words import (
    Span,
    find_running_words,
    from_utf16_inclusive,
    split_word_parts,
    to_utf16_inclusive,
)

RUNNING = [  # text, words that can be judged, names among them
    pytest.param("a 1 3mm b2 x", [], [], id="single letters and numbers"),
    pytest.param("see http://x.org/y, me@x.org www.z.fr now", ["see", "now"], [],
                 id="addresses"),
    pytest.param("L'eau d’Anne", ["L'eau", "d’Anne"], ["d’Anne"], id="apostrophes"),
    pytest.param("well-known", ["well-known"], [], id="hyphen"),
    pytest.param("The Cat sat.", ["The", "Cat", "sat"], ["Cat"], id="inside"),
    pytest.param("Oh! The cat: The dog. The end", ["Oh", "The", "cat", "The", "dog", "The",
                 "end"], [], id="beginnings of sentences"),
    pytest.param('"The cat" (Mary)', ["The", "cat", "Mary"], ["Mary"], id="quotes"),
    pytest.param("He met Dr. Benhaddou", ["He", "met", "Dr", "Benhaddou"],
                 ["Dr", "Benhaddou"], id="abbreviation"),
    pytest.param("x" * 30 + " Mary", ["x" * 30, "Mary"], ["Mary"], id="a long word before"),
    pytest.param("中国 Abc人", ["中", "国", "Abc", "人"], ["Abc"], id="Chinese"),
    pytest.param("ﾊﾞｽに", ["ﾊﾞ", "ｽ", "に"], [], id="half-width Japanese"),
    pytest.param("हिन्दी में", ["हिन्दी", "में"], [], id="Hindi"),
    pytest.param("iPhone", ["iPhone"], [], id="a capital inside, at the beginning"),
    pytest.param("", [], [], id="nothing"),
]  # fmt: skip


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
