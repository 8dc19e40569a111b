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
    simulate_answer,
)


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


def find_tasks(kind="judged"):
    """A campaign of scores from 0 to 100, and a task about a copy of the reference."""
    frozen = opened("da", degraded=0.2)
    task = next(
        task
        for task in assign(frozen, secret=SECRET)
        if task.items[0].segment == 2 and task.items[0].system == "good"
    )
    return frozen, replace(task, kind=kind)


def test_answers_follow_quality_mildness_and_taste():
    plain = SimulatedJudge(0.0, 0.0, 0.5)
    rng = np.random.default_rng(2)

    def average(kind="judged", judge=plain):
        frozen, task = find_tasks(kind)
        answers = [simulate_answer(frozen, task, 0, judge, rng=rng) for _ in range(200)]
        return np.mean([value["da"] for value, _ in answers])

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
