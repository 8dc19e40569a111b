"""Tables of annotations: what is read, and what is refused with its place."""

import pytest
from tests.tables import load_cases

from metra.errors import FormatError
from metra.formats.annotations.table import read_annotation_table
from metra.formats.lines import read_lines
from metra.formats.stream import compute_file_version

KNOWN = {"a", "b", "c"}


def test_cells_by_column_with_line_numbers(write):
    path = write(
        "t.tsv", b"\xef\xbb\xbfB\ta \r\n\r\n1\t \xc3\xa9 \xe2\x80\xa8x\r\n2\t\n"
    )
    table = read_annotation_table(str(path), ["a"], KNOWN)
    assert table.columns == ["b", "a"]
    assert [(row.line, row.cells) for row in table.rows] == [
        (3, {"b": "1", "a": "é \u2028x"}),
        (4, {"b": "2", "a": ""}),
    ]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('a,b\n"x, y",2\n', id="commas"),
        pytest.param('sep=;\na;b\n"x, y";2\n', id="semicolons"),
        pytest.param('"a"\t"b"\n"x, y"\t"2"\n', id="tabs, quoted"),
    ],
)
def test_other_delimiters(write, content):
    path = write("t.csv", content.encode())
    table = read_annotation_table(str(path), ["a"], KNOWN)
    assert [row.cells for row in table.rows] == [{"a": "x, y", "b": "2"}]


@pytest.mark.parametrize(("content", "message"), load_cases("annotations: refused"))
def test_refusals(content, message, write):
    path = str(write("t.tsv", content.encode(errors="surrogateescape")))
    with pytest.raises(FormatError) as caught:
        read_annotation_table(path, ["a"], KNOWN)
    assert str(caught.value) == message.format(path)


def test_a_file_that_is_not_there(tmp_path):
    for read in (read_lines, compute_file_version):
        with pytest.raises(FormatError, match=r"none cannot be read: No such file"):
            read(str(tmp_path / "none"))


def test_the_version_is_of_the_content(write):
    path = str(write("t.tsv", b"a\n"))
    first = compute_file_version(path)
    assert first == f"{path}[sha256:87428fc52280]"
    write("t.tsv", b"b\n")
    assert compute_file_version(path) != first
