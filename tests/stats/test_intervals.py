"""Intervals: by hand, by scipy, and by what an interval is for."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import metra
from metra.stats import resampling
from metra.stats.defaults import LEAST_UNITS
from metra.stats.resampling import Sample, interval


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


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_percentiles_by_hand(level):
    scores = np.random.default_rng(1).permutation(np.arange(101.0))
    low, high = interval(scores, level=level)
    assert low == pytest.approx(100 * (1 - level) / 2)
    assert high == pytest.approx(100 * (1 + level) / 2)


def test_percentiles_of_the_bootstrap_are_numpys():
    low, high = confidence(SKEWED, mean, trials=777, seed=42)
    draws = np.random.default_rng(42).integers(0, 40, (777, 40))
    scores = SKEWED[:, 0][draws].mean(1)
    assert (low, high) == pytest.approx(np.percentile(scores, [2.5, 97.5]), rel=1e-12)


def scipy_bca(scores, values, level):
    """scipy's own interval from the same resampled scores."""
    return stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=scores),
        confidence_level=level,
        method="BCa",
    ).confidence_interval


@settings(max_examples=40)
@given(
    values=st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=40).filter(
        lambda values: len(set(values)) > 2
    ),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_bca_equals_scipy(values, level):
    rows = rows_of(values)
    scores = bootstrap(rows, mean, trials=200, rng=np.random.default_rng(0))
    found = bca_interval(scores, rows, mean, level=level)
    expected = scipy_bca(scores, np.array(values), level)
    assert found == pytest.approx(tuple(expected), abs=1e-9, rel=1e-9)


def test_bca_leans_where_the_scores_lean():
    plain = confidence(SKEWED, mean, trials=4000)
    bca = confidence(SKEWED, mean, trials=4000, method="bca")
    assert bca[0] > plain[0]
    assert bca[1] > plain[1]


@settings(max_examples=40)
@given(st.lists(st.floats(-100, 100, width=32), min_size=2, max_size=40))
def test_the_jackknife_error_of_a_mean_is_the_usual_one(values):
    found = resampling.standard_error(
        resampling.jackknife_scores(Sample(rows_of(values), mean))
    )
    assert found == pytest.approx(stats.sem(values), rel=1e-6, abs=1e-9)


def test_the_jackknife_error_of_a_ratio_is_near_the_bootstraps():
    rng = np.random.default_rng(4)
    rows = rng.integers(1, 30, (400, 2)).astype(float)
    scores = bootstrap(rows, mean, trials=4000, rng=np.random.default_rng(0))
    error = resampling.standard_error(resampling.jackknife_scores(Sample(rows, mean)))
    assert error == pytest.approx(scores.std(), rel=0.06)


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


def test_the_same_seed_gives_the_same_digits():
    first = confidence(SKEWED, mean, seed=7)
    assert first == confidence(SKEWED, mean, seed=7)
    assert first != confidence(SKEWED, mean, seed=8)
    assert confidence(SKEWED, mean, seed=0) == confidence(SKEWED, mean, seed=0)
    assert confidence(SKEWED, mean) == confidence(SKEWED, mean, trials=1000, seed=12345)


def test_samples_share_their_draws():
    """A sample's interval does not depend on what is resampled along with it."""
    other = rows_of(np.arange(40))
    samples = [Sample(SKEWED, mean), Sample(other, mean), Sample(-SKEWED, mean)]
    together = resampling.compute_intervals(samples)
    assert together == [confidence(s.rows, s.aggregate) for s in samples]
    drawn = resampling.bootstrap_scores(
        samples, trials=50, rng=np.random.default_rng(0)
    )
    assert np.array_equal(drawn[0], drawn[2])


@pytest.mark.slow
@pytest.mark.parametrize(("method", "least"), [("percentile", 0.85), ("bca", 0.85)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(method, least):
    """Means of 40 draws from a skewed law whose mean is 1: both fall a little short."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(400):
        low, high = confidence(
            rows_of(rng.exponential(size=40)), mean, trials=400, method=method
        )
        held += low <= 1 <= high
    assert least < held / 400 < 0.98


def test_wider_levels_hold_narrower_ones():
    ends = [confidence(SKEWED, mean, level=level) for level in (0.5, 0.9, 0.99)]
    lows, highs = zip(*ends, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"method": "studentised"}, "method='studentised' is not possible; "
                                    "expected percentile or bca."),
        ({"trials": 0}, "trials=0 is not possible; expected at least 1."),
        ({"level": 95}, "level=95 is not possible; "
                        "expected a share between 0 and 1, such as 0.95."),
        ({"level": 1.0}, "level=1.0 is not possible; "
                         "expected a share between 0 and 1, such as 0.95."),
        ({"seed": -1}, "seed=-1 is not possible; expected 0 or more."),
    ],
)  # fmt: skip
def test_wrong_wishes(given, expected):
    result = metra.score(["a b", "c"], [["a b", "d"]])
    with pytest.raises(metra.MetraError) as caught:
        result.interval(**given)
    assert str(caught.value) == f"An interval with {expected}"
