"""Tables with a line of headings, in files: delimited as their content tells, or sheets.

Tables of scores, judgements and annotations are read here; those of texts, which are read
in parts, in `metra.formats.texts`.
"""

import re
from collections.abc import Callable, Sequence
from operator import or_

from metra.errors import FormatError
from metra.formats.dialect import MixedQuotesError, find_dialect
from metra.formats.recognise import XLSX, find_format_by_suffix
from metra.formats.stream import format_path
from metra.formats.table import (
    TABS,
    DelimitedTable,
    Row,
    is_guarded,
    read_table,
    replace_line_breaks,
    unescape_formula,
)
from metra.formats.workbook import read_sheet

#: How missing values are written.
MISSING = frozenset({"", "None", "nan", "NaN", "NA", "n/a", "null", "-"})


def read_headed_table(
    path: str,
    count_known: Callable[[Sequence[str]], int],
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


def _read_sheet_table(
    path: str, count_known: Callable[[Sequence[str]], int]
) -> DelimitedTable:
    """Read a sheet of a workbook as a table of strings; empty rows are left out."""
    sheet = read_sheet(path, None, count_known)
    place = f"{format_path(path)}, sheet {sheet.name!r}"
    for (row, column), content in sheet.lost.items():
        if row < len(sheet.rows) and sheet.rows[row][column] in ("", None):
            problem = (
                f"{place}, row {row + sheet.first_row} has {content} without a value"
            )
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


#: A number with a decimal comma.
WITH_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")


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
    lines = [row.line for row in table.rows]
    changed = map(list, zip(*columns, strict=True))
    return table._replace(rows=[*map(Row, lines, changed)])
