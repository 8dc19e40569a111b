"""Folders and files of test sets, recognised by their layout."""

import pytest

from metra.errors import FormatError
from metra.formats.testsets.lookup import read_set, recognise_file, recognise_folder
from metra.formats.testsets.record import SetLocation

from .conftest import SGML_REFERENCE, SGML_SOURCE, WMT_XML, write_text


def test_wmt_xml_by_the_languages_in_its_name(tmp_path):
    path = tmp_path / "xml/wmttest2023.cs-uk.all.xml"
    write_text(path, WMT_XML.split("\n")[:-1])
    location = recognise_file(str(path), "general", "")
    texts = read_set(location)
    assert texts.title == "general:cs-uk"
    # As metra reads WMT's XML: blanks stay.
    assert texts.source == ["první  věta", "druhá & další věta", "třetí"]
    assert texts.references["refB"] == ["речення перше", "друге й інше", None]
    assert texts.left_out == 2


def test_sgml_of_source_and_reference(tmp_path):
    source = tmp_path / "newstest2019-ende-src.en.sgm"
    write_text(source, SGML_SOURCE.split("\n")[:-1])
    reference = tmp_path / "newstest2019-ende-ref.de.sgm"
    write_text(reference, SGML_REFERENCE.split("\n")[:-1])
    files = {"src": str(source), "ref": str(reference)}
    texts = read_set(SetLocation("news19", "en-de", "", files))
    assert texts.title == "news19:en-de"
    assert texts.references["ref"][0] == "Fisch & Pommes, zweimal."
    assert texts.documents == ["bbc.1", "bbc.1", "spiegel.7"]
    assert texts.labels["origlang"] == ["en", "en", "de"]


def test_plain_files_as_metra_convert_writes_them(tmp_path, cli):
    table = write_text(
        tmp_path / "t.tsv",
        ["source\tref:A\tref:B\tdoc\tlabel:domain\toutput:sys", "a\tb\tc\td\te\tf"],
    )
    assert cli("convert", table, "-o", tmp_path / "set").code == 0
    (location,) = recognise_folder(tmp_path / "set", "mine", "en-de")
    texts = read_set(location)
    assert (texts.source, texts.references) == (["a"], {"A": ["b"], "B": ["c"]})
    assert (texts.documents, texts.labels) == (["d"], {"domain": ["e"]})


def test_an_empty_line_of_a_reference_is_a_segment(tmp_path):
    write_text(tmp_path / "set/source.txt", ["a", "b"])
    write_text(tmp_path / "set/reference.txt", ["c", ""])
    (location,) = recognise_folder(tmp_path / "set", "mine", "en-de")
    texts = read_set(location)
    assert (texts.references, texts.left_out) == ({"ref": ["c", ""]}, 0)


def test_a_table_holds_everything(tmp_path):
    path = write_text(tmp_path / "my.en-de.tsv", ["source\tref\tdomain", "a\tb\tnews"])
    location = recognise_file(str(path), "mine", "")
    texts = read_set(location)
    assert (location.pair, texts.references) == ("en-de", {"ref": ["b"]})
    assert texts.labels == {"domain": ["news"]}


def test_plain_text_does_not_say_what_it_is(tmp_path):
    path = write_text(tmp_path / "a.txt", ["a"])
    with pytest.raises(FormatError, match=r"a.txt is plain text; give it with"):
        recognise_file(str(path), "mine", "en-de")
