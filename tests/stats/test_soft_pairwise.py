"""Soft pairwise accuracy: as the official scorer has it, and as it should be."""

import numpy as np
import pytest

from metra.errors import CorpusError
from metra.stats.correlation import correlate
from metra.stats.soft_pairwise import normal_p, permutation_p, wmt_p


def scores(seed=0, systems=5, segments=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(systems, segments)) + np.arange(systems)[:, None] * 0.15


def official(x):
    """The p-values of the official program, written anew from its description."""
    rng = np.random.default_rng(4)
    signs = np.rint(rng.random(size=(1000, x.shape[1]), dtype=np.float32)) * 2 - 1
    x = x.astype(np.float32)
    sums = signs @ x.T
    found = []
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            null = sums[:, i] - sums[:, j]
            found.append((null >= x[i].sum() - x[j].sum()).sum() / 1000)
    return np.array(found)


def test_wmt_is_the_official_program():
    x = scores()
    np.testing.assert_array_equal(wmt_p(x), official(x))
    # Values that tie but for rounding, as MQM's do, and a segment that nobody judged.
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.choice([0, -1, -5, -0.1, -1 / 3], (8, 300))
        gaps = np.insert(x, 7, np.nan, axis=1)
        np.testing.assert_array_equal(wmt_p(gaps), official(x))
    gold, metric = scores(1), scores(2)
    expected = 1 - np.abs(official(gold) - official(metric)).mean()
    found = correlate(gold, metric, coef="spa", wmt=True)
    assert found.value == pytest.approx(expected)


def test_the_order_of_systems_changes_nothing():
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, (6, 40)).astype(float)
    metric = rng.integers(0, 3, (6, 40)).astype(float)
    first = correlate(gold, metric, coef="spa").value
    for _ in range(5):
        order = rng.permutation(6)
        found = correlate(gold[order], metric[order], coef="spa")
        assert found.value == pytest.approx(first)


def test_equal_systems_are_even():
    x = np.repeat(scores(systems=1), 2, axis=0)
    assert permutation_p(x).tolist() == normal_p(x).tolist() == [0.5]
    assert wmt_p(x).tolist() == [1.0]


def test_the_normal_limit_is_near():
    x = scores(segments=500)
    assert np.abs(normal_p(x) - permutation_p(x, trials=4000)).max() < 0.03


def test_pairs_are_compared_on_what_both_have():
    x = scores()
    x[0, :10] = np.nan
    found = permutation_p(x)
    np.testing.assert_allclose(found[0], permutation_p(x[:2, 10:])[0])
    last = permutation_p(x[[3, 4]])[0]
    assert found[-1] == last


def test_the_official_program_would_shift_rows():
    x = scores()
    x[0, 0] = np.nan
    with pytest.raises(CorpusError, match="same segments for every system"):
        wmt_p(x)


def test_all_metrics_share_the_draws():
    x = np.stack([scores(1), scores(2)])
    np.testing.assert_array_equal(permutation_p(x)[1], permutation_p(x[1]))
