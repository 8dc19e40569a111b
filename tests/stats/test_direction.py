"""Directions of scores: the law that the best value is oriented highest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.stats.direction import HIGHER, LOWER, Direction, find_direction

NUMBERS = st.floats(-1e6, 1e6)


@given(target=NUMBERS, value=NUMBERS)
def test_nothing_is_better_than_the_target(target, value):
    direction = Direction(target)
    assert direction.orient(value) <= direction.orient(target) == 0
    assert direction.orient(np.array([value]))[0] == direction.orient(value)


@given(one=NUMBERS, other=NUMBERS)
def test_without_a_target_the_order_is_kept_or_reversed(one, other):
    assert (HIGHER.orient(one) > HIGHER.orient(other)) == (one > other)
    assert (LOWER.orient(one) > LOWER.orient(other)) == (one < other)


@pytest.mark.parametrize(
    ("direction", "pair", "arrow", "words"),
    [
        (HIGHER, (True, None), "↑", "higher is better"),
        (LOWER, (False, None), "↓", "lower is better"),
        (Direction(100.0), (None, 100.0), "→100", "closest to 100 is best"),
        (Direction(0.0), (None, 0.0), "→0", "closest to 0 is best"),
    ],
)
def test_a_direction_is_described(direction, pair, arrow, words):
    assert (direction.higher_is_better, direction.target) == pair
    assert (direction.arrow, direction.words) == (arrow, words)
    assert find_direction(*pair) == direction


def test_missing_scores_stay_missing():
    for direction in (HIGHER, LOWER, Direction(1.0)):
        assert math.isnan(direction.orient(math.nan))
