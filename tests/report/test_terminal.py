"""Words for terminals: known widths, nothing obeyed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.report.terminal import (
    isolate_text,
    make_visible,
    measure_width,
    split_text,
)

CASES = [
    pytest.param("word", "word", 4, id="plain"),
    pytest.param("北京", "北京", 4, id="wide"),
    pytest.param("cafe\u0301", "cafe\u0301", 4, id="accent on a letter"),
    pytest.param("\u0301", "\u25cc\u0301", 1, id="accent on nothing"),
    pytest.param("", "\u25cc", 1, id="no character at all"),
    pytest.param("\x1b[31m\a", "\ufffd[31m\ufffd", 6, id="terminal commands"),
    pytest.param("a\u202eb", "a\ufffdb", 3, id="reversed writing direction"),
    pytest.param("a\u00a0b\u2028c", "a\ufffdb\ufffdc", 5, id="odd white space"),
    pytest.param("می\u200cخ", "می\u200cخ", 3, id="non-joiner between letters"),
    pytest.param("क\u093e", "क\u093e", 2, id="spacing vowel sign"),
    pytest.param("\u1112\u1161\u11ab", "\u1112\u1161\u11ab", 2, id="Hangul in parts"),
]


@pytest.mark.parametrize(("word", "expected", "columns"), CASES)
def test_shown(word, expected, columns):
    assert make_visible(word) == expected
    assert measure_width(make_visible(word)) == columns


@given(st.text())
def test_nothing_shown_moves_the_cursor(word):
    allowed = set("\u200c\u200d\u200e\u200f\u061c")
    assert all(c.isprintable() or c in allowed for c in make_visible(word))
    assert measure_width(make_visible(word)) >= 1


@given(st.text(), st.integers(2, 9))
def test_pieces(word, columns):
    cut = split_text(make_visible(word), columns)
    assert "".join(cut) == make_visible(word)
    assert all(measure_width(piece) <= columns for piece in cut)
    assert all(measure_width(piece[0]) for piece in cut)


def test_right_to_left_words_keep_their_places():
    assert isolate_text("שלום") == "\u2068שלום\u2069"
    assert isolate_text("hello") == "hello"
