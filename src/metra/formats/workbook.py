"""Workbooks in .xlsx: which sheet is meant, and the cells of its rows.

They are read with python-calamine, all of a sheet at once. It gives no text for errors
and for formulas that have not been computed, so that these are looked for in Excel's XML.

It also makes room for every cell between the first and the last one, and a copy of its
text for every cell, so that a file of a few bytes could fill the memory: the size of all
sheets is found first, within the limits.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from typing import IO, Any, NamedTuple
from xml.etree import ElementTree
from zipfile import is_zipfile

from metra.errors import FormatError, require_package
from metra.formats.cell_formats import find_cell_formats, read_cell_formats
from metra.formats.compression import read_zip
from metra.formats.stream import cache_by_file, format_path, read_bytes
from metra.formats.table import LINES_ABOVE, CountKnown, find_heading_row
from metra.limits import check_limit


class Sheet(NamedTuple):
    """A sheet's name and rows, and what stands in cells that have lost their text."""

    name: str
    rows: list[list[Any]]
    #: By row and column, counted from 0.
    lost: dict[tuple[int, int], str]
    #: The number of the first row, counted from 1.
    first_row: int
    #: Numbers of hidden rows; filters hide rows too.
    hidden: frozenset[int] = frozenset()
    #: Merged cells by their names, with the first and last row and column, counted from 0.
    merged: Mapping[str, tuple[int, int, int, int]] = {}
    #: Formats of numbers by the names of cells; those of others are General.
    formats: Mapping[str, str | None] = {}
    #: The number of the first column, counted from 1.
    first_column: int = 1
    #: Whether words of cells are struck out.
    has_strikes: bool = False

    def name_cell(self, row: int, column: int) -> str:
        """Name a cell, such as C5, by its row and column from 0."""
        letters, number = "", column + self.first_column
        while number:
            number, rest = divmod(number - 1, 26)
            letters = chr(ord("A") + rest) + letters
        return f"{letters}{row + self.first_row}"


@cache_by_file(4)
def read_sheet(path: str, wanted: str | None, count_known: CountKnown) -> Sheet:
    """Return the sheet by its name or number, else the one with the headings that count."""
    with require_package("Reading workbooks", "python-calamine", "xlsx"):
        import python_calamine as calamine
    content = read_bytes(path)
    place = format_path(path)
    parts = check_workbook(content, place)
    try:
        workbook = calamine.CalamineWorkbook.from_filelike(BytesIO(content))
        names = workbook.sheet_names
        if wanted is not None:
            names = [_find_sheet(wanted, names, place)]
        elif len(names) > 1:
            seen = calamine.SheetVisibleEnum.Visible
            metadata = workbook.sheets_metadata
            names = [one.name for one in metadata if one.visible == seen] or names
        opened = {name: workbook.get_sheet_by_name(name) for name in names}
        rows = {name: sheet.to_python() for name, sheet in opened.items()}
    except (calamine.CalamineError, OSError) as error:
        problem = f"{place} is not a workbook, is damaged or has a password: {error}"
        msg = f"{problem}; save it again, or as CSV."
        raise FormatError(msg) from None
    name = _choose_sheet(rows, count_known, place) if len(rows) > 1 else names[0]
    # Rows and columns before the first cell that holds something are left out.
    top, left = opened[name].start or (0, 0)
    lost = {
        (row - top, column - left): what
        for (row, column), what in _find_lost_cells(parts, name)
    }
    part = parts.get(_find_sheet_part(parts, name), b"")
    formats = read_cell_formats(parts.get("xl/styles.xml", b""))
    return Sheet(
        *(name, rows[name], lost, top + 1),
        hidden=frozenset(_list_hidden(part)),
        has_strikes=any(
            _STRIKE.search(own)
            for own in (
                part,
                *(x for name, x in parts.items() if "sharedStrings" in name),
            )
        ),
        merged=dict(_list_merged(part, top, left)),
        formats=find_cell_formats(part, formats),
        first_column=left + 1,
    )


def _choose_sheet(
    rows: dict[str, list[list[Any]]], count_known: CountKnown, place: str
) -> str:
    """Return the one sheet with known headings, or the one with anything in it."""
    filled = [name for name, cells in rows.items() if cells]
    headings = {
        name: count_known(_get_headings(rows[name], count_known)) for name in filled
    }
    # A list of remarks may have a known heading; two of texts are a table.
    recognised = [n for n in filled if headings[n] > 1] or [
        n for n in filled if headings[n]
    ]
    chosen = recognised if len(recognised) == 1 else filled
    if len(chosen) > 1:
        listed = ", ".join(map(repr, chosen))
        msg = f"{place} has {len(chosen)} sheets: {listed}; choose one with `sheet`."
        raise FormatError(msg)
    return (chosen or list(rows))[0]


def _get_headings(rows: list[list[Any]], count_known: CountKnown) -> list[str]:
    head = [[*map(str, row)] for row in rows[:LINES_ABOVE]]
    return head[find_heading_row(head, count_known)]


def _find_sheet(sheet: str, names: Sequence[str], place: str) -> str:
    """Return a sheet's name by its name, or by its number, counted from 1."""
    if sheet in names:
        return sheet
    if sheet.isdecimal() and 0 < int(sheet) <= len(names):
        return names[int(sheet) - 1]
    msg = f"{place} has no sheet {sheet!r}; it has: {', '.join(map(repr, names))}."
    raise FormatError(msg)


_STRIKE = re.compile(rb"""<(?:\w+:)?strike\b(?!\s+val\s*=\s*["'](?:0|false))""")
_HIDDEN = re.compile(rb"""\shidden\s*=\s*["'](?:1|true)["']""")
_ROW_NUMBER = re.compile(rb"""\sr\s*=\s*["']([0-9]{1,9})["']""")


def _list_hidden(sheet: bytes) -> Iterator[int]:
    """Yield the numbers of hidden rows."""
    last = 0
    for row in _ROW_TAG.finditer(sheet):
        named = _ROW_NUMBER.search(row[0])
        last = int(named[1]) if named else last + 1
        if _HIDDEN.search(row[0]):
            yield last


_MERGED = re.compile(
    rb"""<(?:\w+:)?mergeCell\s[^>]*?ref\s*=\s*["'](([A-Z]+)(\d+):([A-Z]+)(\d+))["']"""
)


def _list_merged(
    sheet: bytes, top: int, left: int
) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Yield merged cells by name, with their first and last row and column."""
    for entry in _MERGED.finditer(sheet):
        name, *ends = (part.decode() for part in entry.groups())
        columns = [parse_column(letters) - 1 - left for letters in ends[::2]]
        rows = [int(number[:7]) - 1 - top for number in ends[1::2]]
        yield name, (rows[0], rows[1], columns[0], columns[1])


_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def _find_lost_cells(
    parts: Mapping[str, bytes], sheet: str
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield cells of a sheet whose text is lost, by row and column from 0.

    A text that begins with an equals sign becomes a formula, or an error, in many programs.
    """
    text = parts.get(_find_sheet_part(parts, sheet), b"")
    if b"<f" not in text and b":f>" not in text and b't="e"' not in text:
        return
    row = column = -1
    for event, element in ElementTree.iterparse(BytesIO(text), ["start", "end"]):
        kind = element.tag.rpartition("}")[2], event
        if kind == ("row", "start"):
            row, column = int(element.get("r", row + 2)) - 1, -1
        elif kind == ("c", "end"):
            letters = element.get("r", "").rstrip("0123456789")
            column = parse_column(letters) - 1 if letters else column + 1
            what = _describe_lost_cell(element)
            if what:
                yield (row, column), what


def _find_sheet_part(parts: Mapping[str, bytes], sheet: str) -> str:
    """Return the part of a workbook that holds a sheet, nothing if there is none."""
    book, relations = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
    if not {book, relations} <= parts.keys():
        return ""
    sheets = ElementTree.fromstring(parts[book]).iter()
    ids = {entry.get("name"): entry.get(_RELATION) for entry in sheets}
    entries = ElementTree.fromstring(parts[relations]).iter()
    targets = {entry.get("Id"): entry.get("Target") for entry in entries}
    target = targets.get(ids.get(sheet)) or ""
    return posixpath.normpath(posixpath.join("/xl", target)).lstrip("/")


def _describe_lost_cell(cell: ElementTree.Element) -> str | None:
    children = {child.tag.rpartition("}")[2]: child.text or "" for child in cell}
    if cell.get("t") == "e":
        return f"the error {children.get('v', '')}"
    if "f" in children and cell.get("t") != "str":
        return f"the formula ={children['f']}"
    return None


def import_xlsxwriter() -> Any:
    """Import XlsxWriter, or say how it is installed."""
    with require_package("The format xlsx", "XlsxWriter", "xlsx"):
        import xlsxwriter
    return xlsxwriter


def create_workbook(file: IO[bytes], **settings: Any) -> Any:
    """Return a new workbook of XlsxWriter; the same cells give the same bytes."""
    book = import_xlsxwriter().Workbook(file, settings)
    # A date as files in archives have it.
    book.set_properties({"created": datetime(1980, 1, 1)})
    return book


def check_workbook(content: bytes, place: str) -> dict[str, bytes]:
    """Refuse a workbook whose sheets would need more room than the limits allow.

    Its parts are returned.
    """
    is_packed = is_zipfile(BytesIO(content))
    parts = read_zip(BytesIO(content), place, lambda _: True) if is_packed else {}
    if not any(map(_is_excel_sheet, parts)):
        msg = f"{place} is not a workbook in .xlsx; save it as .xlsx, or as CSV."
        raise FormatError(msg)
    cells = 0
    for part in filter(_is_excel_sheet, parts):
        rows, columns = _measure_excel(parts[part])
        check_limit("rows", rows, place)
        check_limit("columns", columns, place)
        cells += rows * columns
        check_limit("tokens", cells, place)
    _check_shared_texts(parts, place)
    return parts


def _is_excel_sheet(name: str) -> bool:
    return "worksheets/" in name and name.endswith(".xml")


_ROW = re.compile(rb"<(?:\w+:)?row\b")
_ROW_TAG = re.compile(rb"<(?:\w+:)?row\b[^>]*>")
_CELL = re.compile(rb"<(?:\w+:)?c\b")
_PLACE = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]+)([0-9]+)["']""")


def _measure_excel(part: bytes) -> tuple[int, int]:
    """Count rows and columns of Excel's XML, by the names of cells and by their number.

    >>> _measure_excel(b'<row r="7"><c r="A7"/><c r="C7"/></row>')
    (7, 3)
    """
    rows = _ROW.split(part)[1:]
    widths = (len(_CELL.findall(row)) for row in rows)
    columns, last = max(widths, default=0), len(rows)
    widest = b""
    for place in _PLACE.finditer(part):
        letters, number = place.groups()
        if len(letters) >= len(widest):
            widest = max(widest, letters.upper(), key=lambda name: (len(name), name))
        last = max(last, int(number[:20]))
    return last, max(columns, parse_column(widest.decode()))


def parse_column(letters: str) -> int:
    """Return the number, from 1, of a column such as B or AB; 0 for no letters.

    >>> parse_column("B"), parse_column("AB")
    (2, 28)
    """
    number = 0
    for letter in letters.upper()[:8]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


_SHARED = re.compile(rb"""\st\s*=\s*["']s["'][^>]*>\s*<(?:\w+:)?v[^>]*>(\d{1,9})<""")


def _check_shared_texts(parts: Mapping[str, bytes], place: str) -> None:
    """Refuse many cells that share long texts: each cell gets a copy."""
    sizes: list[int] = []
    for name, part in parts.items():
        if name.endswith("sharedStrings.xml"):
            sizes += map(len, re.split(rb"</(?:\w+:)?si>", part))
    check_limit("cell", max(sizes, default=0), place)
    total = 0
    for name, part in parts.items():
        for cell in _SHARED.finditer(part) if sizes and _is_excel_sheet(name) else ():
            index = int(cell[1])
            total += sizes[index] if index < len(sizes) else 0
            check_limit("whole", total, place)
