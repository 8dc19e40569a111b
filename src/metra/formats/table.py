"""Delimited tables: lines cut into cells, with the number of each line.

`read_table` and `parse_table` give a header and numbered rows, all of the same width, or an
error that says in which file and line they differ. Tables without a header, or with one of
their own kind, use `split_rows`. What separates the cells is a `Dialect`: a new delimiter
or quoting rule is added there and in `split_rows`, nowhere else.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from metra.errors import FormatError
from metra.formats.lines import LineReader
from metra.formats.stream import format_path


class Dialect(NamedTuple):
    """The separator of cells: a delimiter, or any white space if it is None."""

    delimiter: str | None
    #: Whether cells may stand in double quotes, as in CSV.
    quoted: bool = False


TABS = Dialect("\t")
COMMAS = Dialect(",", quoted=True)
BLANKS = Dialect(None)


class Row(NamedTuple):
    """A row's cells, and the number of its line, counted from 1."""

    line: int
    cells: list[str]


def split_rows(
    lines: Iterable[str], dialect: Dialect = TABS, *, first_line: int = 1
) -> Iterator[Row]:
    """Cut lines into cells; rows may differ in width."""
    if dialect.quoted:
        import csv

        reader = csv.reader(lines, delimiter=dialect.delimiter or " ")
        for cells in reader:
            yield Row(first_line + reader.line_num - 1, cells)
        return
    for number, line in enumerate(lines, first_line):
        yield Row(number, line.split(dialect.delimiter))


class DelimitedTable(NamedTuple):
    """The column names of a table and its rows, each as wide as the header."""

    #: The file as messages name it.
    path: str
    header: list[str]
    #: From `parse_table`, rows come one at a time, and once.
    rows: Iterable[Row]
    #: The line of the header, counted from 1.
    line: int = 1

    def error(self, line: int, problem: str, expected: str) -> FormatError:
        """Build the error for a row: where, what was found and what was expected."""
        return FormatError(f"{self.path}, line {line}: {problem}; {expected}.")


def read_table(
    path: str, dialect: Dialect = TABS, *, skip_empty: bool = False
) -> DelimitedTable:
    """Read a file with a header line, all of it."""
    with closing(LineReader(path)) as lines:
        table = parse_table(lines, path, dialect, skip_empty=skip_empty)
        return table._replace(rows=list(table.rows))


def parse_table(
    lines: Iterable[str],
    path: str,
    dialect: Dialect = TABS,
    *,
    skip_empty: bool = False,
    expected: str = "a header line with column names",
) -> DelimitedTable:
    """Parse lines of which the first is a header, a row at a time.

    `path` is for messages, and so is what is `expected` where there are no lines. With
    `skip_empty`, empty lines are no rows.
    """
    place = format_path(path)
    rows = split_rows(lines, dialect)
    if skip_empty:
        rows = (row for row in rows if row.cells not in ([], [""]))
    header = next(rows, None)
    if header is None:
        msg = f"{place} is empty; expected {expected}."
        raise FormatError(msg)
    checked_rows = _check_widths(rows, place, header.cells, dialect)
    return DelimitedTable(place, header.cells, checked_rows, header.line)


def _check_widths(
    rows: Iterable[Row], place: str, header: Sequence[str], dialect: Dialect
) -> Iterator[Row]:
    for row in rows:
        if len(row.cells) != len(header):
            counted = "as many tabs as" if dialect == TABS else "as many as"
            msg = (
                f"{place}, line {row.line} has {len(row.cells)} columns but the header "
                f"has {len(header)}; each line needs {counted} the header."
            )
            raise FormatError(msg)
        yield row


_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def escape_formula(cell: str) -> str:
    """Put an apostrophe before a cell that begins like a formula.

    >>> escape_formula("=1+1"), escape_formula("a = b"), escape_formula("'=1")
    ("'=1+1", 'a = b', "''=1")
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Undo `escape_formula`; any other cell stays.

    >>> unescape_formula("'=1+1"), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def replace_line_breaks(text: str) -> str:
    r"""Turn tabs and ends of lines into spaces.

    >>> replace_line_breaks("a\tb\r\nc")
    'a b  c'
    """
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
