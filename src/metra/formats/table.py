"""Delimited tables: lines cut into cells, with the number of each line.

`read_table` and `parse_table` give a header and numbered rows, all of the same width, or an
error that says in which file and line they differ. `split_columns` cuts many lines at tabs
at once. Tables without a header, or with one of their own kind, use `split_rows`. What
separates the cells is a `Dialect`: a new delimiter or quoting rule is added there and in
`split_rows`, nowhere else; `metra.formats.headed_table` recognises it from the content.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, count, repeat
from typing import Any, NamedTuple, TypeAlias

from metra.errors import FormatError, format_count
from metra.formats.lines import LineReader
from metra.formats.stream import format_path
from metra.limits import LimitError, check_limit, get_limits, refuse_excess


class Dialect(NamedTuple):
    """The separator of cells: a delimiter, or any white space if it is None."""

    delimiter: str | None
    #: Whether cells may stand in double quotes, as in CSV.
    quoted: bool = False
    #: Whether quotes that do not go together are an error.
    strict: bool = False
    #: Lines before the header: one if it is Excel's `sep=;`.
    skipped: int = 0
    #: How many of these are a title or empty.
    titles: int = 0
    #: Whether an apostrophe stands before cells that begin like a formula.
    guarded: bool = False

    def describe(self) -> str:
        """Say what separates the cells.

        >>> Dialect(";", quoted=True).describe(), TABS.describe()
        ('semicolons, quoted', 'tabs, not quoted')
        """
        mark = self.delimiter or " "
        names = (name for name, known in DELIMITERS.items() if known == mark)
        name = next((f"{name}s" for name in names), repr(mark))
        quoting = "quoted" if self.quoted else "not quoted"
        guard = ", apostrophes before formulas" if self.guarded else ""
        return f"{name}, {quoting}{guard}"


#: Delimiters by name.
DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}

TABS = Dialect("\t")
COMMAS = Dialect(",", quoted=True)
BLANKS = Dialect(None)


class Row(NamedTuple):
    """A row's cells, and the number of its line, counted from 1."""

    line: int
    cells: list[str]


def split_rows(lines: Iterable[str], dialect: Dialect = TABS) -> Iterator[Row]:
    """Cut lines into cells; rows may differ in width."""
    if dialect.quoted:
        rows = _split_quoted(lines, dialect)
    else:
        cells = map(str.split, lines, repeat(dialect.delimiter))
        rows = map(Row, count(1 + dialect.skipped), cells)
    if not dialect.guarded:
        return rows
    return (Row(row.line, [*map(unescape_formula, row.cells)]) for row in rows)


def _split_quoted(lines: Iterable[str], dialect: Dialect) -> Iterator[Row]:
    """Cut lines in which cells may stand in quotes, and then go on over several lines."""
    import csv

    # A text may be longer than what the module takes for a sign of damage.
    csv.field_size_limit(get_limits().cell)
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=dialect.delimiter or " ",
        strict=dialect.strict,
    )
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            line = reader.line_num + dialect.skipped
            if "field limit" in str(error):
                refuse_excess("cell", f"line {line}")
            raise QuotingError(line, str(error).partition(" - ")[0]) from None
        if cells is None:
            return
        # An empty line is an empty cell.
        yield Row(reader.line_num + dialect.skipped, cells or [""])


class QuotingError(FormatError):
    """Quotes that do not go together, in a line, counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(
            f"line {line}: the quotes do not match ({reason}); expected cells in "
            "double quotes, with quotes inside them doubled."
        )


def split_columns(
    lines: Sequence[str], width: int, path: str, first_line: int
) -> list[list[str]]:
    """Cut lines at tabs into `width` columns, all lines at once."""
    # With a line feed as a cell between lines, all of them are as wide as they should be
    # if the line feeds stand where they should.
    cells = "\t\n\t".join(lines).split("\t") if lines else []
    ends = cells[width :: width + 1]
    if len(cells) == len(lines) * (width + 1) - 1 and ends.count("\n") == len(ends):
        return [cells[column :: width + 1] for column in range(width)]
    for line, row in enumerate(lines, first_line):
        if row.count("\t") + 1 != width:
            size = row.count("\t") + 1
            raise FormatError(_describe_width(path, line, size, width, TABS))
    return [[] for _ in range(width)]


#: Counts the headings of a table that mean something.
CountKnown: TypeAlias = Callable[[Sequence[str]], int]


#: Headings may stand below so many rows, such as a title.
LINES_ABOVE = 20


def find_heading_row(rows: Sequence[Sequence[str]], count_known: CountKnown) -> int:
    """Return the place of the headings among the first rows of a table.

    They are in the first row, unless it has no known one, or a single cell, and there are
    two known ones below rows with fewer cells, such as a title.

    >>> find_heading_row([["Test", ""], ["a", "b"]], lambda row: 2 * (row[0] == "a"))
    1
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    first = count_known(rows[0]) if rows and filled[0] > 1 else 0
    for place, row in enumerate(rows):
        if count_known(row) > max(1, first):
            return place if filled[place] > max(filled[:place], default=0) else 0
    return 0


class DelimitedTable(NamedTuple):
    """The column names of a table and its rows, each as wide as the header."""

    #: The file as messages name it.
    path: str
    header: list[str]
    #: From `parse_table`, rows come one at a time, and once.
    rows: Iterable[Row]
    #: The line of the header, counted from 1.
    line: int = 1


def read_table(path: str, dialect: Dialect = TABS, **options: Any) -> DelimitedTable:
    """Read a file with a header line, all of it; the options are those of `parse_table`."""
    with closing(LineReader(path)) as lines:
        lines.read(dialect.skipped)
        table = parse_table(lines, path, dialect, **options)
        return table._replace(rows=[*_count_rows(table)])


def _count_rows(table: DelimitedTable) -> Iterator[Row]:
    """Pass rows on, as many as may be kept at once."""
    width = len(table.header)
    most = min(get_limits().rows, get_limits().tokens // width)
    for number, row in enumerate(table.rows):
        if number == most:
            check_limit("rows", number + 1, table.path)
            check_limit("tokens", (number + 1) * width, table.path)
        yield row


def parse_table(
    lines: Iterable[str],
    path: str,
    dialect: Dialect = TABS,
    *,
    skip_empty: bool = False,
    expected: str = "a header line with column names",
) -> DelimitedTable:
    """Parse lines of which the first is a header, a row at a time.

    `path` is for messages, and `expected` for the message about an empty file. With
    `skip_empty`, empty lines are no rows.
    """
    place = format_path(path)
    rows = _name_file(split_rows(lines, dialect), place)
    if skip_empty:
        rows = (row for row in rows if row.cells not in ([], [""]))
    header = next(rows, None)
    if header is None:
        msg = f"{place} is empty; expected {expected}."
        raise FormatError(msg)
    check_limit("columns", len(header.cells), place)
    first = next(rows, None)
    if (
        first
        and _ends_in_comment(header.cells)
        and len(first.cells) < len(header.cells)
    ):
        header = header._replace(cells=header.cells[:-1])

    def check_widths() -> Iterator[Row]:
        width = len(header.cells)
        for row in chain([first] if first else [], rows):
            if len(row.cells) != width:
                size, line = len(row.cells), row.line
                raise FormatError(_describe_width(place, line, size, width, dialect))
            yield row

    return DelimitedTable(place, header.cells, check_widths(), header.line)


def _ends_in_comment(header: Sequence[str]) -> bool:
    """Return True if the last heading is a remark, as in Marot's tables."""
    return len(header) > 1 and header[-1].startswith("#")


def _name_file(rows: Iterator[Row], place: str) -> Iterator[Row]:
    """Pass rows on; an error says in which file it is."""
    try:
        yield from rows
    except (QuotingError, LimitError) as error:
        msg = f"{place}, {error}"
        raise FormatError(msg) from None


def _describe_width(
    place: str, line: int, size: int, width: int, dialect: Dialect
) -> str:
    same = "as many tabs as" if dialect == TABS else "as many as"
    how = f" ({dialect.describe()})" if dialect.strict else ""
    return (
        f"{place}, line {line} has {format_count(size, 'column')}{how} but the header has "
        f"{width}; each line needs {same} the header."
    )


#: Signs with which a spreadsheet begins a formula; kit/files.js has the same.
FORMULA_SIGNS = "=+-@\t\r"
_FORMULA = re.compile(f"'*[{re.escape(FORMULA_SIGNS)}]")
_FIRST_SIGNS = frozenset(f"'{FORMULA_SIGNS}")


def escape_formula(cell: str) -> str:
    """Put an apostrophe before a cell that begins like a formula.

    >>> escape_formula("=1+1"), escape_formula("a = b"), escape_formula("'=1")
    ("'=1+1", 'a = b', "''=1")
    """
    # Nearly all cells begin with a letter or a digit, which one look tells.
    begins = cell[:1] in _FIRST_SIGNS
    return f"'{cell}" if begins and _FORMULA.match(cell) else cell


def is_escaped_formula(cell: str) -> bool:
    """Return True if `escape_formula` may have changed the cell."""
    return cell.startswith("'") and _FORMULA.match(cell) is not None


def unescape_formula(cell: str) -> str:
    """Undo `escape_formula`; any other cell stays.

    >>> unescape_formula("'=1+1"), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if is_escaped_formula(cell) else cell


_NUMBER = re.compile(r"[+-][\d.,]+(?:[eE][+-]?\d+)?|[+-](?:inf|nan)")


def format_rows(rows: Iterable[Iterable[str]]) -> str:
    r"""Return a table with tabs in which no text begins like a formula; numbers may.

    >>> format_rows([["a", "-1.5"], ["=1+1", "b\nc"]])
    "a\t-1.5\n'=1+1\tb c\n"
    """
    return "".join("\t".join(map(_format_cell, row)) + "\n" for row in rows)


def _format_cell(cell: str) -> str:
    cell = replace_line_breaks(cell)
    if cell[:1] not in _FIRST_SIGNS or _NUMBER.fullmatch(cell):
        return cell
    return escape_formula(cell)


def is_guarded(rows: Iterable[Row]) -> bool:
    """Return True if all cells like formulas, numbers apart, have an apostrophe before them."""
    has_guard = False
    for row in rows:
        for cell in row.cells:
            if is_escaped_formula(cell):
                has_guard = True
            elif escape_formula(cell) != cell and not _NUMBER.fullmatch(cell):
                return False
    return has_guard


_LINE_BREAKS = str.maketrans("\t\n\r", "   ")


def replace_line_breaks(text: str) -> str:
    r"""Turn tabs and ends of lines into spaces.

    >>> replace_line_breaks("a\tb\r\nc")
    'a b  c'
    """
    if "\t" in text or "\n" in text or "\r" in text:
        return text.translate(_LINE_BREAKS)
    return text


#: A figure that is undefined, in tables for other programs.
NONE = "n/a"


def write_table(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as lines with tabs, safe to open; an undefined figure is n/a."""
    return format_rows(map(_format_figure, row) for row in rows)


def _format_figure(value: object) -> str:
    if value is None or value != value:
        return NONE
    return repr(value) if isinstance(value, float) else str(value)
