"""Guides: every protocol has one, and what it teaches is an answer that would be taken."""

import pytest

from metra.campaign import own_wording
from metra.campaign.own_wording import read_guide
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.errors import FormatError

NAMES = ("ldc", "adequacy", "da", "da-sqm", "esa", "mqm", "pairwise", "ranking")


@pytest.mark.parametrize("name", NAMES)
def test_a_guide_has_examples_that_can_be_answered_so(name):
    found = read_guide(name)
    assert len(found.lead) > 40
    assert len(found.points) >= 4
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
    monkeypatch.setattr(own_wording, "_TEXTS", tmp_path)
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
    monkeypatch.setattr(own_wording, "_TEXTS", tmp_path)
    read_guide.cache_clear()
    with pytest.raises(FormatError, match=r"marks 'c', which is not in its output"):
        read_guide("mqm")
    read_guide.cache_clear()
