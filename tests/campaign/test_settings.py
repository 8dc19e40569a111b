"""Every setting of a campaign: what it may be, what is said of the rest, how forms ask."""

from dataclasses import asdict, fields

import pytest

from metra.campaign.settings import (
    Settings,
    check_settings,
    derive_settings,
    list_form_defaults,
    list_form_fields,
)
from metra.errors import FormatError

LEAST = {
    "name": "spring",
    "protocol": "ldc",
    "source_language": "fr",
    "target_language": "en",
    "judges": ["ann", "bob"],
}
CODES = (["fr", " de ", "pt-BR", "zh-Hant-TW"], ["", "french!", "../x", 5, None])
WORDS = (["a", " a "], ["", "  ", 5, None])
COUNTS = ([0, 1, 10**9], [-1, 1.0, True, "1", None])
SIZES = ([1, 2, 10**9], [0, -1, 1.5, True, "1", None])
SHARES = ([0, 0.0, 0.05, 0.5], [-0.01, 0.51, 1, "0.1", True, None])
SWITCHES = ([True, False], [0, 1, "true", None])
#: By setting: values that fit and that do not, what is expected, how forms ask for it.
RULES = {
    "name": (*WORDS, "a name", "text"),
    "protocol": (*WORDS, "a protocol's name, such as ldc", "text"),
    "source_language": (*CODES, "a language code such as fr", "text"),
    "target_language": (*CODES, "a language code such as en", "text"),
    "judges": (
        [["ann"], ("ann", "bob")],
        [[], "ann", ["ann", "ann"], ["ann", ""], ["ann", 5], None],
        "a list of different names",
        "",
    ),
    "seed": (*COUNTS, "a whole number, 0 or more", "count"),
    "basis": (
        ["source", "reference"],
        ["", "both", None],
        "source or reference",
        "text",
    ),
    "unit": (
        ["segment", "document"],
        ["", "within-document", None],
        "segment or document",
        "text",
    ),
    "sample": (*SIZES, "a whole number, 1 or more", "count"),
    "sample_by": (
        ["segment", "document", "within-document"],
        ["", "word", None],
        "segment, document, within-document",
        "text",
    ),
    "each": (*SIZES, "a whole number, 1 or more", "count"),
    "calibration": (*COUNTS, "a whole number, 0 or more", "count"),
    "complete": (*SWITCHES, "true or false", "switch"),
    "repeats": (*SHARES, "a share from 0 to 0.5", "percent"),
    "degraded": (*SHARES, "a share from 0 to 0.5", "percent"),
    "reference_as_system": (*SWITCHES, "true or false", "switch"),
    "skip_nontranslations": (*SWITCHES, "true or false", "switch"),
    "log_keys": (*SWITCHES, "true or false", ""),
    "options": (
        [{}, {"every": 6}],
        [5, [], "every", {1: 2}, None],
        "a table that adapts the protocol, named like it",
        "",
    ),
    "organiser": (*WORDS, "who runs the campaign", "text"),
    "contact": (*WORDS, "an address for questions", "text"),
    "guide_language": (
        ["en", "de", "fr", "es", "cs", "ja", "ar", "judge"],
        ["", "xx", "English", None],
        "en, de, fr, es, cs, ja, ar, or judge for the language of each judge's pages",
        "text",
    ),
}


def test_the_table_has_every_setting():
    assert [one.name for one in fields(Settings)] == list(RULES)


@pytest.mark.parametrize("name", RULES)
def test_values_of_a_setting(name):
    fitting, others, expected, form = RULES[name]
    for value in fitting:
        settings = check_settings(LEAST | {name: value}, "c.toml")
        wanted = tuple(value) if name == "judges" else value
        assert getattr(settings, name) == wanted
    for value in others:
        with pytest.raises(FormatError) as caught:
            check_settings(LEAST | {name: value}, "c.toml")
        message = f"c.toml: {name} is {value!r}; expected {expected}."
        assert str(caught.value) == message
    for kind in ("text", "count", "percent", "switch"):
        assert (name in list_form_fields(kind)) == (kind == form)


@pytest.mark.parametrize("name", LEAST)
def test_settings_without_default(name):
    table = {key: value for key, value in LEAST.items() if key != name}
    with pytest.raises(FormatError) as caught:
        check_settings(table, "c.toml")
    assert str(caught.value) == f"c.toml has no {name}; expected {RULES[name][2]}."


def test_defaults():
    judges = ("ann", "bob")
    assert asdict(check_settings(LEAST, "c.toml")) == LEAST | {"judges": judges} | {
        **{"seed": 12345, "basis": None, "unit": "segment", "sample": None},
        **{"sample_by": "segment", "each": 2, "calibration": None, "complete": False},
        **{"repeats": None, "degraded": None, "reference_as_system": False},
        **{"skip_nontranslations": False, "log_keys": False, "options": {}},
        **{"organiser": "", "contact": "", "guide_language": None},
    }
    assert list_form_defaults() == {
        **{"seed": "12345", "unit": "segment", "sample_by": "segment", "each": "2"},
    }


def test_a_table_named_like_the_protocol_adapts_it():
    cloze = LEAST | {"protocol": "cloze"}
    settings = check_settings(cloze | {"cloze": {"every": 6}}, "c.toml")
    assert settings.options == {"every": 6}
    with pytest.raises(FormatError, match="ldc"):
        check_settings(cloze | {"ldc": {"every": 6}}, "c.toml")
    with pytest.raises(FormatError, match=r"c\.toml.*eech.*each"):
        check_settings(LEAST | {"eech": 2}, "c.toml")


def test_settings_of_a_campaign_that_settles_another():
    first = LEAST | {
        **{"seed": 7, "each": 3, "complete": True, "sample": 9, "calibration": 2},
        **{"repeats": 0.2, "degraded": 0.3, "guide_language": "de", "unit": "document"},
    }
    made = derive_settings(check_settings(first, "c"), "second", "da", ["cleo"], 2)
    assert asdict(made) == asdict(check_settings(LEAST, "c")) | {
        **{"name": "second", "protocol": "da", "judges": ("cleo",), "seed": 7},
        **{"each": 1, "calibration": 0, "repeats": 0.0, "degraded": 0.0},
        **{"guide_language": "de"},
    }
    names = ["ann", "bob", "cleo"]
    assert derive_settings(made, "x", "da", names, 2).each == 2
