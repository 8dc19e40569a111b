"""Tables of annotations: what is read, and what is refused with its place."""

import pytest

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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(
            b"", "{} is empty; expected a header with the columns a.", id="empty"
        ),
        pytest.param(
            b"b\tc\n",
            "{}, line 1: the column 'a' is missing; the header is: b, c. Expected a.",
            id="a column is missing",
        ),
        pytest.param(
            b"a\ta\n",
            "{}, line 1: two columns are named 'a'; the header is: a, a.",
            id="twice",
        ),
        pytest.param(
            b"a\td\n",
            "{}, line 1: the column 'd' is unknown; known columns are a, b, c.",
            id="unknown column",
        ),
        pytest.param(
            b"a\tb\n1\n",
            "{}, line 2 has 1 column but the header has 2; each line needs as many tabs "
            "as the header.",
            id="a tab too few",
        ),
        pytest.param(
            b"a\nx\xff\n",
            "{}, line 2: byte 2 of the line is 0xff, which is not UTF-8; convert the file "
            "to UTF-8.",
            id="not UTF-8",
        ),
    ],
)
def test_refusals(content, message, write):
    path = str(write("t.tsv", content))
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
