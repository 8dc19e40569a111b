"""Power of plans: scipy's noncentral t, simulated studies, and what must hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metra.stats.power import (
    DifferenceError,
    StudyPlan,
    compute_ceilings,
    compute_error,
    compute_power,
    compute_reliability,
    find_detectable,
    find_segments,
)
from metra.stats.variance import RatingFactors, VarianceComponents, estimate_components

VARIANCES = {"system": 3.0, "document": 2.0, "segment": 5.0, "rater": 1.5}
VARIANCES |= {"system × document": 1.0, "system × segment": 4.0, "system × rater": 0.4}
VARIANCES |= {"rater × segment": 2.0, "rating": 9.0}
MODEL = VarianceComponents(VARIANCES, {"system": 5, "segment": 100, "rater": 4})


@pytest.mark.parametrize("df", [1, 1.7, 2, 5, 30, 149, 151, 4000])
@pytest.mark.parametrize("alpha", [0.05, 0.0005])
def test_power_is_that_of_the_noncentral_t(df, alpha):
    shifts = np.array([0.5, 1.0, 3.0, 6.0])
    limit = stats.t.isf(alpha / 2, df)
    # scipy has no value for some tails on the wrong side, which are next to nothing.
    wrong = np.nan_to_num(stats.nct.cdf(-limit, df, shifts))
    expected = stats.nct.sf(limit, df, shifts) + wrong
    found = compute_power(2 * shifts, DifferenceError(4.0, df, 4.0), alpha=alpha)
    assert found == pytest.approx(expected, abs=2e-4)
    level = compute_power(0.0, DifferenceError(4.0, df, 4.0), alpha=alpha)
    assert level == pytest.approx(alpha, rel=0.01)


def test_the_error_of_a_difference_by_hand():
    plan = StudyPlan(100, 3, 6, segments_per_document=5)
    error = compute_error(MODEL, plan)
    of_texts = 1.0 / 20 + 4.0 / 100 + 9.0 / 300
    of_raters = 0.4 / 6
    assert error.variance == pytest.approx(2 * (of_texts + of_raters))
    squares = (2 * of_texts) ** 2 / 19 + (2 * of_raters) ** 2 / 5
    assert error.df == pytest.approx(error.variance**2 / squares)
    seen = 4.0 + 1.0 * 19 / 20 + 9.0 / 3 + 0.4 / 3 * (1 - 3 / 6)
    assert error.segment_variance == pytest.approx(2 * seen / 100)


def test_an_answer_about_these_raters_leaves_out_their_tastes():
    these = compute_error(MODEL, StudyPlan(100, 2, 6, other_raters=False))
    others = compute_error(MODEL, StudyPlan(100, 2, 6))
    assert others.variance - these.variance == pytest.approx(2 * 0.4 / 6)
    assert these.df == 99  # segments are documents of their own here


def test_one_rater_says_nothing_about_others():
    error = compute_error(MODEL, StudyPlan(100))
    assert error.df == 0
    assert math.isnan(compute_power(1.0, error))
    assert math.isnan(find_detectable(error))


def test_more_ratings_gain_nothing_where_they_cannot_be_told_from_segments():
    joined = VarianceComponents(
        {"system": 1.0, "rating": 9.0}, joined={"system × segment": "rating"}
    )
    one, three = (compute_error(joined, StudyPlan(50, k)).variance for k in (1, 3))
    assert one == three == pytest.approx(2 * 9 / 50)


SIMULATED = [
    pytest.param(StudyPlan(40, 3, other_raters=False), {}, "segment", id="segments"),
    pytest.param(StudyPlan(96, segments_per_document=8), {"system × document": 2.0},
                 "document", id="documents"),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "more", "unit"), SIMULATED)
def test_predicted_power_is_what_simulated_studies_reach(plan, more, unit):
    rng = np.random.default_rng(1)
    variances = {"system × segment": 4.0, "rating": 9.0, **more}
    error = compute_error(VarianceComponents(variances), plan)
    documents = round(plan.documents)
    for shift in (0.0, 2.5):
        difference = shift * math.sqrt(error.variance)
        gaps = rng.normal(difference, math.sqrt(8.0), (2000, plan.segments))
        gaps += rng.normal(0, math.sqrt(18 / plan.ratings), gaps.shape)
        if unit == "document":
            by_document = rng.normal(0, math.sqrt(4.0), (2000, documents))
            gaps += np.repeat(by_document, plan.segments // documents, axis=1)
            false = _test_units(gaps)
            gaps = gaps.reshape(2000, documents, -1).mean(2)
            if not shift:
                assert false == pytest.approx(error.false_positives, abs=0.025)
        expected = float(compute_power(difference, error))
        assert _test_units(gaps) == pytest.approx(expected, abs=0.03)


def _test_units(gaps):
    """Share of studies whose paired t-test is significant at .05."""
    return float((stats.ttest_1samp(gaps, 0, axis=1).pvalue < 0.05).mean())


@given(st.integers(4, 2000), st.integers(1, 6), st.floats(0.1, 20), st.floats(0.0, 20))
def test_more_segments_raters_and_difference_give_more_power(n, k, small, more):
    plan = StudyPlan(n, k, 8)
    error = compute_error(MODEL, plan)
    power = compute_power([small, small + more], error)
    assert 0.049 <= power[0] <= power[1] + 1e-9 <= 1 + 2e-9
    larger = compute_error(MODEL, StudyPlan(2 * n, k, 8))
    assert compute_power(small, larger) >= power[0] - 1e-6
    assert compute_error(MODEL, StudyPlan(n, k + 1, 8)).variance < error.variance


def test_detectable_difference_and_needed_segments_answer_each_other():
    plan = StudyPlan(300, 2, 10)
    error = compute_error(MODEL, plan)
    difference = find_detectable(error, power=0.9)
    assert compute_power(difference, error) == pytest.approx(0.9, abs=1e-6)
    needed = find_segments(difference, MODEL, plan, power=0.9)
    assert needed == pytest.approx(300, abs=1)
    assert find_segments(0.3, MODEL, plan) is None  # below what ten raters can tell
    assert find_segments(1e6, MODEL, plan) == 2


def test_reliability_is_the_share_of_the_variance_that_systems_have():
    values = {"system": 1.0, "system × segment": 4.0, "rating": 9.0}
    found = compute_reliability(VarianceComponents(values), StudyPlan(30, 2))
    assert found == pytest.approx(1 / (1 + 4 / 30 + 9 / 60))


def test_ceilings_are_the_correlations_of_raters():
    rng = np.random.default_rng(4)
    shape = (40, 250, 2)
    values = rng.normal(0, 1, (40, 1, 1)) + rng.normal(0, 2, (1, 250, 1))
    values = values + rng.normal(0, 1, (40, 250, 1)) + rng.normal(0, 1.5, shape)
    values = values + rng.normal(0, 1, (1, 250, 2)) + rng.normal(0, 3, (1, 1, 2))
    found = estimate_components(RatingFactors.from_array(values), studies=0)
    ceilings = compute_ceilings(found, [1])
    observed = np.corrcoef(values[:, :, 0].ravel(), values[:, :, 1].ravel())[0, 1]
    assert ceilings["all segments"][0] == pytest.approx(observed, abs=0.02)
    centred = values - values.mean(0)
    within = (centred[..., 0] * centred[..., 1]).sum() / np.sqrt(
        (centred[..., 0] ** 2).sum() * (centred[..., 1] ** 2).sum()
    )
    assert ceilings["systems within segments"][0] == pytest.approx(within, abs=0.02)


def test_panels_agree_more_than_single_raters():
    one, two, many = compute_ceilings(MODEL, [1, 2, 1000])["all segments"]
    assert one < two < many < 1
    # Spearman and Brown's formula.
    assert two == pytest.approx(2 * one / (1 + one))


def test_no_ceiling_where_nothing_was_judged_twice():
    joined = VarianceComponents(
        {"rating": 9.0}, {"rater": 2}, joined={"system × segment": "rating"}
    )
    assert compute_ceilings(joined, [1]) == {}
    assert compute_ceilings(VarianceComponents({"system": 1.0}), [1]) == {}
