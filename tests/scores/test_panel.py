"""The table of scores: what goes in comes out, and what is missing stays missing."""

from dataclasses import replace

import numpy as np
import pytest
from tests.panels import score_matrix

from metra.errors import CorpusError, UnknownNameError
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import (
    ITEM_KINDS,
    ScoredItem,
    Scorer,
    add_total,
    build_score_table,
    concatenate_scores,
)
from metra.scores.views import (
    build_panel,
    collect_comparisons,
    collect_rankings,
    collect_ratings,
    count_comparisons,
)
from metra.stats.direction import LOWER, find_direction

NAN = float("nan")


def of(values, scorer="m", kind="", systems="AB", better=True, judge=""):
    """A table of systems × segments."""
    scorer = Scorer(scorer, kind, find_direction(better))
    return score_matrix(values, scorer, systems=systems, judge=judge)


def join(*tables):
    return concatenate_scores(tables)


def test_a_matrix_comes_back_with_its_gaps():
    values = [[1, NAN, 3], [4, 5, NAN]]
    np.testing.assert_array_equal(of(values).matrix("m"), values)


def test_judges_weigh_the_same_however_often_they_judged():
    once, again = (of([[at, at]], systems="A", judge="x") for at in (1, 3))
    twice = join(once, again)
    both = join(twice, of([[6, 8]], systems="A", judge="y"))
    assert twice.matrix("m").tolist() == [[2, 2]]
    assert both.matrix("m").tolist() == [[4, 5]]
    assert both.count_repeats() == 2


def test_tables_join_by_name():
    both = join(of([[1, 2]], systems="A"), of([[3], [4]], "other", systems="BA"))
    assert both.systems == ("A", "B")
    np.testing.assert_array_equal(both.matrix("other"), [[4, NAN], [3, NAN]])


def test_a_table_without_documents_finds_those_of_another():
    item = ScoredItem("1", "doc", "news", "en-de")
    known = build_score_table(["A"], [item], {Scorer("g"): [1.0]})
    assert join(of([[2]], systems="A"), known).items == (item,)


def test_two_documents_with_the_same_segment_number_stay_two():
    items = [ScoredItem("1", "a"), ScoredItem("1", "b")]
    known = build_score_table(["A", "A"], items, {Scorer("g"): [1.0, 2.0]})
    assert len(join(known, of([[2]], systems="A")).items) == 3


def test_contrary_directions_are_refused():
    with pytest.raises(CorpusError, match="rename one of the scorers"):
        join(of([[1]], systems="A"), of([[1]], systems="A", better=False))


def test_only_keeps_what_was_asked_for():
    scores = join(of([[1, 2], [3, 4]]), of([[1, 2], [3, 4]], "other"))
    kept = scores.only(scorers=["other"])
    assert (kept.systems, kept.names, len(kept)) == (("A", "B"), ["other"], 4)


def test_unknown_names_are_named():
    scores = of([[1, 2], [3, 4]])
    with pytest.raises(UnknownNameError, match=r"No scorer named 'x'\. Known: m"):
        scores.matrix("x")


def test_system_scores_are_given_or_means_over_what_is_compared():
    gold = of([[1, 2, NAN], [3, 5, 9]], "gold", "human")
    metric = of([[1, 3, 100], [2, 2, NAN]])
    items = [ScoredItem(), ScoredItem()]
    given = build_score_table(["A", "B"], items, {Scorer("m"): [10.0, 20.0]})
    means = build_panel(join(gold, metric), "gold")
    assert means.system_metrics["m"].tolist() == [2, 2]
    assert means.system_gold.tolist() == [1.5, 4]
    whole = build_panel(join(gold, metric, given), "gold")
    assert whole.system_metrics["m"].tolist() == [10, 20]


GOLD = of([[1, 2], [3, 4]], "gold", "human")


def test_lower_is_better_turns_values_round():
    error = of([[9, 8], [7, 6]], "ter").with_direction(["ter"], LOWER)
    turned = build_panel(join(GOLD, error), "gold").metrics["ter"]
    assert turned.tolist() == [[-9, -8], [-7, -6]]


def test_people_are_no_metrics_unless_they_are_named():
    kinds = {"mqm": "mqm", "da": "da", "bleu": ""}
    scores = join(*(of([[1, 2], [3, 4]], name, kinds[name]) for name in kinds))
    assert build_panel(scores, "mqm").names == ["bleu"]
    assert build_panel(scores, "mqm", ["da"]).names == ["da"]


@pytest.mark.parametrize(
    ("metric", "systems", "note"),
    [
        pytest.param([[1, 2]], "A", "Not scored by m, excluded: B.", id="unscored"),
        pytest.param([[1, 2], [3, 4], [5, 6]], "ABC", "Without gold, excluded: C.", id="extra"),
        pytest.param([[1, NAN], [3, 4]], "AB", "m has no score for 1 of the 4 judged cells.",
                     id="gap"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_said(metric, systems, note):
    panel = build_panel(join(GOLD, of(metric, systems=systems)), "gold")
    assert note in panel.notes


def test_repeated_values_are_said():
    found = build_panel(join(GOLD, of([[1, 2], [3, 4]]), of([[1, 2], [3, 4]])), "gold")
    assert any("m has 4 values that repeat" in note for note in found.notes)


def test_nothing_in_common_is_an_error():
    with pytest.raises(CorpusError, match="No metric shares a system with 'gold'"):
        build_panel(join(GOLD, of([[1, 2]], systems="X")), "gold")
    with pytest.raises(CorpusError, match="No metric to compare 'gold' with"):
        build_panel(GOLD, "gold")


#: Ranks of three systems on two segments: ann ranks all, bob leaves out C once and everything
#: but A on the second segment.
RANKS = join(
    of([[1, 3], [2, 1], [2, 2]], "rank", "rank", "ABC", better=False, judge="ann"),
    of([[2, 1], [1, NAN], [NAN, NAN]], "rank", "rank", "ABC", False, "bob"),
    of([[5, 6], [7, 8], [9, 9]], "m", "", "ABC"),
)


def test_ranks_become_shares_of_systems_beaten():
    shares, rankings, _ = collect_rankings(RANKS, "rank")
    # Bob's ranking of one system says nothing; ranks are turned, so that higher is better.
    expected = [[-1, -2, -2], [-2, -1, NAN], [-3, -1, -2]]
    np.testing.assert_array_equal(rankings, expected)
    kept = shares.lines("rank")
    rows = zip(kept.judge, kept.item, kept.system, kept.value, strict=True)
    given = {
        f"{kept.judges[judge]} {kept.items[item].segment} {kept.systems[system]}": value
        for judge, item, system, value in rows
    }
    assert given == {
        **{"ann 1 A": 1.0, "ann 1 B": 0.25, "ann 1 C": 0.25, "bob 1 A": 0.0},
        **{"bob 1 B": 1.0, "ann 2 A": 0.0, "ann 2 B": 1.0, "ann 2 C": 0.5},
    }
    assert shares.scorers[shares.find("rank")].higher_is_better
    assert shares.matrix("m").tolist() == [[5, 6], [7, 8], [9, 9]]


def test_ranks_start_at_one():
    for values, problem in (([[0, 1], [1, 2]], "a rank of 0"), ([[NAN]], "no values")):
        with pytest.raises(
            CorpusError, match=f"'rank' has {problem}; ranks of systems"
        ):
            collect_rankings(of(values, "rank", systems="AB"[: len(values)]), "rank")


def test_each_judges_ranks_compare_two_systems():
    ratings = collect_comparisons(RANKS, "rank")
    rows = zip(ratings.judge, ratings.unit, ratings.value, strict=True)
    values = {f"{ratings.judges[j]} {ratings.units[u]}": value for j, u, value in rows}
    assert values == {
        **{"ann A – B 1": 1, "ann A – C 1": 1, "ann B – C 1": 0, "bob A – B 1": -1},
        **{"ann A – B 2": -1, "ann A – C 2": -1, "ann B – C 2": 1},
    }
    assert ratings.segment.tolist() == [0, 0, 0, 1, 1, 1]


def test_a_judge_is_compared_with_themselves():
    counts = count_comparisons(RANKS, "rank")
    # Ann: A > B = C, then B > C > A; bob: B > A.
    assert counts.wins.tolist() == [[0, 1, 1], [2, 0, 1], [1, 0, 0]]
    assert counts.met.tolist() == [[0, 3, 2], [3, 0, 2], [2, 2, 0]]
    # No judge saw two systems of a segment: their means are compared.
    alone = join(
        of([[1, 4]], "da", systems="A", judge="ann"),
        of([[2, 3]], "da", systems="B", judge="bob"),
    )
    assert count_comparisons(alone, "da").wins.tolist() == [[0, 1], [1, 0]]


def repeat(scores):
    """The same scores, of repeated items."""
    kind = np.full(len(scores), ITEM_KINDS.index("repeat"))
    return replace(scores, kind=kind)


def test_what_a_judge_said_again_counts_where_they_had_said_it():
    scores = join(
        of([[1, 2], [3, NAN]], "da", judge="ann"),
        of([[NAN, 7]], "da", systems="B", judge="bob"),
        repeat(of([[5, NAN], [6, 8]], "da", judge="ann")),
        repeat(of([[9, NAN]], "da", systems="A", judge="bob")),
    )
    repeats = Selection(kinds=frozenset({"repeat"})).select(scores)
    ratings = collect_ratings(DEFAULT.select(scores), "da", repeats)
    given = zip(ratings.judge, ratings.unit, ratings.value, strict=True)
    values = [(f"{ratings.judges[j]} {ratings.units[u]}", v) for j, u, v in given]
    assert values == [("ann A 1", 1), ("ann B 1", 3), ("ann A 2", 2), ("bob B 2", 7)]
    again = ratings.repeats
    assert (again.first.tolist(), again.later.tolist()) == ([1, 3], [5, 6])
    nameless = join(scores, of([[4]], "da", systems="C"))
    with pytest.raises(CorpusError, match="1 of 5 values of 'da' have no judge"):
        collect_ratings(DEFAULT.select(nameless), "da")
    none = scores.keep_lines(scores.scorer < 0)
    with pytest.raises(CorpusError, match="No values of 'da'"):
        collect_ratings(none, "da")


def test_totals_are_of_one_kind_of_item():
    first = [of([[1], [2]], name, judge="ann") for name in ("x", "y")]
    again = [repeat(of([[9]], name, systems="A", judge="ann")) for name in ("x", "y")]
    scores, lacking = add_total(join(*first, *again), "x+y")
    assert lacking == 0
    assert scores.lines("x+y").keep_kinds("judged").value.tolist() == [2, 4]
    assert scores.lines("x+y").keep_kinds("repeat").value.tolist() == [18]
