"""The status of a running campaign: each judge's work, and agreement so far."""

from dataclasses import replace

import pytest
from tests.campaign.answers import made

from metra.campaign.judgement import build_campaign_scores
from metra.meta.answers import COEFFICIENTS, compute_status


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
    assert (ann.answers, ann.changed, ann.cannot, ann.comments) == (5, 1, 1, 1)
    assert (ann.active_minutes, ann.seconds) == (pytest.approx(24 / 60), 5.5)
    assert (ann.too_fast, ann.degraded, ann.noticed) == (0, 1, 1)
    assert (ann.repeats, ann.same, ann.flags) == (1, 0.0, ())
    assert (bob.answers, bob.changed, bob.active_minutes, bob.seconds) == (
        1,
        0,
        0,
        None,
    )
    assert (status.answers, status.active_minutes) == (6, ann.active_minutes)
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


def test_nothing_yet():
    status = look([])
    assert (status.answers, status.active_minutes, status.judges) == (0, 0, {})
    assert (list(status.agreement), list(status.comments)) == ([], [])
    assert status.selection == ""


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
    assert status.judges["ann"].answers == 3
    assert status.judges["ann"].active_minutes == 3.0
    assert [one.scorer for one in status.agreement] == ["fluency", "adequacy"]
