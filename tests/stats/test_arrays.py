"""Arithmetic that respects missing values, and figures that are rounded once."""

from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.stats.arrays import (
    choose_round_step,
    find_quantiles,
    group_lines,
    round_values,
)
from metra.stats.curves import fit_line

NAN = float("nan")


@pytest.mark.parametrize(
    ("span", "most", "expected"),
    [
        pytest.param(100, 4, 25, id="just"),
        pytest.param(100, 10, 10, id="just, a power of ten"),
        pytest.param(10, 5, 2, id="just, a multiple"),
        pytest.param(101, 4, 50, id="a little more"),
        pytest.param(0.9, 4, 0.25, id="below one"),
    ],
)
def test_steps_are_round_and_no_more_than_asked_for(span, most, expected):
    assert choose_round_step(span, most) == expected


def test_two_points_make_a_line_and_three_a_band():
    line = fit_line(np.array([1.0, 3]), np.array([2.0, 8]))
    assert (line.slope, line.intercept, line.band) == (3, -1, ())
    assert fit_line(np.array([1.0]), np.array([2.0])) is None
    assert fit_line(np.array([1.0, 1]), np.array([2.0, 3])) is None
    line = fit_line(np.array([1.0, 2, 4]), np.array([2.0, 3, 4]))
    assert len(line.band) == 40
    # By hand: s² = 1/14, Σ(x - mean)² = 14/3, and t of one degree is 12.7062 at .975.
    first, *_, last = line.band
    half = 12.706204736 * np.sqrt(1 / 14 * (1 / 3 + (1 - 7 / 3) ** 2 / (14 / 3)))
    assert (first[2] - first[1]) / 2 == pytest.approx(half)
    assert (first[0], last[0]) == (1, 4)


def test_codes_are_grouped_in_rising_order():
    groups = [(code, at.tolist()) for code, at in group_lines(np.array([7, 3, 7, 5]))]
    assert groups == [(3, [1]), (5, [3]), (7, [0, 2])]
    assert list(group_lines(np.array([], np.int64))) == []


@given(st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0005, 2.5, 2.9999, -0.5])))
def test_rounded_figures_are_those_of_python(values):
    for digits in (0, 3):
        found = round_values(values, digits)
        assert found == [round(value, digits) for value in values]
        assert all(isinstance(each, int) for each in found if each == int(each))


def test_what_is_not_finite_is_nothing():
    assert round_values([NAN, float("inf"), 1.0, 0.12345], 2) == [None, None, 1, 0.12]
    exact = Decimal("0.125").quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    assert round_values([0.125], 2) == [float(exact)]


@given(st.integers(1, 60), st.integers(0, 3), st.integers(0, 9))
def test_quantiles_equal_those_of_numpy_to_the_last_digit(count, rows, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, count) if rows else count)
    values[rng.random(values.shape) < 0.01] = NAN
    shares = [0.0, 0.025, 0.3, 0.5, *rng.random(3), 0.975, 1.0]
    expected = np.quantile(values, shares, axis=-1)
    assert find_quantiles(values, shares).tobytes() == expected.tobytes()
