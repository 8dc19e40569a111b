"""Differences and common words of two texts."""

import time
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.textbook import compute_distance, count_common, fill_edit_table

from metra.text import diff as module
from metra.text.diff import (
    compute_difference,
    count_common_words,
    count_edits,
    find_increasing,
    pair_common_words,
)

WORDS = st.lists(st.sampled_from("abcd"), max_size=9)


def slow_difference(one, other):
    """Backwards through the table: keep or substitute where possible, else delete."""
    rows = fill_edit_table(one, other)
    i, j = len(one), len(other)
    steps = []
    while i or j:
        same = i and j and one[i - 1] == other[j - 1]
        if i and j and rows[i - 1][j - 1] + (not same) == rows[i][j]:
            i, j = i - 1, j - 1
            if same:
                steps.append(("same", one[i]))
            else:
                steps += [("new", other[j]), ("gone", one[i])]
        elif i and rows[i - 1][j] + 1 == rows[i][j]:
            i -= 1
            steps.append(("gone", one[i]))
        else:
            j -= 1
            steps.append(("new", other[j]))
    blocks = [[]]
    for sort, word in reversed(steps):
        if blocks[-1] and (blocks[-1][-1][0] == "same") != (sort == "same"):
            blocks.append([])
        blocks[-1].append((sort, word))
    return [
        (sort, " ".join(words))
        for block in blocks
        for sort in ("same", "gone", "new")
        if (words := [word for kind, word in block if kind == sort])
    ]


@given(WORDS, WORDS)
def test_the_kernel_takes_the_way_of_the_table(one, other):
    assert compute_difference(one, other) == slow_difference(one, other)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_many_pairs_at_once(pairs):
    assert count_edits(pairs).tolist() == [compute_distance(*p) for p in pairs]


@given(st.lists(st.integers(0, 6), max_size=7))
def test_increasing(values):
    places = find_increasing(values)
    chain = [values[place] for place in places]
    assert places == sorted(places)
    assert chain == sorted(set(chain))
    longest = max(
        size
        for size in range(len(values) + 1)
        for part in combinations(values, size)
        if list(part) == sorted(set(part))
    )
    assert len(places) == longest
    assert not Counter(chain) - Counter(values)


COMMON = st.lists(st.sampled_from("abcde"), max_size=12)


def assert_pairs(pairs, one, other):
    assert all(one[i] == other[j] for i, j in pairs)
    for side in zip(*pairs, strict=True):
        assert list(side) == sorted(set(side))


@given(COMMON, COMMON)
def test_counted_with_bits(one, other):
    assert count_common_words(one, other) == count_common(one, other)


@given(COMMON, COMMON)
def test_as_many_as_there_are(one, other):
    pairs, exact = pair_common_words(one, other)
    assert_pairs(pairs, one, other)
    assert exact
    assert len(pairs) == count_common(one, other)


@given(COMMON, COMMON)
def test_cut_short_it_says_so_and_stays_in_order(one, other):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_BITS", 8)
        pairs, exact = pair_common_words(one, other)
    assert_pairs(pairs, one, other)
    assert len(pairs) == count_common(one, other) or not exact


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
