"""Names that came through: worked by hand, against a plain twin, and by a model."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra
from metra.errors import CorpusError, MissingResourceError, OptionError

NAMES = [
    "segment\ttype\ttext",
    "1\tPERSON\tHélène Castagnier",
    "1\tPERSON\tHELENE CASTAGNIER'S",
    "1\tDATE\t1956",
    "2\tQUANTITY\tforty-two",
    "4\tPERSON\tHélène Castagnier",
]
OUTPUTS = [
    "Helene Castagnier has sold here since 1965.",
    "Of the 42 traders",
    "Nothing to find.",
    "Castagnier says",
]


@pytest.fixture
def names(write):
    return str(write("names.tsv", NAMES))


def test_by_hand(names):
    result = metra.score(OUTPUTS, metric=f"entities:file={names}")
    # Found: the person of segment 1, once, and 42. Not: 1956, and half of the last name.
    assert result.score == 50
    shares = result.segments.tolist()
    assert shares[:2] + shares[3:] == [50, 100, 0]
    assert math.isnan(shares[2])
    assert result.parts == {
        "found": 2,
        "listed": 4,
        "partial": 62.5,  # 1 + 0 + 1 + 1/2 of 4
        "DATE_found": 0,
        "DATE_listed": 1,
        "DATE": 0,
        "PERSON_found": 1,
        "PERSON_listed": 2,
        "PERSON": 50,
        "QUANTITY_found": 1,
        "QUANTITY_listed": 1,
        "QUANTITY": 100,
    }


@pytest.mark.seed("5.23")
def test_by_document_a_name_counts_once_and_may_stand_anywhere(names, write, cli):
    output = write("out.txt", OUTPUTS)
    docs = write("docs.txt", ["a", "a", "b", "b"])
    spec = f"entities:file={names},unit=document"
    ran = cli("score", output, "-m", spec, "--docs", docs, "--level", "document",
              "--details", "--format", "json")  # fmt: skip
    (system,) = json.loads(ran.out)["systems"]
    assert system["documents"][spec] == {"a": pytest.approx(200 / 3), "b": 0}
    assert [entry["text"] for entry in system["details"][spec]] == [
        "1956",
        "Hélène Castagnier",
    ]
    one = write("docs.txt", ["a"] * 4)
    ran = cli("score", output, "-m", spec, "--docs", one, "--format", "json")
    (score,) = json.loads(ran.out)["systems"][0]["scores"].values()
    # Helene is listed once for the document, and found in its first segment.
    assert score["parts"]["listed"] == 3
    assert score["score"] == pytest.approx(200 / 3)


def test_names_of_documents(write, cli):
    names = write("n.tsv", ["document\ttype\ttext", "b\tX\tfoo", "b\tX\tbar"])
    output, docs = write("o.txt", ["foo", "x", "bar"]), write("d.txt", ["a", "b", "b"])
    spec = f"entities:file={names},unit=document"
    ran = cli("score", output, "-m", spec, "--docs", docs, "--format", "json")
    (score,) = json.loads(ran.out)["systems"][0]["scores"].values()
    assert score["score"] == 50
    with pytest.raises(OptionError, match=r"give unit=document\.$"):
        metra.metric(f"entities:file={names}")


def test_details(names):
    found = list(
        metra.metric(f"entities:file={names}").notes.details(metra.Batch(OUTPUTS))
    )
    assert [(entry.at, entry.note, entry.text, entry.about) for entry in found] == [
        (0, "missing", "1956", {"type": "DATE"}),
        (3, "partly there", "Hélène Castagnier", {"type": "PERSON"}),
    ]


def twin(names, outputs):
    """Found and listed, by plain search in texts of lower-case letters."""
    found = listed = 0
    for at, output in enumerate(outputs, 1):
        for name in {name for segment, name in names if segment == at}:
            listed += 1
            found += bool(re.search(rf"(?<!\S){re.escape(name)}(?!\S)", output))
    return found, listed


words = st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(" ".join)
few = st.lists(st.sampled_from("abc"), min_size=1, max_size=2).map(" ".join)


@given(
    st.lists(words, min_size=3, max_size=3),
    st.lists(st.tuples(st.integers(1, 3), few), min_size=1),
)
def test_twin(tmp_path_factory, outputs, names):
    path = tmp_path_factory.mktemp("n") / "n.tsv"
    lines = ["segment\ttype\ttext", *(f"{at}\tX\t{name}" for at, name in names)]
    path.write_text("\n".join(lines))
    result = metra.score(outputs, metric=f"entities:file={path}")
    assert (result.parts["found"], result.parts["listed"]) == twin(names, outputs)


def test_refusals(write):
    path = str(write("n.tsv", ["segment\ttype\ttext", "1\tX\t--"]))
    with pytest.raises(OptionError, match=r"lists '--', which contains no word\.$"):
        metra.metric(f"entities:file={path}")
    path = str(write("m.tsv", ["segment\ttype\ttext", "2\tX\ty"]))
    with pytest.raises(CorpusError, match="refers to segment 2, but the text has 1"):
        metra.score(["a"], metric=f"entities:file={path}")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model of two rules, saved as models are."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "GPE", "pattern": "Paris"},
            {"label": "PERSON", "pattern": "Mary Ann"},
        ]
    )
    pipeline.meta |= {"name": "rules", "version": "1.2"}
    path = tmp_path_factory.mktemp("model") / "rules"
    pipeline.to_disk(path)
    return str(path)


def test_names_found_by_a_model(model):
    refs = [["Mary Ann is in Paris, Paris!", None, "x"], ["", "Paris", "Paris"]]
    result = metra.score(["mary ann", "PARIS", "y"], refs, f"entities:model={model}")
    # The first reference that is there is looked at: Paris counts once in segment 1.
    assert result.parts == {
        "found": 2,
        "listed": 3,
        "partial": 200 / 3,
        "GPE_found": 1,
        "GPE_listed": 2,
        "GPE": 50,
        "PERSON_found": 1,
        "PERSON_listed": 1,
        "PERSON": 100,
    }
    assert "|model:en_rules 1.2, spaCy 3." in result.signature
    assert "|file:none|" in result.signature


def test_a_model_that_is_not_there(tmp_path):
    spacy = pytest.importorskip("spacy")
    with pytest.raises(
        MissingResourceError, match=r"has no model 'en_none' \(installed"
    ):
        metra.metric("entities:model=en_none")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(MissingResourceError, match="finds no names; choose one"):
        metra.metric(f"entities:model={tmp_path / 'blank'}")


def test_without_spacy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(MissingResourceError) as caught:
        metra.metric("entities:model=other")
    assert str(caught.value) == (
        "entities: model=other needs the package 'spacy', which is not installed; install it "
        "with: pip install '.[ner]' in metra's source folder"
    )
