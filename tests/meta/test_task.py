"""The protocols of WMT: what is averaged, and what is left out."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom
from tests.panels import cells_by_name, made, panel_of

from metra.meta.compare import DecisionRule, compare
from metra.meta.options import TaskOptions
from metra.meta.task import (
    ProtocolColumn,
    build_columns,
    report_task,
    score_columns,
    score_task,
)
from metra.stats.correlation import Options, correlate

#: As WMT's scorer decides.
WMT = DecisionRule("one-sided", "none")


def in_language(panel, lang, names):
    return replace(panel.of_metrics(names), lang=lang)


def test_a_metric_that_lacks_a_language_pair_is_left_out_and_named():
    first = in_language(made(seed=1), "en-de", ["m0", "m1", "m2"])
    second = in_language(made(seed=2), "zh-en", ["m0", "m1"])
    options = Options(trials=20)
    report = report_task(
        score_task("wmt24", [second, first], options), TaskOptions(trials=20)
    )
    (table,) = report.tables
    assert set(cells_by_name(table)) == {"m0", "m1"}
    assert "Excluded, because not in every language pair: m2." in report.notes
    assert "lang:en-de,zh-en" in report.signature


def test_ranks_of_a_column_follow_its_own_order():
    panel = made(seed=3, segments=60, metrics=2)
    first = replace(panel, lang="a")
    # The metrics change names in the other language pair.
    swapped = dict(zip(panel.names, reversed(panel.metrics.values()), strict=True))
    second = replace(panel, lang="b", metrics=swapped)
    question = build_columns("wmt23", [panel], Options())[2].question
    columns = [
        ProtocolColumn((first,), question, 3),
        ProtocolColumn((second,), question, 1),
    ]
    scores = score_columns("", columns, Options(draws=50), test=DecisionRule())
    one, other = scores.values[:, 0]
    assert scores.average[0] == pytest.approx((3 * one + other + 4) / 8, abs=1e-12)
    assert one > other
    assert scores.ranks == [[1, 2], [2, 1]]


def test_scores_of_wmt26_have_the_columns_of_wmt25():
    panel = in_language(made(seed=1), "en-de", ["m0", "m1", "m2"])
    options = Options(trials=20)
    one, other = (score_task(name, [panel], options) for name in ("wmt25", "wmt26"))
    assert one.average.tolist() == other.average.tolist()
    assert [column.heading for column in other.columns] == ["sys spa", "seg acc*_eq"]
    assert "task:wmt26" in report_task(other, TaskOptions()).signature


def split_greedily(p_values, order):
    """A new cluster where a member of the last one is better; None where that is close."""
    clusters, members = {}, []
    for name in order:
        p = [p_values[other, name] for other in members]
        if any(0.035 < each < 0.065 for each in p):
            return None
        if any(each <= 0.05 for each in p):
            members = []
        clusters[name] = clusters.get(order[order.index(name) - 1], 1) + (not members)
        clusters[order[0]] = 1
        members.append(name)
    return clusters


def compare_outcomes(panel):
    """p-values of an exact sign test of the pairs of outputs that one metric gets right."""
    gold = panel.gold[:, None] - panel.gold[None]
    upper = np.triu_indices(len(panel.systems), 1)
    right = {}
    for name, metric in panel.metrics.items():
        eps = correlate(panel.gold, metric, coef="acc*_eq", group="item").eps
        gap = metric[:, None] - metric[None]
        order = np.where(np.abs(gap) <= eps, 0, np.sign(gap))
        right[name] = (order == np.sign(gold))[upper].ravel()
    p = {}
    for a, b in product(right, right):
        only = int((right[a] & ~right[b]).sum())
        differ = int((right[a] != right[b]).sum())
        p[a, b] = binom.sf(only - 1, differ, 0.5)
    return p


def exchange_systems(panel):
    """p-values of all exchanges of the systems' scores between two metrics."""
    moved = np.array([*product((False, True), repeat=len(panel.systems))])
    scaled = {n: (v - v.mean()) / v.std() for n, v in panel.system_metrics.items()}

    def correlate_rows(rows):
        gold = panel.system_gold - panel.system_gold.mean()
        rows = rows - rows.mean(1, keepdims=True)
        return rows @ gold / np.sqrt((rows**2).sum(1) * (gold**2).sum())

    p = {}
    for a, b in product(scaled, scaled):
        first = np.where(moved, scaled[b], scaled[a])
        second = np.where(moved, scaled[a], scaled[b])
        gaps = correlate_rows(first) - correlate_rows(second)
        p[a, b] = (gaps >= gaps[0] - 1e-12).mean()
    return p


@pytest.mark.parametrize(
    ("heading", "test"),
    [("seg acc*_eq", compare_outcomes), ("sys pearson", exchange_systems)],
)
def test_ranks_of_wmt_are_those_of_its_tests(heading, test):
    compared = 0
    for seed in range(8):
        panel = made(seed=seed, segments=12, metrics=4)
        scores = score_task("wmt23", [panel], Options(draws=1000, wmt=True), test=WMT)
        at = [column.heading for column in scores.columns].index(heading)
        values = dict(zip(scores.metrics, scores.values[at], strict=True))
        expected = split_greedily(test(panel), sorted(values, key=lambda n: -values[n]))
        if expected is not None:
            assert dict(zip(scores.metrics, scores.ranks[at], strict=True)) == expected
            compared += 1
    assert compared >= 2


@pytest.mark.parametrize("protocol", ["wmt23", "wmt24"])
@pytest.mark.parametrize(("wmt", "rule"), [(False, DecisionRule()), (True, WMT)])
def test_clusters_of_a_column_are_those_of_a_comparison(protocol, wmt, rule):
    panel = made(seed=5, segments=40, metrics=4)
    options = Options(draws=200, wmt=wmt)
    scores = score_task(protocol, [panel], options, test=rule)
    for column, ranks in zip(scores.columns, scores.ranks, strict=True):
        found = compare(panel, column.question, rule)
        clusters = dict(zip(found.names, found.clusters, strict=True))
        assert dict(zip(scores.metrics, ranks, strict=True)) == clusters


@pytest.mark.parametrize("sides", ["two-sided", "one-sided"])
def test_the_joint_test_of_one_column_is_that_of_its_comparison(sides):
    """An accuracy that is pooled over one language pair is an accuracy."""
    panel = made(seed=5, segments=40, metrics=4)
    rule, options = DecisionRule(sides, "none"), Options(draws=300)
    column = build_columns("wmt23", [panel], options)[0]
    scores = score_columns("one", [column], options, test=rule)
    found = compare(panel, column.question, rule)
    assert scores.metrics == found.names
    np.testing.assert_array_equal(scores.tests.p, found.p)
    assert scores.tests.population == found.tests.population


def test_language_pairs_are_exchanged_apart_and_their_columns_together():
    """Twice the same language pair would count its units twice if draws were shared."""
    panel = made(seed=4, systems=18, segments=30, metrics=2)
    twice = [replace(panel, lang=lang) for lang in ("a", "b")]
    options = Options(draws=4000)
    pooled = build_columns("wmt23", twice, options)[0]
    alone = build_columns("wmt23", twice[:1], options)[0]
    rule = DecisionRule("one-sided", "none")
    both, one, same = (
        score_columns("", columns, options, test=rule).tests.p[0, 1]
        for columns in ([pooled], [alone], [alone, alone])
    )
    assert 0.05 < one < 0.4
    assert same == one
    assert both < 0.9 * one


def test_wmt_takes_the_systems_of_a_pooled_column_for_one_sample():
    """Scores are standardised over all language pairs, so their levels change sides too."""
    rng = np.random.default_rng(6)
    quality = rng.normal(size=(2, 5, 1))
    panels = []
    for at, lang in enumerate("ab"):
        gold = quality[at] + 0.2 * rng.normal(size=(5, 12))
        near = gold + 0.3 * rng.normal(size=gold.shape)
        # The other metric is far higher in one language pair.
        far = gold + 0.9 * rng.normal(size=gold.shape) + 8 * at
        panels.append(replace(panel_of(gold, {"near": near, "far": far}), lang=lang))
    options = Options(draws=20_000, wmt=True)
    column = build_columns("wmt23", panels, options)[0]
    scores = score_columns("", [column], options, test=WMT)
    assert scores.metrics == ["near", "far"]
    stacked = np.concatenate([panel.system_stack for panel in panels], 1)
    one, other = (stacked - stacked.mean(1)[:, None]) / stacked.std(1)[:, None]

    def count_right(values):
        both = zip(panels, (values[:, :5], values[:, 5:]), strict=True)
        return sum(
            (np.sign(part[:, i] - part[:, j]) == np.sign(gold[i] - gold[j])).astype(int)
            for panel, part in both
            for gold in [panel.system_gold]
            for i, j in combinations(range(5), 2)
        )

    moved = np.array([*product((False, True), repeat=10)])
    right = [
        count_right(np.where(moved, *pair)) for pair in ((other, one), (one, other))
    ]
    gaps = right[0] - right[1]
    exact = (gaps >= gaps[0]).mean()
    assert 0.02 < exact < 0.6
    assert scores.tests.p[0, 1] == pytest.approx(exact, abs=0.015)  # four deviations


def test_outcomes_of_pairs_change_sides_in_a_joint_test():
    panel = made(seed=5, segments=6, metrics=2)
    options = Options(draws=20_000, wmt=True)
    column = build_columns("wmt24", [panel], options)[1]
    scores = score_columns("", [column], options, test=WMT)
    exact = compare_outcomes(panel)[scores.metrics[0], scores.metrics[1]]
    assert 0.005 < exact < 0.6
    assert scores.tests.p[0, 1] == pytest.approx(exact, abs=0.015)
