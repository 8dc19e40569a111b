"""Tables with a line of headings, in files: delimited as their content tells, or sheets.

Tables of scores, judgements and annotations are read here; those of texts, which are read
in parts, in `metra.formats.texts`. `find_dialect` recognises the delimiter and the quotes of
a file, `recognise_dialect` of lines. The header decides about the delimiter, as far as it
can: known headings, then rows of its width. Quotes are judged by the whole file, because the
writers of tables leave marks: those that quote double the quotes in a cell, those that do
not leave them as they are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from operator import or_

from metra.errors import FormatError, OptionError
from metra.formats.lines import LineReader
from metra.formats.recognise import XLSX, find_format_by_suffix
from metra.formats.stream import ByteStream, cache_by_file, format_path
from metra.formats.table import (
    DELIMITERS,
    FORMULA_SIGNS,
    LINES_ABOVE,
    TABS,
    CountKnown,
    DelimitedTable,
    Dialect,
    QuotingError,
    Row,
    find_heading_row,
    is_guarded,
    read_table,
    replace_line_breaks,
    split_rows,
    unescape_formula,
)
from metra.formats.texts.columns import ReadingOptions

MISSING = frozenset({"", "None", "nan", "NaN", "NA", "n/a", "null", "-"})


def is_number(cell: str) -> bool:
    """Tell a number from a label."""
    try:
        return isfinite(float(cell))
    except ValueError:
        return False


def read_headed_table(
    path: str,
    count_known: CountKnown,
    *,
    skip_empty: bool = False,
    expected: str = "a header line with column names",
) -> DelimitedTable:
    """Read a table; `count_known` counts the headings that mean something.

    In a table of semicolons, numbers may have decimal commas. With `skip_empty`, empty
    lines are no rows. `expected` is for the message about an empty file.
    """
    if is_workbook_name(path):
        return _read_sheet_table(path, count_known)
    try:
        dialect = find_dialect(path, "\t", count_known)
    except MixedQuotesError:
        # Those who quote cells would have doubled the quotes in others.
        dialect = TABS
    table = read_table(path, dialect, skip_empty=skip_empty, expected=expected)
    if not dialect.guarded:
        table = _remove_guards(table)
    return _replace_decimal_commas(table) if dialect.delimiter == ";" else table


def _remove_guards(table: DelimitedTable) -> DelimitedTable:
    """Take away the apostrophes that `format_rows` puts before texts like formulas."""
    begins = (cell[:1] for row in table.rows for cell in row.cells)
    if "'" not in begins or not is_guarded(table.rows):
        return table
    rows = [Row(line, [*map(unescape_formula, cells)]) for line, cells in table.rows]
    return table._replace(rows=rows)


def is_workbook_name(path: str) -> bool:
    """Return True if a file is a workbook by its name."""
    return find_format_by_suffix(path) is XLSX


def _read_sheet_table(path: str, count_known: CountKnown) -> DelimitedTable:
    """Read a sheet of a workbook as a table of strings; empty rows are left out."""
    from metra.formats.workbook import read_sheet

    sheet = read_sheet(path, None, count_known)
    place = f"{format_path(path)}, sheet {sheet.name!r}"
    for (row, column), content in sheet.lost.items():
        if row < len(sheet.rows) and sheet.rows[row][column] in ("", None):
            line = f"{place}, row {row + sheet.first_row}"
            problem = f"{line} has {content} without a value"
            msg = f"{problem}; recalculate and save the workbook again."
            raise FormatError(msg)
    cells = [[*map(_format_cell, row)] for row in sheet.rows]
    numbered = [Row(at, row) for at, row in enumerate(cells, sheet.first_row)]
    filled = [row for row in numbered if any(row.cells)]
    if not filled:
        msg = f"{place} is empty; expected a row of headings."
        raise FormatError(msg)
    return DelimitedTable(place, filled[0].cells, filled[1:], filled[0].line)


def _format_cell(cell: object) -> str:
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return "" if cell is None else replace_line_breaks(str(cell))


WITH_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
#: Numbers with points for thousands, and others of such a column, which end in no fraction.
_THOUSANDS, _HUNDREDS = (
    re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+"),
    re.compile(r"[1-9]\d{2}"),
)


def _replace_decimal_commas(table: DelimitedTable) -> DelimitedTable:
    """Write columns of numbers with decimal commas as Python reads them."""
    rows = [row.cells for row in table.rows]
    columns = [[*column] for column in zip(*rows, strict=True)]
    for index, column in enumerate(columns):
        numbers = [cell for cell in column if cell not in MISSING]
        has_commas = [WITH_COMMA.fullmatch(cell) is not None for cell in numbers]
        is_whole = (cell.lstrip("+-").isdecimal() for cell in numbers)
        if any(has_commas) and all(map(or_, has_commas, is_whole)):
            columns[index] = [cell.replace(",", ".") for cell in column]
        elif any(map(_THOUSANDS.fullmatch, numbers)) and all(
            _THOUSANDS.fullmatch(cell) or _HUNDREDS.fullmatch(cell) for cell in numbers
        ):
            number = next(filter(_THOUSANDS.fullmatch, numbers))
            heading = table.header[index]
            msg = (
                f"{format_path(table.path)}: {heading} has {number}, which may be "
                f"{number.replace('.', '')} beside whole numbers; write numbers without "
                "points for thousands."
            )
            raise FormatError(msg)
    lines = [row.line for row in table.rows]
    changed = map(list, zip(*columns, strict=True))
    return table._replace(rows=[*map(Row, lines, changed)])


# So many lines are looked at for the delimiter.
_LINES = 200
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_QUOTED_CELL = re.compile(r'"(?:[^"]|"")*"')


@cache_by_file(64)
def find_dialect(
    path: str,
    preferred: str,
    count_known: CountKnown,
    reading: ReadingOptions | None = None,
) -> Dialect:
    """Return the dialect of a table in a file, from options or by its content."""
    given = reading or ReadingOptions()
    delimiter = None
    if given.delimiter != "auto":
        delimiter = DELIMITERS.get(given.delimiter, given.delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            names = ", ".join(DELIMITERS)
            msg = (
                f"`delimiter` is {given.delimiter!r}; expected one character, or "
                f"one of {names}."
            )
            raise OptionError(msg)
    quoted = None if given.quotes == "auto" else given.quotes == "yes"
    encoding = reading.encoding if reading else None
    is_usual = given.encoding == "auto" and delimiter in (None, *DELIMITERS.values())
    if quoted is None and is_usual and not _contains(path, _QUOTE):
        quoted = False

    def open_lines() -> Iterator[str]:
        with closing(LineReader(path, encoding)) as lines:
            yield from lines

    try:
        dialect = recognise_dialect(
            *(open_lines, preferred, count_known), delimiter=delimiter, quoted=quoted
        )
        if dialect.delimiter != "\t" and _contains(path, _GUARD):
            lines = islice(open_lines(), dialect.skipped, None)
            dialect = dialect._replace(guarded=is_guarded(split_rows(lines, dialect)))
        return dialect
    except MixedQuotesError as error:
        msg = f"{format_path(path)}: {error}"
        raise MixedQuotesError(msg) from None
    except FormatError as error:
        place = format_path(path)
        msg = str(error) if str(error).startswith(place) else f"{place}: {error}"
        raise FormatError(msg) from None


# In any encoding in which the bytes of these signs mean them: an apostrophe before a
# formula, and a quote at the beginning of a cell or behind a byte order mark.
_GUARD = re.compile(rb"'\0*[" + re.escape(FORMULA_SIGNS.encode()) + rb"]")
_QUOTE = re.compile(rb'[\t\n,;|\xbf\xfe\xff]\0*"')


def _contains(path: str, signs: re.Pattern[bytes]) -> bool:
    """Search the bytes of a file, which is much faster than to cut it into cells."""
    with closing(ByteStream(path)) as stream:
        end = b"\n"
        for block in iter(stream.read, b""):
            if signs.search(end + block):
                return True
            end = block[-4:]
    return False


def recognise_dialect(
    open_lines: Callable[[], Iterable[str]],
    preferred: str,
    count_known: CountKnown,
    *,
    delimiter: str | None = None,
    quoted: bool | None = None,
) -> Dialect:
    """Return the dialect of a table; `delimiter` and `quoted` may be known.

    `open_lines` gives the lines from the start, `preferred` is the delimiter of a table of
    one column, and `count_known` counts the headings that mean something.
    """
    head = list(islice(open_lines(), _LINES))
    first = _SEPARATOR_LINE.fullmatch(head[0]) if head else None
    skipped = 1 if first else 0
    marks = [first[1]] if first else [delimiter] if delimiter else DELIMITERS.values()
    titles = _count_titles(head[skipped:], marks, count_known)
    head, skipped = head[titles:], skipped + titles
    if delimiter is None:
        delimiter = (
            first[1]
            if first
            else _choose_delimiter(head, preferred, count_known, quoted is False)
        )
    if quoted is None:
        quoted = _has_quotes(lambda: islice(open_lines(), skipped, None), delimiter)
    return Dialect(delimiter, quoted, strict=quoted, skipped=skipped, titles=titles)


def _count_titles(
    head: Sequence[str], marks: Iterable[str], count_known: CountKnown
) -> int:
    """Count the lines above the headings, such as a title; the rows below are as wide."""
    lines = 0
    for mark in marks:
        try:
            rows = [*split_rows(head[:LINES_ABOVE], Dialect(mark, quoted=True))]
        except QuotingError:
            continue
        cells = [row.cells for row in rows]
        if cells and sum(map(bool, cells[0])) > 1 and count_known(cells[0]):
            return 0
        place = find_heading_row(cells, count_known)
        if place and len({*map(len, cells[place:])}) == 1:
            lines = rows[place - 1].line
    return lines


def _choose_delimiter(
    head: Sequence[str], preferred: str, count_known: CountKnown, is_plain: bool
) -> str:
    ranks: dict[str, tuple[bool, int, float]] = {}
    for mark in DELIMITERS.values():
        try:
            rows = _cut(head, Dialect(mark, quoted=not is_plain))
        except QuotingError:  # a carriage return in a cell without quotes
            continue
        if rows and len(rows[0]) > 1:
            share = max(map(_get_even_share, (rows, _cut(head, Dialect(mark)))))
            ranks[mark] = (share == 1, count_known(rows[0]), share)
    if not ranks:
        return preferred
    best = [mark for mark, rank in ranks.items() if rank == max(ranks.values())]
    # Tabs are rare in texts.
    if "\t" in best or len(best) == 1:
        return "\t" if "\t" in best else best[0]
    names = " or ".join(f"{n}s" for n, mark in DELIMITERS.items() if mark in best)
    msg = f"its cells may be separated by {names}; choose one with `delimiter`."
    raise FormatError(msg)


def split_header(text: str) -> list[str]:
    """Return the cells of the first line of a text, if it is a table.

    Without tabs, the mark with the most cells is taken for the delimiter.

    >>> split_header('sep=;\\nsystem;"score, mean"\\na;1'), split_header("a\\tb, c")
    (['system', 'score, mean'], ['a', 'b, c'])
    """
    head = text.split("\n", 2)
    first = _SEPARATOR_LINE.fullmatch(head[0].rstrip("\r"))
    line = (head[1] if first and len(head) > 1 else head[0]).rstrip("\r")
    marks = [mark for mark in DELIMITERS.values() if mark in line]
    if first or "\t" in marks:
        marks = [first[1] if first else "\t"]
    try:
        rows = [_cut([line], Dialect(mark, quoted=True))[0] for mark in marks]
    except QuotingError:
        return [line]
    return max(rows, key=len, default=[line])


def _cut(lines: Iterable[str], dialect: Dialect) -> list[list[str]]:
    return [row.cells for row in split_rows(lines, dialect)]


def _get_even_share(rows: Sequence[Sequence[str]]) -> float:
    """Return the share of rows as wide as the first; empty ones, and the last, say nothing."""
    whole = [row for row in rows[: _LINES - 1] if row != [""]] or rows
    return sum(len(row) == len(whole[0]) for row in whole) / len(whole)


def _has_quotes(open_lines: Callable[[], Iterable[str]], delimiter: str) -> bool:
    """Return True if cells stand in quotes, by all lines of a file."""
    marks, is_quotable = QuoteMarks(), None
    begin = f'{delimiter}"'
    for line in open_lines():
        marks.add(line, delimiter)
        if is_quotable is None and (line.startswith('"') or begin in line):
            is_quotable = fits_quotes(open_lines(), delimiter)
            if not is_quotable and delimiter == "\t":
                return False
    return is_quotable is not None and decide_quotes(marks, delimiter, is_quotable)


def decide_quotes(marks: "QuoteMarks", delimiter: str, is_quotable: bool) -> bool:
    """Return True if cells stand in quotes; `is_quotable` comes from `fits_quotes`."""
    if is_quotable != marks.is_even:
        return is_quotable
    if delimiter != "\t" or not is_quotable:
        return delimiter != "\t"
    if marks.is_doubled and marks.is_raw:
        msg = (
            "some cells are quoted and some contain quotes; set `quotes` to say whether "
            "quotes belong to the text."
        )
        raise MixedQuotesError(msg)
    if marks.is_raw or marks.is_doubled:
        return marks.is_doubled
    # Some cells are in quotes as a whole. A writer that quotes cells does so for a reason:
    # all of them, or those with a comma, as Excel does.
    return marks.is_header_quoted or marks.are_commas_quoted


class MixedQuotesError(FormatError):
    """Quotes that may be around cells or belong to texts."""


@dataclass(slots=True)
class QuoteMarks:
    """Properties of the quotes in a table, on the assumption that they belong to texts."""

    #: Whether all lines have as many delimiters.
    is_even: bool = True
    any: bool = False
    #: Whether a cell in quotes has doubled quotes inside.
    is_doubled: bool = False
    #: Whether a cell has quotes in it, or begins with one and does not end with one.
    is_raw: bool = False
    is_header_quoted: bool = False
    #: Whether the cells in quotes are those with a comma.
    are_commas_quoted: bool = True
    _width: int = -1

    def add(self, line: str, delimiter: str) -> None:
        """Look at a line; an empty one says nothing."""
        if not line:
            return
        width = line.count(delimiter)
        if self._width < 0:
            self._width = width
            cells = line.split(delimiter)
            self.is_header_quoted = all(map(_QUOTED_CELL.fullmatch, cells))
        self.is_even &= width == self._width
        if '"' in line:
            self.any = True
            for cell in line.split(delimiter):
                self._add_cell(cell)
        elif "," in line:
            self.are_commas_quoted = False

    def _add_cell(self, cell: str) -> None:
        is_quoted = _QUOTED_CELL.fullmatch(cell) is not None
        if is_quoted:
            self.is_doubled |= '""' in cell
        else:
            self.is_raw |= '"' in cell
        self.are_commas_quoted &= is_quoted == ("," in cell)


def fits_quotes(lines: Iterable[str], delimiter: str) -> bool:
    """Return True if all lines are as wide as the header if cells may stand in quotes."""
    rows = split_rows(lines, Dialect(delimiter, quoted=True, strict=True))
    try:
        width = len(next(rows).cells)
        return all(len(row.cells) == width or row.cells == [""] for row in rows)
    except QuotingError:
        return False
