"""Paired tests: by enumeration, by scipy, and by what a p-value is for."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import metra
from metra.stats import resampling, significance
from metra.stats.direction import Direction
from metra.stats.exact_tests import welch_p_values
from metra.stats.resampling import Sample
from metra.stats.significance import (
    ExchangePart,
    Exchanges,
    exchange_p_values,
    paired_p_values,
    standardise_gaps,
)

MEANS = st.lists(st.integers(-20, 20), min_size=10, max_size=14)


def mean(totals):
    """The mean of one column, as a measure: sums and counts are its rows."""
    return totals[..., 0] / totals[..., 1]


def bent(totals):
    """A measure that is no mean: a ratio under a root, as rough as BLEU is."""
    return 100 * np.sqrt(totals[..., 0] / (totals[..., 1] + 1))


def rows_of(values):
    return np.stack([np.asarray(values, float), np.ones(len(values))], axis=1)


def p_value(first, second, aggregate=mean, **options):
    samples = [Sample(first, aggregate), Sample(second, aggregate)]
    return significance.contrasts(samples, [(0, 1)], **options)[1][0].p_value


def enumerated_swaps(first, second, aggregate):
    """The share of all 2ⁿ ways to swap that differ at least as much as observed."""
    observed = abs(aggregate(second.sum(0)) - aggregate(first.sum(0)))
    large = 0
    for coins in product([False, True], repeat=len(first)):
        swap = np.array(coins)[:, None]
        one = aggregate(np.where(swap, second, first).sum(0))
        two = aggregate(np.where(swap, first, second).sum(0))
        large += abs(two - one) >= observed - 1e-9
    return large / 2 ** len(first)


def enumerated_resamples(first, second, aggregate):
    """The share of all nⁿ resamples whose shifted difference is as large as observed."""
    count = len(first)
    draws = np.array(list(product(range(count), repeat=count)))
    found = aggregate(second[draws].sum(1)) - aggregate(first[draws].sum(1))
    observed = abs(aggregate(second.sum(0)) - aggregate(first.sum(0)))
    return np.mean(np.abs(found - found.mean()) >= observed - 1e-9)


def monte_carlo(p, trials):
    """Five standard errors of a share, and the ones that are added."""
    return 5 * np.sqrt(p * (1 - p) / trials) + 2 / trials


def two_systems(seed, count, gap=1.0):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 30, count).astype(float)
    first = rng.binomial(lengths.astype(int), 0.5)
    second = rng.binomial(lengths.astype(int), min(0.5 * gap, 1))
    return np.stack([first, lengths], 1) * 1.0, np.stack([second, lengths], 1) * 1.0


@pytest.mark.parametrize("aggregate", [mean, bent])
@pytest.mark.parametrize("seed", range(4))
def test_randomisation_equals_enumeration(seed, aggregate):
    first, second = two_systems(seed, 12, gap=1.2)
    exact = enumerated_swaps(first, second, aggregate)
    found = p_value(first, second, aggregate, trials=1500)
    assert found == pytest.approx(exact, abs=monte_carlo(exact, 1500))
    # As many trials as there are exchanges: none is drawn.
    assert p_value(first, second, aggregate, trials=2048) == pytest.approx(exact)


@pytest.mark.parametrize("aggregate", [mean, bent])
@pytest.mark.parametrize("seed", range(4))
def test_the_bootstrap_equals_enumeration(seed, aggregate):
    """With six units; the test itself refuses so few, so its pieces are called."""
    first, second = two_systems(seed, 6, gap=1.3)
    exact = enumerated_resamples(first, second, aggregate)
    samples = [Sample(first, aggregate), Sample(second, aggregate)]
    rng = np.random.default_rng(0)
    drawn = resampling.bootstrap_scores(samples, trials=20_000, rng=rng)
    gap = aggregate(second.sum(0)) - aggregate(first.sum(0))
    found = significance.shifted_p_value(drawn[1] - drawn[0], gap, sides="two-sided")
    assert found == pytest.approx(exact, abs=monte_carlo(exact, 20_000))


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_the_smallest_p_value_is_one_in_all_trials(test):
    first = rows_of(np.arange(100.0))
    assert p_value(first, first + np.array([50, 0]), test=test, trials=99) == 0.01


def test_what_differs_in_rounding_does_not_differ():
    assert 0.4 - 0.1 > 0.3  # in the last digit
    drawn = np.array([0.3, -0.3])
    test = partial(significance.shifted_p_value, drawn, sides="two-sided")
    assert test(0.4 - 0.1) == 1.0
    assert test(0.4 + 1e-9 - 0.1) == pytest.approx(1 / 3)


SEVERAL = [two_systems(seed, 40, gap=1 + seed / 20)[1] for seed in range(5)]


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_pairs_do_not_depend_on_what_is_tested_along(test):
    samples = [Sample(rows, f) for rows in SEVERAL for f in (mean, bent)]
    pairs = [(one, two) for one in range(10) for two in range(10) if one % 2 == two % 2]
    _, together = significance.contrasts(samples, pairs, test=test, trials=300)
    for (one, two), found in zip(pairs, together, strict=True):
        alone = [samples[one], samples[two]]
        _, (expected,) = significance.contrasts(alone, [(0, 1)], test=test, trials=300)
        assert found == expected


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_threads_and_blocks_change_nothing(test, monkeypatch):
    first, second = (rows / 7 for rows in two_systems(2, 300, gap=1.05))
    samples = [Sample(first, bent), Sample(second, bent)]

    def found():
        draws = {"trials": 2500, "resamples": 2500}
        return significance.contrasts(samples, [(0, 1)], test=test, **draws)

    monkeypatch.setenv("METRA_THREADS", "1")
    expected = found()
    monkeypatch.setenv("METRA_THREADS", "3")
    assert found() == expected
    monkeypatch.setattr("metra.stats.weighted_sums.STEP", 997)
    monkeypatch.setattr("metra.stats.weighted_sums.MOST_STACKED", 0)
    monkeypatch.setattr("metra.stats.resampling.MOST_TRIALS", 17)
    assert found() == expected


@settings(max_examples=30)
@given(first=MEANS, second=MEANS, test=st.sampled_from(["ar", "bootstrap"]))
def test_changing_sides_changes_the_sign_alone(first, second, test):
    size = min(len(first), len(second))
    samples = [Sample(rows_of(values[:size]), mean) for values in (first, second)]
    both = [(0, 1), (1, 0)]
    _, (there, back) = significance.contrasts(samples, both, test=test, trials=200)
    assert back.difference == -there.difference
    assert back.p_value == there.p_value
    assert back.standard_error == there.standard_error
    assert back.interval == pytest.approx([-end for end in there.interval[::-1]])
    if there.effect is not None:
        assert back.effect == -there.effect


SCALE, SHIFT = (
    st.sampled_from(each) for each in ([-100, -1, 0.25, 3, 1000], [-50, 0, 7.5, 1000])
)


@settings(max_examples=30)
@given(MEANS, MEANS, SCALE, SHIFT, st.sampled_from(["ar", "bootstrap"]))
def test_another_scale_keeps_p_value_and_effect(first, second, scale, shift, test):
    def scaled(totals):
        return scale * mean(totals) + shift

    size = min(len(first), len(second))
    rows = [rows_of(values[:size]) for values in (first, second)]
    plain, moved = (
        significance.contrasts(samples, [(0, 1)], test=test, trials=200)[1][0]
        for samples in ([Sample(some, f) for some in rows] for f in (mean, scaled))
    )
    assert moved.p_value == plain.p_value
    assert moved.difference == pytest.approx(scale * plain.difference, abs=1e-9)
    if plain.effect is not None:
        expected = np.sign(scale) * plain.effect
        assert moved.effect == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
@pytest.mark.parametrize(
    ("first", "second"), [(0.1, 0.3), (100 / 7, 100 / 3), (1e-3, -1e6 / 3), (5, 5)]
)
def test_units_that_do_not_vary_have_no_effect(first, second, test):
    """What rounding leaves of their variance once gave effects of some 10¹⁴."""
    size = 30
    samples = [Sample(rows_of(np.full(size, value)), mean) for value in (first, second)]
    _, (found,) = significance.contrasts(samples, [(0, 1)], test=test, trials=100)
    assert found.difference == pytest.approx(second - first)
    assert (found.standard_error, found.effect) == (0, None)
    assert found.interval == pytest.approx((second - first, second - first))
    assert found.p_value == (1 if first == second else pytest.approx(1 / 101))


def test_a_small_variance_is_no_rounding():
    rng = np.random.default_rng(3)
    first = rng.normal(100, 1e-6, size=30)
    samples = [Sample(rows_of(first), mean), Sample(rows_of(first[::-1] + 1), mean)]
    _, (found,) = significance.contrasts(samples, [(0, 1)], trials=100)
    gaps = first[::-1] + 1 - first
    assert found.effect == pytest.approx(gaps.mean() / gaps.std(ddof=1), rel=1e-3)


def test_the_effect_on_a_mean_is_cohens():
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=50), rng.normal(0.4, 1, size=50)
    samples = [Sample(rows_of(first), mean), Sample(rows_of(second), mean)]
    _, (found,) = significance.contrasts(samples, [(0, 1)], trials=2000)
    gaps = second - first
    assert found.effect == pytest.approx(gaps.mean() / gaps.std(ddof=1))
    assert found.standard_error == pytest.approx(stats.sem(gaps))
    bca = stats.bootstrap((gaps,), np.mean, n_resamples=2000, rng=1).confidence_interval
    assert found.interval == pytest.approx(bca, abs=0.03)


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_a_target_is_tested_by_the_distance_from_it(test):
    noise = np.random.default_rng(7).normal(size=40)
    groups = [rows_of(center + noise) for center in (93, 108, 99)]
    samples = [Sample(rows, mean, Direction(100.0)) for rows in groups]
    plain = [Sample(rows, mean) for rows in groups]
    pairs = [(0, 1), (0, 2)]
    _, (even, closer) = significance.contrasts(samples, pairs, test=test, trials=500)
    _, different = significance.contrasts(plain, pairs, test=test, trials=500)
    shift = 2 * noise.mean()
    assert even.gain == pytest.approx(7 - 8 - shift)
    assert even.difference == different[0].difference == pytest.approx(15)
    assert even.p_value > 0.05 > different[0].p_value
    assert closer.gain == different[1].difference == pytest.approx(6)
    assert closer.p_value < 0.05
    intervals = [each.interval for each in (even, closer)]
    assert intervals == [each.interval for each in different]


def test_intervals_are_those_of_the_scores_alone():
    samples = [Sample(rows, bent) for rows in SEVERAL]
    intervals, _ = significance.contrasts(samples, [(0, 1)], trials=100)
    assert intervals == resampling.compute_intervals(samples)


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
@pytest.mark.parametrize("count", [0, 1, 2, 9, 10])
def test_too_few_units_are_no_evidence(test, count):
    first, second = two_systems(1, count or 1, gap=1.4)
    samples = [Sample(rows[:count], bent) for rows in (first, second)]
    pair = [(0, 1)]
    intervals, (found,) = significance.contrasts(samples, pair, test=test, trials=50)
    assert found.enough == (count == 10)
    if found.enough:
        assert 0 < found.p_value <= 1
        return
    assert (found.p_value, found.interval, found.effect) == (None, None, None)
    assert intervals == [None, None]


@pytest.mark.parametrize(("test", "last"), [("ar", 1300), ("bootstrap", 1000)])
def test_progress_counts_all_draws(test, last):
    told = []
    samples = [Sample(rows, bent) for rows in SEVERAL[:2]]
    options = {"test": test, "trials": 1000, "resamples": 300}
    significance.contrasts(
        samples, [(0, 1)], **options, progress=lambda *far: told.append(far)
    )
    assert told == sorted(set(told))
    assert len(told) > 3
    assert told[-1] == (last, 1.0)


def test_what_is_no_number_is_no_evidence():
    def broken(totals):
        return np.where(totals[..., 0] % 2 == 0, np.nan, mean(totals))

    first, second = rows_of([1.0] * 15), rows_of([3.0] * 15)
    second[0] += [1, 0]  # 46 in all: no number either
    assert p_value(first, second, broken, trials=50) is None
    second[1] += [1, 0]  # 47, but a trial that swaps one of these two is no number
    assert p_value(first, second, broken, trials=50) > 0.3


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"test": "t"}, "test='t' is not possible; expected ar or bootstrap."),
        ({"trials": 0}, "trials=0 is not possible; expected at least 1."),
        ({"resamples": 0}, "resamples=0 is not possible; expected at least 1."),
        ({"seed": -1}, "seed=-1 is not possible; expected 0 or more."),
    ],
)
def test_wrong_wishes(given, expected):
    with pytest.raises(metra.MetraError) as caught:
        p_value(SEVERAL[0], SEVERAL[1], **given)
    assert str(caught.value) == f"A test with {expected}"


def draw_metrics(rng, units, *means):
    return rng.normal(np.array(means)[:, None], 1, (len(means), units))


def exchange_means(values):
    """Means of two metrics over units, exchanged unit by unit."""
    total = values.sum(1)

    def after(moved):
        def exchange(a, b):
            change = moved[:, b] - moved[:, a]
            return total[a] - total[b] + 2 * change

        return exchange

    return Exchanges(values.shape[1], lambda signs: (signs > 0) @ values.T, after)


def enumerate_exchanges(values, i, j, sides):
    """The plain twin: every exchange, one by one."""
    observed = values[i].sum() - values[j].sum()
    one, other = values[i], values[j]
    ways = product([False, True], repeat=values.shape[1])
    gaps = np.array(
        [
            np.where(way, other, one).sum() - np.where(way, one, other).sum()
            for way in ways
        ]
    )
    if sides == "two-sided":
        gaps, observed = np.abs(gaps), abs(observed)
    return np.mean(gaps >= observed - 1e-9)


def exchange_units(values, draws, sides="two-sided"):
    parts = [ExchangePart(exchange_means(values))]
    return exchange_p_values(parts, values.sum(1), sides=sides, draws=draws, seed=1)


@pytest.mark.parametrize("sides", ["two-sided", "one-sided"])
def test_few_units_are_exchanged_in_all_ways(sides):
    values = draw_metrics(np.random.default_rng(0), 9, 0.6, 0.3, 0)
    p, draws = exchange_units(values, 10, sides)
    assert draws == 0
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert p[i, j] == pytest.approx(enumerate_exchanges(values, i, j, sides))
    assert np.isnan(p[1, 0])


@pytest.mark.parametrize("sides", ["two-sided", "one-sided"])
def test_drawn_exchanges_come_near_all_of_them(sides):
    values = draw_metrics(np.random.default_rng(3), 16, 0.5, 0)
    p, draws = exchange_units(values, 20_000, sides)
    exact = enumerate_exchanges(values, 0, 1, sides)
    assert 0 < draws <= 20_000
    assert p[0, 1] == pytest.approx(exact, rel=0.5)  # 100 reached: 10 %


def test_draws_end_where_a_pair_is_far_from_significant():
    values = draw_metrics(np.random.default_rng(3), 40, 0.0, 0.0, -2.0)
    p, draws = exchange_units(values, 5000)
    assert draws == 5000
    assert p[0, 2] == 1 / 5001
    # The first thousand were enough for the pair that does not differ.
    assert (p[0, 1] * 1001) % 1 == pytest.approx(0, abs=1e-9)


def test_parts_are_exchanged_together():
    values = draw_metrics(np.random.default_rng(4), 30, 0.4, 0)
    halves = [ExchangePart(exchange_means(values), weight) for weight in (0.25, 0.75)]
    settings = {"sides": "two-sided", "draws": 500, "seed": 2, "wmt": True}
    both = exchange_p_values(halves, values.sum(1), **settings)
    one = [ExchangePart(halves[0].exchanges)]
    whole = exchange_p_values(one, values.sum(1), **settings)
    # The same seed draws the same signs in every part, so the weighted sum is the whole.
    assert both[0][0, 1] == whole[0][0, 1]


def test_the_effect_is_one_figure_everywhere():
    rng = np.random.default_rng(2)
    values = draw_metrics(rng, 30, 0.4, 0.0)
    samples = [Sample(rows_of(each), mean) for each in values]
    _, (contrast,) = significance.contrasts(samples, [(1, 0)], trials=50)
    effects = standardise_gaps(values, paired=True)
    assert effects[0, 1] == pytest.approx(contrast.effect)
    assert effects[1, 0] == -effects[0, 1]
    pooled = np.sqrt((values[0].var(ddof=1) + values[1].var(ddof=1)) / 2)
    apart = standardise_gaps(values, paired=False)[0, 1]
    assert apart == pytest.approx((values[0].mean() - values[1].mean()) / pooled)


def test_units_are_drawn_whole_and_crossed():
    segment, rater = (each.ravel() for each in np.indices((5, 3)))
    rng = np.random.default_rng(0)
    (weights,) = resampling.draw_crossed_weights([segment, rater], 40, rng)
    grid = weights.reshape(40, 5, 3)
    assert (grid.sum((1, 2)) == 15).all()  # 5 segments times 3 raters
    for one in grid:
        assert np.linalg.matrix_rank(one) == 1
    # Both segments and raters are drawn more than once, or not at all.
    assert np.ptp(grid.sum(2), axis=1).any()
    assert np.ptp(grid.sum(1), axis=1).any()
    (clusters,) = resampling.draw_crossed_weights([segment], 40, rng)
    assert (np.ptp(clusters.reshape(40, 5, 3), axis=2) == 0).all()


def test_exchanges_that_give_no_number_count_as_reached():
    def after(moved):
        return lambda _one, _other: np.full(len(moved), np.nan)

    parts = [ExchangePart(Exchanges(20, lambda signs: signs, after))]
    settings = {"sides": "two-sided", "draws": 99, "seed": 1}
    p, draws = exchange_p_values(parts, np.array([0.5, 0.1]), **settings)
    assert (p[0, 1], draws) == (1, 99)


def test_paired_means_by_all_changes_of_sign():
    """Units of unequal size and with gaps, gone through one by one."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 20))
    values[0, 3] = values[1, 7] = np.nan
    units = np.repeat(np.arange(8), [1, 2, 3, 4, 1, 2, 3, 4])
    gaps = np.nan_to_num(values[0] - values[1])
    sums = np.bincount(units, gaps)
    drawn = np.array(list(product([-1, 1], repeat=8))) @ sums
    expected = (np.abs(drawn) >= abs(sums.sum()) - 1e-9).mean()
    p, draws = paired_p_values(values, units, alpha=0.05, seed=1)
    better = 0 if sums.sum() > 0 else 1
    assert (draws, p[1 - better, better]) == (0, 1)
    assert p[better, 1 - better] == pytest.approx(expected)


def test_unpaired_means_of_documents():
    """Of units of one cell it is scipy's test; whole units count where cells repeat them."""
    rng = np.random.default_rng(1)
    values = np.full((2, 30), np.nan)
    values[0, :18], values[1, 12:] = rng.normal(0.8, 1, 18), rng.normal(0, 3, 18)
    once = welch_p_values(values, np.arange(30))
    expected = stats.ttest_ind(*values, equal_var=False, nan_policy="omit").pvalue
    better = int(np.nanmean(values[1]) > np.nanmean(values[0]))
    assert once[better, 1 - better] == pytest.approx(expected)
    thrice = welch_p_values(np.repeat(values, 3, 1), np.repeat(np.arange(30), 3))
    assert thrice[better, 1 - better] == pytest.approx(expected)
