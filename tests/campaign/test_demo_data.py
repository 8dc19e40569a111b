"""Simulated judges: they see how good a text is, each in their own way and time."""

from dataclasses import replace

import numpy as np
import pytest
from tests.campaign.campaigns import SECRET, opened

from metra.campaign.assignment import assign
from metra.campaign.demo_data import (
    SimulatedJudge,
    _draw_preference,
    _estimate_quality,
    build_example_campaign,
    draw_judges,
    list_demo_protocols,
    make_hasty,
    simulate_answer,
)

CHECKS = {
    "da": (0.15, 0.1, 2),
    "ranking": (None, None, 2),
    "reading": (None, None, 2),
    "comprehension": (None, None, 1),
}


@pytest.mark.parametrize("name", CHECKS)
def test_outputs_that_are_judged_alone_come_back_and_degraded(name):
    campaign = build_example_campaign(name)
    settings = campaign.settings
    assert (settings.degraded, settings.repeats, settings.each) == CHECKS[name]
    assert settings.name == f"Market and brake: {campaign.protocol.title}"
    assert (settings.source_language, settings.target_language) == ("fr", "en")
    assert len(settings.judges) == 8
    assert all(len(segment.references) == 2 for segment in campaign.segments)
    assert all(segment.source and segment.document for segment in campaign.segments)


def test_campaigns_made_of_others_cannot_be_simulated():
    names = list_demo_protocols()
    assert {"da", "mqm", "cloze", "gold-standard"} <= set(names)
    assert not {"verdicts", "term-reconciliation"} & set(names)


def test_judges_differ_as_much_as_they_should():
    judges = draw_judges(2000, rng=np.random.default_rng(1))
    mildness = np.array([judge.mildness for judge in judges])
    assert abs(mildness.mean()) < 0.01
    assert abs(mildness.std() - 0.08) < 0.01
    for name, low, high in (("noise", 0.05, 0.12), ("pace", 0.35, 0.9)):
        values = np.array([getattr(judge, name) for judge in judges])
        assert low <= values.min() < low + 0.01
        assert high - 0.01 < values.max() <= high
    assert {judge.start for judge in judges} == {3.0}
    hasty = make_hasty(judges[0])
    assert (hasty.pace, hasty.start) == (0.02, 0.3)
    assert (hasty.mildness, hasty.noise) == (judges[0].mildness, judges[0].noise)


@pytest.mark.parametrize(
    ("output", "references", "expected"),
    [
        pytest.param("The cat sat", ["x y", "the cat sat"], 1.0, id="a copy"),
        pytest.param("a b", ["c d", "e"], 0.15, id="nothing in common"),
        # Of three words and two pairs, the second reference has two words and a pair.
        pytest.param("a b x", ["a", "q a b"], 0.15 + 0.85 * 3 / 5, id="the best one"),
        pytest.param("a b", [], 0.5, id="no reference"),
        pytest.param("", ["a"], 0.5, id="no text"),
    ],
)
def test_quality_is_the_share_of_words_and_pairs(output, references, expected):
    assert _estimate_quality(output, references) == pytest.approx(expected)


def find_tasks(kind="judged", segment=2):
    """A campaign of scores from 0 to 100, and a task about a copy of the reference."""
    frozen = opened("da", degraded=0.2)
    task = next(
        task
        for task in assign(frozen, secret=SECRET)
        if task.items[0].segment == segment and task.items[0].system == "good"
    )
    return frozen, replace(task, kind=kind)


def test_answers_follow_quality_mildness_and_taste():
    plain = SimulatedJudge(0.0, 0.0, 0.5)
    rng = np.random.default_rng(2)

    def average(kind="judged", judge=plain):
        frozen, task = find_tasks(kind)
        answers = [simulate_answer(frozen, task, 0, judge, rng=rng) for _ in range(200)]
        return np.mean([answer.value["da"] for answer in answers])

    # The text equals its reference; noise of 2 in 100 is cut above 100.
    assert 98 < average() <= 100
    assert abs(average("degraded") - 70) < 1
    assert abs(average(judge=replace(plain, mildness=-0.4)) - 60) < 1
    _, task = find_tasks()
    taste = _draw_preference(task.judge, task.items[0])
    assert taste == _draw_preference(task.judge, task.items[0])
    assert taste != _draw_preference("somebody", task.items[0])
    judge = replace(plain, noise=0.05, mildness=-0.4)
    assert abs(average(judge=judge) - (60 + 5 * taste)) < 1


def test_answers_take_as_long_as_their_words():
    frozen, task = find_tasks()
    words = len(task.items[0].text.split())
    rng = np.random.default_rng(3)
    judge = SimulatedJudge(0.0, 0.0, 0.5, start=2.0)
    seconds = np.log(
        [simulate_answer(frozen, task, 0, judge, rng=rng).seconds for _ in range(400)]
    )
    assert abs(np.exp(np.median(seconds)) / (2 + words * 0.5) - 1) < 0.06
    assert abs(seconds.std() - 0.35) < 0.05
