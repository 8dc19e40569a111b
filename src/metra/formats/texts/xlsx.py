"""Sheets of workbooks: a row of headings, then one segment a row."""

import re
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from metra.errors import FormatError
from metra.formats.atomic import write_pieces
from metra.formats.stream import format_path
from metra.formats.texts.columns import (
    TEXT_ROLES,
    Field,
    Reader,
    Role,
    format_column_name,
    open_columns,
)
from metra.formats.texts.roles import (
    SAMPLE,
    check_headings,
    count_headings,
    read_header,
)
from metra.formats.texts.rows import Chunks, Fields, format_cells
from metra.formats.texts.sources import Source
from metra.formats.workbook import create_workbook, read_sheet


def open_reader(source: Source, _: Sequence[Field] | None = None) -> Reader:
    """Open a sheet from its start, for all of its columns."""
    wanted = source.reading.sheet if source.reading else None
    sheet = read_sheet(source.path, wanted, count_headings)
    rows = sheet.rows
    place = f"{format_path(source.path)}, sheet {sheet.name!r}"
    if not rows:
        msg = f"{place} is empty; expected a row of headings."
        raise FormatError(msg)
    header = ["" if cell is None else str(cell) for cell in rows[0]]
    check_headings(header, source.columns, place, source.name)
    fields, roles = read_header(
        *(header, source.name, source.columns, place),
        lambda: [
            [None if row[at] is None else str(row[at]) for row in rows[1 : SAMPLE + 1]]
            for at in range(len(header))
        ],
    )
    for (row, column), content in sheet.lost.items():
        field = fields[column] if column < len(fields) else None
        if field is not None and field.role in TEXT_ROLES:
            msg = (
                f"{place}, row {row + sheet.first_row}: the {field.role} is {content}, not a "
                "text; format the column as text and type it again."
            )
            raise FormatError(msg)
    columns: dict[Field, list[str | None]] = {
        field: [
            _format_cell(row[index], field.role, f"{place}, row {number}")
            for number, row in enumerate(rows[1:], sheet.first_row + 1)
        ]
        for index, field in enumerate(fields)
    }
    return open_columns(
        columns,
        lambda: "; ".join([f"sheet {sheet.name!r}", *([roles] if roles else [])]),
    )


def _format_cell(cell: Any, role: Role, place: str) -> str | None:
    """Return a cell as text; an empty reference is a missing one."""
    if isinstance(cell, str):
        return None if role == "reference" and not cell else cell
    is_number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
    if is_number and cell == int(cell):
        return str(int(cell))
    if role in ("document", "label"):
        return str(cell)
    kind = "number" if is_number else type(cell).__name__
    msg = (
        f"{place}: the {role} is the {kind} {cell}, which the sheet may display "
        "differently; format the column as text and type it again."
    )
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
    is_filled = True
    for chunk in chunks:
        if chunk.first + chunk.size >= _MOST_ROWS:
            problem = f"A sheet can have at most {_MOST_ROWS:,} rows"
            msg = f"{problem}; convert parts of the test set, or choose another format."
            raise FormatError(msg)
        columns = [format_cells(chunk, f, "xlsx", _find_problem) for f in fields]
        for number, row in enumerate(zip(*columns, strict=True), chunk.first + 1):
            is_filled = any(row)
            for column, cell in enumerate(row):
                sheet.write_string(number, column, cell, as_text)
    if not is_filled:
        msg = (
            "The last segment is empty in all columns, which xlsx cannot represent; "
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
