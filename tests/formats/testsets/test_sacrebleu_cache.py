"""sacreBLEU's cache: what metra reads is what sacreBLEU reads."""

import shutil
import sys
from copy import copy

import pytest

from metra.errors import LengthError, MissingResourceError, OptionError
from metra.formats.testsets import lookup
from metra.formats.testsets.lookup import list_cached_sets, list_sets, load_test_set
from metra.formats.testsets.record import select_segments

from .conftest import SGML_REFERENCE, SGML_SOURCE, WMT_XML, write_text

DATASETS = pytest.importorskip("sacrebleu.dataset").DATASETS
XML_PATH = "wmt23/raw/wmt23-news-systems-v.0.1/xml/wmttest2023.cs-uk.all.xml"


@pytest.fixture
def raw(cache):
    """The cache with unpacked files that sacreBLEU has not yet turned into plain ones."""
    for name in ("wmt19", "wmt23"):
        for address in DATASETS[name].data:
            archive = f"{name}.{address.rpartition('/')[2]}"
            write_text(cache / name / "raw" / archive, ["not read"])
    write_text(cache / XML_PATH, WMT_XML.split("\n")[:-1])
    sgm = cache / "wmt19/raw/sgm"
    write_text(sgm / "newstest2019-ende-src.en.sgm", SGML_SOURCE.split("\n")[:-1])
    write_text(sgm / "newstest2019-ende-ref.de.sgm", SGML_REFERENCE.split("\n")[:-1])
    for name, pair in (("wmt19", "en-de"), ("wmt23", "cs-uk")):
        placed = copy(DATASETS[name])
        placed._outdir = str(cache / name)
        placed._rawdir = str(cache / name / "raw")
        placed.process_to_text(pair)
    return cache


@pytest.mark.usefixtures("cache")
def test_plain_files_are_read_with_the_reference_that_sacrebleu_uses():
    texts = load_test_set("wmt23", "en-de")
    assert texts.source == ["One.", "Two.", "Three.", "Four."]
    assert texts.references == {"refA": ["Eins.", "Zwei.", "Drei.", "Vier."]}
    assert texts.documents == ["bbc.1", "bbc.1", "forum.1", "forum.2"]
    assert texts.labels["origlang"] == ["en", "en", "de", "de"]
    assert texts.labels["domain"] == ["news", "news", "social", "social"]


@pytest.mark.usefixtures("cache")
def test_another_reference_can_be_named():
    texts = load_test_set("wmt23", "en-de", references=["refB", "refA"])
    assert list(texts.references) == ["refB", "refA"]


def test_of_the_usual_references_some_may_be_missing(cache):
    # sacreBLEU asks for A and for the one without a name, and takes what there is.
    for field in ("src", "ref-A"):
        write_text(cache / f"wmt21/dev/wmt21_dev.en-ha.{field}", ["x"])
    assert load_test_set("wmt21/dev", "en-ha").references == {"A": ["x"]}


@pytest.mark.usefixtures("cache")
def test_outputs_of_systems_are_no_references():
    (location,) = list_cached_sets()
    assert not any(path.endswith("ONLINE-B") for path in location.files.values())


@pytest.mark.usefixtures("cache")
def test_what_the_cache_has_not_is_missing():
    assert list_sets("wmt23", "de-en") == list_sets("wmt99", "en-de") == []


def test_the_cache_is_where_the_variable_says(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "elsewhere"))
    assert list(list_cached_sets()) == []
    shutil.move(cache, tmp_path / "elsewhere")
    assert [location.title for location in list_cached_sets()] == ["wmt23:en-de"]


def test_names_with_slashes_are_folders_in_folders(cache):
    for field in ("src", "ref-0", "ref-1"):
        write_text(cache / f"wmt20/tworefs/wmt20_tworefs.de-en.{field}", ["x"])
    texts = load_test_set("wmt20/tworefs", "de-en")
    assert list(texts.references) == ["0", "1"]
    assert [location.name for location in list_cached_sets()] == [
        "wmt20/tworefs",
        "wmt23",
    ]


def test_models_and_half_written_sets_are_no_sets(cache):
    write_text(cache / "models/flores.src", ["x"])
    write_text(cache / "wmt18/wmt18.en-de.src", ["x"])
    assert [location.name for location in list_cached_sets()] == ["wmt23"]


def test_files_of_different_lengths_are_refused(cache):
    write_text(cache / "wmt23/wmt23.en-de.docid", ["bbc.1"])
    with pytest.raises(LengthError, match=r"docid has 1 segment but .* has 4; each"):
        load_test_set("wmt23", "en-de")


@pytest.mark.usefixtures("raw")
def test_unpacked_xml_is_read_as_sacrebleu_would_write_it():
    texts = load_test_set("wmt23", "cs-uk", references=["refA", "refB"])
    assert texts.source == ["první věta", "druhá & další věta", "třetí"]
    assert texts.references == {
        "refA": ["перше речення", "друге & інше", "третє"],
        "refB": ["речення перше", "друге й інше", ""],
    }
    assert texts.documents == ["d1", "d1", "d2"]
    assert texts.labels["origlang"] == ["cs", "cs", "uk"]


@pytest.mark.usefixtures("raw")
def test_unpacked_sgml_keeps_its_entities_as_sacrebleu_does():
    texts = load_test_set("wmt19", "en-de")
    assert texts.source == ["Fish &amp; chips, twice.", "A line in two.", "The third."]
    assert texts.references == {
        "ref": ["Fisch &amp; Pommes, zweimal.", "Eine Zeile.", "Das Dritte."]
    }
    assert texts.documents == ["bbc.1", "bbc.1", "spiegel.7"]
    assert texts.labels["origlang"] == ["en", "en", "de"]


@pytest.mark.parametrize("origin", ["cs", "uk", "non-cs", "en", "de", "non-en"])
@pytest.mark.parametrize(
    ("name", "pair"), [("wmt23", "cs-uk"), ("wmt19", "en-de")], ids=["xml", "sgml"]
)
def test_sacrebleu_chooses_the_same_origins(raw, name, pair, origin, monkeypatch):
    from sacrebleu import utils

    monkeypatch.setattr(utils, "SACREBLEU_DIR", str(raw))
    if name == "wmt23":  # sacreBLEU looks for the file of this pair by its first path
        assert DATASETS[name].langpairs[pair][0] in XML_PATH
    rows = list(range(3))
    (expected,) = utils.filter_subset([rows], name, pair, origin)
    texts = load_test_set(name, pair)
    if expected:
        kept = select_segments(texts, [f"origlang={origin}"]).keep_segments(rows)
        assert kept == expected
    else:
        with pytest.raises(OptionError, match="No segment of"):
            select_segments(texts, [f"origlang={origin}"])


@pytest.mark.usefixtures("cache")
def test_without_sacrebleu_only_a_named_set_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    monkeypatch.setitem(sys.modules, "sacrebleu.dataset", None)
    monkeypatch.setattr(lookup, "is_installed", lambda: False)
    assert list_sets() == list_sets("mine", "en-de") == []
    with pytest.raises(MissingResourceError, match=r"pip install '\.\[testsets\]'"):
        load_test_set("wmt23", "en-de")


def test_references_are_those_of_the_installed_sacrebleu():
    for definition in DATASETS.values():
        for pair in definition.langpairs:
            expected = ()
            if hasattr(definition, "_get_langpair_allowed_refs"):
                fields = definition._get_langpair_allowed_refs(pair)
                expected = tuple(field.removeprefix("ref:") for field in fields)
            assert lookup.get_references(definition, pair) == expected
