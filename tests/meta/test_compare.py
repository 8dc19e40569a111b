"""Tests of metrics against each other: published values, formulas, and twins by hand."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from tests.panels import draw_exchanges, given_too, made, panel_of

from metra.errors import CorpusError, OptionError
from metra.meta import systems
from metra.meta.compare import (
    DecisionRule,
    compare,
    report_comparison,
)
from metra.meta.correlate import parse_specs
from metra.meta.options import CompareOptions, CorrelateOptions
from metra.scores.table import ScoredItem
from metra.scores.views import build_panel
from metra.stats import distributions, exact_tests
from metra.stats.correlation import Options, correlate
from metra.stats.multiplicity import CLUSTER_RULES, clusters_greedy
from metra.stats.permutation import prepare_swaps, segment_values, standardise_metrics
from metra.stats.soft_pairwise import normal_p, spa

# Four systems and two segments: the vectors of mt-metrics-eval's permutation tests.
GOLD = np.array([1.0, 2, 3, 4, 5, 5, 7, 8]).reshape(4, 2)
FIRST = np.array([1.0, 2, 3, 3, 7, 3, 5, 5]).reshape(4, 2)
SECOND = np.array([2.0, 1, 2, 6, 8, 8, 7, 6]).reshape(4, 2)


def question(coef, level="seg", **options):
    return parse_specs([coef], level, draw_as_said(options))[0]


def draw_as_said(options):
    """Options whose trials are also the draws of a test."""
    return Options(**options, draws=options.get("trials"))


@pytest.mark.parametrize(
    "coef",
    ["pearson", "pearson:item", "pearson:sys", "kendall-b:item", "kendall-c:item",
     "tau23:item", "acc_eq:item", "acc*_eq:item"],
)  # fmt: skip
def test_differences_are_the_coefficients(coef):
    found = compare(
        panel_of(GOLD, {"a": FIRST, "b": SECOND}), question(coef, trials=20)
    )
    name, _, group = coef.partition(":")
    values = [
        correlate(GOLD, m, coef=name, group=group or "none").value
        for m in (FIRST, SECOND)
    ]
    assert found.values.tolist() == pytest.approx(sorted(values, reverse=True))
    assert 0 < found.p[0, 1] <= 1


def report(found, **options):
    return report_comparison(found, CompareOptions(**options))


def test_two_sided_p_values_of_the_gold(monkeypatch):
    asked = []

    def draw(gold, **options):
        asked.append((gold.tolist(), options["trials"], options["seed"]))
        return np.array([[0.5, 0.0], [1.0, 0.25]])

    monkeypatch.setattr(systems, "permutation_p", draw)
    gold = np.array([[1.0, math.nan, 3], [2, math.nan, 5]])
    found = systems.compute_gold_p(
        panel_of(gold, {"a": gold}), Options(trials=39_999, seed=4)
    )
    # Of the draws, as many are as extreme on both sides, and the scores themselves.
    assert found.tolist() == [
        [1, 1 / 40_000],
        [1 / 40_000, (2 * 0.25 * 39_999 + 1) / 40_000],
    ]
    assert asked == [([[1, 3], [2, 5]], 39_999, 4)]
    few = Options(trials=10)
    systems.compute_gold_p(panel_of(gold, {"a": gold}), few)
    assert asked[-1][1] == 20_000


@pytest.mark.parametrize("coef", ["pearson", "kendall-b", "acc_eq"])
def test_values_of_segments_with_gaps_average_to_the_coefficient(coef):
    gold = np.array(
        [[1.0, 2, 2, math.nan], [3, math.nan, 2, math.nan], [2, math.nan, 2, 5]]
    )
    metrics = {"a": np.array([[2.0, 1, 7, 3], [1, 2, 8, 1], [4, 4, 9, math.nan]])}
    metrics["b"] = -metrics["a"][::-1]
    options = Options(coef=coef, group="item")
    values, _ = segment_values(panel_of(gold, metrics), options)
    expected = [
        correlate(gold, m, coef=coef, group="item").value for m in metrics.values()
    ]
    assert np.nanmean(values, 1).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("swap", ["both", "sys", "input", "doc"])
@pytest.mark.parametrize(
    ("coef", "level"),
    [("pearson", "sys"), ("spearman", "sys"), ("pearson", "seg"), ("pearson:item", "seg"),
     ("kendall-b:item", "seg"), ("acc_eq:item", "seg"), ("spearman:sys", "seg"),
     ("accuracy", "sys"), ("acc_eq", "sys")],
)  # fmt: skip
@pytest.mark.parametrize("gaps", [0.0, 0.15], ids=["complete", "gaps"])
def test_exchanges_by_sums_are_exchanges(coef, level, swap, gaps):
    """What the sums give is what exchanging the scores and starting over gives."""
    if coef.endswith(":item") and swap in ("input", "doc"):
        pytest.skip(
            "whole segments' coefficients are exchanged, not standardised scores"
        )
    made_up = name_documents(made(systems=5, segments=12, metrics=2, gaps=gaps))
    ask = question(coef, level, trials=7)
    exchanges = prepare_swaps(made_up, level, ask.options, swap)
    signs, exchange = draw_exchanges(exchanges, ask.options)
    found = exchange(0, 1)
    there = np.isfinite(made_up.gold)
    z = []
    for metric in made_up.metrics.values():
        kept = np.where(there, metric, np.nan)
        z.append((kept - np.nanmean(kept)) / np.nanstd(kept))
    if swap == "sys" and level == "sys":
        z = [(m - m.mean()) / m.std() for m in made_up.system_stack]
    for draw, moved in enumerate(signs > 0):
        moved = spread(moved, swap, z[0].shape)
        values = []
        for one, other in (z, z[::-1]):
            mixed = np.where(moved, other, one)
            gold = made_up.gold
            if level == "sys":
                gold = made_up.system_gold
                mixed = mixed if mixed.ndim == 1 else np.nanmean(mixed, 1)
            coef, group = ask.options.coef, ask.options.group
            values.append(correlate(gold, mixed, coef=coef, group=group).value)
        assert found[draw] == pytest.approx(np.subtract(*values), abs=1e-9)


#: Documents of four segments.
DOCUMENTS = np.arange(12) // 4


def name_documents(panel):
    items = [ScoredItem(str(at), f"d{at // 4}") for at in range(panel.gold.shape[1])]
    return replace(panel, items=tuple(items))


def spread(moved, swap, shape):
    """The cells that change sides."""
    if swap == "sys":
        return moved if len(shape) == 1 else moved[:, None]
    if swap == "input":
        return moved[None]
    return moved.reshape(shape) if swap == "both" else moved[DOCUMENTS][None]


def test_p_is_never_zero_but_as_wmt_counts():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(6, 80))
    good = panel_of(gold, {"a": gold, "b": rng.normal(size=gold.shape)})
    assert compare(good, question("pearson", trials=100)).p[0, 1] == pytest.approx(
        1 / 101
    )
    assert compare(good, question("pearson", trials=100, wmt=True)).p[0, 1] == 0


def test_pairs_test_is_a_fair_coin():
    right = np.array([[1, 1, 1, 1, 1, 0, 1, 0.0], [1, 0, 0, 0, 0, 1, 1, 0]])
    p = exact_tests.pairs_p(right, np.full(8, 1 / 8))
    assert p[0, 1] == pytest.approx(
        scipy.stats.binomtest(4, 5, alternative="greater").pvalue
    )


def test_pairs_of_unequal_weight_have_a_normal_limit():
    rng = np.random.default_rng(0)
    right = (rng.random((2, 4000)) < [[0.62], [0.6]]).astype(float)
    weights = rng.choice([1.0, 2.0], 4000)
    d = (right[0] - right[1]) * weights
    draws = np.abs(d) @ rng.choice([-1, 1], (4000, 4000))
    assert exact_tests.pairs_p(right, weights)[0, 1] == pytest.approx(
        (draws >= d.sum()).mean(), abs=0.02
    )


def test_williams_published():
    gold = np.array([1.0, 2, 3, 4, 5])
    metrics = np.array([[1.1, 2, 3.1, 4, 5.1], [1.5, 2, 3.1, 4, 5.5]])
    p = exact_tests.williams_p(gold, metrics)
    assert p[0, 1] == pytest.approx(0.019, abs=5e-4)
    assert p[1, 0] == pytest.approx(1 - p[0, 1])


@pytest.mark.seed("1.31")
@pytest.mark.parametrize("size", [6, 12, 60])
@pytest.mark.parametrize("ties", [False, True])
def test_wilcoxon_is_scipys(size, ties):
    rng = np.random.default_rng(size)
    for _ in range(10):
        d = rng.normal(0.2, 1, size)
        d = np.round(d) if ties else d
        d = d[d != 0]
        if not len(d):
            continue
        exact = size <= 25
        method = "exact" if exact and not ties else "approx"
        if exact and ties:  # all signs
            method = scipy.stats.PermutationMethod(n_resamples=2**size)
        expected = scipy.stats.wilcoxon(
            d, alternative="greater", correction=not exact, method=method
        ).pvalue
        p = exact_tests.strata_p([exact_tests.signed_rank(d)])
        assert p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ties", [False, True])
def test_small_rank_sums_are_counted(ties):
    """All ways to choose which ranks are the first sample's, gone through one by one."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        a, b = rng.normal(size=4), rng.normal(size=5)
        both = np.concatenate([a, b])
        both = np.round(both) if ties else both
        rank = scipy.stats.rankdata(both)
        sums = [sum(rank[list(chosen)]) for chosen in combinations(range(9), 4)]
        expected = np.mean(np.array(sums) >= rank[:4].sum() - 1e-9)
        assert exact_tests.strata_p(
            [exact_tests.rank_sum(both[:4], both[4:])]
        ) == pytest.approx(expected)


def test_tails_are_scipys():
    for t in (-3, -0.5, 0, 0.7, 2, 9):
        for df in (1, 2, 7, 30, 400):
            assert distributions.student_tail(t, df) == pytest.approx(
                scipy.stats.t.sf(t, df), rel=1e-9
            )
    for n in (1, 10, 2000, 2001, 5000):
        # No outcome is below 0 or above n.
        for k in (-1, 0, 1, n // 2, n // 2 + 30, n, n + 1):
            assert distributions.binomial_tail(n, k) == pytest.approx(
                scipy.stats.binom.sf(k - 1, n, 0.5), rel=1e-8, abs=1e-300
            )
    z = np.linspace(-8, 8, 1001)
    np.testing.assert_allclose(
        distributions.upper_tail(z), scipy.stats.norm.sf(z), atol=2e-9
    )
    assert distributions.incomplete_beta(2, 3, 0) == 0
    assert math.isclose(distributions.incomplete_beta(2, 3, 1), 1)


RANKS = [  # mt-metrics-eval's AssignRanks
    pytest.param(
        [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0] * 4], 0.5, [1, 1, 1, 1], id="one"
    ),
    pytest.param(
        [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0] * 4], 1.0, [1, 2, 3, 4], id="all"
    ),
    pytest.param(
        [[0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0] * 4], 0.5, [1, 1, 2, 2], id="two"
    ),
    pytest.param(
        [[0, 0, 1, 1], [0, 0, 1, 1], [0] * 4, [0] * 4], 0.5, [1, 2, 2, 3], id="three"
    ),
]


@pytest.mark.parametrize(("p", "alpha", "expected"), RANKS)
def test_greedy_clusters_published(p, alpha, expected):
    assert clusters_greedy(np.array(p, float), alpha) == expected


def test_wmt_clusters_need_all_above_to_beat_all_below():
    p = np.array([[1, 0.5, 0.01, 0.01], [1, 1, 0.2, 0.01], [1, 1, 1, 0.01], [1] * 4])
    assert CLUSTER_RULES["wmt"](p, 0.05) == [1, 1, 1, 2]


def test_given_system_scores_cannot_be_exchanged_by_cells():
    gold = np.random.default_rng(0).normal(size=(5, 6))
    whole = {"a": [1, 2, 3, 4, 5], "b": [1, 3, 2, 5, 4]}
    found = build_panel(given_too(gold, {"a": gold, "b": -gold}, whole), "gold")
    assert compare(found, question("spearman", "sys")).test == "perm-sys"
    with pytest.raises(OptionError, match="use perm-sys"):
        compare(found, question("pearson", "sys"), test="perm-both")


@pytest.mark.parametrize(
    ("coef", "level", "test", "message"),
    [
        pytest.param("spearman", "sys", "williams", "needs Pearson's r", id="williams"),
        pytest.param(
            "pearson", "sys", "wilcoxon", "coefficient for each segment", id="wilcoxon"
        ),
        pytest.param("pearson:item", "seg", "pairs", "needs an accuracy", id="pairs"),
    ],
)
def test_tests_say_what_they_need(coef, level, test, message):
    with pytest.raises(OptionError, match=message):
        compare(made(), question(coef, level), test=test)


def test_constant_metrics_are_not_compared():
    gold = made().gold
    only = panel_of(gold, {"a": gold, "flat": np.ones(gold.shape)})
    with pytest.raises(OptionError, match="needs two metrics; found: 1"):
        compare(only, question("pearson", "sys"))
    three = panel_of(gold, {"a": gold, "b": gold**2, "flat": np.ones(gold.shape)})
    asked = question("pearson", "sys", trials=20)
    found = compare(three, asked)
    findings = report(found)
    assert found.names == ["a", "b"]
    assert any("flat. All 7 metric scores are 1" in note for note in findings.notes)


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("swap", ["both", "sys", "input"])
def test_soft_accuracy_after_an_exchange_is_that_of_the_exchanged_scores(swap, gaps):
    panel = made(systems=5, segments=30, gaps=gaps)
    options = Options(coef="spa", trials=25)
    there = np.isfinite(panel.gold)
    z = standardise_metrics(np.where(there, panel.stack, np.nan))
    shape = {"both": (5, 30), "sys": (5, 1), "input": (1, 30)}[swap]
    exchanges = prepare_swaps(panel, "sys", options, swap)
    signs, exchange = draw_exchanges(exchanges, options)
    keep = signs < 0
    human = normal_p(panel.gold)
    expected = [
        spa(human, normal_p(np.where(mine, z[0], z[2])))
        - spa(human, normal_p(np.where(mine, z[2], z[0])))
        for mine in keep.reshape(-1, *shape)
    ]
    assert exchange(0, 2).tolist() == pytest.approx(expected, abs=1e-6)


def test_soft_accuracies_are_tested_by_the_p_values_of_the_exchanged_scores():
    """A gap of drawn p-values is not held against gaps of the normal limit."""
    panel = made(systems=4, segments=20, metrics=2)
    options = Options(trials=60, draws=60)
    question = parse_specs(["spa"], "sys", options)[0]
    found = compare(panel, question, DecisionRule("one-sided"), test="perm-input")
    human = normal_p(panel.gold)
    one, other = (spa(human, normal_p(panel.metrics[name])) for name in found.names)
    panel = panel.of_metrics(found.names)
    exchanges = prepare_swaps(panel, "sys", question.options, "input")
    gaps = draw_exchanges(exchanges, question.options)[1](0, 1)
    reached = int((gaps >= one - other - 1e-12).sum())
    assert found.p[0, 1] == pytest.approx((reached + 1) / 61)


def test_many_tests_can_be_significant_after_holms_correction():
    """A thousand draws cannot: 91 tests need a p-value below .05 / 91."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(6, 60))
    noise = rng.normal(size=(14, 6, 60)) * np.linspace(0.2, 3, 14)[:, None, None]
    panel = panel_of(gold, {f"m{at}": gold + each for at, each in enumerate(noise)})
    found = compare(panel, question("pearson"))
    assert found.tests.draws == 10_000
    plain, holm = (int((p < 0.05).sum()) for p in (found.p, found.tests.holm))
    assert 0.5 * plain < holm < plain


def test_tests_of_systems_answer_for_other_systems():
    panel = made(systems=8, metrics=3)
    found = compare(panel, question("pearson", "sys"))
    assert (found.test, found.tests.units, found.tests.draws) == (
        "williams",
        ("system",),
        0,
    )
    assert found.tests.sides == "two-sided"
    findings = report(found)
    notes = " ".join(findings.notes)
    assert "applies to other systems like these, on these segments" in notes
    assert ", two-sided)" in notes
    assert "draws" not in notes
    heads = [column.heading for column in findings.tables[1].columns]
    assert heads[-3:] == ["p", "p Holm", "p BH"]
    spa_test = compare(panel, question("spa", "sys")).test
    assert (spa_test, compare(panel, question("pearson")).test) == (
        "perm-sys",
        "perm-input",
    )


@pytest.mark.parametrize(
    ("coef", "test"), [("spearman", "auto"), ("pearson", "williams")]
)
def test_one_side_is_half_of_both(coef, test):
    panel = made(systems=10, metrics=2)
    one, both = (
        compare(panel, question(coef, "sys"), DecisionRule(sides), test=test).p[0, 1]
        for sides in ("one-sided", "two-sided")
    )
    assert both == pytest.approx(2 * one)


@pytest.mark.parametrize(
    ("alpha", "sides", "is_said"),
    [
        *((0.125, "two-sided", True), (0.126, "two-sided", False)),
        *((0.0625, "one-sided", True), (0.063, "one-sided", False)),
    ],
)
def test_a_p_value_must_be_able_to_fall_below_alpha(alpha, sides, is_said):
    panel, asked = made(systems=4, metrics=3), question("spearman", "sys")

    def is_explained(correction, **options):
        rule = DecisionRule(sides, correction, alpha)
        return "cannot give" in " ".join(compare(panel, asked, rule, **options).notes)

    assert is_explained("none") == is_said
    usual = " ".join(compare(panel, asked).notes)
    assert "Swapping 4 systems cannot give a p-value below 0.12," in usual
    # Three p-values, corrected: each must reach a third of it.
    assert is_explained("holm")
    assert not is_explained("none", test="boot-both")


def test_a_matrix_shows_both_p_values_where_there_are_many_pairs():
    panel, asked = made(systems=6, metrics=4), question("pearson", "sys")
    found = compare(panel, asked)
    findings = report(found, most_pairs=5)
    table = findings.tables[1]
    assert table.name == "metrics p-values"
    rows = [[cell.value for cell in row[1:]] for row in table.rows]
    assert rows[0][3] == found.p[0, 3]
    assert rows[3][0] == found.tests.holm[0, 3]
    for most in (6, 0):
        every = report(found, most_pairs=most)
        assert every.tables[1].name == "metrics pairs"
        assert len(every.tables[1].rows) == 6


def test_resamples_of_systems_and_segments_test_too():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(12, 60)) + rng.normal(size=(12, 1))
    noise = rng.normal(size=gold.shape)
    panel = panel_of(gold, {"good": gold + 0.1 * noise, "noise": 5 * noise})
    found = compare(panel, question("pearson", trials=300), test="boot-both")
    assert found.tests.units == ("system", "segment")
    assert found.p[0, 1] < 0.05
    found = compare(panel, question("pearson", "sys", trials=20), test="boot-both")
    assert found.tests.units == ("system", "segment")


def test_documents_that_are_not_named_cannot_change_sides():
    with pytest.raises(CorpusError, match="40 of 40 segments have no document"):
        compare(made(), question("pearson"), test="perm-doc")


def test_pairs_of_equal_systems_are_named():
    gold = np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]])
    panel = panel_of(gold, {"a": gold + 1})
    options = CorrelateOptions(show="pairs", trials=0)
    found = systems.correlate_differences(panel, options)
    notes = systems.report_differences(found, options).notes
    assert any(note.startswith("1 pair of systems has equal gold") for note in notes)


@pytest.mark.parametrize(
    ("coef", "level", "test"),
    [
        *(("pearson", "sys", test) for test in ("williams", "perm-sys", "boot-both")),
        *(("pearson", "seg", test) for test in ("williams", "perm-both", "perm-input")),
        *(("pearson:item", "seg", test) for test in ("perm-input", "wilcoxon")),
        *(("acc_eq:item", "seg", test) for test in ("pairs", "wilcoxon", "perm-both")),
        ("spearman", "sys", "perm-sys"),
        ("spa", "sys", "perm-sys"),
    ],
)
@pytest.mark.parametrize("change", ["copy", "scale", "shift", "last bits"])
def test_a_metric_does_not_differ_from_itself(coef, level, test, change):
    rng = np.random.default_rng(3)
    gold = rng.normal(size=(9, 1)) + rng.normal(size=(9, 30))
    metric = gold + rng.normal(size=gold.shape)
    same = {
        "copy": metric,
        "scale": metric / 3,
        "shift": metric + 0.1,
        "last bits": np.nextafter(metric, 9 * rng.choice([-1, 1], metric.shape)),
    }
    panel = panel_of(gold, {"one": metric, "same": same[change]})
    found = compare(panel, question(coef, level, trials=50), test=test)
    assert found.p[0, 1] == 1


@pytest.mark.parametrize(
    ("test", "words"),
    [("boot-both", "is conservative"), ("pairs", "finds too many differences")],
)
def test_tests_of_another_level_are_warned_of(test, words):
    panel, spec = made(systems=6, segments=20), question("acc_eq:item", trials=20)
    assert any(words in note for note in compare(panel, spec, test=test).notes)
    assert not compare(panel, spec, test="perm-input").notes
