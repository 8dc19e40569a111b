"""Tie calibration: published thresholds, and every threshold tried by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metra.stats import thresholds
from metra.stats.correlation import COEFFICIENTS, correlate
from metra.stats.thresholds import calibrate, calibrate_long, order_gold_pairs

accuracy = COEFFICIENTS["acc_eq"].rows
N = float("nan")
CASES = [  # mt-metrics-eval's tau_optimization_test
    pytest.param([[1, 2, 3, 4]], [[0, 2, 6, 8]], 0, 1.0, id="no ties are best"),
    pytest.param([[1, 1, 1, 4]], [[0, 2, 6, 8]], 4, 4 / 6, id="some ties are best"),
    pytest.param(
        [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, N, 3, 2], [N] * 5],
        [[0, 5, 2, 3, 2], [N, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [N] * 5],
        1, 0.4916666666666668, id="gaps in gold and metric, and an empty group",
    ),
]  # fmt: skip


def calibrated(gold, metric):
    gold = np.where(np.isfinite(metric), gold, np.nan)
    return calibrate(metric, order_gold_pairs(gold))


@pytest.mark.parametrize(("gold", "metric", "eps", "value"), CASES)
def test_published(gold, metric, eps, value):
    found = calibrated(np.array(gold, float), np.array(metric, float))
    assert found.eps == eps
    assert found.accuracy == pytest.approx(value, abs=1e-12)


def by_hand(gold, metric):
    """The mean accuracy at every threshold that matters; the first of the best."""
    there = np.isfinite(gold) & np.isfinite(metric)
    tries = {0.0}
    for row, kept in zip(metric, there, strict=True):
        values = row[kept]
        tries |= {abs(a - b) for a in values for b in values}
    best = (-1.0, 0.0)
    for eps in sorted(tries):
        each = accuracy(np.where(there, gold, np.nan), metric, eps=eps)
        if np.isfinite(each).any():
            mean = float(np.nanmean(each))
            if mean > best[0] + 1e-12:
                best = (mean, eps)
    return best


@settings(max_examples=120, deadline=None)
@given(
    hnp.arrays(np.float64, (3, 6), elements=st.integers(0, 3).map(float)),
    hnp.arrays(np.float64, (3, 6), elements=st.floats(0, 3).map(lambda x: round(x, 1))),
    hnp.arrays(bool, (3, 6)),
    st.booleans(),
)
def test_no_threshold_is_better(gold, metric, gaps, whole):
    if not whole:
        gold = np.where(gaps, np.nan, gold)
    value, eps = by_hand(gold, metric)
    found = calibrated(gold, metric)
    if value < 0:
        assert np.isnan(found.accuracy)
        return
    assert found.accuracy == pytest.approx(value, abs=1e-12)
    assert found.eps == eps


def test_a_threshold_found_elsewhere_is_applied():
    gold, metric = [[1, 1, 2], [1, 2, 2]], [[0.1, 0.2, 0.9], [0.3, 0.5, 0.9]]
    fitted = correlate(gold, metric, coef="acc*_eq", group="item")
    again = correlate(gold, metric, coef="acc*_eq", group="item", eps=fitted.eps)
    assert again.value == fitted.value
    worse = correlate(gold, metric, coef="acc*_eq", group="item", eps=9)
    assert worse.value < fitted.value


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.float64, (2, 9), elements=st.integers(0, 3).map(float)),
    hnp.arrays(np.float64, (2, 9), elements=st.floats(0, 3).map(lambda x: round(x, 1))),
)
def test_counting_in_intervals_finds_what_sorting_finds(gold, metric):
    short = calibrated(gold, metric)
    few = {"MOST": 3, "INTERVALS": 4, "STEP": 20}
    for changed in ({}, few):  # few: the intervals are cut again and again
        with pytest.MonkeyPatch.context() as patch:
            for name, value in changed.items():
                patch.setattr(thresholds, name, value)
            long = calibrate_long(gold, metric)
        assert long.eps == short.eps
        assert long.accuracy == pytest.approx(short.accuracy, abs=1e-12)


@pytest.mark.parametrize(
    "metric",
    [
        pytest.param(np.zeros(6000), id="constant: every difference is the same"),
        pytest.param(np.arange(6000.0) % 4, id="four values, so four differences"),
    ],
)
def test_differences_that_repeat_are_not_looked_at_one_by_one(metric, monkeypatch):
    def never(*_):
        pytest.fail("single differences were looked at")

    monkeypatch.setattr(thresholds, "_search_intervals", never)
    gold = np.random.default_rng(0).integers(0, 3, 6000).astype(float)
    found = calibrate_long(gold[None], metric[None])
    exact = float(accuracy(gold, metric, eps=found.eps))
    assert found.accuracy == pytest.approx(exact, abs=1e-12)
