"""Correlations equal scipy's; squares hold every segment once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metra.analysis.relations import relate_scores

PAIRS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=40
).filter(lambda pairs: all(len(set(side)) > 1 for side in zip(*pairs, strict=True)))


@given(PAIRS)
def test_correlations_are_scipys(pairs):
    x, y = np.array(pairs, float).T
    found = relate_scores("x", "y", [], x, y)
    assert found.pearson == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)
    assert found.spearman == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-12)


@given(PAIRS)
def test_every_segment_is_in_one_square(pairs):
    x, y = np.array(pairs, float).T
    found = relate_scores("x", "y", [], x, y)
    assert sum(count for *_, count in found.squares) == found.segments == len(pairs)


def test_what_never_varies_has_no_correlation():
    found = relate_scores("x", "y", [], np.ones(5), np.arange(5.0))
    assert found.pearson is None
    assert found.spearman is None


def test_segments_without_a_score_are_left_out():
    x = np.array([1.0, np.nan, 3.0, 4.0])
    found = relate_scores("x", "y", [], x, np.array([2.0, 5.0, np.nan, 8.0]))
    assert found.segments == 2


def test_two_systems_have_no_correlation():
    points = [("a", 1, 2), ("b", 2, 3)]
    one = relate_scores("x", "y", points, np.arange(3.0), np.arange(3.0))
    assert one.systems_pearson is None
    two = relate_scores(
        "x", "y", [*points, ("c", 3, 4)], np.arange(3.0), np.arange(3.0)
    )
    assert two.systems_pearson == pytest.approx(1)
