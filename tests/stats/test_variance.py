"""Variance components: published and other programs' values, a plain twin, designs."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from metra.errors import CorpusError, LengthError
from metra.stats.variance import (
    TERMS,
    RatingFactors,
    average_repeats,
    estimate_components,
    list_terms,
)

# Four systems, six segments, three raters; made up.
CROSSED = [
    [[56, 56, 50], [65, 48, 50], [64, 63, 66], [51, 58, 55], [69, 46, 59], [47, 35, 47]],
    [[67, 74, 75], [72, 67, 79], [58, 63, 76], [75, 72, 72], [82, 66, 74], [54, 43, 58]],
    [[57, 62, 58], [63, 63, 63], [52, 67, 67], [59, 56, 54], [70, 69, 80], [59, 48, 64]],
    [[35, 47, 49], [42, 43, 47], [47, 51, 59], [31, 43, 55], [49, 47, 54], [43, 34, 48]],
]  # fmt: skip
# Yields of penicillin by four treatments of five blends (Box, Hunter and Hunter 1978).
PENICILLIN = [
    [89, 84, 81, 87, 79],
    [88, 77, 87, 92, 81],
    [97, 92, 87, 89, 80],
    [94, 79, 85, 84, 88],
]


def test_a_crossed_design_has_the_components_of_reml():
    # By statsmodels 0.14, MixedLM with six variance components, REML.
    expected = {
        **{"system": 85.6798, "segment": 16.8622, "rater": 3.2934, "rating": 18.0035},
        **{"system × segment": 16.8349, "system × rater": 8.2380},
        "rater × segment": 14.8123,
    }
    found = estimate_components(RatingFactors.from_array(CROSSED), studies=0)
    assert found.values == pytest.approx(expected, abs=2e-3)
    assert found.joined == {}
    assert found.levels == {"system": 4, "segment": 6, "rater": 3}


def test_blocks_have_the_components_of_lme4():
    # lmer(yield ~ treat + (1|blend)) prints 11.8 and 18.8; from mean squares of 66 and 226/12.
    found = estimate_components(RatingFactors.from_array(PENICILLIN), studies=0)
    assert found["rating"] == pytest.approx(226 / 12)
    assert found["segment"] == pytest.approx((66 - 226 / 12) / 4)


@st.composite
def designs(draw):
    """Draw judgements of any systems, segments in documents, and raters."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count = draw(st.integers(12, 40))
    system, segment, rater = (rng.integers(0, size, count) for size in (3, 6, 3))
    document = segment // 2 if draw(st.booleans()) else None
    value = rng.integers(0, 20, count).astype(float)
    return average_repeats(RatingFactors(value, system, segment, rater, document))


@settings(max_examples=40, deadline=None)
@given(designs())
def test_estimates_solve_the_expectations_of_explicit_matrices(factors):
    try:
        found = estimate_components(factors, studies=0)
    except CorpusError:
        return
    codes, _ = list_terms(factors)
    count = len(factors.value)
    marks = [np.eye(numbers.max() + 1)[numbers] for numbers in codes.values()]
    mean = np.full((count, count), 1 / count)
    # Each sum of squares is y'Qy; its expectation has trace(Q Z Z') of every variance.
    forms = [z @ np.diag(1 / z.sum(0)) @ z.T - mean for z in marks]
    expected = [[np.trace(q @ z @ z.T) for z in marks] for q in forms]
    squares = [factors.value @ q @ factors.value for q in forms]
    estimated = [found.values[term] for term in codes]
    scale = max(1.0, *map(abs, estimated))
    assert np.allclose(np.array(expected) @ estimated, squares, atol=1e-6 * scale)


def test_intervals_are_those_of_mean_squares():
    """Mean squares follow chi-square distributions; that of ratings is a component itself."""
    found = estimate_components(RatingFactors.from_array(CROSSED), studies=1000)
    assert set(found.intervals) == set(found.values)
    for term, (low, high) in found.intervals.items():
        assert low < found.values[term] < high
    ends = 30 / scipy.stats.chi2.ppf([0.975, 0.025], 30)
    assert found.intervals["rating"] == pytest.approx(found["rating"] * ends, rel=0.06)
    found = estimate_components(RatingFactors.from_array(CROSSED), studies=100)
    again = estimate_components(RatingFactors.from_array(CROSSED), studies=100)
    assert again.intervals == found.intervals
    other = estimate_components(RatingFactors.from_array(CROSSED), studies=100, seed=1)
    assert other.intervals != found.intervals


@pytest.mark.parametrize(
    ("change", "joined"),
    [
        pytest.param(lambda y: y[:, :, :1], {"system × segment": "rating"}, id="one rater"),
        pytest.param(lambda y: np.where(np.eye(3)[np.arange(6) % 3], y, np.nan),
                     {"system × segment": "rating", "rater × segment": "segment"},
                     id="one rater a segment"),
    ],
)  # fmt: skip
def test_terms_that_cannot_be_told_apart_are_joined(change, joined):
    given_values = change(np.array(CROSSED, float))
    found = estimate_components(RatingFactors.from_array(given_values), studies=0)
    assert found.joined == joined
    assert not set(found.joined) & set(found.values)


def test_documents_hold_segments():
    documents = list("aabbcc")
    found = estimate_components(RatingFactors.from_array(CROSSED, documents), studies=0)
    assert set(found.values) == set(TERMS)
    assert found.segments_per_document == 2
    for useless in (list("abcdef"), ["one"] * 6):
        factors = RatingFactors.from_array(CROSSED, useless)
        assert "document" not in estimate_components(factors, studies=0).values


def test_repeats_of_a_rater_are_averaged():
    codes = [np.array([0, 0, 1])] * 3
    merged = average_repeats(RatingFactors(np.array([1.0, 3.0, 5.0]), *codes))
    assert (merged.value.tolist(), merged.system.tolist()) == ([2.0, 5.0], [0, 1])


def test_a_negative_variance_counts_as_none():
    flat = [[[1, 9], [9, 1], [1, 9]], [[9, 1], [1, 9], [9, 1]]]
    found = estimate_components(RatingFactors.from_array(flat), studies=0)
    assert min(found.values.values()) < 0
    assert min(found[term] for term in TERMS) == 0
    assert found.total() == sum(max(value, 0) for value in found.values.values())


@pytest.mark.parametrize(
    ("values", "documents", "message"),
    [
        pytest.param([1, 2], None, "expected systems × segments × raters", id="a row"),
        pytest.param(CROSSED, ["a"], "1 documents for 6 segments", id="documents"),
    ],
)
def test_arrays_of_another_shape_are_refused(values, documents, message):
    with pytest.raises(LengthError, match=message):
        RatingFactors.from_array(values, documents)


@pytest.mark.parametrize(
    "values",
    [[[1.0, 2.0, 3.0]], [[1.0], [2.0]], [[1, np.nan], [np.nan, 2]]],
    ids=["one system", "one segment", "no shared segment"],
)
def test_too_little_is_refused(values):
    with pytest.raises(CorpusError, match="at least two systems"):
        estimate_components(RatingFactors.from_array(values), studies=0)
