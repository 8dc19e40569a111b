"""Tables: how lines become rows, and what is refused with file and line."""

import pytest

from metra.errors import FormatError
from metra.formats.table import (
    BLANKS,
    COMMAS,
    TABS,
    Row,
    parse_table,
    read_table,
    split_rows,
)

SPLIT = [
    pytest.param(TABS, 'a\t"b\t', ["a", '"b', ""], id="tabs know no quotes"),
    pytest.param(COMMAS, 'a,"b,""c",', ["a", 'b,"c', ""], id="commas do"),
    pytest.param(BLANKS, "a  b\tc ", ["a", "b", "c"], id="any white space"),
    pytest.param(TABS, "", [""], id="an empty line"),
]


@pytest.mark.parametrize(("dialect", "line", "cells"), SPLIT)
def test_cells(dialect, line, cells):
    assert list(split_rows(["x", line], dialect))[1] == Row(2, cells)


def test_a_quoted_cell_may_go_over_lines():
    lines = ['a,"b', 'c"', "d,e"]
    assert [row.line for row in split_rows(lines, COMMAS)] == [2, 3]


def test_rows_keep_their_line_numbers(write):
    path = str(write("t.tsv", b"\xef\xbb\xbf\na\tb\r\n\n1\t\xe2\x80\xa8\n"))
    table = read_table(path, skip_empty=True)
    assert (table.line, table.header) == (2, ["a", "b"])
    assert table.rows == [Row(4, ["1", "\u2028"])]


def test_rows_are_parsed_as_they_are_asked_for():
    table = parse_table(iter(["a", "1", "2\t3"]), "t.tsv")
    rows = iter(table.rows)
    assert next(rows) == Row(2, ["1"])
    with pytest.raises(FormatError, match=r"t\.tsv, line 3 has 2 columns"):
        next(rows)


REFUSED = [
    pytest.param(
        b"", TABS, "{} is empty; expected a header line with column names.", id="empty"
    ),
    pytest.param(
        b"a\tb\n1\n",
        TABS,
        "{}, line 2 has 1 column but the header has 2; each line needs as many tabs as "
        "the header.",
        id="a tab too few",
    ),
    pytest.param(
        b"a b\n1 2\n1 2 3\n",
        BLANKS,
        "{}, line 3 has 3 columns but the header has 2; each line needs as many as the "
        "header.",
        id="a blank too many",
    ),
    pytest.param(
        b"a\n\xff\n",
        TABS,
        "{}, line 2: byte 1 of the line is 0xff, which is not UTF-8; convert the file to "
        "UTF-8.",
        id="not UTF-8",
    ),
]


@pytest.mark.parametrize(("content", "dialect", "message"), REFUSED)
def test_refusals(content, dialect, message, write):
    path = str(write("t.tsv", content))
    with pytest.raises(FormatError) as raised:
        read_table(path, dialect)
    assert str(raised.value) == message.format(path)
