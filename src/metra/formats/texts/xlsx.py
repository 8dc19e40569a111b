"""Sheets of workbooks: a row of headings, then one segment a row."""

import re
import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from operator import itemgetter
from typing import Any

from metra.errors import FormatError, TextWarning, format_count
from metra.formats.atomic import write_pieces
from metra.formats.cell_formats import format_value
from metra.formats.stream import format_path
from metra.formats.table import LINES_ABOVE, Row, find_heading_row
from metra.formats.texts.columns import (
    TEXT_ROLES,
    Field,
    Reader,
    format_column_name,
    open_columns,
)
from metra.formats.texts.roles import (
    SAMPLE,
    check_headings,
    check_rows,
    count_headings,
    list_odd_rows,
    read_header,
)
from metra.formats.texts.rows import Chunks, Fields, format_cells
from metra.formats.texts.sources import Source
from metra.formats.workbook import Sheet, create_workbook, read_sheet


def open_reader(source: Source, chosen: Sequence[Field] | None = None) -> Reader:
    """Open a sheet from its start, for all of its columns."""
    wanted = source.reading.sheet if source.reading else None
    sheet = read_sheet(source.path, wanted, count_headings)
    place = f"{format_path(source.path)}, sheet {sheet.name!r}"
    if not sheet.rows:
        msg = f"{place} is empty; expected a row of headings."
        raise FormatError(msg)
    strings = [[_show_cell(cell) for cell in row] for row in sheet.rows[:LINES_ABOVE]]
    top = find_heading_row(strings, count_headings)
    header = strings[top]
    check_headings(header, source.columns, place, source.name)
    rows, skipped = _choose_rows(sheet, top)
    sample = [[*map(_show_cell, sheet.rows[at])] for at in rows[:SAMPLE]]
    fields, roles = read_header(
        *(header, source.name, source.columns, place),
        lambda: [[row[at] for row in sample] for at in range(len(header))],
    )
    numbered = [
        Row(at + sheet.first_row, [*map(_show_cell, sheet.rows[at])]) for at in rows
    ]
    odd = list_odd_rows(numbered, fields)
    if odd[:1] == numbered[:1] and count_headings(odd[0].cells) > 1:
        skipped[str(odd[0].line)] = "headings again"
        rows, numbered = rows[1:], numbered[1:]
    if chosen is None and source.use == "output":
        check_rows(numbered, fields, place, "row")
    cells = _Cells(sheet, fields)
    columns = {
        field: [cells.read(row, column) for row in rows]
        for column, field in enumerate(fields)
    }
    cells.check(place, top, rows)
    for field in columns:
        if field.role == "document" and _is_merged(columns[field]):
            columns[field] = _fill_down(columns[field])
    listed = _list_places("row", "skipped", skipped)
    notes = [f"sheet {sheet.name!r}", roles, listed]
    notes.append(_list_places("cell", "converted", cells.converted))
    # Said when the columns are looked at, not in each pass.
    if chosen is None and not {"hidden", "headings again"}.isdisjoint(skipped.values()):
        msg = f"{place} has rows that are left out: {listed}."
        warnings.warn(msg, TextWarning, stacklevel=2)
    if chosen is None and sheet.has_strikes:
        msg = f"{place} has words that are struck out; they are texts like others here."
        warnings.warn(msg, TextWarning, stacklevel=2)
    return open_columns(columns, lambda: "; ".join(filter(None, notes)))


def _is_merged(names: Sequence[str | None]) -> bool:
    """Return True if names stand in the first row of each block only."""
    filled = [*filter(None, names)]
    return len({*filled}) == len(filled) <= len(names) / 2 and bool(names[0])


def _fill_down(names: Sequence[str | None]) -> list[str | None]:
    filled: list[str | None] = []
    for name in names:
        filled.append(name or filled[-1])
    return filled


def _show_cell(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _choose_rows(sheet: Sheet, top: int) -> tuple[list[int], dict[str, str]]:
    """Return the places of rows with segments, and the reasons for others by their numbers."""
    rows, skipped = [], {}
    for at, row in enumerate(sheet.rows):
        number = at + sheet.first_row
        is_empty = all(cell is None or not str(cell).strip() for cell in row)
        reason = (
            ("hidden" if number in sheet.hidden and at > top else "")
            or ("empty" if is_empty and (at < top or len(row) > 1) else "")
            or ("title" if at < top else "")
            or ("headings again" if at > top and row == sheet.rows[top] else "")
        )
        if reason:
            skipped[str(number)] = reason
        elif at > top:
            rows.append(at)
    return rows, skipped


#: So many rows or cells are listed.
_MOST_LISTED = 10


def _list_places(noun: str, what: str, places: Mapping[str, str]) -> str:
    """Say which rows or cells were skipped or converted: `1 row skipped: 3 (empty)`."""
    if not places:
        return ""
    listed = [f"{place} ({how})" for place, how in [*places.items()][:_MOST_LISTED]]
    rest = ", …" if len(places) > _MOST_LISTED else ""
    return f"{format_count(len(places), noun)} {what}: {', '.join(listed)}{rest}"


class _Cells:
    """The cells of a sheet as texts, with those that were converted or cannot be read."""

    def __init__(self, sheet: Sheet, fields: Sequence[Field]) -> None:
        self.sheet = sheet
        self.fields = fields
        #: What cells were read as, and problems of rows, by their names and numbers.
        self.converted: dict[str, str] = {}
        self.problems: list[tuple[int, str]] = []

    def read(self, row: int, column: int) -> str | None:
        """Return a cell as Excel shows it; an empty reference is a missing one."""
        cell, field = self.sheet.rows[row][column], self.fields[column]
        if field.role in TEXT_ROLES and (content := self.sheet.lost.get((row, column))):
            self._add_problem(row, field, f"{content}, not a text")
        if isinstance(cell, str):
            return None if field.role == "reference" and not cell else cell
        name = self.sheet.name_cell(row, column)
        text = format_value(cell, self.sheet.formats.get(name, "General"))
        is_number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
        is_plain = is_number and cell == int(cell) and text in (None, str(int(cell)))
        if text is None and field.role not in TEXT_ROLES:
            return str(int(cell)) if is_plain else str(cell)
        if text is None:
            kind = "number" if is_number else type(cell).__name__
            problem = f"the {kind} {cell}, which the sheet may display differently"
            self._add_problem(row, field, problem)
        elif field.role in TEXT_ROLES and not is_plain:
            self.converted[name] = text
        return text

    def _add_problem(self, row: int, field: Field, what: str) -> None:
        number = row + self.sheet.first_row
        self.problems.append((number, f"row {number}: the {field.role} is {what}"))

    def check(self, place: str, top: int, rows: Sequence[int]) -> None:
        """Refuse merged cells and those without a text, all of them at once."""
        remedies = ["format the column as text and type it again"] * bool(self.problems)
        kept, merged = {*rows, top}, []
        for name, (first, last, left, right) in self.sheet.merged.items():
            roles = {field.role for field in self.fields[max(left, 0) : right + 1]}
            has_texts = not roles.isdisjoint(TEXT_ROLES)
            if first == last == top:
                has_texts = right > left
            inside = range(max(first, top), last + 1)
            if has_texts and not kept.isdisjoint(inside):
                number = first + self.sheet.first_row
                merged.append((number, f"row {number}: the cells {name} are merged"))
        if merged:
            remedies.append("unmerge the cells, so that each row has its own text")
        in_order = sorted([*self.problems, *merged], key=itemgetter(0))
        problems = [text for _, text in in_order]
        if problems:
            listed = "; ".join(problems[:_MOST_LISTED])
            if len(problems) > _MOST_LISTED:
                listed += f"; and {len(problems) - _MOST_LISTED} more"
            msg = f"{place}, {listed}; {'; '.join(remedies)}."
            raise FormatError(msg)


#: What Excel can hold.
_LONGEST_TEXT = 32_767
_MOST_ROWS = 1_048_576
# XlsxWriter writes _x0041_ as _x005F_x0041_, but not if two of them share a sign.
_NOT_CARRIED = re.compile("[\0\ufffe\uffff]|_x[0-9A-Fa-f]{4}_x[0-9A-Fa-f]{4}_")


def write(out: str, fields: Fields, chunks: Chunks) -> None:
    """Write a sheet whose cells are all texts, so that none of them is a formula."""
    file = BytesIO()
    book = create_workbook(file, constant_memory=True)
    try:
        _fill_sheet(book, fields, chunks)
    finally:
        book.close()  # else a temporary file would stay
    write_pieces(out, [file.getvalue()])


def _fill_sheet(book: Any, fields: Fields, chunks: Chunks) -> None:
    sheet = book.add_worksheet("Texts")
    as_text = book.add_format({"num_format": "@"})
    sheet.freeze_panes(1, 0)
    for column, field in enumerate(fields):
        sheet.write_string(0, column, format_column_name(field), as_text)
    empty = number = 0
    for chunk in chunks:
        if chunk.first + chunk.size >= _MOST_ROWS:
            problem = f"A sheet can have at most {_MOST_ROWS:,} rows"
            msg = f"{problem}; convert parts of the test set, or choose another format."
            raise FormatError(msg)
        columns = [format_cells(chunk, f, "xlsx", _find_problem) for f in fields]
        for number, row in enumerate(zip(*columns, strict=True), chunk.first + 1):
            if not any(map(str.strip, row)):
                empty = number
            for column, cell in enumerate(row):
                sheet.write_string(number, column, cell, as_text)
    # Readers skip empty rows, except in sheets of one column, and stop before the last ones.
    if empty and (len(fields) > 1 or empty == number):
        msg = (
            f"Segment {empty} is empty in all columns, which xlsx cannot represent; "
            "choose another format."
        )
        raise FormatError(msg)


def _find_problem(text: str) -> str | None:
    if len(text) > _LONGEST_TEXT // 2:
        # A character beyond the first 65,536 counts twice.
        size = len(text.encode("utf-16-le")) // 2
        if size > _LONGEST_TEXT:
            return f"has {size:,} characters (of {_LONGEST_TEXT:,} at most)"
    bad = _NOT_CARRIED.search(text)
    return f"holds {bad[0]!r}" if bad else None
