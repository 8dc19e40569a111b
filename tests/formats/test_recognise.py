"""Formats are recognised by name, and marked-up files by the way they begin."""

from types import SimpleNamespace

import pytest

from metra.errors import FormatError, UnknownNameError
from metra.formats.recognise import (
    FORMATS,
    FileHead,
    choose_format,
    read_head,
    recognise,
)

SGML = b'<refset setid="x" srclang="any" trglang="en">\n'
XML = b"<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"x\">"

CASES = [
    pytest.param("a.tsv", SGML, "tsv", id="a table's name is believed"),
    pytest.param("a.jsonl.gz", b"", "jsonl", id="whatever it is packed with"),
    pytest.param("a.sgm", SGML, "sgml", id="SGML"),
    pytest.param("a.SGML", b"<DOC>", "sgml", id="SGML by name"),
    pytest.param("a.sgm", XML, "wmt-xml", id="XML under an SGML name"),
    pytest.param("a.xml", XML, "wmt-xml", id="WMT"),
    pytest.param("a.xml", b"\xef\xbb\xbf <collection>", "wmt-xml", id="WMT, after a mark"),
    pytest.param("a.xml", b"<?xml?><!DOCTYPE mteval SYSTEM \"x\">\n<!-- a > -->\n<mteval>",
                 "sgml", id="NIST's XML"),
    pytest.param("newstest.de", SGML, "sgml", id="by content alone"),
    pytest.param("newstest.de", b"<TstSet SetID='x'>", "sgml", id="whatever the case"),
    pytest.param("a.txt", b"<refset is a word here", "plain", id="text that looks like it"),
    pytest.param("a.txt", b"the <refset setid=1>", "plain", id="not at the beginning"),
    pytest.param("a.txt", b"", "plain", id="empty"),
    pytest.param("a.xml", "<dataset>".encode("utf-16"), "wmt-xml", id="UTF-16, refused later"),
    pytest.param("a.csv", b"", "csv", id="CSV"),
    pytest.param("a.CSV", b"ref;hyp", "csv", id="CSV, whatever the delimiter"),
    pytest.param("a.json", b"[]", "json", id="JSON"),
    pytest.param("a.xlsx", b"", "xlsx", id="a workbook"),
    pytest.param("news.de", b"Ja.", "plain", id="a language"),
    pytest.param("news.tok", b"Ja .", "plain", id="a kind of text"),
    pytest.param("news.ref.0", b"Ja.", "plain", id="a number"),
    pytest.param("news", b"Ja.", "plain", id="no suffix"),
    pytest.param("a.txt", b"[Applause] Thanks.\n", "plain", id="a text with brackets"),
    pytest.param("a.txt", b'["Yes"], he wrote.\n', "plain", id="and quotes"),
    pytest.param("a.txt", b'{"a": 1} is JSON.\nYes.\n', "plain", id="a text about JSON"),
    pytest.param("a.txt", b'{"a": 1}\nis JSON.\n', "plain", id="a line of JSON in a text"),
    pytest.param("a.txt", b"Source, reference\nYes\n", "plain", id="a text of known words"),
    pytest.param("a.txt", b"source\n", "plain", id="a known word"),
    pytest.param("a.txt", b"Yes\tsource\n", "plain", id="a known word after a tab"),
    pytest.param("a.txt", b"doc\tseg\n", "plain", id="headings of documents"),
    pytest.param("a.txt", b"a\0b", "plain", id="a zero byte in a text"),
    pytest.param("a.txt", "Ja.\n".encode("utf-16"), "plain", id="a text in UTF-16"),
]  # fmt: skip


OTHER_KINDS = [
    pytest.param("a.docx", b"", "is a word processor document by its name", id="Word"),
    pytest.param("a.HTML", b"Ja.", "is a web page by its name", id="whatever the case"),
    pytest.param("a.srt.gz", b"1", "is a subtitle file by its name", id="packed"),
    pytest.param("a.de", b'[\n {"ref": "x"}]', "looks like JSON; give `input_format` json,",
                 id="an array of objects"),
    pytest.param("a", b'["Yes.", "No."]', "looks like JSON; give `input_format` json,",
                 id="an array of strings"),
    pytest.param("a", b'["Yes."]', "looks like JSON", id="an array of one string"),
    pytest.param("a", b'{"ref": "x"}\n{"ref": "y"}', "looks like JSON; give `input_format` "
                 "jsonl,", id="JSON lines"),
    pytest.param("a", b'{\n "ref": "x"\n}', "looks like JSON", id="an object"),
    pytest.param("a.txt", b"source\tref\tA\nx\ty\tz", "give `input_format` tsv", id="tabs"),
    pytest.param("a.txt", b"source,ref\nx,y", "give `input_format` csv", id="commas"),
    pytest.param("a.txt", b"id,source,ref,online-A\n", "give `input_format` csv",
                 id="a system's name among headings"),
    pytest.param("a.txt", b'"source";"ref"\n', "give `input_format` csv", id="semicolons"),
    pytest.param("a.txt", "Ja, gut.".encode("utf-16-le"), "in an unknown encoding",
                 id="UTF-16 without a mark"),
    pytest.param("a.txt", b"\x00\x01\xff\xfe", "is binary", id="binary"),
    pytest.param("a.json", b"PK\x03\x04", "looks like a workbook or an archive", id="zip"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "problem"), OTHER_KINDS)
def test_what_is_no_plain_text_is_refused(tmp_path, name, content, problem):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError) as raised:
        choose_format(str(path))
    assert str(raised.value).startswith(f"{path} ")
    assert problem in str(raised.value)
    assert choose_format(str(path), "plain").name == "plain"


@pytest.mark.parametrize(("name", "content", "expected"), CASES)
def test_formats(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    assert choose_format(str(tmp_path / name)).name == expected


def test_other_xml(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<html>" + "".join(map(str, range(99))))
    with pytest.raises(FormatError) as raised:
        choose_format(str(path))
    assert str(raised.value) == (
        f"{path} begins with '<html>0123456789101112131415161718192021'; expected "
        "WMT's XML (<dataset>) or NIST's (<srcset>, "
        "<refset>, <tstset>), or give `input_format`."
    )


def test_a_named_format():
    assert choose_format("a.tsv", "plain") is FORMATS["plain"]
    with pytest.raises(UnknownNameError, match="No format named 'xls'"):
        choose_format("a.tsv", "xls")


def test_the_first_record_that_fits():
    tables = SimpleNamespace(looks_like=lambda head: len(head.columns) > 1)
    objects = SimpleNamespace(looks_like=lambda head: head.first_object is not None)
    anything = SimpleNamespace(looks_like=lambda _: True)
    formats = [tables, objects, anything]
    assert recognise(FileHead("a", b"x\ty\n"), formats) is tables
    assert recognise(FileHead("a", b'{"x": 1}\r\n[2'), formats) is objects
    assert recognise(FileHead("a", b"[1]"), formats) is anything
    assert recognise(FileHead("a", b"[1]"), formats[:2]) is None


def test_what_is_known_of_a_file(tmp_path, write):
    head = read_head(str(write("A.Score.TSV", b"\xef\xbb\xbfa\tb\r\n1\t2")))
    assert (head.first_line, head.columns) == ("a\tb", ["a", "b"])
    assert read_head(str(tmp_path)) == FileHead(str(tmp_path), b"", is_folder=True)
