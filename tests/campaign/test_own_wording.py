"""A campaign's own words: what judges read, checked, and never what is measured."""

import pytest
from tests.campaign.campaigns import opened
from tests.tables import load_cases

from metra.campaign.creation import open_campaign
from metra.campaign.protocols.registry import protocol
from metra.campaign.translations import (
    add_wordings,
    choose_campaign_wording,
    parse_wordings,
)
from metra.corpus import examples
from metra.errors import FormatError
from metra.store.campaigns import from_json, to_json

EXAMPLE = examples.HOME / "campaigns" / "own-words.toml"


def own(asked="adequacy", **table):
    [found] = parse_wordings({"language": "pt"} | table, protocol(asked), "c.toml")
    return found


def test_the_example_speaks_portuguese_and_measures_adequacy():
    found = open_campaign(str(EXAMPLE))
    assert found.protocol == protocol("adequacy")
    [words] = found.wordings
    assert (words.language, words.author) == ("pt", "campaign")
    assert words.title == "Traduções de um mercado e de um freio"
    assert len(words.introduction) == 2
    [step] = words.steps
    assert [anchor.label for anchor in step.anchors][:2] == ["Tudo", "A maior parte"]
    assert [anchor.at for anchor in step.anchors] == [5, 4, 3, 2, 1]
    assert step.elsewhere == {}
    assert [example.answer for example in words.examples] == [
        {"adequacy": 5},
        {"adequacy": 3},
    ]
    assert words.examples_in == ""
    assert from_json(to_json(found)) == found


def test_every_judge_reads_it_whatever_the_pages_speak():
    found = open_campaign(str(EXAMPLE))
    assert {
        choose_campaign_wording(found, code).language for code in ("en", "ja", "pt")
    } == {"pt"}


def test_what_is_left_out_is_metras_own_in_that_language_else_english():
    question = {"adequacy": {"question": "¿Cuánto?"}}
    [words] = own(language="es", steps=question).steps
    assert words.question == "¿Cuánto?"
    assert words.anchors[0].label == "Todo"
    assert words.elsewhere == {}
    found = own(steps={"adequacy": {"question": "Quanto?"}})
    [words] = found.steps
    assert words.anchors[0].label == "All"
    assert words.elsewhere == {"name": "en", "anchors": "en"}
    assert found.elsewhere == {"guide": "en", "examples": "en"}
    assert found.examples_in == "en"
    regional = own(language="es-MX", title="Uno")
    assert regional.steps[0].elsewhere["anchors"] == "es"
    assert regional.language_of("guide") == "es"


def test_an_own_guide_replaces_metras_wholly():
    found = own(paragraphs=["Um.", "Dois."])
    assert (found.lead, found.points, found.paragraphs) == ("", (), ("Um.", "Dois."))
    assert found.language_of("guide") == "pt"


def test_several_languages_are_several_tables():
    tables = [{"language": "pt", "title": "Um"}, {"language": "it", "title": "Uno"}]
    found = parse_wordings(tables, protocol("da"), "c.toml")
    assert [one.title for one in found] == ["Um", "Uno"]
    with pytest.raises(FormatError, match="two wordings have the same language"):
        parse_wordings([tables[0], tables[0]], protocol("da"), "c.toml")


def test_marks_of_own_examples_quote_the_words_they_stand_on():
    example = {
        "other": "Bom dia.",
        "outputs": ["Good night."],
        "answer": {"errors": [{"text": "night", "severity": "major"}], "esa": 20},
        "why": "É de dia; marque também {missing} se algo faltar.",
    }
    [found] = own("esa", examples=[example]).examples
    [mark] = found.answer["errors"]
    assert (mark["start"], mark["end"]) == (5, 10)


WRONG = load_cases("own wording: wrong")


@pytest.mark.parametrize(("table", "message"), WRONG)
def test_what_is_wrong_is_said_in_one_sentence(table, message):
    with pytest.raises(FormatError, match=rf"c\.toml: .*{message}"):
        own(**table)


def test_a_wording_is_a_table():
    with pytest.raises(
        FormatError, match=r"c\.toml: wording is 'pt'; expected a table"
    ):
        parse_wordings("pt", protocol("da"), "c.toml")


def test_one_wish_for_the_language_is_enough():
    frozen = opened("adequacy", guide_language="de")
    with pytest.raises(FormatError, match=r"guide_language and \[wording\]"):
        add_wordings(frozen, {"language": "pt"}, "c.toml")


def test_choices_are_named_all_or_none():
    names = {"minor": "leve", "major": "grave"}
    steps = {"errors": {"question": "Marque.", "names": names}}
    found = own("esa", steps=steps)
    assert found.steps[0].names == names
    with pytest.raises(FormatError, match="names has no major; expected a text"):
        own("esa", steps={"errors": {"names": {"minor": "leve"}}})


def test_scores_do_not_know_the_words():
    plain = opened("adequacy")
    asked = open_campaign(str(EXAMPLE)).protocol
    assert asked.version == plain.protocol.version


def test_of_several_wordings_the_number_is_named():
    asked, good = protocol("da"), {"language": "pt"}
    for tables, where in (
        ({"language": 5}, "c.toml: wording"),
        ([{"language": 5}], "c.toml: wording"),
        ([good, {"language": 5}], "c.toml: wording 2"),
        ([{"language": 5}, good, good], "c.toml: wording 1"),
    ):
        with pytest.raises(FormatError) as caught:
            parse_wordings(tables, asked, "c.toml")
        found = str(caught.value)
        assert found.startswith(where)
        assert ("wording 1" in found, "wording 2" in found) == (
            where.endswith("1"),
            where.endswith("2"),
        )
