"""Protocols: what is a valid answer, what it is worth, and what makes a new version."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.campaign.protocols.ratings import RatingScale
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.errors import OptionError, UnknownNameError
from metra.scores.mqm import find_cost

TEXTS = {"output": "un café 😀", "source": "a coffee"}
THREE = {"1": "a", "2": "b", "3": "c", "source": "s"}
PLACE = {"start": 3, "end": 7, "severity": "minor"}


def mark(severity, category="style/awkward", **more):
    return {"start": 0, "end": 1, "severity": severity, "category": category} | more


WORTH = [  # worked by hand from the definitions
    pytest.param("ldc", {"fluency": 5, "adequacy": 1}, [(5, 100), (1, 0)], id="ends"),
    pytest.param("ldc", {"fluency": 2, "adequacy": 4}, [(2, 25), (4, 75)], id="inside"),
    pytest.param("adequacy", {"adequacy": 3}, [(3, 50)], id="the middle of five"),
    pytest.param("da", {"da": 62.5}, [(62.5, 62.5)], id="a slider between ticks"),
    pytest.param("da-sqm", {"da-sqm": 0}, [(0, 0)], id="zero is a score"),
    pytest.param(
        "esa",
        {"errors": [PLACE], "esa": 80},
        [(80, 80)],
        id="ESA's marks are not weighed",
    ),
    pytest.param("mqm", {"mqm": []}, [(0, 100)], id="no error"),
    pytest.param("mqm", {"mqm": [mark("major")]}, [(5, 80)], id="a major error"),
    pytest.param(
        "mqm",
        {"mqm": [mark("minor", "fluency/punctuation")] * 3},
        [(0.3, 98.8)],
        id="minor punctuation costs a tenth, and thirds add up",
    ),
    pytest.param(
        "mqm",
        {"mqm": [mark("major", "fluency/punctuation")]},
        [(5, 80)],
        id="major punctuation is major",
    ),
    pytest.param(
        "mqm",
        {"mqm": [mark("major", "non-translation")]},
        [(25, 0)],
        id="no translation",
    ),
    pytest.param(
        "mqm",
        {"mqm": [mark("major", "non-translation")] + [mark("major")] * 4},
        [(45, 0)],
        id="worse than the worst is still 0",
    ),
    pytest.param(
        "mqm",
        {"mqm": [mark("neutral"), mark("major", "source error")]},
        [(0, 100)],
        id="neutral marks and the source's errors are free",
    ),
]


@pytest.mark.parametrize(("name", "value", "expected"), WORTH)
def test_worth(name, value, expected):
    asked = protocol(name)
    [found] = asked.scores(asked.check(value, TEXTS))
    assert [(s.value, pytest.approx(s.hundred)) for s in found] == expected
    assert all(s.higher_is_better == (name != "mqm") for s in found)


RANKS = [
    pytest.param([1, 2, 3], [100, 50, 0], id="strict"),
    pytest.param([1, 2, 2], [100, 25, 25], id="a tie is half a win"),
    pytest.param([7, 7, 7], [50, 50, 50], id="all equal"),
    pytest.param([9, 2, 4], [0, 100, 50], id="gaps close"),
]


@pytest.mark.parametrize(("ranks", "expected"), RANKS)
def test_ranks(ranks, expected):
    asked = protocol("ranking")
    value = asked.check({"ranking": ranks}, THREE)
    assert [only.hundred for (only,) in asked.scores(value)] == expected
    assert set(value["ranking"]) == set(range(1, len(set(ranks)) + 1))


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_wins_are_shared_out(ranks):
    asked = protocol("ranking")
    texts = {str(at): "" for at in range(len(ranks))}
    scores = asked.scores(asked.check({"ranking": ranks}, texts))
    assert sum(one.hundred for (one,) in scores) == pytest.approx(50 * len(ranks))


REFUSED = [
    *load_cases("protocols: refused"),
    pytest.param("da", {"da": float("nan")}, "from 0 to 100", id="not a number"),
    pytest.param("mqm", {"mqm": [mark("minor")] * 6}, "at most 5", id="six errors"),
]


@pytest.mark.parametrize(("name", "value", "says"), REFUSED)
def test_refused(name, value, says):
    texts = THREE if protocol(name).contrastive else TEXTS
    with pytest.raises(OptionError, match=says) as error:
        protocol(name).check(value, texts)
    assert str(error.value).endswith(".")


def test_marks_are_sorted_and_what_is_missing_has_no_place():
    gone = {"side": "missing", "severity": "major", "start": 5, "end": 2}
    later = {"start": 3, "end": 9, "severity": "minor"}
    value = protocol("esa").check({"errors": [later, gone], "esa": 1}, TEXTS)
    assert value["errors"] == [
        {"side": "missing", "start": 0, "end": 0, "severity": "major"},
        {"side": "output", **later},
    ]


def test_an_unknown_protocol_gets_a_suggestion():
    with pytest.raises(UnknownNameError, match="Did you mean 'mqm'"):
        protocol("mqn")


@pytest.mark.parametrize("asked", PROTOCOLS.values(), ids=PROTOCOLS)
def test_a_version_is_stable_and_changes_with_any_word(asked):
    assert asked.version == replace(asked).version
    step = asked.steps[-1]
    other = replace(step, question=step.question + " ")
    assert replace(asked, steps=(*asked.steps[:-1], other)).version != asked.version
    assert len({known.version for known in PROTOCOLS.values()}) == len(PROTOCOLS)


@pytest.mark.parametrize("asked", PROTOCOLS.values(), ids=PROTOCOLS)
def test_anchors_lie_on_their_scale_and_name_its_ends(asked):
    for step in asked.steps:
        if isinstance(step.asks, RatingScale):
            at = [anchor.at for anchor in step.asks.anchors]
            assert (min(at), max(at)) == (step.asks.low, step.asks.high)
            assert all(anchor.text.endswith(".") for anchor in step.asks.anchors)
            # What is shown is what is typed: no number of another scale stands at a point.
            for anchor in step.asks.anchors:
                assert {*map(float, re.findall(r"\d+", anchor.label))} <= {anchor.at}


def test_answers_given_elsewhere_may_name_other_kinds_and_more_of_them():
    many = {"mqm": [mark("minor", "style/bad sentence structure")] * 6}
    recorded = protocol("mqm").relax_rules()
    assert len(recorded.check(many, TEXTS)["mqm"]) == 6
    with pytest.raises(OptionError, match="category is ''"):
        recorded.check({"mqm": [mark("minor", "")]}, TEXTS)


@pytest.mark.parametrize("lang", ["en-de", "zh-en"])
def test_costs_are_those_of_the_official_program(shared, read_table, lang):
    weighed = protocol("mqm").steps[0].asks
    rows = read_table(shared / f"data/wmt23-mqm-esa/{lang}.mqm_errors.tsv.gz")
    errors = [row for row in rows if row["severity"] != "no-error"]
    assert len(errors) > 15_000
    for row in errors:
        cost = find_cost(weighed.costs, row["severity"], row["category"]) / 10
        assert cost == float(row["penalty"]), row


#: Answers name the version of what was asked. Whoever changes a word, a scale or a weight asks
#: something else, and changes the version here.
VERSIONS = {
    "ldc": "c74fe326b3a96312",
    "adequacy": "71913f9d58855086",
    "da": "1c98efbb27c76f54",
    "da-sqm": "c32845706ee7c01c",
    "esa": "e49f48294bce1a4c",
    "mqm": "386056987f44d3c1",
    "pairwise": "a5b66ba90dbf401c",
    "ranking": "d35a9ba637423c42",
    "intelligibility": "4ac067afeb7d42db",
    "clarity": "7f0458d2b765bfd6",
    "minimal-correction": "57dd4585bb47593f",
    "entity-check": "de2f29ccf63385ff",
    "term-marking": "4b8a370e4de6ea32",
    "term-reconciliation": "e6ee1708fc569459",
    "verdicts": "d9401ae941844dcd",
    "correction": "d01b12df90195912",
    "cloze": "1f2101915c5ddd98",
    "reading": "a8d2aa319615fa7f",
    "reading-aloud": "847cd73d7f4d5878",
    "comprehension": "d38b34c970ddea97",
    "templates": "b8bccd426b0f5676",
    "entity-tagging": "bd1a10126976518d",
    "entity-reconciliation": "72d0f3d9333c46c8",
    "evaltrans": "1470e374c0a7fd8f",
    "gold-standard": "26fde2c6bb57c1b1",
}


def test_what_is_asked_stays_as_it_is():
    assert {name: asked.version for name, asked in PROTOCOLS.items()} == VERSIONS
