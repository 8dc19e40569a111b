"""Rankings of systems: hand-worked ones, the published distances, clusters and ranges."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from tests.panels import score_rows, scores_of

from metra.errors import CorpusError, OptionError
from metra.meta.normalise import normalise
from metra.meta.options import RankOptions
from metra.meta.question import Evidence
from metra.meta.rank import ask_ranking, report_ranking
from metra.scores.selection import DEFAULT
from metra.scores.table import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.stats.direction import HIGHER, LOWER
from metra.stats.exact_tests import rank_test_p_values
from metra.stats.mixed_model import fit_mixed_model
from metra.stats.multiplicity import split_all, walk_ranks
from metra.stats.ranking import (
    are_paired,
    auto_rank,
    average_wins,
    count_wins,
    rank_groups,
)
from metra.stats.variance import RatingFactors

NAN = float("nan")


def rank(scores, name, **options):
    chosen = RankOptions(**options)
    answer = ask_ranking(Evidence(scores, DEFAULT, name), chosen)
    return report_ranking(answer, chosen), answer.ranking


def test_ranks_in_documents():
    # Document 0: means 2, 3, 1; document 1: 5, 4, missing, and so left out.
    values = np.array([[1.0, 3, 5], [3, 3, 4], [1, 1, NAN]])
    ranks = rank_groups(values, np.array([0, 0, 1]))
    assert ranks.tolist() == [[2], [1], [3]]


def test_auto_rank_is_linear_between_best_and_worst():
    # One metric, median 2, span from the lower quartile 1.75 to 5.
    found = auto_rank(np.array([[1.0, 2, 2, 5]]))
    assert found.tolist() == pytest.approx([4, 3.25, 3.25, 1])
    assert auto_rank(np.array([[3.0, 3, 3]])).tolist() == [1, 1, 1]


def test_expected_wins_leave_out_ties_and_strangers():
    values = np.array([[1.0, 1, NAN], [0, 1, NAN], [NAN, NAN, 1]])
    assert average_wins(count_wins(values))[:2].tolist() == [1, 0]
    assert np.isnan(average_wins(count_wins(values))[2])


def test_identical_systems_end_in_one_cluster():
    same = np.tile(np.arange(20.0), (3, 1))
    findings, found = rank(scores_of(same, {}), "gold")
    assert found.clusters == [1, 1, 1]
    assert found.ranks == [2, 2, 2]
    assert set(found.p[~np.eye(3, dtype=bool)]) == {1.0}
    assert findings.tables[0].rows[0][3].value == "1–3"


def test_paired_where_systems_share_segments():
    dense = np.random.default_rng(0).normal(size=(3, 30))
    assert are_paired(dense)
    apart = np.full((2, 40), NAN)
    apart[0, :20], apart[1, 20:] = 2.0 + dense[0, :20], dense[1, :20]
    assert not are_paired(apart)
    assert rank_test_p_values(apart, paired=False)[0, 1] < 0.001
    assert np.isnan(rank_test_p_values(apart, paired=True)).all()
    findings, found = rank(scores_of(apart, {}), "gold")
    assert found.tests.test == "welch"
    expected = scipy.stats.ttest_ind(apart[0, :20], apart[1, 20:], equal_var=False)
    assert found.p[0, 1] == pytest.approx(expected.pvalue)
    assert "Welch's t-test" in findings.notes[1]


@pytest.mark.parametrize("by", ["mean", "arr", "wins"])
@pytest.mark.parametrize("rule", ["wmt", "greedy", "range"])
def test_clear_differences_make_clusters(by, rule):
    rng = np.random.default_rng(4)
    gold = np.array([[0.0], [5], [5], [9]]) + rng.normal(size=(4, 80))
    _, found = rank(scores_of(gold, {}), "gold", by=by, rule=rule)
    assert found.systems[0] == "s3"
    assert found.systems[-1] == "s0"
    assert found.clusters == [1, 2, 2, 3]


def test_average_ranks_are_those_of_documents_where_there_are_some():
    # By the means of documents: A beats B on a and loses on b, and C is last.
    values = np.array([[9.0, 1, 3], [4, 4, 5], [0, 0, 0]])
    items = [ScoredItem("1", "a"), ScoredItem("2", "a"), ScoredItem("3", "b")]
    names = [system for system in "ABC" for _ in items]
    scores = build_score_table(
        names, items * 3, {Scorer("gold", "human"): values.ravel()}
    )
    _, found = rank(scores, "gold", by="arr")
    assert (found.unit, found.units) == ("document", 2)
    assert found.tests.units == ("document",)
    by_system = dict(zip(found.systems, found.columns["arr"], strict=True))
    assert by_system == {"A": 1.5, "B": 1.5, "C": 3}
    _, found = rank(scores, "gold", by="mean")
    assert found.tests.units == ("segment",)


def test_what_is_missing_is_said():
    gold = np.array([[1.0, 2], [2, 1]])
    scores = concatenate_scores(
        [
            scores_of(gold, {}),
            build_score_table(["new"], [ScoredItem("1")], {Scorer("x"): [1.0]}),
        ]
    )
    findings, _ = rank(scores, "gold", against=("x",))
    text = " ".join(findings.notes)
    assert "Excluded, because gold is missing: new" in text
    assert "x shares fewer than two systems" in text
    assert "gold has no judges to normalise" in text
    assert "average rank: no" not in text
    gaps, _ = rank(scores_of(np.array([[1.0, NAN], [NAN, 2]]), {}), "gold")
    assert "– average rank: no segment has scores of every system." in gaps.notes
    with pytest.raises(CorpusError, match="cannot be ranked by z"):
        rank(scores, "gold", by="z")
    alone, ranking = rank(scores, "x")
    assert (ranking.systems, ranking.means) == (["new"], [1.0])
    assert alone.notes[0].startswith("There is only one system")


RANK = Scorer("rank", "human")
#: Ann ranks a, b and c, Bob c and d, Eve ties b and d: together a < b < c < d.
PARTIAL = [
    ("a", "1", "ann", 1), ("b", "1", "ann", 2), ("c", "1", "ann", 3),
    ("c", "1", "bob", 1), ("d", "1", "bob", 2),
    ("b", "2", "eve", 1), ("d", "2", "eve", 1), ("a", "2", "dan", 1),
]  # fmt: skip


def test_judges_may_rank_some_of_the_systems():
    findings, found = rank(score_rows(PARTIAL, RANK), "rank", ranks=True, by="arr")
    assert found.systems == ["a", "b", "c", "d"]
    # Five fourths of 1, 2, 3 and five thirds of 1, 2 and, tied, 1.5; Dan's says nothing.
    expected = [5 / 4, (5 / 2 + 5 / 2) / 2, (15 / 4 + 5 / 3) / 2, (10 / 3 + 5 / 2) / 2]
    assert found.columns["arr"].tolist() == pytest.approx(expected)
    # Shares of the others that are beaten: a 1; b 1/2 and, tied, 1/2; c 0 and 1; d 0 and 1/2.
    # In segment 1 both of c's judges count the same.
    assert found.columns["mean"].tolist() == pytest.approx([1, 0.5, 0.5, 0.25])
    # a beat b and c; b lost to a and beat c; c lost to a and b and beat d; d lost to c.
    assert found.columns["wins"].tolist() == pytest.approx([1, 0.5, 1 / 3, 0])
    assert "|ranks:yes|" in findings.signature
    assert "average-rank:3 rankings" in findings.signature


def test_ranks_that_are_none_are_refused():
    with pytest.raises(
        CorpusError, match="'rank' has a rank of 0; ranks of systems start"
    ):
        rank(score_rows([*PARTIAL, ("a", 3, "ann", 0)], RANK), "rank", ranks=True)


def judged_apart():
    """Scores of two judges with other scales, who judged every segment by turns."""
    rng = np.random.default_rng(7)
    lines = []
    for segment in range(60):
        for number, system in enumerate(("a", "b", "c")):
            judge = ("ann", "bob")[(segment + number) % 2]
            quality = rng.normal() + 0.4 * number
            value = quality if judge == "ann" else 50 + 20 * quality
            lines.append((system, segment, judge, value))
    return score_rows(lines, Scorer("da", "da"))


def test_what_is_ranked_by_z_is_tested_by_z():
    scores = judged_apart()
    made = normalise(scores, "da", "z").scores
    by_z = rank(scores, "da", by="z")[1]
    alone = rank(made, "da-z")[1]
    assert (by_z.systems, by_z.tests.test) == (alone.systems, alone.tests.test)
    np.testing.assert_array_equal(by_z.p, alone.p)
    assert (by_z.clusters, by_z.ranges) == (alone.clusters, alone.ranges)
    raw = rank(scores, "da", by="mean")[1]
    assert np.nanmax(np.abs(raw.p - by_z.p)) > 0.1


def test_what_is_ranked_by_average_rank_is_tested_by_ranks():
    # Every document has the same order, but one segment says the opposite by far.
    gold = np.array([[1.0, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, -90]])
    _, found = rank(scores_of(gold, {}), "gold", by="arr")
    assert found.systems == ["s1", "s0"]
    # Seven of eight or more the same way, of the coin's two sides.
    assert found.p[0, 1] == 2 * (8 + 1) / 256
    assert rank(scores_of(gold, {}), "gold", by="mean")[1].p[0, 1] != found.p[0, 1]


def test_what_is_ranked_by_wins_is_tested_by_signs():
    gold = np.array([[1.0, 1, 1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2, 0, 0]])
    findings, found = rank(scores_of(gold, {}), "gold", by="wins")
    # Eight of ten tosses or more, or two or fewer: 2 (45 + 10 + 1) / 1024.
    assert found.p[0, 1] == 112 / 1024
    assert "test:permutation|sides:two-sided|units:segment" in findings.signature


def test_every_domain_counts_the_same_in_z():
    scores = judged_apart()
    items = [
        item._replace(domain="news" if int(item.segment) < 50 else "chat")
        for item in scores.items
    ]
    by_domain = replace(scores, items=items)
    made = normalise(by_domain, "da", "z").scores
    z = rank(by_domain, "da", by="z", macro="domain")[1]
    alone = rank(made, "da-z", macro="domain")[1]
    assert z.columns["z"].tolist() == alone.columns["mean"].tolist()
    np.testing.assert_array_equal(z.p, alone.p)


def test_ranks_beside_other_scorers_and_calibration_items(write, cli):
    rows = ["system\tsegment\tscorer\tvalue\tjudge\titem_type"]
    for at in range(1, 6):
        for place, system in enumerate("abc", 1):
            rows.append(f"{system}\t{at}\trank\t{place}\tann\tjudged")
            rows.append(f"{system}\t{at}\tda\t{50 - place}\tann\tjudged")
    rows.append("c\t9\trank\t1\tann\tcalibration")
    path = write("r.tsv", rows)
    for question in ("rank", "judges"):
        ran = cli("meta", question, path, "--scorer", "rank", "--ranks")
        assert "Internal" not in ran.err
    ran = cli("meta", "rank", path, "--scorer", "rank", "--ranks", "--format", "json")
    ranking = json.loads(ran.out)["tables"]["ranking"]
    assert [(row["system"], row["n"]) for row in ranking] == [
        ("a", 5),
        ("b", 5),
        ("c", 5),
    ]


# Rankings in which every domain counts the same.


def domains(values, names):
    items = [ScoredItem(str(at), domain=name) for at, name in enumerate(names)]
    systems = [f"s{at}" for at in range(len(values)) for _ in items]
    values_by_scorer = {Scorer("da", "human"): np.ravel(values)}
    return build_score_table(systems, items * len(values), values_by_scorer)


def test_domains_count_the_same():
    # s1 is better in the large domain, s0 far better in the small one.
    scores = domains([[1, 1, 1, 9], [2, 2, 2, 2]], ["news", "news", "news", "chat"])
    plain, _ = rank(scores, "da")
    findings, found = rank(scores, "da", macro="domain")
    means = [row[4].value for row in findings.tables[0].rows]
    assert found.systems == ["s0", "s1"]
    assert means == [5, 2]
    assert [row[4].value for row in plain.tables[0].rows] == [3, 2]
    assert "macro:domain" in findings.signature


def test_domains_count_the_same_in_the_test():
    rng = np.random.default_rng(0)
    gaps = np.concatenate([rng.normal(0.8, 1, 400), rng.normal(-0.8, 1, 20)])
    scores = domains([gaps, np.zeros(420)], ["news"] * 400 + ["chat"] * 20)
    _, plain = rank(scores, "da")
    _, macro = rank(scores, "da", macro="domain")
    assert plain.p[0, 1] == pytest.approx(1 / 10_001)
    assert 0.2 < macro.p[0, 1] < 0.9


def test_a_domain_that_lacks_a_system_is_left_out():
    scores = domains([[1, 2, 3], [2, 1, NAN]], ["news", "chat", "law"])
    findings, _ = rank(scores, "da", macro="domain")
    gone = "Excluded, because a system has no scores there: domain law."
    assert gone in findings.notes
    assert findings.tables[0].rows[0][4].value == 1.5


def test_macro_needs_a_domain_of_every_segment():
    with pytest.raises(CorpusError, match="1 of 2 segments have no domain"):
        rank(domains([[1, 2], [2, 1]], ["news", ""]), "da", macro="domain")


# How often equal systems are said to differ.

EQUAL = [  # systems, documents of segments, and what is added to the values of systems
    pytest.param(2, 0, (40, 1), id="a pair"),
    pytest.param(10, 0, (40, 1), id="any of 45 pairs"),
    pytest.param(3, 1, (20, 10), id="systems vary from document to document"),
    pytest.param(3, 1, (24, 5), id="few segments a document"),
]


def draw_documents(rng, systems, spread, shape):
    """Equal systems whose values vary by document: systems × segments, and the items."""
    by_document = spread * rng.normal(size=(systems, shape[0], 1))
    values = (by_document + rng.normal(size=(systems, *shape))).reshape(systems, -1)
    items = [
        ScoredItem(f"{document}.{at}", f"d{document}" if spread else "")
        for document in range(shape[0])
        for at in range(shape[1])
    ]
    return values, items


def table_of(values, items):
    names = [f"s{at}" for at in range(len(values)) for _ in items]
    return build_score_table(
        names, items * len(values), {Scorer("da", "human"): np.ravel(values)}
    )


@pytest.mark.parametrize(("systems", "spread", "shape"), EQUAL)
def test_equal_systems_are_rarely_told_apart(systems, spread, shape):
    rng = np.random.default_rng(systems)
    alarms = 0
    for _ in range(100):
        scores = table_of(*draw_documents(rng, systems, spread, shape))
        found = rank(scores, "da", trials=2)[1]
        is_range = any(size != (1, systems) for size in found.ranges)
        assert is_range or max(found.clusters) == 1
        alarms += is_range
    assert alarms <= 11  # of 100; more have a probability of .5 % if 5 % are true


def test_what_is_ranked_is_tested():
    """Means are equal, but most of a skewed system's values are below its mean."""
    rng, alarms = np.random.default_rng(0), 0
    for _ in range(100):
        values = np.array([rng.normal(size=100), rng.exponential(size=100) - 1])
        found = rank(scores_of(values, {}), "gold", trials=2)[1]
        alarms += max(found.clusters) == 2
    assert alarms <= 11


@pytest.mark.parametrize(
    "test", ["permutation", "welch", "signed-rank", "rank-sum", "bootstrap"]
)
@pytest.mark.parametrize("change", [lambda x: x, lambda x: np.nextafter(x, 9)])
def test_a_system_does_not_differ_from_itself(test, change):
    values = np.random.default_rng(0).normal(size=40)
    scores = scores_of(np.array([values, change(values)]), {})
    assert rank(scores, "gold", test=test)[1].p[0, 1] == 1


def test_documents_are_units_from_twenty_on():
    rng = np.random.default_rng(2)
    for count, unit in ((19, "segment"), (20, "document")):
        found = rank(table_of(*draw_documents(rng, 2, 1, (count, 2))), "da")[1]
        assert found.tests.units == (unit,)
        assert found.compared == (count if unit == "document" else 2 * count)


def test_the_best_system_is_named_only_if_it_is_better_than_all():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, 60))
    tied, _ = rank(scores_of(values + np.array([[9], [9], [0]]), {}), "gold")
    assert tied.notes[0] == (
        "No system is shown to be the best: s0 may be no better than s1 (p up to 0.98, "
        "corrected for 3 pairs; 60 segments)."
    )
    assert tied.notes[1] == (
        "2 of 3 pairs differ with p < 0.05 (paired permutation test, two-sided, corrected "
        "for 3 pairs). The result applies to these systems, on other segments, judged by "
        "the same judges."
    )
    clear, _ = rank(scores_of(values + np.array([[9], [4], [0]]), {}), "gold")
    assert clear.notes[0] == (
        "s0 is better than all other systems (p at most 0.0003, corrected for 3 pairs; 60 "
        "segments)."
    )


def test_systems_with_other_numbers_of_segments_are_compared_on_shared_ones():
    """s1 has easy segments besides, and so the higher mean; on shared ones it is worse."""
    rng = np.random.default_rng(0)
    values = np.full((2, 60), NAN)
    values[0, :40] = rng.normal(size=40)
    values[1, :40] = values[0, :40] - 0.5 + rng.normal(0, 0.1, 40)
    values[1, 40:] = 9 + rng.normal(size=20)
    findings, found = rank(scores_of(values, {}), "gold")
    assert (found.systems, found.clusters) == (["s1", "s0"], [1, 1])
    assert (found.p[0, 1], found.compared) == (1, 40)
    assert findings.notes[2].endswith(
        "says the opposite of the means: s0 than s1 is better."
    )


@pytest.mark.parametrize("overlap", [1.0, 0.6, 0.1])
def test_either_t_test_of_wmt26(overlap):
    rng = np.random.default_rng(9)
    values = rng.normal(size=(4, 50)) + rng.normal(size=50) + np.arange(4)[:, None] / 4
    values[rng.random(values.shape) > overlap] = NAN
    findings, found = rank(scores_of(values, {}), "gold", like="wmt26")
    rows = [values[int(name[1])] for name in found.systems]
    for i, j in combinations(range(4), 2):
        a, b = rows[i], rows[j]
        greater = {"nan_policy": "omit", "alternative": "greater"}
        both = np.isfinite(a) & np.isfinite(b)
        p = scipy.stats.ttest_ind(a, b, equal_var=False, **greater).pvalue
        if both.sum() > 1:
            p = min(p, scipy.stats.ttest_rel(a[both], b[both], **greater).pvalue)
        assert found.p[i, j] == pytest.approx(p)
    assert found.clusters == split_all(found.p < 0.05)
    assert found.ranges == walk_ranks(found.p, 0.05)
    assert "10 % to 15 % of equal pairs differ" in findings.notes[-2]
    with pytest.raises(OptionError, match="`like` wmt26 averages over segments"):
        rank(domains(values, ["a", "b"] * 25), "da", like="wmt26", macro="domain")


@pytest.mark.parametrize("like", ["wmt24", "wmt25"])
def test_metras_own_result_stands_beside_that_of_organisers(like):
    rng = np.random.default_rng(5)
    values, items = draw_documents(rng, 3, 1, (20, 10))
    items = [item._replace(domain="news") for item in items]
    scores = table_of(values, items)
    findings, found = rank(scores, "da", like=like)
    own = rank(scores, "da", macro="domain" if like == "wmt24" else "none")[1]
    expected = rank_test_p_values(
        values[[int(s[1]) for s in found.systems]], paired=True
    )
    np.testing.assert_array_equal(found.tests.p, expected)
    assert found.ranges != own.ranges == [(1, 3)] * 3
    cells = {row[0].value: row[5].value for row in findings.tables[0].rows}
    assert set(cells.values()) == {"1–3"}
    assert "metra's own result: No system is shown to be the best" in findings.notes[-1]


def judge_systems(judges, lean=1.0, sign=1):
    """A table of three systems, the last the best, by judges who lean and are severe."""
    rng = np.random.default_rng(judges)
    values = 3 * np.arange(3).reshape(3, 1, 1) + lean * rng.normal(size=(3, 1, judges))
    values = values + rng.normal(size=(1, 12, 1)) + 2 * rng.normal(size=(1, 1, judges))
    values += rng.normal(size=(3, 12, judges))
    places = np.ndindex(values.shape)
    rows = [(f"s{s}", f"{n}", f"j{j}", sign * values[s, n, j]) for s, n, j in places]
    return score_rows(
        rows, Scorer("da", "human", HIGHER if sign > 0 else LOWER)
    ), values


@pytest.mark.parametrize("sign", [1, -1])
def test_a_mixed_model_tests_for_other_judges(sign):
    scores, values = judge_systems(12, sign=sign)
    report, found = rank(scores, "da", by="mixed")
    model = fit_mixed_model(RatingFactors.from_array(values))
    assert found.systems == ["s2", "s1", "s0"]
    assert found.columns["mixed"] == pytest.approx(sign * model.means[::-1])
    assert found.tests.p[0, 1] == pytest.approx(model.compute_p()[2, 1])
    assert found.tests.units == ("segment", "rater")
    low, high = model.find_intervals()[2]
    expected = (low, high) if sign > 0 else (-high, -low)
    assert found.intervals[0] == pytest.approx(expected)
    assert "other segments judged by other raters" in " ".join(report.notes)
    assert any(note.startswith("Variances of the mixed model") for note in report.notes)
    columns = [column.heading for column in report.tables[0].columns]
    assert "mixed model" in columns
    assert "by:mixed" in report.signature
    assert "boot:" not in report.signature


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"by": "mixed"}, id="mixed"),
        pytest.param({"unit": "crossed", "trials": 5}, id="crossed"),
    ],
)
def test_few_judges_are_warned_of(options):
    few, many = (
        " ".join(rank(judge_systems(n)[0], "da", **options)[0].notes) for n in (6, 12)
    )
    assert "6 judges are few to generalise to others" in few
    assert "are few to generalise" not in many


def test_variances_of_zero_are_said():
    scores, _ = judge_systems(4, lean=0.0)
    (note,) = (n for n in rank(scores, "da", by="mixed")[0].notes if "as zero" in n)
    assert "system × rater" in note or "system × segment" in note


@pytest.mark.parametrize(
    "options", [{"wmt": True}, {"test": "welch"}, {"like": "wmt25"}]
)
def test_a_mixed_model_has_a_test_of_its_own(options):
    with pytest.raises(OptionError, match="rank by the mean instead"):
        rank(judge_systems(6)[0], "da", by="mixed", **options)


@pytest.mark.parametrize("test", ["signed-rank", "rank-sum"])
def test_ranks_of_values_are_no_test_of_means(test):
    scores, _ = judge_systems(3)
    notes = " ".join(rank(scores, "da", test=test)[0].notes)
    assert "compares ranks of values" in notes
    assert "compares ranks of values" not in " ".join(rank(scores, "da")[0].notes)
