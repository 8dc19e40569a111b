"""Sheets of workbooks, by Excel and LibreOffice: a row of headings, then one segment a row.

They are read with python-calamine, all of a sheet at once.
"""

from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from metra.errors import FormatError, MissingResourceError, missing_package
from metra.formats.stream import ByteStream, format_path, get_file_state
from metra.formats.texts.columns import (
    Columns,
    Field,
    Reader,
    ReadingOptions,
    Role,
    check_headings,
    count_headings,
    read_header,
)

if TYPE_CHECKING:
    from metra.formats.texts.sources import Source


def open_reader(source: "Source", _: Sequence[Field] | None = None) -> Reader:
    """Open a sheet from its start, for all of its columns."""
    # What comes through a pipe has no state, and is read again.
    state = get_file_state(source.path) or object()
    sheet, rows = _read_sheet(source.path, state, source.reading or ReadingOptions())
    place = f"{format_path(source.path)}, sheet {sheet!r}"
    if not rows:
        msg = f"{place} is empty; expected a row of headings."
        raise FormatError(msg)
    header = ["" if cell is None else str(cell) for cell in rows[0]]
    fields = read_header(header, source.name, source.columns, place)
    check_headings(header, source.columns, place)
    done = 1

    def read(most: int) -> Columns:
        nonlocal done
        part, done = rows[done : done + most], min(done + most, len(rows))
        first = done - len(part) + 1
        return {
            field: [
                _format_cell(row[index], field.role, f"{place}, row {first + number}")
                for number, row in enumerate(part)
            ]
            for index, field in enumerate(fields)
        }

    return Reader(fields, read, lambda: done / len(rows), layout=f"sheet {sheet!r}")


@lru_cache(maxsize=4)
def _read_sheet(
    path: str, _: object, reading: ReadingOptions
) -> tuple[str, list[list[Any]]]:
    """Return the name of the sheet that is meant, and its rows."""
    try:
        import python_calamine as calamine
    except ImportError:
        msg = missing_package("Reading workbooks", "python-calamine", "xlsx")
        raise MissingResourceError(msg) from None
    with closing(ByteStream(path)) as stream:
        content = b"".join(iter(stream.read, b""))
    place = format_path(path)
    try:
        workbook = calamine.CalamineWorkbook.from_filelike(BytesIO(content))
        names = workbook.sheet_names
        wanted = (
            names if reading.sheet is None else [_find_sheet(reading, names, place)]
        )
        sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in wanted}
    except (calamine.CalamineError, OSError) as error:
        problem = f"{place} is no workbook, is damaged or has a password: {error}"
        msg = f"{problem}; save it again, or as CSV."
        raise FormatError(msg) from None
    if reading.sheet is not None:
        return next(iter(sheets.items()))
    filled = {name: rows for name, rows in sheets.items() if rows}
    known = {n: r for n, r in filled.items() if count_headings([str(c) for c in r[0]])}
    chosen = known if len(known) == 1 else filled
    if len(chosen) > 1:
        listed = ", ".join(map(repr, chosen))
        msg = f"{place} has {len(chosen)} sheets: {listed}; say which with `sheet`."
        raise FormatError(msg)
    return next(iter((chosen or sheets).items()))


def _find_sheet(reading: ReadingOptions, names: Sequence[str], place: str) -> str:
    """Return a sheet's name by its name, or by its number, counted from 1."""
    sheet = reading.sheet or ""
    if sheet in names:
        return sheet
    if sheet.isdecimal() and 0 < int(sheet) <= len(names):
        return names[int(sheet) - 1]
    msg = f"{place} has no sheet {sheet!r}; it has: {', '.join(map(repr, names))}."
    raise FormatError(msg)


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
        f"{place}: the {role} is the {kind} {cell}, whose text in the sheet may be another; "
        "format the column as text and type it again."
    )
    raise FormatError(msg)
