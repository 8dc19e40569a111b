"""Intervals by Fisher's transformation, beside scipy's and those of their authors."""

import math

import numpy as np
import pytest
import scipy.stats

from metra.errors import OptionError
from metra.stats.bootstrap import fisher_interval


def test_pearson_is_scipys():
    rng = np.random.default_rng(0)
    for n in (4, 5, 12, 200):
        x = rng.normal(size=n)
        found = scipy.stats.pearsonr(x, x + rng.normal(size=n))
        for level in (0.9, 0.95):
            theirs = found.confidence_interval(level)
            ours = fisher_interval(float(found.statistic), n, level=level)
            assert ours == pytest.approx(tuple(theirs), abs=1e-12)


@pytest.mark.parametrize(
    ("coef", "n", "error"),
    [
        pytest.param("spearman", 12, math.sqrt(1.125 / 9), id="Spearman"),
        pytest.param("kendall-b", 12, math.sqrt(0.437 / 8), id="Kendall"),
    ],
)
def test_ranks_have_errors_of_their_own(coef, n, error):
    """Bonett and Wright 2000: the standard error of the transformed coefficient."""
    low, high = fisher_interval(0.5, n, coef)
    assert math.atanh(high) - math.atanh(low) == pytest.approx(
        2 * 1.959964 * error, abs=1e-5
    )


def test_few_values_and_perfect_ones():
    assert fisher_interval(0.5, 3) is None
    assert fisher_interval(0.5, 4, "kendall-b") is None
    assert fisher_interval(math.nan, 30) is None
    assert fisher_interval(1.0, 30) == (1.0, 1.0)
    with pytest.raises(
        OptionError, match="pearson, spearman, kendall-b without groups"
    ):
        fisher_interval(0.5, 30, "accuracy")
