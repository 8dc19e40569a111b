"""Missing scores: counted with their reasons, by system and scorer, and never as 0."""

from dataclasses import replace

import pytest
from tests.campaign.answers import average, made, table_of
from tests.campaign.campaigns import SECRET, answered, opened
from tests.campaigns import check_answer
from tests.panels import cells_by_name

from metra.campaign.assignment import assign
from metra.meta.answers import ask_missing
from metra.meta.options import NoOptions
from metra.meta.question import Evidence, answer_question
from metra.scores.judgement import NOT_TRANSLATION
from metra.scores.selection import DEFAULT, Selection


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


def test_filters_apply():
    judgements = skip_some()
    only = Selection(systems=frozenset({"good"}))
    assert count_missing(judgements, only).skipped == ()
    skips = [
        one
        for one in judgements
        if one.cannot == NOT_TRANSLATION and one.kind == "judged"
    ]
    assert len({one.judge for one in skips}) == len(skips) == 2
    by_one = Selection(judges=frozenset({skips[0].judge}))
    assert count_missing(judgements, by_one).skipped[0].skipped == 1
