"""Sentence error rate."""

import pytest

import metra


@pytest.mark.parametrize(
    ("spec", "hyp", "refs", "expected"),
    [
        pytest.param("ser", "a b", ["a b"], 0.0, id="equal"),
        pytest.param("ser", "a b", ["b a"], 100.0, id="other order"),
        pytest.param("ser", "a b", ["a b c"], 100.0, id="beginning of the reference"),
        pytest.param("ser", " a\tb ", ["a b"], 0.0, id="white space does not matter"),
        pytest.param("ser", "a b", ["x", "a b"], 0.0, id="any reference will do"),
        pytest.param("ser", "", ["a", ""], 0.0, id="empty output, empty reference"),
        pytest.param("ser", "", ["a"], 100.0, id="empty output"),
        pytest.param("ser", "x", ["y"], 100.0, id="words of no reference"),
        pytest.param("ser", "A", ["a"], 100.0, id="case counts"),
        pytest.param("ser:case=lower", "A", ["a"], 0.0, id="lower case"),
        pytest.param("ser:tok=13a", "a.", ["a ."], 0.0, id="after tokenisation"),
    ],
)
def test_segment(spec, hyp, refs, expected):
    assert metra.metric(spec).sentence(hyp, refs) == expected


def test_corpus():
    result = metra.score(["a", "b", "c"], [["a", "x", "c"]], "ser")
    assert result.score == pytest.approx(100 / 3)
    assert result.parts == {"wrong": 1, "segments": 3}
    assert not result.metric.higher_is_better
