"""What judges read: every language says everything, and nothing that it says is measured."""

import csv
import io
import json
import re
import string
import zipfile
from dataclasses import replace

import pytest
from tests.campaign.campaigns import opened
from tests.campaigns import check_answer
from tests.judged import parse_judgement_lines

from metra.campaign import translations
from metra.campaign.assignment import assign
from metra.campaign.codebook import write_codebook
from metra.campaign.judgement import format_judgement_lines
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.campaign.translations import (
    freeze_wordings,
    list_wordings,
    read_catalogue,
    read_guide,
    translate_protocol,
)
from metra.campaign.words import LANGUAGES, OFFICIAL, format_point, get_step_words
from metra.errors import FormatError
from metra.report.campaign_files import export_judgements
from metra.store.campaigns import from_json, to_json

TRANSLATIONS = [code for code in LANGUAGES if code != "en"]


def places(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


def english(name: str) -> dict[tuple[object, ...], str]:
    """Every text of a protocol that judges read, by where it stands."""
    ours = read_guide(name)
    found: dict[tuple[object, ...], str] = {("lead",): ours.lead}
    found |= {("points", at): text for at, text in enumerate(ours.points)}
    found |= {("why", at): one.why for at, one in enumerate(ours.examples)}
    for step in PROTOCOLS[name].steps:
        words = get_step_words(step)
        here = ("steps", step.name)
        found |= {(*here, "name"): words.name, (*here, "question"): words.question}
        for anchor in words.anchors:
            found[(*here, "labels", format_point(anchor.at))] = anchor.label
            found[(*here, "texts", format_point(anchor.at))] = anchor.text
        found |= {(*here, "names", key): text for key, text in words.names.items()}
        if words.brief:
            found[(*here, "brief")] = words.brief
    return found


def flat(content: object, *here: object) -> dict[tuple[object, ...], str]:
    if isinstance(content, str):
        return {here: content}
    entries = content.items() if isinstance(content, dict) else enumerate(content)  # type: ignore[arg-type]
    return {
        key: text
        for name, entry in entries
        for key, text in flat(entry, *here, name).items()
    }


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_catalogue_has_every_text_and_place_and_no_other(language):
    found = read_catalogue(language)
    assert set(found) == set(PROTOCOLS)
    for name in PROTOCOLS:
        ours, theirs = english(name), flat(found[name])
        assert set(theirs) == set(ours), name
        for key, text in theirs.items():
            assert text == text.strip() != "", (name, key)
            if key[-2:-1] != ("labels",) or not text.isdecimal():
                assert places(text) == places(ours[key]), (name, key)


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_keeps_what_is_measured(name, language):
    asked = protocol(name)
    found = translate_protocol(asked, language)
    assert found.author == "translation"
    assert found.language == language
    assert [example.answer for example in found.examples] == [
        example.answer for example in read_guide(name).examples
    ]
    for step in asked.steps:
        words, ours = found.of_step(step), get_step_words(step)
        assert words.elsewhere == {}
        assert [one.at for one in words.anchors] == [one.at for one in ours.anchors]
        assert list(words.names) == list(ours.names)
        assert words.question != ours.question


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_in_a_label_is_what_the_judge_types_for_it(language):
    for asked in PROTOCOLS.values():
        found = translate_protocol(asked, language)
        for step in asked.steps:
            for anchor in found.of_step(step).anchors:
                numbers = re.findall(r"\d+", anchor.label)
                assert numbers in ([], [f"{anchor.at:g}"]), (asked.name, anchor)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_names_within_a_step_differ(language):
    """Two answers that read the same would be one answer to a judge."""
    for asked in PROTOCOLS.values():
        found = translate_protocol(asked, language)
        for step in asked.steps:
            words = found.of_step(step)
            labels = [anchor.label for anchor in words.anchors]
            assert len(set(labels)) == len(labels), (asked.name, labels)
            leaves = [text for key, text in words.names.items() if "/" not in key]
            assert len(set(leaves)) == len(leaves), (asked.name, leaves)


def test_words_that_a_campaign_changed_are_not_translated():
    asked = protocol("correction", {"brief": "For a first look only."})
    words = translate_protocol(asked, "de").of_step(asked.steps[0])
    assert words.brief == "For a first look only."
    assert words.elsewhere == {"brief": "en"}
    assert words.question.startswith("Beginnen Sie")
    asked = protocol("entity-tagging", {"types": ["SHIP", "PERSON"]})
    words = translate_protocol(asked, "fr").of_step(asked.steps[0])
    assert words.names == {"SHIP": "SHIP", "PERSON": "PERSON"}
    assert words.elsewhere == {"names": "en"}
    asked = protocol("entity-tagging", {"types": ["PERSON"]})
    words = translate_protocol(asked, "fr").of_step(asked.steps[0])
    assert words.names == {"PERSON": "personne"}
    assert words.elsewhere == {}


@pytest.mark.parametrize(
    ("name", "wish", "expected"),
    [
        pytest.param("ldc", None, ("en",), id="published words stay as they are"),
        pytest.param("cloze", None, LANGUAGES, id="other words follow the judge"),
        pytest.param("ldc", "judge", LANGUAGES, id="if the campaign wishes it"),
        pytest.param("cloze", "ja", ("ja",), id="one language for all judges"),
        pytest.param("mqm", "en", ("en",), id="English for all judges"),
    ],
)
def test_which_languages_a_campaign_offers(name, wish, expected):
    frozen = opened(name)
    settings = replace(frozen.settings, guide_language=wish)
    found = freeze_wordings(replace(frozen, settings=settings))
    assert tuple(one.language for one in found.wordings) == expected
    assert list_wordings(replace(found, wordings=())) == found.wordings
    assert from_json(to_json(found)) == found
    assert found.version != frozen.version


def test_official_protocols_exist():
    assert set(PROTOCOLS) > OFFICIAL


def test_a_record_names_the_words_that_were_read():
    frozen = opened("adequacy", guide_language="de")
    frozen = freeze_wordings(frozen)
    [task, *_] = assign(frozen, secret=b"s" * 32)
    one = check_answer(frozen, task, {"adequacy": 3}, id="1", wording="de")
    assert (one.wording, one.wording_version) == ("de", frozen.wordings[0].version)
    assert (
        one.protocol_version
        == check_answer(frozen, task, {"adequacy": 3}, id="2").protocol_version
    )
    assert parse_judgement_lines(format_judgement_lines([one]), "x") == [one]
    text = write_codebook([one], frozen)
    assert f"translated by metra, not validated | {one.wording_version} | 1 |" in text
    assert "| wording | Language of the questions and guide shown. |" in text
    packed = zipfile.ZipFile(
        io.BytesIO(export_judgements("zip", [one], frozen).content)
    )
    [read] = json.loads(packed.read("wordings.json"))
    assert read["version"] == one.wording_version
    assert read["steps"][0]["question"] == frozen.wordings[0].steps[0].question
    rows = list(
        csv.DictReader(io.StringIO(export_judgements("csv", [one]).content.decode()))
    )
    assert [row["wording"] for row in rows] == ["de"]


def test_a_translation_of_other_english_is_none():
    """A campaign that was frozen under older words keeps these."""
    asked = protocol("adequacy")
    [step] = asked.steps
    scale = replace(step.asks, anchors=step.asks.anchors[1:])
    older = replace(asked, steps=(replace(step, question="How much?", asks=scale),))
    words = translate_protocol(older, "de").of_step(older.steps[0])
    assert words.question == "How much?"
    assert words.anchors == scale.anchors
    assert words.elsewhere == {"question": "en", "anchors": "en"}


NAMES = ("ldc", "adequacy", "da", "da-sqm", "esa", "mqm", "pairwise", "ranking")


@pytest.mark.parametrize("name", NAMES)
def test_a_guide_has_examples_that_can_be_answered_so(name):
    found = read_guide(name)
    assert len(found.lead) > 40
    assert len(found.points) >= 3
    assert len(found.examples) >= 2
    asked = protocol(name)
    for example in found.examples:
        assert set(example.answer) == {step.name for step in asked.steps}
        assert len(example.outputs) >= (2 if asked.contrastive else 1)
        assert example.why


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name not in NAMES])
def test_what_a_guide_of_the_workbook_teaches_would_be_right(name):
    found = read_guide(name)
    assert len(found.lead) > 20
    assert len(found.points) >= 2
    timed = {"correction", "reading", "reading-aloud"}
    assert bool(found.examples) == (name not in timed and "reconciliation" not in name)
    for example in found.examples:
        assert example.why
        assert "key" not in str(example.answer)
        assert "accepted" not in str(example.extra)
        for step, value in example.answer.items():
            if step == "tags":
                quoted = [
                    example.outputs[0][one["start"] : one["end"]]
                    for one in value["tags"]
                ]
                assert quoted == [one["text"] for one in value["tags"]]


def test_marks_of_examples_stand_on_the_words_they_quote():
    [first, missing, none] = read_guide("esa").examples
    marks = first.answer["errors"]
    quoted = [first.outputs[0][mark["start"] : mark["end"]] for mark in marks]
    assert quoted == ["evening", "take"]
    assert [mark["side"] for mark in missing.answer["errors"]] == ["missing"]
    assert none.answer["errors"] == []


def test_a_protocol_without_a_guide_has_its_title(tmp_path, monkeypatch):
    monkeypatch.setattr(translations, "_TEXTS", tmp_path)
    read_guide.cache_clear()
    assert read_guide("da").lead == "Direct assessment"
    assert read_guide("da").examples == ()
    read_guide.cache_clear()


def test_a_quote_that_is_not_there_is_refused(tmp_path, monkeypatch):
    (tmp_path / "guides").mkdir()
    (tmp_path / "guides" / "mqm.en.toml").write_text(
        'lead = ""\npoints = []\n[[examples]]\nother = "a"\noutputs = ["b"]\nwhy = ""\n'
        'answer = { mqm = [{ text = "c", severity = "minor", category = "other" }] }\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(translations, "_TEXTS", tmp_path)
    read_guide.cache_clear()
    with pytest.raises(FormatError, match=r"marks 'c', which is not in its output"):
        read_guide("mqm")
    read_guide.cache_clear()
