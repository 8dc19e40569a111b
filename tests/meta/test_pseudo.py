"""Pseudo-documents: a plain twin, pooled statistics, judges with judges, and edges."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy.stats
from tests.panels import (
    cells_by_name,
    made,
    panel_of,
    score_matrix,
    score_rows,
    scores_of,
)

from metra.errors import CorpusError, OptionError
from metra.meta import pseudo
from metra.meta.options import PseudoOptions
from metra.meta.question import Evidence
from metra.scores.table import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.scores.views import build_panel
from metra.stats.exact_tests import rank_sum, signed_rank, strata_p
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
    columns = [
        (Scorer("da", "da"), "ann"),
        (Scorer("da", "da"), "bob"),
        (Scorer("m"), ""),
    ]
    return concatenate_scores(
        [
            score_matrix(gold + rng.normal(size=gold.shape), scorer, judge=judge)
            for scorer, judge in columns
        ]
    )


@pytest.mark.seed("1.23")
def test_all_segments_is_plain_spearman_of_means():
    found = made(systems=6, segments=30)
    curves = draw_documents(found, once(found), lengths=[0])
    expected = scipy.stats.spearmanr(found.gold.mean(1), found.metrics["m0"].mean(1))[0]
    assert curves.mean("m0") == pytest.approx([expected])
    assert curves.lengths == [30]


def test_ties_of_people_and_of_metrics_are_not_the_same():
    gold = np.array([[1.0], [1], [2], [4]])
    found = panel_of(gold, {"m": [[1.0], [3], [3], [3]]})
    curves = draw_documents(found, once(found), lengths=[0], coef="tau10")
    # Of five pairs that people tell apart, the metric gets two right and ties three, which
    # counts as wrong; people's own tie counts for nothing.
    assert curves.mean("m") == pytest.approx([(2 - 3) / 5])


@pytest.mark.parametrize("n", [2, 7, 29])
def test_drawn_documents_have_n_different_segments(n):
    from metra.stats.pseudo_documents import _draw, _means

    drawn = _draw(np.random.default_rng(0), np.arange(5, 35), n, 50)
    if n < 30:
        keys = np.random.default_rng(0).random((50, 30), np.float32)
        smallest = np.sort(np.argsort(keys, axis=1)[:, :n] + 5, axis=1)
        assert np.sort(drawn, axis=1).tolist() == smallest.tolist()
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
    scores = scores_of(gold, {"x": ratio(rows)})
    segments = tuple(str(at) for at in range(1, 21))
    kept = SegmentStatistics(rows, ratio, True, scores.systems, segments)
    lined = build_panel(scores, "gold", statistics={"x": kept})
    curves = draw_documents(lined, once(lined), lengths=[0])
    pooled = ratio(rows.sum(1))
    expected = scipy.stats.spearmanr(gold.mean(1), pooled)[0]
    assert curves.mean("x") == pytest.approx([expected])
    assert expected != pytest.approx(
        scipy.stats.spearmanr(gold.mean(1), ratio(rows).mean(1))[0]
    )


def judged_by(lines):
    """A table of (system, segment, judge, value), and a metric that likes later systems."""
    people = score_rows(lines, Scorer("da", "da"))
    cells = sorted({(system, segment) for system, segment, _, _ in lines})
    metric = build_score_table(
        [system for system, _ in cells],
        [ScoredItem(segment) for _, segment in cells],
        {Scorer("m"): [float(ord(system)) for system, _ in cells]},
    )
    return concatenate_scores([people, metric])


def draw(lines, **options):
    scores = judged_by(lines)
    lined = build_panel(scores, "da")
    return draw_documents(lined, pseudo.gather_judgements(scores, lined), **options)


#: Two judges, each on a scale of their own, who rank a < b < c < d in twenty segments.
ALIKE = [
    (system, str(segment), judge, base + place)
    for segment in range(20)
    for judge, base in (("ann", 1.0), ("bob", 5.0))
    for place, system in enumerate("abcd")
]
#: Each judge has judged one system of a segment only.
APART = [
    (system, str(segment), f"{judge}{system}", float(value))
    for segment, rows in enumerate(("1234", "2143", "1324"))
    for judge, shift in (("ann", 0), ("bob", 3))
    for system, value in zip("abcd", (int(row) + shift for row in rows), strict=True)
]
#: Judges share some systems of a segment; one cell has one judgement, one has none.
PARTLY = [
    ("a", "1", "ann", 5.0), ("b", "1", "ann", 2.0), ("c", "1", "ann", 6.0),
    ("a", "1", "bob", 9.0), ("b", "1", "bob", 7.0), ("c", "1", "eve", 9.0),
    ("a", "2", "ann", 4.0), ("b", "2", "bob", 5.0), ("c", "2", "bob", 5.0),
    ("a", "2", "eve", 8.0), ("b", "2", "eve", 9.0), ("c", "2", "eve", 7.0),
    ("a", "3", "bob", 1.0), ("b", "3", "ann", 8.0), ("b", "3", "eve", 4.0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("judges_by", "expected"),
    [("auto", 1.0), ("segment", 1.0), ("document", 1.0), ("cell", -0.217)],
)
def test_judges_who_rank_alike_agree_unless_their_scales_are_mixed(judges_by, expected):
    curves = draw(ALIKE, lengths=[1, 2, 5, 0], judges_by=judges_by)
    assert round(curves.judge_mean()[0], 3) == expected
    if judges_by != "cell":
        assert curves.judge_mean() == pytest.approx([1, 1, 1, 1])
        assert curves.mean("m") == pytest.approx([1, 1, 1, 1])
    assert curves.judges_by == ("segment" if judges_by == "auto" else judges_by)
    assert curves.crossed == 1


def twin_of_all_draws(lines, n, unit):
    """Mean coefficient of judges, and of the metric, over every document and every order.

    The order is of all judges, for each cell, segment or document; a cell takes the first
    and the second of those who judged it.
    """
    by_cell = {}
    for system, segment, judge, value in lines:
        by_cell.setdefault((system, segment), {})[judge] = value
    systems = sorted({line[0] for line in lines})
    judges = sorted({line[2] for line in lines})
    rhos, weights = {"judges": [], "m": []}, []
    for document in combinations(sorted({line[1] for line in lines}), n):
        units = {
            "cell": [cell for cell in by_cell if cell[1] in document],
            "segment": list(document),
            "document": ["all"],
        }[unit]
        every = list(product(permutations(judges), repeat=len(units)))
        weights += [1 / len(every)] * len(every)
        for orders in every:
            order_of = dict(zip(units, orders, strict=True))
            drawn = {system: ([], [], []) for system in systems}
            for (system, segment), given in by_cell.items():
                if segment not in document:
                    continue
                key = {"cell": (system, segment), "segment": segment}.get(unit, "all")
                values = [given[judge] for judge in order_of[key] if judge in given]
                drawn[system][0].append(values[0])
                if len(values) > 1:
                    drawn[system][1].append(values[0])
                    drawn[system][2].append(values[1])
            metric = [float(ord(system)) for system in systems]
            gold, one, other = (
                [np.mean(drawn[s][at]) if drawn[s][at] else np.nan for s in systems]
                for at in range(3)
            )
            rhos["judges"].append(spearman_of_known(one, other))
            rhos["m"].append(spearman_of_known(gold, metric))
    known = {name: np.isfinite(values) for name, values in rhos.items()}
    return {
        name: np.average(
            np.array(values)[known[name]], weights=np.array(weights)[known[name]]
        )
        for name, values in rhos.items()
    }


def spearman_of_known(one, other):
    known = np.isfinite(one) & np.isfinite(other)
    one, other = np.array(one)[known], np.array(other)[known]
    if len({*one}) < 2 or len({*other}) < 2:
        return np.nan
    return scipy.stats.spearmanr(one, other)[0]


@pytest.mark.parametrize(
    ("unit", "n"),
    # Of more segments, or of cells of two, there are too many orders to list.
    [("cell", 1), ("segment", 1), ("segment", 2), ("document", 1), ("document", 2)],
)
def test_drawn_judges_are_those_of_the_slow_twin(unit, n):
    expected = twin_of_all_draws(PARTLY, n, unit)
    curves = draw(PARTLY, lengths=[n], documents=20_000, judges_by=unit)
    # Four standard errors of a coefficient of 20,000 documents are below .03.
    assert curves.judge_mean() == pytest.approx([expected["judges"]], abs=0.03)
    assert curves.mean("m") == pytest.approx([expected["m"]], abs=0.03)


@pytest.mark.parametrize(
    ("lines", "unit", "crossed"),
    [
        pytest.param(ALIKE, "segment", 1.0, id="crossed"),
        pytest.param(APART, "cell", 0.0, id="uncrossed"),
        # Pairs judged twice: a, b and c in segment 1 (only a and b share two judges), and
        # in segment 2 (only b and c do).
        pytest.param(PARTLY, "cell", 2 / 6, id="partly crossed"),
        pytest.param(
            [line for line in ALIKE if line[1:3] != ("0", "bob")] + ALIKE[4:7],
            "segment", 1.0, id="a judgement is still missing",
        ),
    ],
)  # fmt: skip
def test_the_design_decides(lines, unit, crossed):
    curves = draw(lines, lengths=[1], documents=9)
    assert curves.judges_by == unit
    assert curves.crossed == pytest.approx(crossed)


def test_judges_without_names_are_drawn_for_cells():
    nameless = [
        (*line[:2], "" if line[1:3] == ("0", "bob") else line[2], line[3])
        for line in ALIKE
    ]
    curves = draw(nameless, lengths=[1], documents=50)
    assert curves.judges_by == "cell"
    assert np.isnan(curves.crossed)
    with pytest.raises(CorpusError, match="judges cannot be drawn by segment"):
        draw(nameless, lengths=[1], judges_by="segment")


def test_a_judge_is_not_compared_with_themselves():
    # Ann judged everything twice: that is one judgement each, the mean of both.
    again = [(*line[:3], line[3] + 2) for line in ALIKE if line[2] == "ann"]
    ann = [line for line in ALIKE if line[2] == "ann"] + again
    assert draw(ann, lengths=[1], documents=9).judges == []
    scores = judged_by([*ALIKE, *again])
    judged = pseudo.gather_judgements(scores, build_panel(scores, "da"))
    assert set(judged.count.ravel()) == {2}
    assert sorted({*judged.value[judged.judge == 0].tolist()}) == [2, 3, 4, 5]


def test_one_length_does_not_depend_on_the_others():
    scores = twice(np.random.default_rng(2).normal(size=(5, 30)))
    lined = build_panel(scores, "da")
    judged = pseudo.gather_judgements(scores, lined)
    alone = draw_documents(lined, judged, lengths=[5], documents=50)
    among = draw_documents(lined, judged, lengths=[1, 5, 0], documents=50)
    assert np.array_equal(alone.by_name["m"][0], among.by_name["m"][1], equal_nan=True)
    other = draw_documents(lined, judged, lengths=[5], documents=50, seed=1)
    assert not np.array_equal(
        alone.by_name["m"][0], other.by_name["m"][0], equal_nan=True
    )


def test_what_cannot_be_ranked_is_said():
    two = made(systems=2, segments=9)
    with pytest.raises(CorpusError, match="needs at least three"):
        draw_documents(two, once(two))
    three = made(systems=3, segments=9)
    with pytest.raises(OptionError, match="does not apply"):
        draw_documents(three, once(three), coef="spa")


def test_constant_scores_leave_a_dash_and_a_note():
    gold = np.zeros((4, 6))
    scores = twice(gold)
    flat = panel_of(gold, {"m": np.ones((4, 6))})
    assert np.isnan(
        draw_documents(flat, once(flat), lengths=[2], documents=5).mean("m")
    ).all()
    constant = score_matrix(np.ones((4, 6)), Scorer("flat"))
    both = concatenate_scores([scores, constant])
    options = PseudoOptions(lengths=(2,), documents=9)
    answer = pseudo.ask_pseudo(Evidence(both, gold="da"), options)
    findings = pseudo.report_pseudo(answer, options)
    row = cells_by_name(findings.tables[0])["flat"]
    assert row[0].value is None
    assert any(
        "without a coefficient" in note and "flat" in note for note in findings.notes
    )


@pytest.mark.parametrize("seed", range(4))
def test_rank_sums_are_scipys(seed):
    rng = np.random.default_rng(seed)
    a, b = np.round(2 * rng.normal(size=30)), np.round(2 * rng.normal(size=20))
    expected = scipy.stats.mannwhitneyu(
        a, b, alternative="greater", method="asymptotic"
    ).pvalue
    assert strata_p([rank_sum(a, b)]) == pytest.approx(expected)


def test_ranks_of_nothing_say_nothing():
    assert strata_p([signed_rank(np.zeros(5))]) == 0.5
    assert np.isnan(strata_p([rank_sum(np.empty(0), np.ones(3))]))
    assert strata_p([rank_sum(np.ones(3), np.ones(3))]) == 0.5


@pytest.mark.parametrize(
    "gold",
    [
        # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last digit.
        pytest.param([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1, 1, 1]], id="rounding"),
        # Means 5, 5 and 17; a grid for sums would part the two that are equal.
        pytest.param(
            [[3.0, 7], [5, np.nan], [16, 18]], id="different numbers of cells"
        ),
    ],
)
def test_equal_means_are_ties(gold):
    metric = np.arange(1.0, 4)[:, None] + np.zeros_like(gold)
    found = panel_of(np.array(gold), {"m": metric})
    curves = draw_documents(found, once(found), lengths=[0])
    expected = scipy.stats.spearmanr([1, 1, 2], [1, 2, 3])[0]
    assert curves.mean("m") == pytest.approx([expected])
