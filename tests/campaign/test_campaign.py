"""Campaigns: what is read and frozen, and what is refused with which words."""

from dataclasses import fields, replace

import pytest

from metra.campaign.creation import freeze_campaign
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.settings import Settings, check_settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, MetraError, OptionError

SETTINGS = {
    "name": "spring",
    "protocol": "ldc",
    "source_language": "fr",
    "target_language": "en",
    "judges": ["ann", "bob", "cleo", "dan"],
}


def corpus(**streams):
    evalset = EvalSet(
        streams.get("refs"), streams.get("source"), streams.get("documents")
    )
    names = streams.get("names", ["one", "two"])
    return Outputs(evalset, {name: [f"{name} a", f"{name} b"] for name in names})


FULL = {"refs": [["r a", "r b"]], "source": ["s a", "s b"], "documents": ["d", "d"]}

REFUSED = [
    pytest.param({"protokol": "x"}, "Did you mean 'protocol'", id="a misspelt setting"),
    pytest.param({"judges": []}, "judges is []", id="no judge"),
    pytest.param({"judges": ["a", "a"]}, "different names", id="one judge twice"),
    pytest.param({"judges": "ann"}, "a list", id="a name is no list"),
    pytest.param({"seed": -1}, "0 or more", id="a negative seed"),
    pytest.param({"each": 0}, "1 or more", id="judged by nobody"),
    pytest.param({"each": True}, "each is True", id="a boolean is no number"),
    pytest.param({"repeats": 0.6}, "from 0 to 0.5", id="more repeats than tasks"),
    pytest.param({"unit": "word"}, "segment or document", id="an unknown unit"),
    pytest.param({"basis": "both"}, "source or reference", id="an unknown basis"),
    pytest.param({"complete": 1}, "true or false", id="a number is no switch"),
    pytest.param({"name": " "}, "expected a name", id="a blank name"),
]


@pytest.mark.parametrize(("wish", "says"), REFUSED)
def test_refused_wishes(wish, says):
    with pytest.raises(FormatError) as error:
        check_settings(SETTINGS | wish, "spring.toml")
    assert "spring.toml" in str(error.value)
    assert says in str(error.value)


@pytest.mark.parametrize("name", SETTINGS)
def test_what_a_campaign_cannot_do_without(name):
    wishes = {key: value for key, value in SETTINGS.items() if key != name}
    with pytest.raises(FormatError, match=f"spring.toml has no {name}; expected"):
        check_settings(wishes, "spring.toml")


UNFIT = [
    pytest.param({}, {}, CorpusError, "shows the reference", id="no reference to show"),
    pytest.param(
        {"basis": "source"}, {"source": None}, CorpusError, "the source", id="no source"
    ),
    pytest.param(
        {"unit": "document"},
        FULL | {"documents": None},
        CorpusError,
        "has no documents",
        id="docs",
    ),
    pytest.param(
        {"reference_as_system": True},
        FULL,
        CorpusError,
        "needs 2",
        id="the one on screen",
    ),
    pytest.param(
        {"reference_as_system": True, "basis": "source"},
        FULL | {"names": ["reference"]},
        CorpusError,
        "rename it",
        id="a system called reference",
    ),
    pytest.param({"each": 3}, FULL, OptionError, "6 are needed", id="too few judges"),
    pytest.param(
        {"each": 5, "complete": True},
        FULL,
        OptionError,
        "unit needs 5",
        id="for blocks",
    ),
    pytest.param(
        {"protocol": "cloze", "complete": True},
        FULL,
        OptionError,
        "set complete = false",
        id="a second version of a text with gaps",
    ),
    pytest.param(
        {"calibration": 2}, FULL, OptionError, "at least one", id="all common"
    ),
    pytest.param(
        {"protocol": "pairwise"},
        FULL | {"names": ["one"]},
        OptionError,
        "two or more",
        id="nothing to compare",
    ),
    pytest.param(
        {"protocol": "ranking", "unit": "document"},
        FULL,
        OptionError,
        "segment",
        id="whole",
    ),
    pytest.param(
        {"protocol": "ranking", "degraded": 0.1},
        FULL,
        OptionError,
        "degraded",
        id="degraded where outputs are compared",
    ),
    pytest.param({"protocol": "dda"}, FULL, MetraError, "Did you mean 'da'", id="name"),
]


def test_which_protocols_need_judges_who_have_seen_no_other_version():
    fresh = {
        name
        for name, known in PROTOCOLS.items()
        if any(step.asks.needs_fresh_eyes for step in known.steps)
    }
    assert fresh == {"cloze", "reading", "reading-aloud", "comprehension", "templates"}


@pytest.mark.parametrize(("wish", "streams", "kind", "says"), UNFIT)
def test_wishes_that_the_texts_do_not_allow(wish, streams, kind, says):
    with pytest.raises(kind, match=says):
        freeze_campaign(check_settings(SETTINGS | wish, "x"), corpus(**streams))


def test_settings_at_the_ends_of_their_ranges():
    ranges = {  # values that are accepted, and values just beyond
        **dict.fromkeys(("seed", "calibration"), ([0, 1, 10**9], [-1, 0.0, True])),
        **dict.fromkeys(("each", "sample"), ([1, 2], [0, 1.0])),
        **dict.fromkeys(("repeats", "degraded"), ([0, 0.5], [-0.01, 0.51, True])),
        **dict.fromkeys(
            ("complete", "reference_as_system", "skip_nontranslations", "log_keys"),
            ([True, False], [0, 1, "yes"]),
        ),
        **dict.fromkeys(
            ("name", "protocol", "organiser", "contact"), (["a"], ["", " ", 1])
        ),
        **dict.fromkeys(
            ("source_language", "target_language"), (["fr", "pt-BR"], ["", "f", 1])
        ),
        "judges": ([["a"], ["a", "b"]], [[], ["a", "a"], ["a", ""], "ab"]),
        "basis": (["source", "reference"], ["system", None]),
        "unit": (["segment", "document"], ["word"]),
        "sample_by": (["segment", "document", "within-document"], ["word"]),
        "guide_language": (["en", "de", "fr", "es", "cs", "ja", "ar", "judge"], ["xx"]),
        "options": ([{}, {"every": 6}], [[], {1: 2}]),
    }
    assert set(ranges) == {one.name for one in fields(Settings)}
    for name, (accepted, refused) in ranges.items():
        for value in accepted:
            found = getattr(check_settings(SETTINGS | {name: value}, "x"), name)
            assert found == (tuple(value) if name == "judges" else value)
        for value in refused:
            with pytest.raises(FormatError, match=f"x: {name} is .*; expected"):
                check_settings(SETTINGS | {name: value}, "x")


def test_frozen():
    frozen = freeze_campaign(check_settings(SETTINGS, "x"), corpus(**FULL))
    assert [system.name for system in frozen.systems] == ["one", "two"]
    assert frozen.systems[1].outputs == ("two a", "two b")
    assert frozen.segments[0].source == "s a"
    assert frozen.reference_of(1) == "r b"
    assert frozen.texts == ((0,), (1,))
    assert frozen.calibration == 0


def test_a_document_is_judged_as_one():
    frozen = freeze_campaign(
        check_settings(SETTINGS | {"unit": "document"}, "x"), corpus(**FULL)
    )
    assert frozen.texts == ((0, 1),)


def test_the_version_follows_every_text_and_wish():
    frozen = freeze_campaign(check_settings(SETTINGS, "x"), corpus(**FULL))
    again = freeze_campaign(check_settings(SETTINGS, "x"), corpus(**FULL))
    assert frozen.version == again.version
    seeds = replace(frozen, settings=replace(frozen.settings, seed=1))
    texts = replace(frozen, systems=frozen.systems[::-1])
    source = freeze_campaign(
        check_settings(SETTINGS | {"basis": "source"}, "x"), corpus(**FULL)
    )
    assert len({one.version for one in (frozen, seeds, texts, source)}) == 4
    assert source.protocol.version != frozen.protocol.version
