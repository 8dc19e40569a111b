"""Formats are recognised by name, and marked-up files by the way they begin."""

from types import SimpleNamespace

import pytest
from tests.tables import load_cases

from metra.errors import FormatError, UnknownNameError
from metra.formats.recognise import (
    FORMATS,
    FileHead,
    choose_format,
    read_head,
    recognise,
)

XML = b"<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"x\">"

CASES = load_cases("formats: recognised")


OTHER_KINDS = load_cases("formats: refused")


@pytest.mark.parametrize(("name", "content", "problem"), OTHER_KINDS)
def test_what_is_no_plain_text_is_refused(tmp_path, name, content, problem):
    path = tmp_path / name
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(FormatError) as raised:
        choose_format(str(path))
    assert str(raised.value).startswith(f"{path} ")
    assert problem in str(raised.value)
    assert choose_format(str(path), "plain").name == "plain"


@pytest.mark.parametrize(("name", "content", "expected"), CASES)
def test_formats(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content.encode(errors="surrogateescape"))
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
