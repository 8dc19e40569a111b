"""Rankings of campaigns: means and clusters worked by hand, and the tests of scipy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.campaign.answers import average, compare, made, rank, table_of
from tests.panels import cells_by_name

from metra.errors import OptionError
from metra.meta.options import RankOptions
from metra.meta.question import Evidence, answer_question
from metra.meta.rank import ask_ranking, report_ranking
from metra.scores.selection import DEFAULT, Selection

#: Item means of one: (5 + 3) / 2 = 4, 1; so 2.5, where the mean of all judgements is 3.
ONE = [
    made("one", 1, "ann", 5),
    made("one", 1, "bob", 3),
    made("one", 2, "ann", 1),
]
TWO = [made("two", 1, "ann", 4), made("two", 2, "bob", 5)]


def test_the_mean_of_the_means_of_items():
    ranking = rank(ONE + TWO).ranking
    assert ranking.systems == ["two", "one"]
    assert ranking.means == [4.5, 2.5]
    assert ranking.hundreds.tolist() == [87.5, 37.5]
    assert (ranking.sizes, ranking.answers) == ([2, 2], [2, 3])
    assert ranking.scorer.higher_is_better


def make_penalties(count):
    place = {"side": "output", "start": 0, "end": 1, "category": "other"}
    return {"mqm": [place | {"severity": "major"}] * count}


def test_lower_penalties_come_first():
    ranking = rank(
        [
            made("bad", 1, "ann", make_penalties(1), name="mqm"),
            made("good", 1, "ann", make_penalties(0), name="mqm"),
        ]
    ).ranking
    assert (ranking.systems, ranking.means) == (["good", "bad"], [0.0, 5.0])
    assert ranking.hundreds.tolist() == [100.0, 80.0]
    assert ranking.scorer.higher_is_better is False
    # One item tells nothing about others.
    assert ranking.intervals == ranking.hundred_intervals == [None, None]


def test_penalties_beyond_the_worst_still_count():
    answers = [
        made(name, at, "ann", make_penalties(count), name="mqm")
        for name, count in (("awful", 9), ("bad", 6))
        for at in range(1, 3)
    ]
    ranking = rank(answers).ranking
    assert ranking.systems == ["bad", "awful"]
    assert ranking.hundreds.tolist() == [0.0, 0.0]


def test_penalties_are_printed_in_their_own_unit_without_a_minus():
    answers = [
        made(name, at, judge, make_penalties(count), name="mqm")
        for name, count in (("bad", 2), ("good", 1))
        for at in range(1, 13)
        for judge in ("ann", "bob")
    ]
    answered = answer_question("rank", table_of(answers), DEFAULT, "mqm")
    cells = cells_by_name(answered.report.tables[0])
    assert {name: row[3].value for name, row in cells.items()} == {
        "good": 5.0,
        "bad": 10.0,
    }
    assert answered.answer.ranking.intervals == [(5.0, 5.0), (10.0, 10.0)]
    assert answered.report.notes[0] == "mqm: lower is better."


def test_documents_are_resampled_whole():
    # Ten documents whose segments agree: by segment there is more to draw from.
    answers = [
        made(system, at, "ann", 1 + at // 2 % 2)
        for system in ("one", "two")
        for at in range(2, 22)
    ]
    segments, documents = (
        rank(answers, unit=unit).ranking for unit in ("segment", "document")
    )
    assert segments.means == documents.means == [1.5, 1.5]
    for wide, narrow in zip(documents.intervals, segments.intervals, strict=True):
        assert wide[1] - wide[0] > narrow[1] - narrow[0] > 0


def test_few_units_have_no_interval():
    """Whatever others have: nine texts of one system, and two documents, are too few."""
    answers = [made("one", at, "ann", 1 + at % 5) for at in range(2, 22)]
    answers += [made("two", at, "ann", 1 + at % 5) for at in range(2, 11)]
    both = [replace(one, judge="bob", task=f"b {one.task}") for one in answers]
    for unit, judged in (("segment", answers), ("crossed", answers + both)):
        ranking = rank(judged, unit=unit).ranking
        place = ranking.systems.index("one")
        assert ranking.intervals[place] is not None
        assert ranking.hundred_intervals[place] is not None
        assert (ranking.sizes[1 - place], ranking.intervals[1 - place]) == (9, None)
    few = [one for one in answers if one.segment < 20]
    assert rank(few, unit="document").ranking.intervals == [None, None]


@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(0, 2), st.integers(1, 5)), min_size=1
    )
)
@settings(max_examples=50)
def test_means_against_a_plain_twin(answers):
    answers = {(segment, judge): score for segment, judge, score in answers}
    judgements = [
        made(system, at, f"j{judge}", score)
        for system in ("s", "t")
        for (at, judge), score in answers.items()
    ]
    segments = {segment for segment, _ in answers}
    plain = [
        np.mean([score for (at, _), score in answers.items() if at == segment])
        for segment in segments
    ]
    # Whoever always says the same is not set apart here.
    evidence = Evidence(replace(table_of(judgements), flags={}), DEFAULT, "adequacy")
    ranking = ask_ranking(evidence, RankOptions(trials=10)).ranking
    assert ranking.means == pytest.approx([np.mean(plain)] * 2)
    assert ranking.hundreds == pytest.approx([25 * (np.mean(plain) - 1)] * 2)
    assert average(judgements)["s", "adequacy"][0] == pytest.approx(ranking.means[0])


def scored(**systems):
    """Answers of one judge: a list of scores for each system, segment by segment."""
    return [
        made(name, at, "ann", score, name="da")
        for name, scores in systems.items()
        for at, score in enumerate(scores, 1)
    ]


HIGH = [60.0 + at for at in range(12)]
#: Now above and now below, a little more below.
NEAR = [score + (at + 2 if at % 2 else -at - 3) for at, score in enumerate(HIGH)]
LOW = [20.0 + at * 1.1 for at in range(12)]


def test_clusters_end_where_all_above_beat_all_below():
    ranking = rank(scored(high=HIGH, near=NEAR, low=LOW)).ranking
    assert ranking.systems == ["high", "near", "low"]
    assert ranking.clusters == [1, 1, 2]
    assert ranking.ranges == [(1, 2), (1, 2), (3, 3)]
    tests = ranking.tests
    assert (tests.test, tests.units, tests.sides) == (
        "permutation",
        ("segment",),
        "two-sided",
    )


@pytest.mark.parametrize("test", ["auto", "signed-rank"])
def test_tests_are_exact_however_few_segments(test):
    ranking = rank(scored(high=HIGH[:5], low=LOW[:5]), test=test).ranking
    # All five differences are above zero, or below: two of 32 ways.
    assert ranking.p[0, 1] == 2 / 32
    assert ranking.clusters == [1, 1]
    six = rank(scored(high=HIGH[:6], low=LOW[:6]), test=test).ranking
    assert six.clusters == [1, 2]


def test_too_little_for_the_bootstrap_is_an_answer():
    answers = scored(high=HIGH[:9], low=LOW[:9])
    ranking = rank(answers, test="bootstrap").ranking
    assert ranking.notes[-1] == (
        "Not enough data for the bootstrap test: a system has 9 segments; it needs 10."
    )
    assert "because 5 documents are fewer than 20" in ranking.notes[0]
    assert np.isnan(ranking.p).all()
    assert (ranking.clusters, ranking.ranges) == ([1, 1], [(1, 2), (1, 2)])
    assert ranking.means[0] == pytest.approx(64.0)
    assert rank(answers).ranking.clusters == [1, 2]


def test_a_correction_decides_on_clusters():
    # By itself, high against low has p = 4 / 128: sums of 38 and 40, and their negatives.
    gaps = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, -1.0]
    a = [50.0 + at for at in range(7)]
    answers = scored(
        high=[score + gap for score, gap in zip(a, gaps, strict=True)],
        low=a,
        other=[score - 0.5 * (-1) ** at for at, score in enumerate(a)],
    )
    plain, corrected = (
        rank(answers, correction=name).ranking for name in ("none", "holm")
    )
    assert plain.p[0, 1] == pytest.approx(4 / 128)
    assert (plain.clusters, corrected.clusters) == ([1, 2, 2], [1, 1, 1])


def test_documents_are_resampled_whole_by_the_bootstrap():
    # Two segments a document, so 24 segments lie in 13 documents.
    answers = scored(high=HIGH + HIGH, low=LOW + LOW)
    options = {"unit": "document", "test": "bootstrap", "trials": 200}
    ranking = rank(answers, **options).ranking
    assert (ranking.tests.test, ranking.tests.units) == ("bootstrap", ("document",))
    # No resample of a sure difference, moved to the mean 0, reaches it.
    assert ranking.p[0, 1] == pytest.approx(1 / 201)
    few = rank(scored(high=HIGH, low=LOW), **options).ranking
    assert "a system has 7 documents; it needs 10." in few.notes[-1]


def test_the_bootstrap_against_a_plain_twin():
    rng = np.random.default_rng(3)
    high, low = 52 + rng.normal(0, 5, 20), 50 + rng.normal(0, 5, 20)
    answers = scored(high=list(high), low=list(low))
    ranking = rank(answers, test="bootstrap", trials=4000).ranking
    gaps = (high - low) * (1 if ranking.systems[0] == "high" else -1)
    drawn = rng.choice(gaps, (20000, 20)).mean(1)
    share = (np.abs(drawn - drawn.mean()) >= gaps.mean()).mean()
    assert ranking.p[0, 1] == pytest.approx(share, abs=0.02)


@pytest.mark.seed("1.26")
def test_z_scores_even_out_strict_judges():
    # Bob is ten points milder; by his own scale both systems are as Ann sees them.
    answers = [
        made(name, at, judge, score + extra, name="da")
        for judge, extra in (("ann", 0.0), ("bob", 10.0))
        for name, scores in (("x", [40.0, 60.0]), ("y", [20.0, 40.0]))
        for at, score in enumerate(scores, 1)
    ]
    # Scores 40, 60, 20, 40 have the mean 40 and the deviation √(800 / 3).
    unit = 10 / np.sqrt(800 / 3)
    assert rank(answers).ranking.columns["z"] == pytest.approx([unit, -unit])


def test_without_any_spread_there_is_no_z():
    ranking = rank(scored(x=[5.0] * 3, y=[5.0] * 3)).ranking
    assert np.isnan(ranking.columns["z"]).all()
    assert any(note.startswith("– z: ") for note in ranking.notes)


def judge_crossed(lean, *, judges=6, segments=30):
    """Two systems as good as each other; the judges' leaning to the first differs."""
    rng = np.random.default_rng(1)
    leans = rng.normal(0, lean, judges)
    return [
        made(
            name,
            at,
            f"j{judge}",
            float(50 + side * leans[judge] + rng.normal()),
            name="da",
        )
        for judge in range(judges)
        for at in range(1, segments + 1)
        for side, name in ((1, "one"), (-1, "two"))
    ]


def test_judges_who_lean_to_a_system_are_drawn_too():
    """The judgements of a judge are not independent: p of segments alone is too small."""
    answers = judge_crossed(lean=1.5)
    alone, crossed = (
        rank(answers, test="bootstrap", trials=400, unit=unit).ranking
        for unit in ("segment", "crossed")
    )
    assert crossed.tests.units == ("segment", "rater")
    assert alone.p[0, 1] == pytest.approx(1 / 401)
    assert crossed.p[0, 1] > 0.05
    widths = [high - low for low, high in (alone.intervals[0], crossed.intervals[0])]
    assert widths[1] > 3 * widths[0]
    # What is drawn changes no mean.
    assert alone.means == pytest.approx(crossed.means, rel=1e-12)


def test_segments_and_judges_have_tests_of_their_own():
    answers = judge_crossed(lean=1.5)
    ranking = rank(answers, unit="crossed", trials=20).ranking
    assert (ranking.tests.test, ranking.tests.units) == (
        "crossed",
        ("segment", "rater"),
    )
    assert 0.05 < ranking.p[0, 1] < 1
    one = rank(scored(a=HIGH, b=LOW), unit="crossed", trials=20).ranking
    assert np.isnan(one.p).all()
    assert "One judge says nothing about others, so there is no test." in one.notes
    for test in ("signed-rank", "rank-sum"):
        with pytest.raises(OptionError, match="without `macro` and other tests than"):
            rank(answers, unit="crossed", test=test)


def judge_two_systems(judge, good, bad, seconds):
    """Twelve answers of a judge about each of two systems, which cannot be read in 0 s."""
    return [
        made(
            *(system, at, judge, mean - at % 2),
            outputs=("words " * 20,),
            active_ms=round(1000 * seconds),
        )
        for system, mean in (("good", good), ("bad", bad))
        for at in range(1, 13)
    ]


CAREFUL = judge_two_systems("ann", 4, 3, 30) + judge_two_systems("bob", 4, 3, 30)
SPEEDER = judge_two_systems("eve", 2, 5, 0)
EVERYBODY = CAREFUL + [
    replace(one, judge=name, task=f"{name} {one.task}")
    for one in SPEEDER
    for name in ("eve", "eva", "ina")
]


def order(ranking):
    return list(zip(ranking.systems, ranking.means, strict=True))


def test_a_flagged_judge_puts_no_system_on_top_in_silence():
    without = rank(CAREFUL).ranking
    unflagged = replace(table_of(EVERYBODY), flags={})
    with_them = ask_ranking(
        Evidence(unflagged, DEFAULT, "adequacy"), RankOptions()
    ).ranking
    assert (order(without)[0][0], order(with_them)[0][0]) == ("good", "bad")
    apart = rank(EVERYBODY)
    assert sorted(apart.flagged) == ["eva", "eve", "ina"]
    assert apart.is_apart
    assert order(apart.ranking) == order(without)
    assert order(apart.other) == order(with_them)
    note = report_ranking(apart, RankOptions()).notes[-1]
    assert note == "With the flagged judges eve, eva, ina, bad is first."
    counting = rank(EVERYBODY, Selection(flagged="count"))
    assert not counting.is_apart
    assert order(counting.ranking) == order(with_them)
    assert order(counting.other) == order(without)
    note = report_ranking(counting, RankOptions()).notes[-1]
    assert note == "Without the flagged judges eve, eva, ina, good is first."
    left_out = rank(EVERYBODY, Selection(flagged="out"))
    assert order(left_out.ranking) == order(without)
    assert left_out.other is None


def test_both_figures_stand_in_the_table():
    for selection, head in (
        (DEFAULT, "with flagged"),
        (Selection(flagged="count"), "without flagged"),
    ):
        answer = rank(EVERYBODY, selection)
        [table, *_] = report_ranking(answer, RankOptions()).tables
        heads = [column.title for column in table.columns]
        place = heads.index(head)
        cells = {row[0].value: row[place].value for row in table.rows}
        assert cells == dict(order(answer.other))


def test_flags_that_change_nothing():
    # Nobody is flagged, or nobody is left: then there is one figure only.
    answer = rank(CAREFUL)
    assert (answer.flagged, answer.other) == ((), None)
    alone = rank(SPEEDER)
    assert (alone.flagged, alone.other) == (("eve",), None)
    unflagged = replace(table_of(SPEEDER), flags={})
    ranking = ask_ranking(
        Evidence(unflagged, DEFAULT, "adequacy"), RankOptions()
    ).ranking
    assert order(alone.ranking) == order(ranking)


def test_orders_of_outputs_count_by_the_share_of_beaten_ones():
    answers = [
        compare(at, judge, ("x", "y", "z"), ranks)
        for at in range(1, 13)
        for judge, ranks in (("ann", (1, 2, 3)), ("bob", (2, 1, 3)))
    ]
    ranking = rank(answers).ranking
    # x and y share the first two places; z is always last.
    assert ranking.systems == ["x", "y", "z"]
    assert ranking.means == [1.5, 1.5, 3.0]
    assert ranking.hundreds.tolist() == [75.0, 75.0, 0.0]
    assert ranking.clusters == [1, 1, 2]
    assert ranking.answers == [24, 24, 24]


def test_options_that_are_not_possible():
    says = "rule='r' is not possible; expected one of wmt, nei"
    with pytest.raises(OptionError, match=says):
        answer_question("rank", table_of(ONE), DEFAULT, "da", RankOptions(rule="r"))
