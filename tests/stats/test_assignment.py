"""One-to-one pairs with the greatest total, against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from metra.stats.assignment import assign_columns


def total(weights, columns) -> int:
    return sum(
        row[column]
        for row, column in zip(weights, columns, strict=True)
        if column is not None
    )


def matrices(most: int, highest: int) -> st.SearchStrategy:
    def of_size(size):
        row = st.lists(st.integers(0, highest), min_size=size[1], max_size=size[1])
        return st.lists(row, min_size=size[0], max_size=size[0])

    return st.tuples(st.integers(1, most), st.integers(1, most)).flatmap(of_size)


@given(matrices(6, 3) | matrices(30, 50))
def test_the_total_is_that_of_scipy(weights):
    columns = assign_columns(weights)
    used = [column for column in columns if column is not None]
    assert len(used) == len(set(used)) == min(len(weights), len(weights[0]))
    best = np.array(weights)[linear_sum_assignment(np.array(weights), maximize=True)]
    assert total(weights, columns) == best.sum()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        pytest.param([], [], id="no rows"),
        pytest.param([[], []], [None, None], id="no columns"),
        pytest.param([[0, 0]], [0], id="nothing to gain"),
        pytest.param([[1], [3], [2]], [None, 0, None], id="more rows than columns"),
        pytest.param([[10**30, 10**30 + 1], [0, 10**30]], [0, 1], id="no rounding"),
    ],
)
def test_edges(weights, expected):
    assert assign_columns(weights) == expected
