"""The size of a workbook's sheets, found before they are read.

The library that reads workbooks makes room for every cell between the first and the last
one, and a copy of its text for every cell, so that a file of a few bytes could fill the
memory. Here the parts of a workbook are looked at as bytes, within the limits.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain
from typing import NamedTuple
from xml.parsers import expat
from zipfile import is_zipfile

from metra.formats.compression import read_zip
from metra.limits import check_limit


class SheetSize(NamedTuple):
    """As many rows and columns as a sheet seems to have, from the first on."""

    rows: int
    columns: int


def check_workbook(content: bytes, place: str) -> dict[str, bytes]:
    """Refuse a workbook whose sheets would need more room than the limits allow.

    Its parts are returned; Excel's old format has none, and 65,536 rows of 256 columns.
    """
    if not is_zipfile(BytesIO(content)):
        return {}
    parts = read_zip(BytesIO(content), place, lambda _: True)
    cells = 0
    for name, part in parts.items():
        measure = _find_measure(name)
        for size in measure(part) if measure else ():
            check_limit("rows", size.rows, place)
            check_limit("columns", size.columns, place)
            cells += size.rows * size.columns
            check_limit("tokens", cells, place)
    _check_shared_texts(parts, place)
    return parts


def _find_measure(name: str) -> "Callable[[bytes], Iterator[SheetSize]] | None":
    if "worksheets/" in name and name.endswith(".bin"):
        return _measure_binary
    if "worksheets/" in name and name.endswith(".xml"):
        return _measure_excel
    return _measure_open_document if name == "content.xml" else None


_ROW = re.compile(rb"<(?:\w+:)?row\b")
_CELL = re.compile(rb"<(?:\w+:)?c\b")
_PLACE = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]+)([0-9]+)["']""")


def _measure_excel(part: bytes) -> Iterator[SheetSize]:
    """Measure a sheet of Excel's XML, by the names of its cells and by their number.

    >>> [*_measure_excel(b'<row r="7"><c r="A7"/><c r="C7"/></row>')]
    [SheetSize(rows=7, columns=3)]
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
    columns = max(columns, parse_column(widest.decode()))
    yield SheetSize(last, columns)


def parse_column(letters: str) -> int:
    """Return the number, from 1, of a column such as B or AB; 0 for no letters.

    >>> parse_column("B"), parse_column("AB")
    (2, 28)
    """
    number = 0
    for letter in letters.upper()[:8]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _measure_binary(part: bytes) -> Iterator[SheetSize]:
    """Measure a sheet of Excel's binary workbooks: records of rows (0) and cells (1 to 11)."""
    rows = columns = 0
    for kind, record in _read_records(part):
        value = int.from_bytes(record[:4], "little")
        if kind == 0:
            rows = max(rows, value + 1)
        elif kind < 12:
            columns = max(columns, value + 1)
    yield SheetSize(rows, columns)


def _read_records(part: bytes) -> Iterator[tuple[int, bytes]]:
    """Read the kind and the bytes of each record."""
    at = 0
    while at < len(part):
        kind, at = _read_number(part, at, 2)
        size, at = _read_number(part, at, 4)
        yield kind, part[at : at + size]
        at += size


def _read_number(part: bytes, at: int, most: int) -> tuple[int, int]:
    """Read a number of up to `most` bytes, seven bits each; return the place after it."""
    number = 0
    for index in range(most):
        byte = part[at + index] if at + index < len(part) else 0
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, at + index + 1
    return number, at + most


def _measure_open_document(part: bytes) -> Iterator[SheetSize]:
    """Measure the sheets of an OpenDocument: rows and cells may stand for many.

    Empty ones at the end of a row or sheet, of which there are many, need no room.
    """
    sizes = [SheetSize(0, 0)]
    rows = width = filled = repeats = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal width, filled, repeats, rows
        tag = name.rpartition(":")[2]
        count = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        if tag == "table":
            sizes.append(SheetSize(0, 0))
            rows = 0
        elif tag == "table-row":
            width = filled = 0
            repeats = _parse_repeats(count.get("number-rows-repeated"))
        elif tag in ("table-cell", "covered-table-cell"):
            width += _parse_repeats(count.get("number-columns-repeated"))
            filled = width if "value-type" in count else filled
        elif tag == "p":
            filled = width

    def end(name: str) -> None:
        nonlocal rows
        if name.rpartition(":")[2] == "table-row":
            rows += repeats
            if filled:
                sizes[-1] = SheetSize(rows, max(sizes[-1].columns, filled))

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    # Whoever reads it says what is wrong with it.
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(part, True)
    yield from sizes


def _parse_repeats(value: str | None) -> int:
    return int(value[:12]) if value and value.isascii() and value.isdecimal() else 1


_SHARED = re.compile(rb"""\st\s*=\s*["']s["'][^>]*>\s*<(?:\w+:)?v[^>]*>(\d{1,9})<""")
#: Records of binary workbooks: a shared text, and a cell that has one.
_SHARED_TEXT, _SHARED_CELL = 19, 7


def _check_shared_texts(parts: dict[str, bytes], place: str) -> None:
    """Refuse many cells that share long texts: each cell gets a copy."""
    texts = [*chain(*map(_measure_texts, parts, parts.values()))]
    if not texts:
        return
    check_limit("cell", max(texts), place)
    total = 0
    for index in chain(*map(_list_shared, parts, parts.values())):
        total += texts[index] if index < len(texts) else 0
        check_limit("whole", total, place)


def _measure_texts(name: str, part: bytes) -> Iterator[int]:
    """Yield the size of each shared text."""
    if name.endswith("sharedStrings.xml"):
        yield from map(len, re.split(rb"</(?:\w+:)?si>", part))
    elif name.endswith("sharedStrings.bin"):
        for kind, record in _read_records(part):
            if kind == _SHARED_TEXT:
                yield len(record)


def _list_shared(name: str, part: bytes) -> Iterator[int]:
    """Yield the number of the text of each cell that has a shared one."""
    measure = _find_measure(name)
    if measure is _measure_excel:
        yield from (int(cell[1]) for cell in _SHARED.finditer(part))
    elif measure is _measure_binary:
        for kind, record in _read_records(part):
            if kind == _SHARED_CELL:
                yield int.from_bytes(record[8:12], "little")
