"""The Python side: plain arrays in, results out."""

import numpy as np
import pytest

from metra.errors import CorpusError, LengthError, OptionError
from metra.meta import arrays
from metra.meta.arrays import compare
from metra.stats.judge_agreement import agree as agree_of
from metra.stats.ratings import convert_matrix


def test_shapes_are_checked():
    with pytest.raises(
        LengthError, match=r"'m' has the shape \(2, 2\), the gold \(2, 3\)"
    ):
        compare(np.ones((2, 3)), {"m": np.ones((2, 2))})
    with pytest.raises(LengthError, match="expected systems × segments"):
        compare(np.ones(3), {"m": np.ones(3)})


@pytest.mark.parametrize("coef", ["acc*_eq", "pdp"])
def test_systems_are_not_compared_by_what_is_not_of_rows(coef):
    rng = np.random.default_rng(0)
    gold, first, second = rng.normal(size=(3, 5, 20)).round(1)
    with pytest.raises(OptionError, match="does not apply to system scores"):
        compare(gold, {"a": first, "b": second}, coef=coef, level="sys", trials=5)


@pytest.mark.parametrize(
    ("coef", "options", "message"),
    [
        ("pearson", {"eps": 0.5}, "pearson has no tie threshold"),
        ("kendall-c", {"eps": 0.5}, "kendall-c has no tie threshold"),
        ("pdp", {"group": "item"}, "pdp has no groups"),
        ("spa", {"group": "sys"}, "spa has no groups"),
    ],
)
def test_options_that_a_coefficient_does_not_take_are_refused(coef, options, message):
    gold = np.arange(12.0).reshape(3, 4) % 5
    with pytest.raises(OptionError, match=message):
        arrays.correlate(gold, gold, coef=coef, **options)


@pytest.mark.parametrize("coef", ["kendall-b", "kendall-a", "tau13", "tau23"])
def test_taus_take_a_threshold_of_ties(coef):
    """A threshold makes ties of the metric's small differences; so does rounding."""
    gold = np.array([1.0, 2, 3, 4, 5, 6])
    metric = np.array([1.0, 1.3, 5, 5.2, 3, 9])
    rounded = np.array([1.0, 1, 5, 5, 3, 9])
    plain, tied = (
        arrays.correlate(gold, metric, coef=coef, eps=eps).value for eps in (None, 0.5)
    )
    assert tied == arrays.correlate(gold, rounded, coef=coef).value != plain


def test_infinite_scores_are_refused_with_their_place():
    gold = np.arange(6.0).reshape(2, 3)
    metric = gold.copy()
    metric[1, 2] = np.inf
    with pytest.raises(
        CorpusError, match=r"metric have 1 infinite .* first at \[1, 2\]"
    ):
        arrays.correlate(gold, metric)
    with pytest.raises(CorpusError, match=r"scores of a have 1 infinite"):
        compare(gold, {"a": metric, "b": gold})
    with pytest.raises(CorpusError, match=r"The judgements have 1 infinite"):
        arrays.agree(metric)


def test_intervals_of_agreement_are_for_other_judges():
    """Judges differ in noise and severity; units alone gave intervals of half the width."""
    rng = np.random.default_rng(1)
    noise = np.exp(0.7 * rng.normal(size=(6, 1)))
    values = rng.normal(size=(1, 60)) + noise * rng.normal(size=(6, 60))
    values += 0.5 * rng.normal(size=(6, 1))
    found = arrays.agree(values, trials=200).intervals
    of_units = agree_of(convert_matrix(values), trials=200).intervals
    for name in ("alpha interval", "mean pearson", "ICC(2,1)"):
        low, high = found[name]
        assert low < of_units[name][0]
        assert high > of_units[name][1]
