"""Campaigns: what is read and frozen, and what is refused with which words."""

from dataclasses import asdict, fields, replace

import pytest
from tests.tables import load_cases

from metra import errors
from metra.campaign.creation import freeze_campaign, open_campaign
from metra.campaign.settings import (
    FORM_FIELDS,
    Settings,
    check_settings,
    derive_settings,
    list_form_defaults,
)
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import FormatError

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

UNFIT = load_cases("campaign: unfit")


@pytest.mark.parametrize(("wish", "streams", "kind", "says"), UNFIT)
def test_wishes_that_the_texts_do_not_allow(wish, streams, kind, says):
    with pytest.raises(getattr(errors, kind), match=says):
        freeze_campaign(check_settings(SETTINGS | wish, "x"), corpus(**streams))


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


HEAD = """name = "spring"
protocol = "adequacy"
source_language = "fr"
target_language = "en"
judges = ["ann", "bob"]
each = 1
"""


def test_files_are_found_from_the_folder_of_the_campaign(write):
    write("a/one.txt", ["one"])
    write("a/two.txt", ["two"])
    write("a/ref.txt", ["ref"])
    write("a/src.txt", ["src"])
    write("a/docs.txt", ["doc"])
    write("a/b/base.txt", ["natural words"])
    write("a/b/names.tsv", ["segment\ttype\ttext", "1\tperson\tAnn"])
    files = (
        '[files]\noutputs = ["first=one.txt", "two.txt"]\nreferences = ["ref.txt"]\n'
        'source = "src.txt"\ndocuments = "docs.txt"\nbaseline = "b/base.txt"\n'
        'entities = "b/names.tsv"\n'
    )
    found = open_campaign(str(write("a/c.toml", (HEAD + files).encode())))
    assert found.material["baseline"] == "natural words"
    assert set(found.material["entities"]) == {"1"}
    assert [system.name for system in found.systems] == ["first", "two"]
    [segment] = found.segments
    assert (segment.document, segment.source, segment.references) == (
        "doc",
        "src",
        ("ref",),
    )


WRONG = load_cases("opening: wrong")


@pytest.mark.parametrize(("files", "says"), WRONG)
def test_what_is_wrong_with_the_file(write, files, says):
    path = write("c.toml", (HEAD + files).encode())
    with pytest.raises(FormatError, match=says) as error:
        open_campaign(str(path))
    assert "c.toml" in str(error.value)


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
        "segment, document or within-document",
        "text",
    ),
    "each": (*SIZES, "a whole number, 1 or more", "count"),
    "calibration": (*COUNTS, "a whole number, 0 or more", "count"),
    "complete": (*SWITCHES, "true or false", "switch"),
    "several_versions": (*SWITCHES, "true or false", "switch"),
    "repeats": (*SHARES, "a share from 0 to 0.5", "percent"),
    "degraded": (*SHARES, "a share from 0 to 0.5", "percent"),
    "reference_as_system": (*SWITCHES, "true or false", "switch"),
    "skip_nontranslations": (*SWITCHES, "true or false", "switch"),
    "log_keys": (*SWITCHES, "true or false", ""),
    "options": (
        [{}, {"every": 6}],
        [5, [], "every", None],
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
    for kind, names in FORM_FIELDS.items():
        assert (name in names) == (kind == form)


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
        **{"several_versions": False},
        **{"repeats": None, "degraded": None, "reference_as_system": False},
        **{"skip_nontranslations": False, "log_keys": False, "options": {}},
        **{"organiser": "", "contact": "", "guide_language": None},
    }
    assert list_form_defaults() == {
        **{"seed": "12345", "unit": "segment", "sample_by": "segment", "each": "2"}
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
