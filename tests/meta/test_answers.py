"""Questions about answers: preferences, missing scores, times, and a campaign so far."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.campaign.answers import average, compare, made, rank, table_of
from tests.campaign.campaigns import SECRET, answered, opened
from tests.campaigns import check_answer
from tests.panels import cells_by_name

from metra.campaign.assignment import assign
from metra.campaign.judgement import build_campaign_scores
from metra.meta.answers import (
    COEFFICIENTS,
    ask_missing,
    ask_pace,
    compute_status,
)
from metra.meta.options import NoOptions, PreferenceOptions
from metra.meta.preferences import ask_preferences
from metra.meta.question import Evidence, answer_question
from metra.report.pictures.campaign import draw_judge_times, draw_times
from metra.scores.judgement import NOT_TRANSLATION
from metra.scores.selection import DEFAULT, Selection


def count_preferences(answers, selection=DEFAULT):
    """Wins, ties and losses by pair of systems, the first by name first."""
    scores = table_of(answers)
    [name] = scores.names
    pairs = ask_preferences(
        Evidence(scores, selection, name), PreferenceOptions(trials=0)
    ).pairs
    return {
        tuple(sorted(names)): counts if names[0] < names[1] else counts[::-1]
        for names, counts in pairs.items()
    }


def test_scores_are_compared_judge_by_judge():
    answers = [
        made("x", 1, "ann", 5),
        made("y", 1, "ann", 3),
        made("x", 2, "ann", 2),
        made("y", 2, "ann", 2),
        # Bob is stricter: x is better by his own scores, though not by Ann's.
        made("x", 1, "bob", 2),
        made("y", 1, "bob", 1),
        made("x", 3, "bob", 1),
        made("y", 3, "bob", 4),
        made("x", 4, "ann", 5),  # nobody judged y here
    ]
    assert count_preferences(answers) == {("x", "y"): (2, 1, 1)}
    answered = answer_question("preferences", table_of(answers), DEFAULT, "adequacy")
    [(name, cells)] = cells_by_name(answered.report.tables[-1]).items()
    assert name == "x – y"
    assert [cell.value for cell in cells] == [4, 50.0, 25.0, 25.0]
    only = Selection(judges=frozenset({"bob"}))
    assert count_preferences(answers, only) == {("x", "y"): (1, 0, 1)}


def test_lower_penalties_win():
    place = {"side": "output", "start": 0, "end": 1, "category": "other"}
    marks = {"mqm": [place | {"severity": "major"}]}
    answers = [
        made("bad", 1, "ann", marks, name="mqm"),
        made("good", 1, "ann", {"mqm": []}, name="mqm"),
    ]
    assert count_preferences(answers) == {("bad", "good"): (0, 0, 1)}


PAIRS = [
    compare(1, "ann", ("x", "y"), (1, 2), "pairwise"),
    compare(1, "ann", ("z", "x"), (1, 2), "pairwise"),  # x again, beside another
    compare(2, "ann", ("y", "x"), (1, 1), "pairwise"),
    compare(2, "bob", ("x", "y"), (2, 1), "pairwise"),
]


def test_outputs_that_no_judge_saw_together_are_not_compared():
    """Ann compared y with x and x with z; she never said which of y and z is better."""
    assert count_preferences(PAIRS) == {("x", "y"): (1, 1, 1), ("x", "z"): (0, 0, 1)}


def test_expected_wins_are_of_outputs_that_were_seen_together():
    ranking = rank(PAIRS).ranking
    wins = dict(zip(ranking.systems, ranking.columns["wins"], strict=True))
    # x wins one of two decided comparisons with y and none with z.
    assert wins == pytest.approx({"x": (1 / 2 + 0) / 2, "y": 1 / 2, "z": 1.0})


@given(
    st.lists(
        st.tuples(
            st.integers(1, 2),
            st.sampled_from(["ann", "bob"]),
            st.sampled_from([*combinations("wxyz", 2), *combinations("wxyz", 3)]),
            st.lists(st.integers(1, 3), min_size=3, max_size=3),
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda answer: answer[:3],
    )
)
@settings(max_examples=50)
def test_preferences_against_a_plain_twin(given_answers):
    answers = []
    expected = {}
    for segment, judge, systems, ranks in given_answers:
        own = ranks[: len(systems)]
        dense = [sorted({*own}).index(each) + 1 for each in own]
        answers.append(compare(segment, judge, systems, dense))
        for (one, first), (other, second) in combinations(
            zip(systems, dense, strict=True), 2
        ):
            counts = expected.setdefault((one, other), [0, 0, 0])
            counts[0 if first < second else 1 if first == second else 2] += 1
    # Whoever always says the same is not set apart here.
    found = count_preferences(answers, Selection(flagged="count"))
    assert found == {pair: tuple(counts) for pair, counts in expected.items()}


def test_quartiles_by_hand():
    values = {"x": [10.0, 20.0, 30.0, 40.0, 90.0], "y": [50.0]}
    answers = [
        made(system, at, "ann", value, name="da")
        for system, own in values.items()
        for at, value in enumerate(own, 1)
    ]
    answers.append(made("x", 9, "ann", 0.0, "degraded", name="da"))
    answered = answer_question("distribution", table_of(answers), DEFAULT, "da")
    [table] = answered.report.tables
    cells = {name: [c.value for c in row] for name, row in cells_by_name(table).items()}
    assert cells["x"] == [
        5,
        10,
        20,
        30,
        40,
        90,
        pytest.approx(np.std(values["x"], ddof=1)),
    ]
    assert cells["y"] == [1, 50, 50, 50, 50, 50, None]
    assert "|quantiles:linear|" in answered.report.signature
    assert answered.report.selection == "6 answers of 1 judge; without degraded copies"


def count_missing(answers, selection=DEFAULT):
    return ask_missing(Evidence(table_of(answers), selection, ""), NoOptions())


def skip_some():
    """One output of bad is no translation, and one of good could not be judged."""
    frozen = opened("adequacy", skip_nontranslations=True)
    judgements = []
    for task in assign(frozen, secret=SECRET):
        skips = task.items[0].system == "bad" and task.items[0].segment == 1
        other = task.items[0].segment == 2 and task.items[0].system == "good"
        cannot = NOT_TRANSLATION if skips else "language" if other else None
        value = None if cannot else {"adequacy": 4}
        judgements.append(check_answer(frozen, task, value, id=task.id, cannot=cannot))
    return judgements


def test_skipped_outputs_are_counted_and_enter_no_mean():
    judgements = skip_some()
    answer = count_missing(judgements)
    assert [(one.system, one.skipped, one.answers) for one in answer.skipped] == [
        ("bad", 2, 6),
        ("good", 0, 4),
    ]
    assert answer.skipped[0].share == pytest.approx(100 / 3)
    assert answer.counts == {}
    assert average(judgements) == {
        ("good", "adequacy"): (4, 75, 2),
        ("bad", "adequacy"): (4, 75, 2),
    }


def test_all_outputs_were_skipped_or_only_those_of_checks():
    frozen = opened("adequacy", skip_nontranslations=True)
    skipped = [
        check_answer(frozen, task, None, id=task.id, cannot=NOT_TRANSLATION)
        for task in assign(frozen, secret=SECRET)
    ]
    assert [(one.system, one.share) for one in count_missing(skipped).skipped] == [
        ("bad", 100),
        ("good", 100),
    ]
    others = answered(frozen, lambda *_: {"adequacy": 3})
    checks = [
        replace(one, kind="degraded", task=f"check {one.task}") for one in skipped
    ]
    assert count_missing([*others, *checks]).skipped == ()


def test_nothing_was_skipped():
    frozen = opened("adequacy")
    answer = count_missing(answered(frozen, lambda *_: {"adequacy": 3}))
    assert (answer.skipped, answer.counts) == ((), {})
    report = answer_question(
        "missing", table_of([made("s", 1, "a", 3)]), DEFAULT
    ).report
    assert (report.tables, report.notes) == ([], ["Every answer has a score."])


def test_a_skipped_answer_that_was_changed_is_skipped_no_more():
    skipped = made("s", 1, "ann", {}, cannot=NOT_TRANSLATION)
    other = made("t", 1, "ann", {}, cannot=NOT_TRANSLATION)
    changed = made("s", 1, "ann", 4, revision=2)
    rows = count_missing([skipped, other, changed]).skipped
    assert [(one.system, one.skipped, one.answers) for one in rows] == [
        ("t", 1, 1),
        ("s", 0, 1),
    ]


def test_the_tables():
    report = answer_question("missing", table_of(skip_some()), DEFAULT).report
    [table] = report.tables
    assert table.caption == "Not a translation"
    assert [cell.value for cell in cells_by_name(table)["bad"]] == [
        2,
        6,
        pytest.approx(100 / 3),
    ]


#: The times of five answers, 1 to 5 seconds; ann has three of them.
TIMED = [
    made("s", at, "ann" if at % 2 else "bob", 1 + at % 4, active_ms=1000 * at)
    for at in range(1, 6)
]
UNTIMED = made("s", 9, "cleo", 3)


def measure(answers, selection=DEFAULT):
    return ask_pace(Evidence(table_of(answers), selection, ""), NoOptions())


def test_times_by_hand():
    times = measure([*TIMED, UNTIMED])
    assert (times.all.answers, times.all.total, times.all.median) == (5, 15.0, 3.0)
    assert [one.judge for one in times.judges] == ["ann", "bob"]
    ann = times.judges[0]
    assert (ann.least, ann.lower, ann.median, ann.upper, ann.most) == (1, 2, 3, 4, 5)
    # Twenty bars; the last one, up to 4.8 seconds, holds what is longer.
    assert times.edges == pytest.approx([0.24 * at for at in range(21)])
    expected = [0] * 20
    for bar in (1.0 / 0.24, 2.0 / 0.24, 3.0 / 0.24, 4.0 / 0.24, 19):
        expected[int(bar)] += 1
    assert list(times.all.counts) == expected


def test_without_times_there_is_no_table():
    assert measure([UNTIMED]) is None
    answered = answer_question("pace", table_of([UNTIMED]), DEFAULT)
    assert answered.report.tables == []
    assert answered.report.notes == ["No answer was timed."]


def test_an_answer_about_several_outputs_is_timed_once():
    more = {"systems": ("x", "y", "z"), "outputs": ("a", "b", "c"), "active_ms": 6000}
    answers = [
        made("", at, "ann", {"ranking": [3, 1, 2]}, name="ranking", **more)
        for at in (1, 2)
    ]
    times = measure(answers)
    assert (times.all.answers, times.all.total) == (2, 12.0)


def test_checks_take_time_and_replaced_answers_do_not_count_twice():
    checks = [
        made("s", 7, "ann", 3, kind, active_ms=2000)
        for kind in ("repeat", "degraded", "calibration")
    ]
    changed = replace(TIMED[0], revision=2, active_ms=4000)
    times = measure([*TIMED, *checks, changed])
    assert (times.all.answers, times.all.total) == (8, 15.0 - 1 + 4 + 6)


def test_answers_without_a_value_take_time():
    cannot = made("s", 8, "ann", {}, cannot="no French", active_ms=9000)
    assert measure([*TIMED, cannot]).all.total == 24.0


def test_the_table_and_its_selection():
    answered = answer_question(
        "pace", table_of(TIMED), Selection(judges=frozenset({"ann"}))
    )
    [table] = answered.report.tables
    cells = {name: [c.value for c in row] for name, row in cells_by_name(table).items()}
    assert cells == {
        "all": [3, 9 / 60, 1, 2, 3, 4, 5],
        "ann": [3, 9 / 60, 1, 2, 3, 4, 5],
    }
    assert answered.report.selection == "3 answers of 1 judge; only judges ann"


def test_pictures_say_where_long_times_are_cut():
    def draw(times):
        answers = [
            made("s", at, "ann", 3, active_ms=1000 * time)
            for at, time in enumerate(times)
        ]
        table = measure(answers)
        return table.is_cut, str(draw_times(table)), str(draw_judge_times(table))

    cut, all_times, by_judge = draw([*range(1, 40), 5000])
    assert cut
    assert "s or more)" in all_times
    assert "to 5000 s" in all_times
    x_ends = [float(x) for x in re.findall(r'x2="([\d.]+)"', by_judge)]
    wide = float(re.search(r'viewBox="0 0 ([\d.]+)', by_judge)[1])
    assert max(x_ends) <= wide
    cut, all_times, by_judge = draw([7] * 5)
    assert not cut
    assert "or more" not in all_times


def look(answers):
    return compute_status(answers, build_campaign_scores(answers))


def judge_both(*pairs):
    """Ann and Bob, output by output."""
    return [
        made("s", at, judge, score)
        for at, both in enumerate(pairs, 1)
        for judge, score in zip(("ann", "bob"), both, strict=True)
    ]


BOTH = judge_both((1, 1), (4, 3), (2, 4), (3, 4))


def test_the_work_of_each_judge():
    text = {"outputs": ("w " * 20,)}
    answers = [
        made("s", 1, "ann", 5, active_ms=4000, comment="odd", submitted_at=1.0),
        made("s", 2, "ann", 3, active_ms=100, submitted_at=2.0, **text),
        made("s", 2, "ann", 4, active_ms=9000, submitted_at=3.0, revision=2, **text),
        made("s", 3, "ann", {}, cannot="no French", submitted_at=4.0),
        made("s", 1, "ann", 4, "repeat", original="ann s 1 judged", active_ms=5000),
        made("s", 1, "ann", 2, "degraded", original="ann s 1 judged", active_ms=6000),
        made("s", 1, "bob", 4),
    ]
    status = look(answers)
    ann, bob = (status.judges[name] for name in ("ann", "bob"))
    assert (ann.active_minutes, ann.seconds) == (pytest.approx(24 / 60), 5.5)
    assert (ann.too_fast, ann.degraded, ann.noticed) == (0, 1, 1)
    assert (ann.repeats, ann.same, ann.flags) == (1, 0.0, ())
    assert (bob.active_minutes, bob.seconds) == (0, None)
    assert status.active_minutes == ann.active_minutes
    # The newest comes first.
    assert [(one.segment, one.comment or one.cannot) for one in status.comments] == [
        (3, "no French"),
        (1, "odd"),
    ]


def test_agreement_so_far_by_hand():
    status = look(BOTH)
    [adequacy] = status.agreement
    assert (adequacy.scorer, adequacy.outputs) == ("adequacy", 4)
    assert list(adequacy.values) == list(COEFFICIENTS.values())
    # Equal once, one apart twice, and two apart once.
    assert adequacy.values["equal"] == 0.25
    assert adequacy.values["within 1"] == 0.75
    assert status.selection == "8 answers of 2 judges"


def test_checks_are_no_second_opinion_and_lone_judges_no_agreement():
    again = [
        made("s", 2, "ann", 5, "repeat"),
        made("s", 2, "bob", 5, "degraded"),
        made("s", 9, "ann", 1, "calibration"),
        made("s", 9, "bob", 5, "calibration"),
    ]
    [plain], [more] = (look(answers).agreement for answers in (BOTH, BOTH + again))
    assert more == plain
    assert look([made("s", 1, "ann", 3)]).agreement == []


def test_flagged_judges_are_told_and_set_apart_from_agreement():
    pairs = [(1 + at % 5, 1 + (at + at % 2) % 5) for at in range(8)]
    careful = judge_both(*pairs)
    same = [made("s", at, "eve", 5) for at in range(1, 9)]
    status = look(careful + same)
    assert status.judges["eve"].flags == ("always gives the same score (100 of 100)",)
    assert status.judges["ann"].flags == ()
    assert list(status.agreement) == list(look(careful).agreement)
    assert status.selection == ("16 answers of 2 judges; flagged judges set apart: eve")


def test_judges_of_several_questions_are_counted_once():
    answers = [
        made("s", at, judge, {"fluency": 1 + at % 5, "adequacy": 3}, name="ldc")
        for at in range(1, 4)
        for judge in ("ann", "bob")
    ]
    status = look([replace(one, active_ms=60_000) for one in answers])
    assert status.judges["ann"].active_minutes == 3.0
    assert [one.scorer for one in status.agreement] == ["fluency", "adequacy"]
