"""Preferences and distributions: counts by hand, and what was never compared."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.campaign.answers import made, rank, table_of
from tests.panels import cells_by_name

from metra.meta.answers import ask_preferences
from metra.meta.options import NoOptions
from metra.meta.question import Evidence, answer_question
from metra.scores.selection import DEFAULT, Selection


def count_preferences(answers, selection=DEFAULT):
    """Wins, ties and losses by pair of systems, the first by name first."""
    scores = table_of(answers)
    [name] = scores.names
    pairs = ask_preferences(Evidence(scores, selection, name), NoOptions()).pairs
    return {
        tuple(sorted(names)): counts if names[0] < names[1] else counts[::-1]
        for names, counts in pairs.items()
    }


def compare(segment, judge, systems, ranks, name="pairwise"):
    """An answer that puts outputs in order, 1 being the best."""
    texts = tuple("abcdef"[: len(systems)])
    return made(
        *("", segment, judge, {name: list(ranks)}),
        name=name,
        systems=systems,
        outputs=texts,
        task=f"{judge} {segment} {sorted(systems)}",
    )


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
    [table] = answered.report.tables
    [(name, cells)] = cells_by_name(table).items()
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
    compare(1, "ann", ("x", "y"), (1, 2)),
    compare(1, "ann", ("z", "x"), (1, 2)),  # x again, beside another
    compare(2, "ann", ("y", "x"), (1, 1)),
    compare(2, "bob", ("x", "y"), (2, 1)),
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
        answers.append(compare(segment, judge, systems, dense, name="ranking"))
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
