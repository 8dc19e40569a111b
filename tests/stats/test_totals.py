"""Totals: the same digits for any order, chunks, groups and resamples."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.stats import totals

# Numbers of very different sizes, so that the order of additions shows in the last bits.
ROWS = np.random.default_rng(5).lognormal(0, 6, (5000, 3))


def sum_in_chunks(rows: np.ndarray, ends: list[int]) -> list[float]:
    sums = totals.sum_parts(rows[:0])
    for start, end in pairwise(ends):
        sums = totals.add_parts(sums, totals.sum_parts(rows[start:end]))
    return totals.join_parts(sums)


@given(st.lists(st.integers(0, 1500), max_size=8))
def test_chunks_of_any_sizes_change_no_bit(sizes):
    ends = np.cumsum([0, *sizes]).clip(0, len(ROWS)).tolist()
    expected = totals.sum_rows(ROWS[: ends[-1]]).tolist()
    assert sum_in_chunks(ROWS, ends) == expected


def test_the_order_of_rows_changes_no_bit():
    shuffled = np.random.default_rng(1).permutation(ROWS)
    assert totals.sum_rows(shuffled).tolist() == totals.sum_rows(ROWS).tolist()


def test_sums_of_whole_numbers_are_sums_of_parts():
    rows = np.arange(12.0).reshape(4, 3)
    assert totals.split_whole(rows.sum(0).tolist()) == totals.sum_parts(rows)
    mixed = totals.add_parts(totals.sum_parts(rows), totals.sum_parts(ROWS))
    both = totals.sum_rows(np.concatenate([ROWS, rows]))
    assert totals.join_parts(mixed) == both.tolist()


@given(
    st.lists(
        st.floats(-1e6, 1e6) | st.integers(0, 10**9).map(float), min_size=1, max_size=60
    )
)
def test_a_row_is_the_sum_of_its_parts(values):
    joined = totals.join_parts(totals.split_parts(np.array(values)).tolist())
    assert joined == pytest.approx(values, rel=1e-15, abs=2.0**-59)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_stays_so(value):
    assert totals.sum_rows(np.array([[value, 0.5]])).tolist() == pytest.approx(
        [value, 0.5], nan_ok=True
    )


def test_the_sum_is_the_sum():
    exact = [math.fsum(column) for column in ROWS.T]
    assert totals.sum_rows(ROWS) == pytest.approx(exact, rel=1e-14)
    assert totals.sum_rows(ROWS[:0]).tolist() == [0, 0, 0]


@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=50))
def test_groups_add_up_to_the_whole(labels):
    rows = ROWS[: len(labels)]
    names, sums = totals.sum_by_group(rows, labels)
    assert names == tuple(dict.fromkeys(labels))
    for name, total in zip(names, sums, strict=True):
        chosen = [row for row, label in zip(rows, labels, strict=True) if label == name]
        assert total == pytest.approx(np.sum(chosen, axis=0))
