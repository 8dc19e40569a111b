"""Pseudo-documents: a plain twin, pooled statistics, judges with judges, and edges."""

import numpy as np
import pytest
import scipy.stats
from tests.panels import cells_by_name, made, panel_of

from metra.errors import CorpusError, OptionError
from metra.formats.scores.panel import build_panel
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.meta.options import PseudoOptions
from metra.meta.pseudo import (
    compute_wilcoxon,
    correlate_documents,
    gather_judgements,
    report_pseudo,
)
from metra.stats.exact_tests import rank_sum_p, signed_rank_p
from metra.stats.panel import SegmentStatistics
from metra.stats.pseudo_documents import JudgementCells, draw_documents


def once(found):
    """Every cell's one judgement."""
    there = np.isfinite(found.gold)
    count = there.astype(np.int64)
    start = (np.cumsum(count) - count.ravel()).reshape(count.shape)
    return JudgementCells(start, count, found.gold[there])


def twice(gold, seed=0):
    """A table with two judgements of each cell, and a metric."""
    rng = np.random.default_rng(seed)
    systems, width = gold.shape
    names = [f"s{at}" for at in range(systems) for _ in range(width)]
    items = [ScoredItem(str(at)) for _ in range(systems) for at in range(width)]
    parts = [
        build_score_table(
            names,
            items,
            {Scorer("da", "da"): (gold + rng.normal(size=gold.shape)).ravel()},
            [judge] * len(names),
        )
        for judge in ("ann", "bob")
    ]
    metric = {Scorer("m"): (gold + rng.normal(size=gold.shape)).ravel()}
    return concatenate_scores([*parts, build_score_table(names, items, metric)])


def test_all_segments_is_plain_spearman_of_means():
    found = made(systems=6, segments=30)
    curves = draw_documents(found, once(found), lengths=[0])
    expected = scipy.stats.spearmanr(found.gold.mean(1), found.metrics["m0"].mean(1))[0]
    assert curves.mean("m0") == pytest.approx([expected])
    assert curves.lengths == [30]


def test_a_document_of_one_segment_is_a_segment():
    found = made(systems=6, segments=12, gaps=0.1)
    curves = draw_documents(found, once(found), lengths=[1], documents=4000)
    by_segment = []
    for at in range(12):
        there = np.isfinite(found.gold[:, at])
        g, m = found.gold[there, at], found.metrics["m1"][there, at]
        if len(set(g)) > 1:
            by_segment.append(scipy.stats.spearmanr(g, m)[0])
    drawn = curves.by_name["m1"][0]
    kinds = {round(float(r), 9) for r in drawn[np.isfinite(drawn)]}
    assert kinds == {round(float(r), 9) for r in by_segment}


@pytest.mark.parametrize("n", [2, 7, 29])
def test_drawn_documents_have_n_different_segments(n):
    from metra.stats.pseudo_documents import _draw, _means

    drawn = _draw(np.random.default_rng(0), np.arange(5, 35), n, 50)
    assert drawn.shape == (50, n)
    assert all(len(set(row)) == n and min(row) >= 5 for row in drawn.tolist())
    rng = np.random.default_rng(1)
    stack, there = rng.normal(size=(2, 3, 35)), rng.random((3, 35)) < 0.8
    found = _means(stack, there, drawn)
    for document in range(50):
        for system in range(3):
            cells = [at for at in drawn[document] if there[system, at]]
            expected = stack[1, system, cells].mean() if cells else np.nan
            assert found[1, document, system] == pytest.approx(expected, nan_ok=True)


def test_statistics_are_pooled_not_averaged():
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 9, size=(5, 20, 2)).astype(float)

    def ratio(totals):
        return totals[..., 0] / totals[..., 1]

    gold = rng.normal(size=(5, 20))
    names = [f"s{at}" for at in range(5) for _ in range(20)]
    items = [ScoredItem(str(at)) for _ in range(5) for at in range(20)]
    scores = build_score_table(
        names,
        items,
        {Scorer("da", "da"): gold.ravel(), Scorer("x"): ratio(rows).ravel()},
    )
    kept = SegmentStatistics(
        rows, ratio, True, scores.systems, tuple(str(a) for a in range(20))
    )
    lined = build_panel(scores, "da", statistics={"x": kept})
    curves = draw_documents(lined, once(lined), lengths=[0])
    pooled = ratio(rows.sum(1))
    expected = scipy.stats.spearmanr(gold.mean(1), pooled)[0]
    assert curves.mean("x") == pytest.approx([expected])
    assert expected != pytest.approx(
        scipy.stats.spearmanr(gold.mean(1), ratio(rows).mean(1))[0]
    )


def test_judges_are_compared_on_different_judgements():
    gold = np.arange(6.0)[:, None] + np.zeros((6, 25))
    scores = twice(gold)
    lined = build_panel(scores, "da")
    judged = gather_judgements(scores, lined)
    assert set(judged.count.ravel()) == {2}
    curves = draw_documents(lined, judged, lengths=[1, 25], documents=300)
    # With all segments and both judges taken in turn, the truth shows through.
    low, high = curves.judge_mean()
    assert low < high
    assert high == pytest.approx(1.0, abs=0.02)
    # Were the same judgement drawn twice, the curve would be one at every length.
    assert low < 0.95


def test_one_length_does_not_depend_on_the_others():
    scores = twice(np.random.default_rng(2).normal(size=(5, 30)))
    lined = build_panel(scores, "da")
    judged = gather_judgements(scores, lined)
    alone = draw_documents(lined, judged, lengths=[5], documents=50)
    among = draw_documents(lined, judged, lengths=[1, 5, 0], documents=50)
    assert np.array_equal(alone.by_name["m"][0], among.by_name["m"][1], equal_nan=True)
    other = draw_documents(lined, judged, lengths=[5], documents=50, seed=1)
    assert not np.array_equal(
        alone.by_name["m"][0], other.by_name["m"][0], equal_nan=True
    )


def test_better_metrics_win_wilcoxon():
    found = made(systems=8, segments=60, metrics=2)
    curves = draw_documents(found, once(found), lengths=[10], documents=200)
    p = compute_wilcoxon(curves, 0)
    assert p[0, 1] < 0.001
    assert p[1, 0] > 0.999


def test_what_cannot_be_ranked_is_said():
    two = made(systems=2, segments=9)
    with pytest.raises(CorpusError, match="takes three"):
        draw_documents(two, once(two))
    three = made(systems=3, segments=9)
    with pytest.raises(OptionError, match="plain rows"):
        draw_documents(three, once(three), coef="spa")


def test_constant_scores_leave_a_dash_and_a_note():
    gold = np.zeros((4, 6))
    scores = twice(gold)
    flat = panel_of(gold, {"m": np.ones((4, 6))})
    assert np.isnan(
        draw_documents(flat, once(flat), lengths=[2], documents=5).mean("m")
    ).all()
    constant = build_score_table(
        [f"s{at}" for at in range(4)] * 6,
        [ScoredItem(str(at // 4)) for at in range(24)],
        {Scorer("flat"): [1.0] * 24},
    )
    both = concatenate_scores([scores, constant])
    panel, options = build_panel(both, "da"), PseudoOptions(lengths=(2,), documents=9)
    findings = report_pseudo(panel, correlate_documents(both, panel, options), options)
    row = cells_by_name(findings.tables[0])["flat"]
    assert row[0].value is None
    assert any(
        "without a coefficient" in note and "flat" in note for note in findings.notes
    )


@pytest.mark.parametrize("seed", range(4))
def test_tests_of_ranks_are_scipys(seed):
    rng = np.random.default_rng(seed)
    d = np.round(3 * rng.normal(size=40) + 0.5)
    expected = scipy.stats.wilcoxon(
        d, alternative="greater", correction=True, method="asymptotic"
    ).pvalue
    assert signed_rank_p(d) == pytest.approx(expected)
    a, b = np.round(2 * rng.normal(size=30)), np.round(2 * rng.normal(size=20))
    expected = scipy.stats.mannwhitneyu(
        a, b, alternative="greater", method="asymptotic"
    ).pvalue
    assert rank_sum_p(a, b) == pytest.approx(expected)


def test_ranks_of_nothing_say_nothing():
    assert signed_rank_p(np.zeros(5)) == 0.5
    assert np.isnan(rank_sum_p(np.empty(0), np.ones(3)))
    assert rank_sum_p(np.ones(3), np.ones(3)) == 0.5


def test_sums_that_only_rounding_tells_apart_are_ties():
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last digit.
    gold = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1, 1, 1]])
    assert gold[0].sum() != gold[1].sum()
    found = panel_of(gold, {"m": np.array([[1.0, 1, 1], [2, 2, 2], [3, 3, 3]])})
    curves = draw_documents(found, once(found), lengths=[0])
    expected = scipy.stats.spearmanr([1, 1, 2], [1, 2, 3])[0]
    assert curves.mean("m") == pytest.approx([expected])
