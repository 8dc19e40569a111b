"""Totals: the same digits for any chunks, groups, resamples."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.stats import totals as pool

# Numbers of very different sizes, so that the order of additions shows in the last bits.
ROWS = np.random.default_rng(5).lognormal(0, 6, (5000, 3))


@pytest.mark.parametrize("size", [1, 7, 100, 1023, 1024, 1025, 4096, 5000])
def test_the_size_of_chunks_changes_no_bit(size):
    adding = pool.Total(3)
    for start in range(0, len(ROWS), size):
        adding.add(ROWS[start : start + size])
    assert adding.value().tobytes() == pool.sum_rows(ROWS).tobytes()


@given(st.lists(st.integers(0, 1500), max_size=8))
def test_chunks_of_any_sizes_change_no_bit(sizes):
    adding = pool.Total(3)
    ends = np.cumsum([0, *sizes]).clip(0, len(ROWS))
    for start, end in pairwise(ends):
        adding.add(ROWS[start:end])
    assert adding.value().tobytes() == pool.sum_rows(ROWS[: ends[-1]]).tobytes()


def test_a_total_can_be_read_while_it_grows():
    adding = pool.Total(3)
    adding.add(ROWS[:10])
    first = adding.value()
    assert first.tobytes() == adding.value().tobytes()
    adding.add(ROWS[10:20])
    assert adding.value() == pytest.approx(ROWS[:20].sum(0))
    assert first == pytest.approx(ROWS[:10].sum(0))


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, 5000])
def test_sums_of_blocks_add_up_to_the_same_bits(count):
    adding = pool.BlockTotal(3)
    for start in range(0, count, pool.BLOCK):
        adding.add([ROWS[start : min(start + pool.BLOCK, count)].sum(0).tolist()])
    assert np.array(adding.value()).tobytes() == pool.sum_rows(ROWS[:count]).tobytes()


def test_the_sum_is_the_sum():
    exact = [math.fsum(column) for column in ROWS.T]
    assert pool.sum_rows(ROWS) == pytest.approx(exact, rel=1e-14)
    assert pool.sum_rows(ROWS[:0]).tolist() == [0, 0, 0]


def test_groups_come_in_order_of_appearance():
    rows = np.arange(10.0).reshape(5, 2)
    names, totals = pool.sum_by_group(rows, ["b", "a", "b", "c", "a"])
    assert names == ["b", "a", "c"]
    assert totals.tolist() == [[0 + 4, 1 + 5], [2 + 8, 3 + 9], [6, 7]]


@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=50))
def test_groups_add_up_to_the_whole(labels):
    rows = ROWS[: len(labels)]
    names, totals = pool.sum_by_group(rows, labels)
    assert names == list(dict.fromkeys(labels))
    for name, total in zip(names, totals, strict=True):
        chosen = [row for row, label in zip(rows, labels, strict=True) if label == name]
        assert total == pytest.approx(np.sum(chosen, axis=0))


def test_leaving_one_out():
    rows = np.array([[1.0, 2], [3, 4], [5, 6]])
    assert pool.leave_one_out(rows).tolist() == [[8, 10], [6, 8], [4, 6]]
