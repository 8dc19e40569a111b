"""The bootstrap and Fisher's intervals of correlations: weights give what drawing gives."""

import math
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from tests.panels import given_too, made, panel_of

from metra.scores.views import build_panel
from metra.stats.bootstrap import (
    bootstrap,
    compute_bounds,
    draw_resamples,
    find_intervals,
    fisher_interval,
    resamples_segments,
)
from metra.stats.coefficients import pearson_of_sums
from metra.stats.correlation import Options, correlate_all
from metra.stats.panel import SegmentStatistics


def anew(panel, level, options):
    """Draw systems and segments and compute from scratch; pairs of a system with itself
    are left out where a coefficient would count them as found ties."""
    found = {name: [] for name in panel.names}
    systems, segments = panel.gold.shape
    for sample in draw_resamples(systems, segments, options.trials, options.seed):
        for chosen, counts in zip(sample.systems, sample.segments, strict=True):
            columns = np.repeat(np.arange(segments), counts.astype(int))
            picked = np.unique(chosen) if options.coefficient.pairs else chosen
            gold = panel.gold[np.ix_(picked, columns)]
            metrics = {n: m[np.ix_(picked, columns)] for n, m in panel.metrics.items()}
            if level == "sys":
                metrics = {
                    n: np.nanmean(np.where(np.isfinite(gold), m, np.nan), 1)
                    for n, m in metrics.items()
                }
                gold = np.nanmean(gold, 1)
            for name, result in correlate_all(gold, metrics, options).items():
                found[name].append(result.value)
    return {name: np.array(values) for name, values in found.items()}


@pytest.mark.parametrize("gaps", [0.0, 0.1], ids=["complete", "gaps"])
@pytest.mark.parametrize(
    ("level", "coef", "group"),
    [
        *(("sys", "pearson", "none"), ("sys", "spearman", "none")),
        *(("sys", "kendall-b", "none"), ("sys", "differentials", "none")),
        *(("seg", "pearson", "none"), ("seg", "pearson", "item")),
        *(("seg", "kendall-b", "item"), ("seg", "spearman", "item")),
    ],
)
def test_weights_are_as_good_as_values(level, coef, group, gaps):
    made_up = made(gaps=gaps)
    options = Options(coef=coef, group=group, trials=12)
    expected = anew(made_up, level, options)
    for name, values in bootstrap(made_up, level, options).items():
        np.testing.assert_allclose(values, expected[name], atol=1e-9)


def test_a_system_drawn_twice_is_no_found_tie():
    gold = np.array([[1.0, 1], [2, 2], [3, 3]])
    wrong = panel_of(gold, {"m": -gold})
    by_item = Options(coef="acc_eq", group="item", trials=50)
    for level, options in (
        ("sys", Options(coef="accuracy", trials=50)),
        ("seg", by_item),
    ):
        draws = bootstrap(wrong, level, options)["m"]
        assert set(draws[np.isfinite(draws)]) == {0.0}


def kinds(gold, metric, systems, eps=0.0):
    """Pairs of different systems by kind, counted one by one."""
    found = dict.fromkeys(("c", "d", "h", "m", "hm"), 0)
    for a, b in combinations(range(len(systems)), 2):
        dg, dm = gold[a] - gold[b], metric[a] - metric[b]
        if systems[a] == systems[b] or not np.isfinite(dg + dm):
            continue
        tied = abs(dm) <= eps
        if dg == 0:
            found["hm" if tied else "h"] += 1
        else:
            found["m" if tied else "c" if (dg > 0) == (dm > 0) else "d"] += 1
    return SimpleNamespace(**found)


BY_HAND = {
    "kendall-a": lambda k: (k.c - k.d) / (k.c + k.d + k.h + k.m + k.hm),
    "kendall-b": lambda k: (
        (k.c - k.d) / math.sqrt((k.c + k.d + k.h) * (k.c + k.d + k.m))
    ),
    "tau10": lambda k: (k.c - k.d - k.m) / (k.c + k.d + k.m),
    "tau13": lambda k: (k.c - k.d) / (k.c + k.d),
    "tau14": lambda k: (k.c - k.d) / (k.c + k.d + k.m),
    "tau23": lambda k: (k.c + k.hm - k.d - k.h - k.m) / (k.c + k.d + k.h + k.m + k.hm),
    "acc_eq": lambda k: (k.c + k.hm) / (k.c + k.d + k.h + k.m + k.hm),
}


@pytest.mark.parametrize("coef", BY_HAND)
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_a_system_makes_no_pair_with_itself_in_any_coefficient_of_pairs(coef, average):
    panel = made(systems=4, segments=9, gaps=0.2)
    metrics = {name: np.round(m) for name, m in panel.metrics.items()}
    panel = panel_of(panel.gold, metrics)
    eps = 1.0 if coef in ("tau23", "acc_eq") else None
    options = Options(coef=coef, group="item", trials=12, eps=eps, average=average)
    drawn = bootstrap(panel, "seg", options)
    sample = next(draw_resamples(4, 9, 12, options.seed))
    for name, metric in metrics.items():
        for at, systems in enumerate(sample.systems):
            total = weight = 0.0
            for segment, times in enumerate(sample.segments[at].astype(int)):
                gold = panel.gold[systems, segment]
                size = np.isfinite(gold).sum()
                counted = kinds(gold, metric[systems, segment], systems, eps or 0.0)
                try:
                    value = BY_HAND[coef](counted)
                except ZeroDivisionError:
                    continue
                each = times * (size if average == "micro" else 1)
                total, weight = total + each * value, weight + each
            expected = total / weight if weight else np.nan
            assert drawn[name][at] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("coef", BY_HAND)
def test_nor_where_whole_systems_are_drawn(coef):
    panel = made(systems=5, segments=6)
    metrics = {name: np.round(m) for name, m in panel.metrics.items()}
    panel = panel_of(panel.gold, metrics)
    eps = 0.3 if coef in ("tau23", "acc_eq") else None
    options = Options(coef=coef, trials=15, eps=eps)
    drawn = bootstrap(panel, "sys", options)
    sample = next(draw_resamples(5, 6, 15, options.seed))
    for name, metric in metrics.items():
        for at, systems in enumerate(sample.systems):
            times = sample.segments[at]
            gold, means = (x[systems] @ times / 6 for x in (panel.gold, metric))
            try:
                expected = BY_HAND[coef](kinds(gold, means, systems, eps or 0.0))
            except ZeroDivisionError:
                expected = np.nan
            assert drawn[name][at] == pytest.approx(expected, nan_ok=True)


def test_given_system_scores_are_drawn_by_system_only():
    gold = np.arange(12.0).reshape(4, 3)
    scores = given_too(gold, {"m": gold}, {"m": [1, 3, 2, 4]})
    found = build_panel(scores, "gold")
    assert not resamples_segments(found)
    draws = bootstrap(found, "sys", Options(trials=200))["m"]
    assert len(set(np.round(draws[np.isfinite(draws)], 9))) < 35


def test_statistics_are_pooled_anew():
    rng = np.random.default_rng(1)
    rows = rng.integers(1, 9, (5, 30, 2)).astype(float)
    names = tuple(f"s{at}" for at in range(5)), tuple(str(at + 1) for at in range(30))
    statistics = SegmentStatistics(rows, lambda x: x[..., 0] / x[..., 1], True, *names)
    whole = rows[..., 0].sum(1) / rows[..., 1].sum(1)
    gold = rng.normal(size=(5, 30))
    scores = given_too(gold, {}, {"ratio": whole})
    found = build_panel(scores, "gold", statistics={"ratio": statistics})
    assert resamples_segments(found)
    sample = next(draw_resamples(5, 30, 3, Options().seed))
    pooled = statistics.score_weightings(sample.segments)
    counts = sample.segments[0]
    expected = (rows[:, :, 0] @ counts) / (rows[:, :, 1] @ counts)
    np.testing.assert_allclose(pooled[0], expected)
    draws = bootstrap(found, "sys", Options(trials=50))["ratio"]
    assert np.isfinite(draws).all()
    lower = replace(statistics, higher_is_better=False)
    np.testing.assert_array_equal(lower.score_weightings(sample.segments), -pooled)


def test_intervals_need_most_draws():
    assert compute_bounds(np.array([np.nan, np.nan, np.nan, 1.0])) is None
    assert compute_bounds(np.arange(101.0)) == pytest.approx((2.5, 97.5))


@pytest.mark.parametrize("constant", [0.1, 0.3, 1 / 3, 1e6 + 0.1, 0.0])
def test_sums_of_a_constant_have_no_correlation_whatever_rounding_leaves(constant):
    m = np.random.default_rng(2).normal(size=11)
    for count in range(2, 12):
        g = np.full(count, constant)
        columns = (np.ones(count), g, m[:count], g * g, m[:count] ** 2, g * m[:count])
        assert np.isnan(pearson_of_sums(np.array([column.sum() for column in columns])))


def test_pearson_is_scipys():
    rng = np.random.default_rng(0)
    for n in (4, 5, 12, 200):
        x = rng.normal(size=n)
        found = scipy.stats.pearsonr(x, x + rng.normal(size=n))
        ours = fisher_interval(float(found.statistic), n)
        assert ours == pytest.approx(tuple(found.confidence_interval()), abs=1e-12)


def test_a_larger_variance_widens_the_interval():
    low, high = map(math.atanh, fisher_interval(0.5, 12, variance=1.125))
    assert high - low == pytest.approx(2 * 1.959964 * math.sqrt(1.125 / 9), abs=1e-5)


def test_few_values_and_perfect_ones():
    assert fisher_interval(0.5, 3) is None
    assert fisher_interval(math.nan, 30) is None
    assert fisher_interval(1.0, 30) == (1.0, 1.0)


def coefficient_anew(panel, level, options, systems, segments):
    """The coefficient of a metric from values, of some systems and drawn segments."""
    gold, metric = (
        x[np.ix_(systems, segments)] for x in (panel.gold, panel.metrics["m0"])
    )
    if level == "sys":
        gold, metric = gold.mean(1), metric.mean(1)
    return correlate_all(gold, {"m": metric}, options)["m"].value


@pytest.mark.parametrize("drawn", ["both", "sys", "item"])
@pytest.mark.parametrize(
    ("level", "coef", "group"),
    [
        *(("sys", "pearson", "none"), ("sys", "spearman", "none")),
        *(("sys", "accuracy", "none"), ("sys", "kendall-b", "none")),
        *(("seg", "pearson", "none"), ("seg", "acc_eq", "item")),
    ],
)
def test_intervals_add_up_the_variances_over_systems_and_segments(
    level, coef, group, drawn
):
    panel = made(systems=9, segments=30)
    name = panel.names[0]
    panel = panel_of(panel.gold, {"m0": panel.metrics[name]})
    options = Options(coef=coef, group=group, trials=40)
    everyone, columns = np.arange(9), np.arange(30)

    def measure(systems, segments):
        value = coefficient_anew(panel, level, options, systems, segments)
        return math.atanh(value) if coef == "pearson" else value

    without = np.array([measure(np.delete(everyone, i), columns) for i in everyone])
    over_systems = 8 * without.var() if drawn != "item" else 0.0
    whole, drawn_values, crossed = measure(everyone, columns), [], []
    trials = 20 if drawn == "both" else 40
    (sample,) = draw_resamples(9, 30, trials, options.seed, "item")
    for at, counts in enumerate(sample.segments.astype(int)):
        segments, fewer = np.repeat(columns, counts), np.delete(everyone, at % 9)
        drawn_values.append(measure(everyone, segments))
        both = measure(fewer, segments)
        crossed.append(both - without[at % 9] - drawn_values[-1] + whole)
    cells = 9 * np.mean(np.square(crossed)) if drawn == "both" else 0.0
    excess = max(np.var(drawn_values) - cells, 0.0) if drawn != "sys" else 0.0
    square = over_systems + excess
    df = square**2 / (over_systems**2 / 8 + excess**2 / 29)
    t = scipy.stats.t.ppf(0.975, df)
    half = t * math.sqrt(square)
    if coef == "pearson":
        expected = math.tanh(whole - half), math.tanh(whole + half)
    elif coef == "spearman":  # Wilson's interval of a share from 0 to 1
        share = (1 + whole) / 2
        z = (half / 2) ** 2 / (share * (1 - share))
        middle, width = share + z / 2, math.sqrt(z * (share * (1 - share) + z / 4))
        low, high = ((middle + sign * width) / (1 + z) for sign in (-1, 1))
        expected = 2 * max(low, 0) - 1, 2 * min(high, 1) - 1
    else:
        lowest = -1 if coef == "kendall-b" else 0
        expected = max(whole - half, lowest), min(whole + half, 1)
    value = coefficient_anew(panel, level, options, everyone, columns)
    found = find_intervals(panel, level, options, {"m0": value}, drawn=drawn)
    assert found["m0"] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_perfect_order_of_few_systems_proves_little():
    gold = np.arange(6.0)[:, None] + np.zeros(4)
    panel = panel_of(gold, {"m": gold})
    options = Options(coef="accuracy", trials=10)
    low, high = find_intervals(panel, "sys", options, {"m": 1.0})["m"]
    # Wilson's interval of 5 of 5, with t of 5 degrees of freedom.
    assert low == pytest.approx(5 / (5 + scipy.stats.t.ppf(0.975, 5) ** 2))
    assert high == 1.0


@pytest.mark.parametrize(("coef", "truth"), [("pearson", 0.8422), ("accuracy", 0.8187)])
def test_intervals_of_twelve_systems_hold_the_truth_as_often_as_they_say(coef, truth):
    """Percentiles of draws of systems and segments held it in 98 and 100 % of cases."""
    rng, options = np.random.default_rng(4), Options(coef=coef, trials=60)
    hits = 0
    for _ in range(250):
        quality = rng.normal(size=(12, 1))
        gold = quality + 2 * rng.normal(size=(12, 60))
        metric = (
            quality + 0.5 * rng.normal(size=(12, 1)) + 2 * rng.normal(size=(12, 60))
        )
        panel = panel_of(gold, {"m": metric})
        value = correlate_all(panel.system_gold, panel.system_metrics, options)[
            "m"
        ].value
        low, high = find_intervals(panel, "sys", options, {"m": value})["m"]
        hits += low <= truth <= high
    assert 0.92 <= hits / 250 <= 0.975
