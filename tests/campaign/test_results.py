"""Results: tables worked by hand, and what must never enter a mean."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metra.campaign.judges import build_judge_table, compute_sign_test
from tests.campaign.answers import made
from tests.campaigns import check_answer

from metra.campaign.assignment import assign
from metra.campaign.creation import freeze_campaign
from metra.campaign.imports import parse_judgement_lines
from metra.campaign.results import average_systems
from metra.campaign.settings import Settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import OptionError
from metra.scores.judgement import COUNTED
from metra.scores.judgement_jsonl import format_judgements

#: Item means of one: (5 + 3) / 2 = 4, 1; so 2.5, where the mean of all judgements is 3.
ONE = [
    made("one", 1, "ann", 5),
    made("one", 1, "bob", 3),
    made("one", 2, "ann", 1),
]
TWO = [made("two", 1, "ann", 4), made("two", 2, "bob", 5)]


def test_the_mean_of_the_means_of_items():
    two, one = average_systems(ONE + TWO)
    assert (one.system, one.native, one.hundred) == ("one", 2.5, 37.5)
    assert (one.items, one.judgements, one.higher_is_better) == (2, 3, True)
    assert (two.system, two.native, two.hundred) == ("two", 4.5, 87.5)


def test_checks_and_calibration_never_enter():
    checks = [
        made("two", 1, "ann", 1, kind) for kind in ("repeat", "degraded", "calibration")
    ]
    assert average_systems(ONE + TWO + checks) == average_systems(ONE + TWO)


def test_only_the_last_revision_enters():
    changed = [replace(ONE[2], revision=2, value={"adequacy": 3})]
    one = average_systems(ONE + TWO + changed)[1]
    assert one.native == 3.5


def test_lower_penalties_come_first():
    place = {"side": "output", "start": 0, "end": 1, "category": "other"}
    bad = {"mqm": [place | {"severity": "major"}]}
    found = average_systems(
        [
            made("bad", 1, "ann", bad, name="mqm"),
            made("good", 1, "ann", {"mqm": []}, name="mqm"),
        ]
    )
    assert [(mean.system, mean.native, mean.hundred) for mean in found] == [
        ("good", 0.0, 100.0),
        ("bad", 5.0, 80.0),
    ]
    assert not found[0].higher_is_better
    assert found[0].hundred_interval is None  # one item tells nothing about others


def test_each_question_has_its_own_table():
    found = average_systems(
        [made("one", 1, "ann", {"fluency": 5, "adequacy": 2}, name="ldc")]
    )
    assert {mean.scorer: mean.native for mean in found} == {"fluency": 5, "adequacy": 2}


def test_what_cannot_be_resampled():
    with pytest.raises(
        OptionError,
        match="by='word' is not possible; expected one of segment, document, crossed",
    ):
        average_systems(ONE, by="word")


def test_documents_are_resampled_whole():
    # Ten documents whose segments agree: by segment there is more to draw from.
    judgements = [made("one", at, "ann", 1 + at // 2 % 2) for at in range(2, 22)]
    [segments] = average_systems(judgements, by="segment")
    [documents] = average_systems(judgements, by="document")
    assert segments.native == documents.native == 1.5
    wide, narrow = (
        high - low
        for low, high in (documents.native_interval, segments.native_interval)
    )
    assert wide > narrow > 0


def test_few_units_have_no_interval():
    """Whatever others have: nine texts of one system, and two documents, are too few."""
    judgements = [made("one", at, "ann", 1 + at % 5) for at in range(2, 22)]
    judgements += [made("two", at, "ann", 1 + at % 5) for at in range(2, 11)]
    by_system = {one.system: one for one in average_systems(judgements)}
    assert by_system["one"].native_interval is not None
    assert by_system["one"].hundred_interval is not None
    assert (by_system["two"].items, by_system["two"].native_interval) == (9, None)
    crossed = {one.system: one for one in average_systems(judgements, by="crossed")}
    assert crossed["one"].native_interval is not None
    assert crossed["two"].native_interval is None
    few = average_systems(judgements[:18], by="document")
    assert [one.native_interval for one in few] == [None]


@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(0, 2), st.integers(1, 5)), min_size=1
    )
)
@settings(max_examples=50)
def test_against_a_plain_twin(answers):
    answers = {(segment, judge): score for segment, judge, score in answers}
    judgements = [
        made("s", at, f"j{judge}", score) for (at, judge), score in answers.items()
    ]
    segments = {segment for segment, _ in answers}
    plain = [
        np.mean([score for (at, _), score in answers.items() if at == segment])
        for segment in segments
    ]
    [mean] = average_systems(judgements, trials=10)
    assert mean.native == pytest.approx(np.mean(plain))
    assert mean.hundred == pytest.approx(25 * (np.mean(plain) - 1))


CHECKED = [
    made("one", 1, "ann", 5, active_ms=4000),
    made("one", 2, "ann", 3, active_ms=9000),
    made("one", 1, "bob", 4),
    made("one", 1, "ann", 4, "repeat", original="ann one 1 judged"),
    made("one", 2, "ann", 3, "repeat", original="ann one 2 judged"),
    made("one", 2, "ann", 1, "degraded", original="ann one 2 judged"),
    made("one", 1, "ann", 5, "degraded", original="ann one 1 judged"),
]


def test_the_judges_by_hand():
    ann, bob = build_judge_table(CHECKED)
    assert (ann.judge, ann.judgements, ann.mean) == ("ann", 2, 75.0)
    assert ann.deviation == pytest.approx(35.3553390593)
    assert ann.milder == 25.0  # 100 against bob's 75 on the one output that both saw
    assert (ann.repeats, ann.same, ann.distance) == (2, 0.5, 12.5)
    assert (ann.degraded, ann.noticed, ann.p_value) == (2, 1, 0.5)
    assert ann.seconds == 6.5
    assert (bob.mean, bob.deviation, bob.milder) == (75.0, None, -25.0)
    assert (bob.repeats, bob.same, bob.p_value, bob.seconds) == (0, None, None, None)


def test_a_repeat_whose_original_is_gone_says_nothing():
    [ann] = build_judge_table([CHECKED[0], replace(CHECKED[3], original="gone")])
    assert ann.repeats == 0


SIGNS = [
    pytest.param([-1, -1, -1, -1], 1 / 16, id="always lower"),
    pytest.param([1, 2], 1.0, id="always higher"),
    pytest.param([-1, 0, 0], 0.5, id="ties are left out"),
    pytest.param([0], None, id="nothing but ties"),
]


@pytest.mark.parametrize(("gaps", "expected"), SIGNS)
def test_sign_test(gaps, expected):
    assert compute_sign_test(gaps) == expected


def test_a_whole_campaign_from_tasks_to_means():
    # Judges who see the truth: version n of every text is worth 10 n + 20.
    count, worth = 10, {"one": 20.0, "two": 30.0, "three": 40.0}
    wished = Settings("c", "da", "fr", "en", tuple("abcdef"), each=2, calibration=1)
    texts = {name: [f"{name} says {at}" for at in range(count)] for name in worth}
    evalset = EvalSet(None, [f"src {at}" for at in range(count)])
    frozen = freeze_campaign(wished, Outputs(evalset, texts))
    tasks = assign(frozen, secret=bytes(16))

    def answer(task):
        score = 0.0 if task.kind == "degraded" else worth[task.items[0].system]
        return check_answer(frozen, task, {"da": score}, id=task.id)

    judgements = parse_judgement_lines(
        format_judgements(map(answer, tasks)).split("\n"), "x"
    )
    means = {mean.system: mean for mean in average_systems(judgements)}
    assert {name: mean.native for name, mean in means.items()} == worth
    assert {mean.items for mean in means.values()} == {count - 1}
    assert sum(mean.judgements for mean in means.values()) == sum(
        task.kind in COUNTED for task in tasks
    )
    for row in build_judge_table(judgements):
        assert (row.same, row.distance, row.milder) == (1.0, 0.0, 0.0)
        assert row.noticed == row.degraded > 0


def test_compared_outputs_that_come_back_turned_are_matched_by_system():
    more = {"systems": ("x", "y"), "outputs": ("a", "b")}
    first = made("", 1, "ann", {"pairwise": [1, 2]}, name="pairwise", **more)
    back = made("", 1, "ann", {"pairwise": [2, 1]}, "repeat", name="pairwise")
    turned = replace(back, systems=("y", "x"), outputs=("b", "a"), original=first.task)
    [row] = build_judge_table([first, turned])
    assert (row.repeats, row.same) == (2, 1.0)
