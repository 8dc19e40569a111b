"""Selections: each filter by itself, ranks among chosen systems, flags, and the words."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign.answers import made

from metra.campaign.judgement import build_campaign_scores
from metra.errors import OptionError, UnknownNameError
from metra.meta import COMMAND_NAMES
from metra.meta.question import answer_all
from metra.meta.questions import JUDGEMENT_QUESTIONS, QUESTIONS
from metra.scores.selection import (
    DEFAULT,
    EVERY_KIND,
    Selection,
    list_flagged,
    parse_selection,
)
from metra.scores.table import (
    COUNTED,
    ITEM_KINDS,
    ScoredItem,
    Scorer,
    build_score_table,
)

ANSWERS = [
    made(system, at, judge, 1 + (at + len(judge)) % 5)
    for system in ("one", "two")
    for at in range(1, 5)
    for judge in ("ann", "bo")
]
SCORES = build_campaign_scores(ANSWERS)


def list_rows(scores):
    """The rows by their names, without their numbers."""
    columns = (scores.system, scores.item, scores.judge, scores.value)
    return [
        (scores.systems[s], scores.items[i].segment, scores.judges[j], value)
        for s, i, j, value in zip(*(c.tolist() for c in columns), strict=True)
    ]


def list_answers(answers):
    """The rows that answers should have."""
    return [
        (one.systems[0], str(one.segment), one.judge, float(one.value["adequacy"]))
        for one in answers
    ]


def choose(flagged="apart", **names):
    """A selection of names, which blanks part."""
    chosen = {title: frozenset(each.split()) for title, each in names.items()}
    return Selection(flagged=flagged, **chosen)


FILTERS = [
    pytest.param(Selection(), lambda _: True, id="everything"),
    pytest.param(choose(judges="ann"), lambda one: one.judge == "ann", id="judge"),
    pytest.param(choose(systems="two"), lambda one: "two" in one.systems, id="system"),
    pytest.param(choose(documents="d1"), lambda one: one.segment in (2, 3), id="document"),
    pytest.param(choose(judges="bo", documents="d0 d2"),
                 lambda one: one.judge == "bo" and one.segment in (1, 4), id="several filters"),
    pytest.param(choose(systems="three"), lambda _: False, id="an unknown name"),
]  # fmt: skip


@pytest.mark.parametrize(("selection", "keeps"), FILTERS)
def test_each_filter_by_itself(selection, keeps):
    expected = list_answers(filter(keeps, ANSWERS))
    assert list_rows(selection.select(SCORES)) == expected
    assert list_rows(selection.select_answers(SCORES)) == expected


@pytest.mark.parametrize("kind", ["repeat", "degraded", "calibration", "judged"])
def test_kinds_of_items(kind):
    extra = [
        made("one", at, "ann", at, kind)
        for at, kind in enumerate(("repeat", "degraded", "calibration"), 1)
    ]
    scores = build_campaign_scores([*ANSWERS, *extra])
    selected = Selection(kinds=frozenset({kind})).select(scores)
    expected = [one for one in [*ANSWERS, *extra] if one.kind == kind]
    assert list_rows(selected) == list_answers(expected)
    assert list_rows(DEFAULT.select(scores)) == list_answers(ANSWERS)
    every = replace(DEFAULT, kinds=EVERY_KIND).select(scores)
    assert len(every) == len(ANSWERS) + 3


def test_references_and_controls_count_as_systems():
    assert {"judged", "reference", "control"} == COUNTED
    scores = build_campaign_scores([made("human", 1, "ann", 5, "reference"), *ANSWERS])
    assert "human" in DEFAULT.select(scores).systems


def test_only_the_last_revision_counts_in_whatever_order():
    first = made("one", 1, "ann", 2)
    last = replace(first, revision=2, value={"adequacy": 5})
    for answers in ([first, last], [last, first]):
        scores = build_campaign_scores(answers)
        assert DEFAULT.select(scores).value.tolist() == [5.0]
        # Not even where every kind does.
        every = Selection(kinds=EVERY_KIND).select_answers(scores)
        assert every.value.tolist() == [5.0]
        earlier = Selection(kinds=frozenset({"earlier"})).select(scores)
        assert earlier.value.tolist() == [2.0]


def test_answers_without_a_value_are_rows_for_other_questions():
    scores = build_campaign_scores(
        [made("one", 1, "ann", 3), made("one", 2, "ann", {}, cannot="no French")]
    )
    assert DEFAULT.select(scores).value.tolist() == [3.0]
    rows = DEFAULT.select_answers(scores)
    assert rows.value.tolist() == pytest.approx([3.0, np.nan], nan_ok=True)
    assert rows.reasons[rows.reason[1]] == "could not be judged: no French"


def get_seconds(day):
    return datetime.fromisoformat(f"{day}T00:00+00:00").timestamp()


def test_periods():
    begin = get_seconds("2027-01-15")
    answers = [
        made("one", at, "ann", at, submitted_at=begin + 3600 * at) for at in range(1, 5)
    ]
    scores = build_campaign_scores([*answers, made("one", 9, "ann", 5)])

    def list_values(since, until):
        selected = Selection(since=since, until=until).select(scores)
        return selected.value.tolist()

    assert list_values(None, None) == [1, 2, 3, 4, 5]
    # From then on, before then; answers without a time go.
    assert list_values(begin + 7200, None) == [2, 3, 4]
    assert list_values(None, begin + 7200) == [1]
    assert list_values(begin + 7200, begin + 10800) == [2]
    assert list_values(begin + 9e9, None) == []
    # A table without times has nothing of any period.
    plain = build_score_table(["a"], [ScoredItem("1")], {Scorer("da"): [1.0]}, ["J"])
    assert len(Selection(since=0.0).select(plain)) == 0
    assert len(DEFAULT.select(plain)) == 1


def compare(ranks, systems=("x", "y", "z"), judge="ann", name="ranking"):
    texts = tuple("abcd"[: len(systems)])
    value = {name: list(ranks)}
    return made("", 1, judge, value, name=name, systems=systems, outputs=texts)


def read_ranks(scores):
    columns = (scores.system, scores.value, scores.hundred)
    ranks = zip(*(column.tolist() for column in columns), strict=True)
    return {scores.systems[at]: (value, hundred) for at, value, hundred in ranks}


def test_orders_among_the_chosen_systems_remain():
    scores = build_campaign_scores([compare([3, 1, 2])])
    every = read_ranks(DEFAULT.select(scores))
    assert every == {"x": (3.0, 0.0), "y": (1.0, 100.0), "z": (2.0, 50.0)}
    two = choose(systems="x z").select(scores)
    assert read_ranks(two) == {"x": (2.0, 0.0), "z": (1.0, 100.0)}
    assert len(choose(systems="x").select(scores)) == 0
    tied = build_campaign_scores([compare([2, 1, 2])])
    two = choose(systems="x z").select(tied)
    assert read_ranks(two) == {"x": (1.0, 50.0), "z": (1.0, 50.0)}


@given(st.permutations([1, 2, 3, 4]), st.sets(st.integers(0, 3), min_size=2))
def test_ranks_among_chosen_systems_are_those_of_judging_them_alone(ranks, places):
    names = ("w", "x", "y", "z")
    given_answer = compare(ranks, names)
    chosen = [names[at] for at in sorted(places)]
    own = sorted(ranks[at] for at in places)
    alone = compare([own.index(ranks[at]) + 1 for at in sorted(places)], tuple(chosen))
    selection = Selection(systems=frozenset(chosen))
    selected = selection.select(build_campaign_scores([given_answer]))
    assert read_ranks(selected) == read_ranks(build_campaign_scores([alone]))


def test_a_choice_of_the_best_stays_among_the_chosen_systems():
    value = {"gold": {"chosen": 3, "of": 3}}
    more = {"systems": ("x", "y", "z"), "outputs": ("a", "b", "c")}
    answer = made("", 1, "ann", value, name="gold-standard", **more)
    scores = build_campaign_scores([answer])
    with_best, without = (
        read_ranks(Selection(systems=frozenset(names)).select(scores))
        for names in ("xz", "xy")
    )
    assert [hundred for _, hundred in with_best.values()] == [0.0, 100.0]
    assert [hundred for _, hundred in without.values()] == [0.0, 0.0]


FLAGS = {"ann": ("too fast",), "bo": ()}


def select_judges(scores, flagged):
    return Selection(flagged=flagged).select(scores).judges


def test_what_becomes_of_flagged_judges():
    scores = build_campaign_scores(ANSWERS, FLAGS)
    assert list_flagged(scores) == ["ann"]
    assert select_judges(scores, "apart") == ("bo",)
    assert select_judges(scores, "count") == ("ann", "bo")
    assert select_judges(scores, "out") == ("bo",)
    for flagged, expected in (("apart", 16), ("count", 8), ("out", 16)):
        other = Selection(flagged=flagged).select_flagged(scores)
        assert len(other) == expected
    answers = Selection(flagged="out").select_answers(scores)
    assert {answers.judges[at] for at in answers.judge.tolist()} == {"bo"}


def test_a_scorer_whose_judges_are_all_flagged_keeps_them():
    fluent = [
        made("one", at, "ann", 3, name="da", task=f"fluent {at}") for at in (1, 2)
    ]
    scores = build_campaign_scores([*ANSWERS, *fluent], FLAGS)
    selected = Selection(flagged="apart").select(scores)
    judges = {
        (selected.names[scorer], selected.judges[judge])
        for scorer, judge in zip(
            selected.scorer.tolist(), selected.judge.tolist(), strict=True
        )
    }
    assert judges == {("adequacy", "bo"), ("da", "ann")}
    # Left out is left out.
    assert Selection(flagged="out").select(scores).names == ["adequacy"]


def test_others_without_values_are_nobody_to_go_by():
    """Bo has a reason for each missing value, and Ann, who is flagged, has values."""
    key = {"expected": [["who", "Ann"]]}
    filled, empty = (
        {"template": {"filled": [["who", word]] if word else [], "key": key}}
        for word in ("Ann", "")
    )
    answers = [
        made("one", at, judge, value, name="templates", document=f"d{at}")
        for at in (1, 2)
        for judge, value in (("ann", filled), ("bo", empty))
    ]
    scores = build_campaign_scores(answers, FLAGS)

    def list_judges(rows, scorer):
        lines = rows.lines(scorer)
        return {lines.judges[at] for at in lines.judge.tolist()}

    # Of what was filled in, Bo has no precision.
    selected = DEFAULT.select(scores)
    assert list_judges(selected, "template") == {"bo"}
    assert list_judges(selected, "template-precision") == {"ann"}
    every = DEFAULT.select_answers(scores)
    assert list_judges(every, "template-precision") == {"ann", "bo"}


def test_who_is_flagged_is_told_before_filters():
    scores = build_campaign_scores(ANSWERS, FLAGS)
    alone = Selection(judges=frozenset({"ann"}))
    # Nobody else is left to go by.
    assert alone.select(scores).judges == ("ann",)
    assert len(replace(alone, flagged="out").select(scores)) == 0


EXTRA = [
    made("one", 9, "ann", 3, kind) for kind in ("calibration", "repeat", "degraded")
]
ALL = "16 answers of 2 judges"
#: A selection of answers, of which some judges are flagged, in words.
WORDS = {
    "everything": (DEFAULT, ANSWERS, {}, ALL),
    "calibration": (DEFAULT, [*ANSWERS, *EXTRA[:1]], {}, f"{ALL}; without calibration items"),
    "checks": (DEFAULT, [*ANSWERS, *EXTRA], {},
               f"{ALL}; without calibration items, repeats and degraded copies"),
    "every kind": (Selection(kinds=EVERY_KIND), [*ANSWERS, *EXTRA], {},
                   "19 answers of 2 judges"),
    "apart": (DEFAULT, ANSWERS, FLAGS, "8 answers of 1 judge; flagged judges set apart: ann"),
    "out": (choose("out"), ANSWERS, FLAGS,
            "8 answers of 1 judge; flagged judges left out: ann"),
    "count": (choose("count"), ANSWERS, FLAGS, f"{ALL}; flagged judges count: ann"),
    "all are flagged": (DEFAULT, ANSWERS, {"ann": ("a",), "bo": ("b",)},
                        f"{ALL}; flagged, but without others to go by: ann and bo"),
    "a flagged judge who is not chosen": (
        choose(judges="bo"), ANSWERS, FLAGS, "8 answers of 1 judge; only judges bo"),
    "a flagged judge without answers that count": (
        DEFAULT, [*ANSWERS, made("one", 9, "eve", 3, "calibration")], {"eve": ("too fast",)},
        f"{ALL}; without calibration items"),
    "names": (choose(judges="bo ann", systems="two"), ANSWERS, {},
              "8 answers of 2 judges; only systems two; only judges ann and bo"),
    "documents": (choose(documents="d1"), ANSWERS, {},
                  "8 answers of 2 judges; only documents d1"),
    "period": (Selection(since=get_seconds("2027-01-15"), until=get_seconds("2027-01-17")),
               ANSWERS, {},
               "0 answers; answered from 2027-01-15 UTC; answered before 2027-01-17 UTC"),
}  # fmt: skip


@pytest.mark.parametrize("case", WORDS)
def test_a_selection_in_words(case):
    selection, answers, flags, expected = WORDS[case]
    assert selection.describe(build_campaign_scores(answers, flags)) == expected


def test_answers_are_counted_once_whatever_they_score():
    ldc = [
        made("one", at, "ann", {"fluency": 3, "adequacy": 4}, name="ldc")
        for at in (1, 2)
    ]
    assert DEFAULT.describe(build_campaign_scores(ldc)) == "2 answers of 1 judge"
    order = build_campaign_scores([compare([3, 1, 2]), compare([1, 2, 3], judge="bo")])
    assert DEFAULT.describe(order) == "2 answers of 2 judges"
    # An earlier revision is no answer of its own, and not worth a word.
    changed = replace(ldc[0], revision=2)
    assert DEFAULT.describe(build_campaign_scores([*ldc, changed])) == (
        "2 answers of 1 judge"
    )


def test_answers_that_score_nothing_are_counted():
    tags = [
        made("r", at, judge, {"entity-tagging": {"tags": []}}, name="entity-tagging")
        for at in (1, 2)
        for judge in ("ann", "bo")
    ]
    flags = {"bo": ("too fast",)}
    assert DEFAULT.describe(build_campaign_scores(tags)) == "4 answers of 2 judges"
    assert DEFAULT.describe(build_campaign_scores(tags, flags)) == (
        "2 answers of 1 judge; flagged judges set apart: bo"
    )


def test_scores_without_answers_are_counted_by_scorer():
    items = [ScoredItem("1"), ScoredItem("2")]
    values = {Scorer("da", "human"): [1.0, 2.0], Scorer("bleu"): [3.0, np.nan]}
    scores = build_score_table(["a", "a"], items, values)
    assert DEFAULT.describe(scores) == "3 scores"
    assert DEFAULT.describe(scores, "da") == "2 scores"
    assert DEFAULT.describe(scores, "bleu") == "1 score"
    judged = build_score_table(["a", "a"], items, values, ["J", "K"])
    assert DEFAULT.describe(judged, "da") == "2 scores of 2 judges"
    kinds = ["judged", "check"]
    checked = build_score_table(["a", "a"], items, values, ["J", "K"], kinds)
    assert DEFAULT.describe(checked, "da") == (
        "1 score of 1 judge; without attention checks"
    )


PARSED = [
    pytest.param("", DEFAULT, id="nothing is the default"),
    pytest.param("flagged=count", choose("count"), id="count"),
    pytest.param("flagged=out", choose("out"), id="out"),
    pytest.param("judge=Ann", choose(judges="Ann"), id="a judge"),
    pytest.param("judge=Ann + Bob Q,system=x+y",
                 Selection(judges=frozenset({"Ann", "Bob Q"}), systems=frozenset("xy")),
                 id="several names"),
    pytest.param("document=d1", choose(documents="d1"), id="a document"),
    pytest.param("items=judged+calibration", choose(kinds="judged calibration"), id="kinds"),
    pytest.param("items=all", Selection(kinds=EVERY_KIND), id="every kind"),
    pytest.param("from=2027-01-15,to=2027-01-16",
                 Selection(since=get_seconds("2027-01-15"), until=get_seconds("2027-01-17")),
                 id="days, the last one included"),
    pytest.param(" flagged = apart , judge = Ann ", choose(judges="Ann"), id="blanks"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PARSED)
def test_selections_that_are_typed(text, expected):
    assert parse_selection(text) == expected


REFUSED = [
    pytest.param("flagged=no", id="no such choice"),
    pytest.param("flagged", id="no value"),
    pytest.param("judge=", id="no name"),
    pytest.param("judge=+", id="nothing but a plus"),
    pytest.param("items=judged+odd", id="no such kind"),
    pytest.param("from=soon", id="no day"),
    pytest.param("to=2027-02-30", id="no such day"),
    pytest.param("to=99999-01-01", id="beyond the calendar"),
    pytest.param("colour=red", id="no such key"),
    pytest.param("Ann", id="a name alone"),
]


@pytest.mark.parametrize("text", REFUSED)
def test_selections_that_are_refused(text):
    with pytest.raises(OptionError) as error:
        parse_selection(f"system=one,{text}")
    message = str(error.value)
    assert message.startswith(f"{text!r} is not a selection; expected flagged=apart,")
    for name in ("items=KIND+KIND", "judge=NAME+NAME", "system=", "from=DAY"):
        assert name in message
    assert "earlier" not in message


def test_a_part_is_given_once():
    with pytest.raises(OptionError, match="'judge=Bob' gives judge a second time"):
        parse_selection("judge=Ann,judge=Bob")


@pytest.mark.parametrize("what", ["judge", "system", "document"])
def test_unknown_names_are_refused_also_among_known_ones(what):
    known = {"judge": "ann", "system": "one", "document": SCORES.items[0].document}
    Selection(**{f"{what}s": frozenset({known[what]})}).check_names(SCORES)
    chosen = Selection(**{f"{what}s": frozenset({known[what], "nobody"})})
    with pytest.raises(UnknownNameError, match=f"No {what} named 'nobody'"):
        chosen.check_names(SCORES)


def test_the_default_is_what_everything_uses():
    """A default that is changed is noticed here before any figure changes."""
    assert Selection() == DEFAULT
    nobody = dict.fromkeys(("judges", "systems", "documents"), "")
    stated = choose("apart", kinds="judged reference control", **nobody)
    assert replace(stated, since=None, until=None) == DEFAULT
    assert frozenset(ITEM_KINDS) - {"earlier"} == EVERY_KIND
    assert len(EVERY_KIND) == 10


def test_every_number_follows_the_selection():
    """Figures of a choice are those of a campaign that has nothing else."""
    own = [one for one in ANSWERS if one.judge == "ann"]
    through_filter, alone = (
        answer_all(build_campaign_scores(answers), selection)
        for answers, selection in (
            (ANSWERS, Selection(judges=frozenset({"ann"}))),
            (own, DEFAULT),
        )
    )
    assert [one.question.name for one in alone] == [*JUDGEMENT_QUESTIONS]
    commands = dict.fromkeys(each.command.split()[0] for each in QUESTIONS.values())
    assert [*commands] == [*COMMAND_NAMES]
    for one, other in zip(through_filter, alone, strict=True):
        assert one.problem == other.problem
        if one.report is not None:
            # Only the words about the selection differ.
            words = f"{other.report.selection}; only judges ann"
            assert one.report == replace(other.report, selection=words)
    assert answer_all(build_campaign_scores([]), DEFAULT, names=["rank"]) == []
