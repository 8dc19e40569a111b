"""Common words: as many as the plain table finds, in order, and never for long."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.text import diff as module
from metra.text.diff import count_common_words, pair_common_words

WORDS = st.lists(st.sampled_from("abcde"), max_size=12)


def longest(one, other):
    """How many words are in common, by the table that everybody knows."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, word in enumerate(one):
        for j, there in enumerate(other):
            table[i + 1][j + 1] = (
                table[i][j] + 1
                if word == there
                else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


def assert_pairs(pairs, one, other):
    assert all(one[i] == other[j] for i, j in pairs)
    for side in zip(*pairs, strict=True):
        assert list(side) == sorted(set(side))


@given(WORDS, WORDS)
def test_counted_with_bits(one, other):
    assert count_common_words(one, other) == longest(one, other)


@given(WORDS, WORDS)
def test_as_many_as_there_are(one, other):
    pairs, exact = pair_common_words(one, other)
    assert_pairs(pairs, one, other)
    assert exact
    assert len(pairs) == longest(one, other)


@given(WORDS, WORDS)
def test_cut_short_it_says_so_and_stays_in_order(one, other):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_BITS", 8)
        pairs, exact = pair_common_words(one, other)
    assert_pairs(pairs, one, other)
    assert len(pairs) == longest(one, other) or not exact


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("", "", [], id="both empty"),
        pytest.param("a b", "", [], id="one empty"),
        pytest.param("a b", "c d", [], id="nothing in common"),
        pytest.param("a b", "a b", [(0, 0), (1, 1)], id="identical"),
        pytest.param("a a a", "a a", [(0, 0), (1, 1)], id="a word too many"),
        pytest.param("x a y b z", "a b", [(1, 0), (3, 1)], id="all around"),
    ],
)
def test_by_hand(one, other, expected):
    assert pair_common_words(one.split(), other.split()) == (expected, True)


def test_long_texts_take_no_more_than_a_moment():
    # Two words in turn against their mirror: nothing occurs once, everything differs.
    one, other = ["a", "b", "c"] * 20_000, ["c", "b", "a"] * 20_000
    start = time.thread_time()
    pairs, exact = pair_common_words(one, other)
    assert time.thread_time() - start < 10
    assert not exact
    assert_pairs(pairs, one, other)


def test_a_long_text_with_words_of_its_own_is_cut_at_them():
    one = [f"w{at}" for at in range(30_000)]
    other = [word if at % 3 else "other" for at, word in enumerate(one)]
    one = [word if at % 3 else "one" for at, word in enumerate(one)]
    pairs, _ = pair_common_words(one, other)
    assert len(pairs) == 20_000
