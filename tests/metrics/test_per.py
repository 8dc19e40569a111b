"""Position-independent error rate: golden values, the plain definition, a law."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra

CASES = [
    pytest.param("c a b", ["a b c"], 0.0, id="order is free"),
    pytest.param("a b", ["a b c d"], 50.0, id="missing words"),
    pytest.param("a b c d", ["a b"], 100.0, id="needless words"),
    pytest.param(
        "a a a", ["a b c"], 200 / 3, id="repeats match as often as they occur"
    ),
    pytest.param("", ["a"], 100.0, id="empty output"),
    pytest.param("a b", [""], 200.0, id="empty reference counts as one word"),
    pytest.param("", [""], 0.0, id="both empty"),
    pytest.param("a x", ["a b", "x y z a"], 50.0, id="lowest rate, first of two"),
    pytest.param("a b", ["a", "d b a c e f g"], 500 / 7, id="lowest rate, not fewest"),
]


@pytest.mark.parametrize(("hyp", "refs", "expected"), CASES)
def test_segment(hyp, refs, expected):
    assert metra.metric("per").sentence(hyp, refs) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("refs", "expected"),
    [("best", 100.0), ("best-rate", 500 / 7), ("average-length", 25.0)],
)
def test_choice_of_reference(refs, expected):
    metric = metra.metric(f"per:refs={refs}")
    found = metric.sentence("a b", ["a", "d b a c e f g"])
    assert found == pytest.approx(expected)


WORDS = st.lists(st.sampled_from("abcdef"), max_size=70)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_equals_the_plain_definition(hyp, refs):
    def rate(ref):
        matches = (Counter(hyp) & Counter(ref)).total()
        return 100 * (max(len(hyp), len(ref)) - matches) / max(len(ref), 1)

    found = metra.metric("per").sentence(" ".join(hyp), [" ".join(ref) for ref in refs])
    assert found == pytest.approx(min(map(rate, refs)))


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_is_at_most_the_word_error_rate(hyp, refs):
    segment = " ".join(hyp), [" ".join(ref) for ref in refs]
    per = metra.metric("per").sentence(*segment)
    assert per <= metra.metric("wer").sentence(*segment) + 1e-9


def test_corpus_adds_up_segments():
    """One segment a word too long, one a word too short: both are errors."""
    result = metra.score(["a b", "a"], [["a", "a b"]], "per")
    assert result.score == pytest.approx(100 * 2 / 3)
    assert result.parts["insertions"] == result.parts["deletions"] == 1
