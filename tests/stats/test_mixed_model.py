"""Mixed models: values of lme4 and statsmodels, explicit matrices, paired t-tests."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stats.test_variance import CROSSED

from metra.errors import CorpusError
from metra.stats import mixed_model
from metra.stats.mixed_model import _Design, fit_mixed_model
from metra.stats.variance import (
    RATING,
    SYSTEM,
    RatingFactors,
    average_repeats,
    list_terms,
)

NAN = float("nan")
# lme4's Penicillin: diameters of 24 plates × 6 samples (Davies and Goldsmith 1972).
PLATES = """
27 23 26 23 23 21 27 23 26 23 23 21 25 21 25 24 24 20 26 23 25 23 23 20 25 22 26 22 23 20
24 22 25 23 22 19 24 20 23 21 22 19 26 22 26 24 24 21 24 21 24 22 22 20 24 21 24 23 22 19
26 23 26 24 24 21 25 22 26 24 24 20 26 24 26 24 25 22 26 23 26 23 23 20 26 23 25 24 24 22
25 22 25 23 23 20 25 21 24 23 23 20 25 22 24 23 23 19 24 21 23 21 21 19 26 23 26 24 24 21
25 21 24 22 22 18 25 22 25 22 22 20 24 21 24 22 24 19 24 21 24 22 21 18
"""
# lme4's Pastes: strengths of 10 batches × 3 casks × 2 tests (the same book).
CASKS = """
62.8 62.6 60.1 62.3 62.7 63.1 60.0 61.4 57.5 56.9 61.1 58.9 58.7 57.5 63.9 63.1 65.4 63.7
57.1 56.4 56.9 58.6 64.7 64.5 55.1 55.1 54.7 54.2 58.8 57.5 63.4 64.9 59.3 58.1 60.5 60.0
62.5 62.6 61.0 58.7 56.9 57.7 59.2 59.4 65.2 66.0 64.8 64.1 54.8 54.8 64.0 64.0 57.7 56.8
58.3 59.3 59.2 59.2 58.9 56.6
"""
INCOMPLETE = np.array(CROSSED, float)
INCOMPLETE[0, 1, 2] = INCOMPLETE[1, 4, 0] = INCOMPLETE[3, 5, 1] = NAN
INCOMPLETE[2, 2, :2] = NAN


def test_crossed_effects_are_those_of_lme4():
    value = np.array(PLATES.split(), float)
    plate, sample = np.divmod(np.arange(144), 6)
    found = fit_mixed_model(RatingFactors(value, 0 * plate, plate, sample))
    # lmer(diameter ~ 1 + (1|plate) + (1|sample)) as Bates prints it in lme4's book.
    assert found.means[0] == pytest.approx(22.9722, abs=5e-5)
    assert found.errors[0, 0] == pytest.approx(0.8086, abs=5e-5)
    assert found.criterion == pytest.approx(330.8606, abs=5e-5)
    deviations = {term: variance**0.5 for term, variance in found.variances.items()}
    expected = {"segment": 0.8467, "rater": 1.9316, "rating": 0.5499}
    assert deviations == pytest.approx(expected, abs=5e-5)


def test_nested_effects_are_those_of_lme4():
    value = np.array(CASKS.split(), float)
    cask = np.arange(60) // 2
    found = fit_mixed_model(RatingFactors(value, 0 * cask, cask, None, cask // 3))
    # lmer(strength ~ 1 + (1|batch) + (1|batch:cask)), as quoted in statsmodels' tests.
    assert found.means[0] == pytest.approx(60.0533, abs=5e-5)
    assert found.errors[0, 0] == pytest.approx(0.6769, abs=5e-5)
    deviations = {term: variance**0.5 for term, variance in found.variances.items()}
    expected = {"document": 1.2874, "segment": 2.9041, "rating": 0.8234}
    assert deviations == pytest.approx(expected, abs=5e-5)


def test_an_incomplete_crossed_design_has_the_estimates_of_statsmodels():
    found = fit_mixed_model(RatingFactors.from_array(INCOMPLETE))
    # By statsmodels 0.15, MixedLM with five variance components, REML.
    assert found.means == pytest.approx([55.1102, 67.5903, 62.0202, 45.9125], abs=1e-4)
    assert found.criterion == pytest.approx(428.0937, abs=1e-4)
    expected = {
        **{"segment": 16.5686, "rater": 5.6248, "system × segment": 18.2187},
        **{"system × rater": 7.1377, "rater × segment": 10.0741, "rating": 17.7182},
    }
    assert found.variances == pytest.approx(expected, abs=1e-3)


@st.composite
def designs(draw):
    """Draw judgements of any systems, segments in documents, and raters."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count = draw(st.integers(12, 60))
    system, segment, rater = (rng.integers(0, size, count) for size in (3, 6, 3))
    document = segment // 2 if draw(st.booleans()) else None
    rater = rater if draw(st.booleans()) else None
    value = rng.normal(size=count)
    return average_repeats(RatingFactors(value, system, segment, rater, document))


@settings(max_examples=40, deadline=None)
@given(designs(), st.integers(0, 10**6))
def test_the_likelihood_is_that_of_explicit_matrices(factors, seed):
    codes, _ = list_terms(factors)
    terms = [term for term in codes if term not in (SYSTEM, RATING)]
    ratios = np.random.default_rng(seed).uniform(0, 2, len(terms))
    ratios[: seed % 2] = 0
    fit = _Design(factors, terms).evaluate(ratios)
    marks = [np.eye(codes[term].max() + 1)[codes[term]] for term in terms]
    v = np.eye(len(factors.value))
    v += sum(r**2 * z @ z.T for r, z in zip(ratios, marks, strict=True))
    x = np.eye(3)[factors.system]
    x = x[:, x.any(0)]
    information = x.T @ np.linalg.solve(v, x)
    means = np.linalg.solve(information, x.T @ np.linalg.solve(v, factors.value))
    left = factors.value - x @ means
    squares = left @ np.linalg.solve(v, left)
    freedom = len(v) - x.shape[1]
    logs = np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1]
    criterion = freedom * (np.log(2 * np.pi * squares / freedom) + 1) + logs
    assert fit.means + factors.value.mean() == pytest.approx(means, abs=1e-8)
    assert fit.inverse == pytest.approx(np.linalg.inv(information), rel=1e-8)
    assert fit.criterion == pytest.approx(criterion, abs=1e-7)


def test_blocks_give_paired_t_tests():
    rng = np.random.default_rng(1)
    values = rng.normal(0, 2, (1, 15)) + rng.normal(size=(2, 15)) + [[0], [1]]
    found = fit_mixed_model(RatingFactors.from_array(values))
    expected = scipy.stats.ttest_rel(*values)
    assert found.freedom[0, 1] == pytest.approx(14, rel=1e-3)
    assert found.compute_p()[1, 0] == pytest.approx(expected.pvalue, rel=1e-3)
    assert found.compute_p()[0, 1] == 1
    low, high = found.find_intervals()[0]
    assert low < found.means[0] < high


def test_systems_that_raters_see_differently_differ_less():
    """The error of a difference is that of the raters' mean differences."""
    rng = np.random.default_rng(2)
    lean = 2 * rng.normal(size=(2, 1, 8)) + 4 * rng.normal(size=(1, 1, 8))
    values = lean + rng.normal(size=(1, 30, 1)) + rng.normal(size=(2, 30, 8))
    found = fit_mixed_model(RatingFactors.from_array(values))
    means = (values[0] - values[1]).mean(0)
    assert found.errors[0, 1] == pytest.approx(means.std(ddof=1) / 8**0.5, rel=0.02)
    assert found.freedom[0, 1] == pytest.approx(7, rel=0.05)


def test_an_effect_without_variance_is_zero():
    # Raters agree better than chance makes them.
    values = np.array(CROSSED, float)
    values -= values.mean((0, 1))
    found = fit_mixed_model(RatingFactors.from_array(values))
    assert found.variances["rater"] == 0
    assert np.isfinite(found.errors).all()
    assert np.isfinite(found.freedom).all()


def test_a_search_that_does_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(mixed_model, "MOST_STEPS", 1)
    with pytest.raises(CorpusError, match="did not converge"):
        fit_mixed_model(RatingFactors.from_array(INCOMPLETE))
