"""Answer times: quartiles and bars worked by hand, and pictures that say what is cut."""

import re
from dataclasses import replace

import pytest
from tests.campaign.answers import made, table_of
from tests.panels import cells_by_name

from metra.meta.answers import ask_pace
from metra.meta.options import NoOptions
from metra.meta.question import Evidence, answer_question
from metra.report.pictures.campaign import draw_judge_times, draw_times
from metra.scores.selection import DEFAULT, Selection

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


def test_flagged_judges_are_timed_unless_left_out():
    hasty = [
        made("s", at, "eve", 1 + at % 4, outputs=("w " * 99,), active_ms=1)
        for at in range(1, 9)
    ]
    for flagged, expected in (("apart", 13), ("count", 13), ("out", 5)):
        times = measure([*TIMED, *hasty], Selection(flagged=flagged))
        assert times.all.answers == expected


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
    assert "are drawn at the right end)" in by_judge
    assert "longest 5000 s" in by_judge
    x_ends = [float(x) for x in re.findall(r'x2="([\d.]+)"', by_judge)]
    wide = float(re.search(r'viewBox="0 0 ([\d.]+)', by_judge)[1])
    assert max(x_ends) <= wide
    cut, all_times, by_judge = draw([7] * 5)
    assert not cut
    assert "or more" not in all_times
    assert "right end" not in by_judge
