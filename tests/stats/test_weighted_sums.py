"""Weighted totals: exact, so that nothing changes them but the rows and the weights."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metra.stats import weighted_sums
from metra.stats.weighted_sums import StackedRows, round_to_grid, weigh_values

# Numbers of very different sizes, so that the order of additions shows in the last bits.
ROWS = np.random.default_rng(5).lognormal(0, 4, (500, 3))
WEIGHTS = np.random.default_rng(6).integers(0, 5, (7, 500)).astype(np.uint16)


def exact(weights, column):
    parts = zip(weights.tolist(), column.tolist(), strict=True)
    return sum((weight * Fraction(value) for weight, value in parts), Fraction(0))


@pytest.mark.parametrize("stacked", [True, False], ids=["stacked", "apart"])
@pytest.mark.parametrize("step", [1, 40, 1_000_000])
def test_totals_are_exact_however_they_are_added(monkeypatch, stacked, step):
    monkeypatch.setattr(weighted_sums, "STEP", step)
    monkeypatch.setattr(weighted_sums, "MOST_STACKED", 10**6 if stacked else 0)
    other = np.arange(1000.0).reshape(500, 2)
    made = StackedRows([ROWS, other])
    found = made.sum_weighted(WEIGHTS)
    assert [block.shape for block in found] == [(7, 3), (7, 2)]
    grid = round_to_grid(ROWS)
    for at, weights in enumerate(WEIGHTS):
        assert found[0][at].tolist() == [exact(weights, c) for c in grid.T]
        assert found[1][at].tolist() == [exact(weights, c) for c in other.T]
    assert made.totals[0].tolist() == [exact(np.ones(500, int), c) for c in grid.T]


def test_large_counts_are_exact_beside_small_ones():
    small = np.arange(1000.0).reshape(500, 2)
    large = small * 2**20 + 1
    found = StackedRows([small, large, small]).sum_weighted(WEIGHTS)
    for block, rows in zip(found, (small, large, small), strict=True):
        for at, weights in enumerate(WEIGHTS):
            assert block[at].tolist() == [exact(weights, c) for c in rows.T]


@settings(max_examples=200)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30).map(np.array),
    st.randoms(use_true_random=False),
)
def test_sums_on_the_grid_are_the_same_in_any_order(values, random):
    column = round_to_grid(values[:, None])[:, 0]
    order = list(range(len(values)))
    random.shuffle(order)
    total = 0.0
    for at in order:
        total += column[at]
    assert Fraction(total) == sum(map(Fraction, column.tolist()), Fraction(0))
    assert np.abs(column - values).max() <= len(values) * np.abs(values).max() * 2**-53


def test_counts_are_on_the_grid_already():
    rows = np.array([[3.0, -7], [2**40, 1]])
    assert round_to_grid(rows) is rows


def test_what_is_no_number_stays_as_it_is():
    rows = np.array([[0.5, np.nan], [np.inf, 0.1]])
    assert round_to_grid(rows) is rows


def test_a_column_of_nothing_stays_nothing():
    assert round_to_grid(np.array([[0.0, 0.3], [0.0, 0.1]]))[:, 0].tolist() == [0, 0]


@pytest.mark.parametrize("rows", [ROWS, ROWS[:, 0]], ids=["columns", "one column"])
def test_weighted_values_keep_all_their_digits(rows):
    """Coarse and fine parts together lose nothing but the last rounding."""
    signs = WEIGHTS[:, : len(rows)] * 2.0 - 3
    found = weigh_values(signs, rows)
    assert found.shape == (len(signs), *rows.shape[1:])
    columns = rows.reshape(len(rows), -1).T
    for got, row in zip(found.reshape(len(signs), -1), signs, strict=True):
        for value, column in zip(got, columns, strict=True):
            total = exact(row, column)
            assert value == pytest.approx(float(total), rel=1e-14, abs=0)
