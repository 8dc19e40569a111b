"""Agreement of a campaign's judges: counts by hand, orders of outputs, flagged judges."""

from dataclasses import replace

import pytest
from tests.campaign.answers import compare, made, table_of
from tests.panels import cells_by_name

from metra.meta.agree import ask_agreement
from metra.meta.options import AgreeOptions
from metra.meta.question import Evidence, answer_question
from metra.scores.selection import DEFAULT, Selection
from metra.stats.judge_agreement import count_differences


def measure(answers, selection=DEFAULT, **options):
    """The answer about the only scorer."""
    scores = table_of(answers)
    [name] = scores.names
    return ask_agreement(Evidence(scores, selection, name), AgreeOptions(**options))


def two_judges():
    """Ann and Bob on five outputs: equal, equal, 1, 2 and 1 apart."""
    pairs = [(5, 5), (1, 1), (4, 3), (2, 4), (3, 4)]
    return [
        made("s", at, judge, score)
        for at, both in enumerate(pairs, 1)
        for judge, score in zip(("ann", "bob"), both, strict=True)
    ]


def test_agreement_of_answers_by_hand():
    answers = two_judges()
    answer = measure(answers, trials=50)
    agreement = answer.agreement
    assert agreement.intervals == {}  # five outputs are too few
    assert (answer.scorer, agreement.units) == ("adequacy", 5)
    assert agreement.values["exact"] == 0.4
    assert agreement.values["within"] == 0.8
    gaps = agreement.shared.gaps()
    assert len(gaps) == 5
    assert count_differences(gaps) == ((0.0, 0.4), (1.0, 0.8), (2.0, 1.0))
    [pair] = agreement.pairs
    assert (pair.first, pair.second, pair.n) == ("ann", "bob", 5)
    # The same again for another system: as many segments as before, which are drawn.
    more = [replace(one, systems=(name,), task=f"{name} {one.task}")
            for one in answers for name in ("s", "t")]  # fmt: skip
    agreement = measure(more, trials=50).agreement
    assert (agreement.units, agreement.intervals) == (10, {})


def test_lone_judges_are_compared_with_themselves_or_refused():
    answered = answer_question(
        "agree", table_of([made("s", 1, "ann", 3)]), DEFAULT, "adequacy"
    )
    assert answered.problem == "No unit was judged by two judges; judges: 1, units: 1."
    alone = [made("s", 1, "ann", 3), made("s", 1, "ann", 5, "repeat")]
    answered = answer_question("agree", table_of(alone), DEFAULT, "adequacy")
    assert answered.answer.agreement is None
    [table] = answered.report.tables
    assert table.name == "intra"


def agree_with_eve():
    """Ann and Bob with Eve, who always says the same."""
    pairs = [(1 + at % 5, 1 + (at + at % 2) % 5) for at in range(12)]
    careful = [
        made("s", at, judge, score)
        for at, both in enumerate(pairs, 1)
        for judge, score in zip(("ann", "bob"), both, strict=True)
    ]
    return careful, [made("s", at, "eve", 5) for at in range(1, 13)]


def test_flagged_judges_are_set_apart_and_shown_beside():
    careful, eve = agree_with_eve()
    without = measure(careful, trials=0).agreement.values
    unflagged = replace(table_of(careful + eve), flags={})
    options = AgreeOptions(trials=0)
    with_her = ask_agreement(
        Evidence(unflagged, DEFAULT, "adequacy"), options
    ).agreement.values
    assert without["exact"] > with_her["exact"]
    for flagged, main, other, head in (
        ("apart", without, with_her, "with flagged"),
        ("count", with_her, without, "without flagged"),
    ):
        answered = answer_question(
            "agree",
            table_of(careful + eve),
            Selection(flagged=flagged),
            "adequacy",
            options,
        )
        answer = answered.answer
        assert answer.agreement.values == pytest.approx(main, nan_ok=True)
        assert answer.other.values == pytest.approx(other, nan_ok=True)
        table = answered.report.tables[0]
        assert [column.title for column in table.columns][1:3] == ["value", head]
        equal = cells_by_name(table)["equal"]
        assert [cell.value for cell in equal[:2]] == [main["exact"], other["exact"]]
    left_out = measure(careful + eve, Selection(flagged="out"), trials=0)
    assert left_out.agreement.values == pytest.approx(without, nan_ok=True)
    assert left_out.other is None


def test_flags_that_change_nothing():
    careful, eve = agree_with_eve()
    assert measure(careful).other is None
    # Eve judged nothing that counts.
    elsewhere = [replace(one, kind="calibration") for one in eve]
    answer = measure(careful + elsewhere)
    assert answer.other is None
    # Two judges, both flagged: they count.
    both = [*eve, *(replace(one, judge="eva", task=f"eva {one.task}") for one in eve)]
    answer = measure(both)
    assert answer.other is None
    assert answer.agreement.values["exact"] == 1.0


DIFFERENCES = [
    pytest.param([0.0, 0.0], ((0.0, 1.0),), id="all equal"),
    pytest.param(
        [0.0, 40.0, 100.0, 100.0],
        (
            *((0.0, 0.25), (20.0, 0.25), (40.0, 0.5), (60.0, 0.5)),
            *((80.0, 0.5), (100.0, 1.0)),
        ),
        id="a scale to a hundred",
    ),
    pytest.param(
        [2.0, 9.0],
        ((0.0, 0.0), (2.0, 0.5), (4.0, 0.5), (6.0, 0.5), (8.0, 0.5), (10.0, 1.0)),
        id="steps of two",
    ),
]


@pytest.mark.parametrize(("gaps", "expected"), DIFFERENCES)
def test_differences(gaps, expected):
    assert count_differences(gaps) == expected


def test_judges_of_two_outputs_agree_on_comparisons():
    """One answer about two outputs is one judgement, whatever the order on the screen."""
    judged = [
        (1, "ann", ("x", "y"), [1, 2]),
        (1, "bob", ("y", "x"), [2, 1]),  # the same, turned
        (1, "ann", ("x", "z"), [1, 2]),  # x again, beside another
        (1, "bob", ("x", "z"), [1, 1]),
        (2, "ann", ("x", "y"), [1, 1]),
        (2, "bob", ("x", "y"), [2, 1]),
        (3, "ann", ("x", "y"), [1, 2]),  # by one judge only
    ]
    answers = [compare(*each, "pairwise") for each in judged]
    answer = measure(answers, trials=0)
    assert answer.ratings.compares
    assert answer.agreement.units == len(answer.agreement.shared.gaps()) == 3
    assert answer.agreement.values["exact"] == pytest.approx(1 / 3)


def test_a_choice_of_the_best_puts_nothing_else_in_order():
    answers = [
        made(
            "",
            1,
            judge,
            {"gold": {"chosen": chosen, "of": 3}},
            systems=("x", "y", "z"),
            outputs=("a", "b", "c"),
            name="gold-standard",
        )
        for judge, chosen in (("ann", 1), ("bob", 2))
    ]
    answer = measure(answers, trials=0)
    # Of two judges who choose different outputs, both say of the third that it is not best.
    assert not answer.ratings.compares
    assert answer.agreement.units == 3
    assert answer.agreement.values["exact"] == pytest.approx(1 / 3)


def test_judges_of_whole_documents_agree_on_documents():
    """A protocol about documents has no segments; documents are what judges share."""
    key = {"expected": [["who", "Ann"], ["where", "Rome"]]}

    def fill(segment, judge, who, where):
        filled = [["who", who], ["where", where]]
        value = {"template": {"filled": filled, "key": key}}
        document = f"d{segment}"
        return made("s", segment, judge, value, name="templates", document=document)

    answers = [
        fill(1, "ann", "Ann", "Rome"),
        fill(1, "bob", "Ann", "Rome"),
        fill(2, "ann", "Ann", "Paris"),
        fill(2, "bob", "Ann", "Rome"),
    ]
    scores = table_of(answers)
    answer = ask_agreement(Evidence(scores, DEFAULT, scores.names[0]), AgreeOptions())
    assert answer.ratings.units == ("fr-en s d1", "fr-en s d2")
    assert answer.agreement.values["exact"] == 0.5
