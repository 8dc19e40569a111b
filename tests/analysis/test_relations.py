"""Bins and squares hold every score once; correlations equal scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metra import EvalSet, evaluate
from metra.analysis.relations import (
    compute_bin_edges,
    count_distributions,
    relate_scores,
)

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
    points.append(("c", 3, 4))
    two = relate_scores("x", "y", points, np.arange(3.0), np.arange(3.0))
    assert two.systems_pearson == pytest.approx(1)


FLOATS = st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False)
SCORES = st.lists(FLOATS, min_size=1, max_size=50)


@given(SCORES)
def test_every_score_is_in_a_bin(scores):
    edges = compute_bin_edges(np.array(scores))
    assert np.all(np.diff(edges) > 0)
    assert np.histogram(scores, edges)[0].sum() == len(scores)


@pytest.mark.parametrize(
    ("scores", "ends"),
    [
        pytest.param([0, 50], (0, 100), id="percent"),
        pytest.param([0, 100], (0, 100), id="the whole range"),
        pytest.param([-25, 0], (-26, 0), id="below zero"),
        pytest.param([3, 3], (2.5, 3.5), id="all equal"),
    ],
)
def test_edges_are_round(scores, ends):
    edges = compute_bin_edges(np.array(scores, float))
    assert (edges[0], edges[-1]) == pytest.approx(ends)


def test_what_is_no_number_is_left_out():
    edges = compute_bin_edges(np.array([np.nan, 10.0, 60.0]))
    assert edges[-1] == 100
    assert len(compute_bin_edges(np.array([np.nan]))) > 1


def test_counts_and_medians_of_every_system():
    refs = ["a b c d", "e f g h"]
    outputs = {"same": refs, "half": ["a b x y", "e f g h"]}
    results = evaluate(EvalSet(refs), outputs, ["precision"], levels=["segment"])
    (found,) = count_distributions(results)
    assert found.medians == {"same": 100, "half": 75}
    assert found.counts["same"][-1] == 2
    assert sum(found.counts["half"]) == 2
