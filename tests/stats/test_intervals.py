"""Draws and intervals: by hand, by scipy, and by what an interval is for."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import metra
from metra.stats import resampling
from metra.stats.defaults import LEAST_UNITS
from metra.stats.resampling import Sample, draw_swaps, draw_weights, interval


def confidence(rows, aggregate, **options):
    """The interval of one sample."""
    return resampling.compute_intervals([Sample(rows, aggregate)], **options)[0]


def bootstrap(rows, aggregate, **options):
    return resampling.bootstrap_scores([Sample(rows, aggregate)], **options)[0]


def bca_interval(scores, rows, aggregate, **options):
    return resampling.bca_interval(scores, Sample(rows, aggregate), **options)


def mean(totals):
    """The mean of one column, as a measure: sums and counts are its rows."""
    return totals[..., 0] / totals[..., 1]


def rows_of(values):
    return np.stack([np.asarray(values, float), np.ones(len(values))], axis=1)


SKEWED = rows_of(np.random.default_rng(3).exponential(size=40))


def test_percentiles_of_the_bootstrap_are_numpys():
    low, high = confidence(SKEWED, mean, trials=777, seed=42)
    draws = np.random.default_rng(42).integers(0, 40, (777, 40))
    scores = SKEWED[:, 0][draws].mean(1)
    assert (low, high) == pytest.approx(np.percentile(scores, [2.5, 97.5]), rel=1e-12)


def scipy_bca(scores, values, level):
    """scipy's own interval from the same resampled scores."""
    drawn = {"bootstrap_result": SimpleNamespace(bootstrap_distribution=scores)}
    options = {"n_resamples": 0, "confidence_level": level, "method": "BCa"}
    return stats.bootstrap((values,), np.mean, **drawn, **options).confidence_interval


FLOATS = st.floats(-100, 100, width=32)
VARIED = st.lists(FLOATS, min_size=3, max_size=40).filter(lambda x: len(set(x)) > 2)


@settings(max_examples=40)
@given(values=VARIED, level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_bca_equals_scipy(values, level):
    rows = rows_of(values)
    scores = bootstrap(rows, mean, trials=200, rng=np.random.default_rng(0))
    found = bca_interval(scores, rows, mean, level=level)
    expected = scipy_bca(scores, np.array(values), level)
    assert found == pytest.approx(tuple(expected), abs=1e-9, rel=1e-9)


@settings(max_examples=40)
@given(st.lists(FLOATS, min_size=2, max_size=40))
def test_the_jackknife_error_of_a_mean_is_the_usual_one(values):
    without = resampling.jackknife_scores(Sample(rows_of(values), mean))
    found = resampling.standard_error(without)
    assert found == pytest.approx(stats.sem(values), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_equal_segments_leave_no_doubt(method):
    rows = rows_of([3.0] * 10)
    assert confidence(rows, mean, method=method) == (3.0, 3.0)


def test_bca_is_the_percentile_interval_where_there_is_nothing_to_correct_with():
    rows = rows_of([0.0, 0, 0, 1])
    scores = np.array([0.5, 0.6, 0.7, 0.8])  # all above the observed 0.25
    assert bca_interval(scores, rows, mean) == interval(scores)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("size", [1, LEAST_UNITS - 1, LEAST_UNITS])
def test_few_segments_have_no_interval(size, method):
    found = confidence(SKEWED[:size], mean, method=method)
    assert (found is not None) == (size == LEAST_UNITS)


def test_samples_share_their_draws():
    """A sample's interval does not depend on what is resampled along with it."""
    other = rows_of(np.arange(40))
    samples = [Sample(SKEWED, mean), Sample(other, mean), Sample(-SKEWED, mean)]
    together = resampling.compute_intervals(samples)
    assert together == [confidence(s.rows, s.aggregate) for s in samples]
    rng = np.random.default_rng(0)
    drawn = resampling.bootstrap_scores(samples, trials=50, rng=rng)
    assert np.array_equal(drawn[0], drawn[2])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"method": "studentised"}, "percentile or bca."),
        ({"trials": 0}, "at least 1."),
        ({"level": 95}, "a share between 0 and 1, such as 0.95."),
        ({"level": 1.0}, "a share between 0 and 1, such as 0.95."),
        ({"seed": -1}, "0 or more."),
    ],
)
def test_wrong_wishes(given, expected):
    result = metra.score(["a b", "c"], [["a b", "d"]])
    with pytest.raises(metra.MetraError) as caught:
        result.interval(**given)
    [(name, value)] = given.items()
    problem = f"An interval with {name}={value!r} is not possible"
    assert str(caught.value) == f"{problem}; expected {expected}"


KINDS = pytest.mark.parametrize("draw", [draw_weights, draw_swaps])


def drawn(draw, count, trials, seed=1):
    return np.concatenate(list(draw(count, trials, np.random.default_rng(seed))))


def test_resamples_draw_as_many_units_as_there_are():
    counts = drawn(draw_weights, 6, 500).astype(float)
    assert counts.shape == (500, 6)
    assert (counts.sum(1) == 6).all()
    assert counts.mean(0) == pytest.approx(np.ones(6), abs=0.15)
    assert counts.var(0) == pytest.approx(np.full(6, 5 / 6), abs=0.25)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 130])
def test_swaps_are_fair_coins(count):
    coins = drawn(draw_swaps, count, 4000).astype(float)
    assert coins.shape == (4000, count)
    assert set(np.unique(coins)) == {0, 1}
    # Five standard errors of a share, and of a correlation of neighbours.
    assert np.abs(coins.mean(0) - 0.5).max() < 5 * 0.5 / 4000**0.5
    both = (2 * coins[:, 1:] - 1) * (2 * coins[:, :-1] - 1)
    assert np.abs(both.mean(0)).max(initial=0) < 5 / 4000**0.5


@KINDS
@pytest.mark.parametrize(("block", "step"), [(1, 1), (51, 149), (130, 10_000)])
def test_the_size_of_blocks_and_steps_changes_nothing(monkeypatch, draw, block, step):
    expected = drawn(draw, 50, 300)
    monkeypatch.setattr(resampling, "BLOCK", block)
    monkeypatch.setattr(resampling, "STEP", step)
    assert np.array_equal(drawn(draw, 50, 300), expected)


@KINDS
def test_more_trials_begin_with_the_same_draws(draw):
    assert np.array_equal(drawn(draw, 9, 300)[:200], drawn(draw, 9, 200))


@KINDS
def test_memory_stays_within_the_budget(monkeypatch, draw):
    def sizes(trials, block):
        monkeypatch.setattr(resampling, "BLOCK", block)
        return [len(each) for each in draw(10, trials, np.random.default_rng(0))]

    assert sizes(25, 100) == [10, 10, 5]
    assert sizes(3, 1) == [1, 1, 1]
    assert sizes(300, 10**9) == [256, 44]
