"""Draws: what is drawn, and that no block size changes it."""

import numpy as np
import pytest

from metra.stats.resampling import draw_swaps, draw_weights

KINDS = pytest.mark.parametrize("draw", [draw_weights, draw_swaps])


def drawn(draw, count, trials, seed=1, **options):
    return np.concatenate(
        list(draw(count, trials, np.random.default_rng(seed), **options))
    )


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
def test_the_same_seed_draws_the_same(draw):
    first = drawn(draw, 50, 20)
    assert np.array_equal(first, drawn(draw, 50, 20))
    assert not np.array_equal(first, drawn(draw, 50, 20, seed=2))


@KINDS
@pytest.mark.parametrize("block", [1, 51, 130, 10_000])
def test_the_size_of_blocks_changes_nothing(draw, block):
    assert np.array_equal(drawn(draw, 50, 300, block=block), drawn(draw, 50, 300))


@pytest.mark.parametrize("step", [1, 149, 10_000])
def test_the_size_of_steps_changes_nothing(step):
    assert np.array_equal(
        drawn(draw_weights, 50, 30, step=step), drawn(draw_weights, 50, 30)
    )


@KINDS
def test_more_trials_begin_with_the_same_draws(draw):
    assert np.array_equal(drawn(draw, 9, 300)[:200], drawn(draw, 9, 200))


@KINDS
def test_memory_stays_within_the_budget(draw):
    def sizes(trials, block):
        rng = np.random.default_rng(0)
        return [len(found) for found in draw(10, trials, rng, block=block)]

    assert sizes(25, 100) == [10, 10, 5]
    assert sizes(3, 1) == [1, 1, 1]
    assert sizes(300, 10**9) == [256, 44]
