"""Loops, repeated n-grams and the variety of words, against plain counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.analysis.profile_counts import (
    compute_type_token_ratio,
    count_repeated_ngrams,
    has_loop,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", False, id="empty"),
        pytest.param("a a a a a", False, id="five of a word may be meant"),
        pytest.param("a a a a a a", True, id="six of a word"),
        pytest.param("x a b a b a b y", True, id="two words three times"),
        pytest.param("a b a b c a b", False, id="not in a row"),
        pytest.param("a b c a b c a b", False, id="not quite three times"),
        pytest.param("a b c a b c a b c", True, id="three words three times"),
        pytest.param(" ".join("abcdefghij" * 3), True, id="ten words"),
        pytest.param(" ".join("abcdefghijk" * 3), False, id="eleven words are a text"),
    ],
)
def test_loops(text, expected):
    assert has_loop(text.split()) is expected


def plain_loops(words):
    return any(
        words[start : start + times * size] == words[start : start + size] * times
        for size in range(1, 11)
        for times in [max(3, -(-6 // size))]
        for start in range(len(words) - times * size + 1)
    )


@given(st.lists(st.sampled_from("ab"), max_size=14))
def test_loops_as_the_definition_says(words):
    assert has_loop(words) == plain_loops(words)


@given(st.lists(st.sampled_from("ab"), max_size=14))
def test_what_loops_repeats_ngrams(words):
    assert not has_loop(words) or count_repeated_ngrams(words)[0] > 0


@given(st.lists(st.sampled_from("ab"), max_size=12))
def test_repeated_ngrams_by_counting(words):
    grams = [tuple(words[at : at + 4]) for at in range(len(words) - 3)]
    again = sum(gram in grams[:at] for at, gram in enumerate(grams))
    assert count_repeated_ngrams(words) == (again, len(grams))


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(1, 12))
def test_types_per_token_is_the_mean_over_windows(ids, window):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metra.analysis.profile_counts.WINDOW", window)
        found = compute_type_token_ratio(np.array(ids))
    size = min(window, len(ids))
    windows = [ids[at : at + size] for at in range(len(ids) - size + 1)]
    assert found == pytest.approx(np.mean([len(set(part)) / size for part in windows]))


def test_nothing_has_no_variety():
    assert compute_type_token_ratio(np.array([], np.int64)) is None
