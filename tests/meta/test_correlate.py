"""Correlations, and thresholds of ties."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from tests.panels import made, panel_of

from metra.errors import OptionError
from metra.meta.compare import compare
from metra.meta.correlate import (
    MOST_DRAWN,
    correlate_metrics,
    correlate_panel,
    explain_no_interval,
    parse_specs,
    report_correlation,
)
from metra.meta.options import CorrelateOptions
from metra.stats.bootstrap import bootstrap
from metra.stats.correlation import (
    COEFFICIENTS,
    Options,
    compute_thresholds,
    correlate,
    correlate_all,
)
from metra.stats.thresholds import cross_fit_thresholds, split_folds

accuracy = COEFFICIENTS["acc_eq"].rows


def ask(coef="acc*_eq:item", **options):
    return parse_specs([coef], "seg", Options(**options))[0]


def test_folds_are_measured_with_the_thresholds_of_the_others():
    panel = made(segments=30, gaps=0.1)
    gold, metric = panel.gold, panel.metrics["m1"]
    eps = cross_fit_thresholds(gold.T, metric.T, folds=3, seed=5)
    assert len(set(eps.tolist())) <= 3
    for limit in set(eps.tolist()):
        others = eps != limit
        fitted = correlate(
            gold[:, others], metric[:, others], coef="acc*_eq", group="item"
        )
        assert fitted.eps == limit
    each = accuracy(gold.T, metric.T, eps=eps)
    found = correlate(gold, metric, coef="acc*_eq", group="item", folds=3, seed=5)
    assert found.value == pytest.approx(np.nanmean(each), abs=1e-12)
    assert found.eps == pytest.approx(eps.mean())


@pytest.mark.parametrize("group", ["sys", "none"])
def test_folds_of_long_groups_are_test_sets_of_their_own(group):
    """Segments are dealt; no pair is measured that the threshold has seen half of."""
    panel = made(segments=30, gaps=0.1)
    gold, metric = panel.gold, panel.metrics["m1"]
    in_gold, _, eps = split_folds(gold, metric, folds=3, seed=5, pooled=group == "none")
    fold = np.full(30, -1)
    each = []
    for at in range(3):
        rows = slice(at, at + 1) if group == "none" else slice(7 * at, 7 * at + 7)
        mine = np.isfinite(in_gold[rows].reshape(7, 30)).any(0)
        assert (fold[mine] == -1).all()
        fold[mine] = at
        rest = ~mine
        fitted = correlate(gold[:, rest], metric[:, rest], coef="acc*_eq", group=group)
        assert (eps[rows] == fitted.eps).all()
        inside = {"gold": gold[:, mine], "metric": metric[:, mine]}
        if group == "none":
            inside = {name: x.reshape(1, -1) for name, x in inside.items()}
        each.append(accuracy(inside["gold"], inside["metric"], eps=fitted.eps))
    assert (fold >= 0).all()
    found = correlate(gold, metric, coef="acc*_eq", group=group, folds=3, seed=5)
    assert found.value == pytest.approx(np.nanmean(each), abs=1e-12)
    assert found.eps == pytest.approx(eps.mean())
    assert found.groups == (3 if group == "none" else 21)


def test_cross_fitting_needs_segments_and_pairs():
    values = np.array([[1.0, 2], [2, 3]])
    with pytest.raises(OptionError, match="needs segment scores: set"):
        correlate([1, 2, 3], [1, 3, 2], coef="acc*_eq", folds=2)
    with pytest.raises(OptionError, match="no two values to fit"):
        correlate(values, values, coef="acc*_eq", group="sys", folds=2)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"folds": 4}, id="cross-fitted"),
        pytest.param({"eps": 0.7}, id="given"),
    ],
)
def test_tests_and_intervals_use_the_same_thresholds(options):
    panel = made()
    question = ask(trials=50, **options)
    found = correlate_panel(panel, question)
    for test in ("auto", "pairs", "wilcoxon"):
        compared = compare(panel, question, test=test)
        assert compared.values.tolist() == [found[n].value for n in compared.names]
    drawn = bootstrap(panel, "seg", question.options)
    limits = compute_thresholds(panel.gold, panel.metrics, question.options)
    plain = bootstrap(panel, "seg", ask("acc_eq:item", trials=50).options)
    assert any((limits[name] > 0).any() for name in panel.names)
    assert any((drawn[name] != plain[name]).any() for name in panel.names)


def test_a_threshold_is_on_no_scale_when_scores_change_sides():
    with pytest.raises(OptionError, match="scale of one metric"):
        compare(made(), ask(eps=0.5, trials=20), test="perm-both")


REFUSED = [
    pytest.param("acc*_eq:item", {"folds": 99}, "there are 40", id="too many folds"),
    pytest.param("acc*_eq:item", {"folds": 2, "eps": 1}, "not both", id="also given"),
    pytest.param("pearson", {"folds": 2}, "needs acc.*_eq", id="nothing to fit"),
]  # fmt: skip


@pytest.mark.parametrize(("coef", "options", "message"), REFUSED)
def test_refused(coef, options, message):
    panel = made()
    with pytest.raises(OptionError, match=message):
        correlate_all(panel.gold, panel.metrics, ask(coef, **options).options)


def test_long_groups_have_intervals_while_they_are_cheap():
    panel = made(systems=4, segments=10, metrics=2)
    pairs = 40**2 // 2
    most = MOST_DRAWN // (pairs * 2)
    for coef, trials, said in (
        ("acc_eq", most, False),
        ("acc_eq", most + 1, True),
        ("acc_eq:item", most + 1, False),
    ):
        question = ask(coef, eps=0.5, trials=trials)
        reason = explain_no_interval(panel, question)
        assert bool(reason) is said, (coef, trials)
    reason = explain_no_interval(panel, ask("acc_eq", eps=0.5, trials=most + 1))
    assert "each resample needs 800 pairs for every metric" in reason


def test_without_scores_of_segments_there_is_nothing_to_correlate():
    panel = made(segments=3)
    bare = replace(panel, gold=np.full_like(panel.gold, np.nan))
    found = correlate_panel(bare, ask("pearson"))["m1"]
    assert np.isnan(found.value)
    assert found.n == 0
    assert found.reason.endswith(" has no segment scores to compare with.")


def test_correlations_of_systems_have_p_values():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(9, 20)) + np.arange(9)[:, None] / 4
    noise = rng.normal(size=gold.shape)
    options = CorrelateOptions(trials=0)
    asked = parse_specs(["pearson", "accuracy"], "sys", Options())
    found = correlate_metrics(
        panel_of(gold, {"m": gold + noise, "noise": noise}), asked, 0
    )
    report = report_correlation(found, options)
    [data] = report.data["correlations"]
    for name, values in data["metrics"].items():
        metric = found.panel.system_metrics[name]
        expected = scipy.stats.pearsonr(found.panel.system_gold, metric).pvalue
        assert values["pearson"]["p"] == pytest.approx(expected)
        assert values["accuracy"]["p"] is None
    note = "By pearson, noise may agree with gold only by chance (p ≥ 0.05; 9 systems)."
    assert note in report.notes


def note_intervals(systems, **options):
    panel = made(systems=systems, segments=20)
    chosen = CorrelateOptions(trials=10, **options)
    questions = parse_specs(["pearson"], chosen.level, Options(trials=10))
    found = correlate_metrics(panel, questions, 10, chosen.resample)
    return [n for n in report_correlation(found, chosen).notes if "nterval" in n]


@pytest.mark.parametrize(
    ("resample", "population"),
    [
        ("both", "other systems like these, on other segments"),
        ("sys", "other systems like these, on these segments"),
        ("item", "these systems, on other segments"),
    ],
)
def test_the_population_of_intervals_is_named(resample, population):
    assert note_intervals(12, resample=resample) == [
        f"Brackets are 95 % intervals for {population}."
    ]


def test_intervals_of_few_systems_are_warned_of_or_missing():
    assert note_intervals(11)[1].startswith("Intervals from 11 systems are rough")
    assert len(note_intervals(11, resample="item")) == 1
    assert note_intervals(4) == ["Intervals need 5 systems; there are 4."]
    assert note_intervals(2, level="seg") == ["Intervals need 3 systems; there are 2."]
