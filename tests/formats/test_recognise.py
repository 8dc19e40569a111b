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
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "expected"), CASES)
def test_formats(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    assert choose_format(str(tmp_path / name)).name == expected


def test_other_xml(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<html>")
    with pytest.raises(FormatError) as raised:
        choose_format(str(path))
    assert str(raised.value) == (
        f"{path} begins with '<html>'; expected WMT's XML (<dataset>) or NIST's (<srcset>, "
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
