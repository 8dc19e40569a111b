"""Bins: every score is in one, and their edges are numbers that people read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra import EvalSet, evaluate
from metra.analysis.relations import compute_bin_edges, count_distributions

SCORES = st.lists(
    st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False),
    min_size=1,
    max_size=50,
)


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
    results = evaluate(
        EvalSet(refs),
        {"same": refs, "half": ["a b x y", "e f g h"]},
        ["precision"],
        levels=["segment"],
    )
    (found,) = count_distributions(results)
    assert found.medians == {"same": 100, "half": 75}
    assert found.counts["same"][-1] == 2
    assert sum(found.counts["half"]) == 2
