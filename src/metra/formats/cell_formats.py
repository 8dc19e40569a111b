"""Numbers and dates in cells of workbooks as Excel shows them, with English signs."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from xml.etree import ElementTree

#: Formats that every workbook has; others of these depend on the language of Windows.
_BUILT_IN = {
    **{0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%"},
    **{10: "0.00%", 20: "h:mm", 21: "h:mm:ss", 49: "@"},
}


def read_cell_formats(styles: bytes) -> dict[str, str | None]:
    """Return the code of each style of cells other than General, None if it is not known."""
    if not styles:
        return {}
    root = ElementTree.fromstring(styles)
    codes: dict[int, str | None] = dict(_BUILT_IN)
    for entry in root.iter():
        if entry.tag.endswith("}numFmt"):
            codes[int(entry.get("numFmtId", 0))] = entry.get("formatCode")
    kinds = (part for part in root if part.tag.endswith("}cellXfs"))
    ids = [int(kind.get("numFmtId", 0)) for part in kinds for kind in part]
    named = {str(at): codes.get(number) for at, number in enumerate(ids)}
    return {
        style: code for style, code in named.items() if code not in ("General", "@")
    }


_CELL = re.compile(rb"<(?:\w+:)?c\b([^>]*)>")
_PLACE = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]+[0-9]+)["']""")
_STYLE = re.compile(rb"""\ss\s*=\s*["']([0-9]+)["']""")


def find_cell_formats(
    sheet: bytes, formats: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return the codes of cells by their names, such as C5; those in General have none."""
    codes: dict[str, str | None] = {}
    for cell in _CELL.finditer(sheet) if formats else ():
        style, place = _STYLE.search(cell[1]), _PLACE.search(cell[1])
        if style and place and style[1].decode() in formats:
            codes[place[1].decode().upper()] = formats[style[1].decode()]
    return codes


_NUMERIC = re.compile(r"(#,##(?=0(?!0)))?(0+)(?:\.(0+))?(%)?")
_MOST_DIGITS = 10
_LONGEST_CODE = 24
_DATES = {
    **{"yyyy": "{0:%Y}", "yy": "{0:%y}", "mm": "{0:%m}", "m": "{0.month}"},
    **{"dd": "{0:%d}", "d": "{0.day}"},
}
# Minutes stand behind hours.
_TIMES = {"hh": "{0:%H}", "h": "{0.hour}", ":mm": ":{0:%M}", ":ss": ":{0:%S}"}
_PARTS = re.compile(r":?([a-z])\1*|.")
_SIGNS = frozenset("-./, ")
#: Beyond it, digits of whole numbers are lost.
_LARGEST = 1e15


def format_value(value: Any, code: str | None) -> str | None:
    """Return a number, date or time as Excel shows it, None if uncertain.

    >>> format_value(1234.5, "#,##0.00"), format_value(7.0, "000"), format_value(0.5, "0%")
    ('1,234.50', '007', '50%')
    >>> format_value(date(2024, 3, 4), "dd.mm.yyyy"), format_value(0.1 + 0.2, "General")
    ('04.03.2024', '0.3')
    """
    plain = re.sub(r"\[\$-[^\]]*\]|;@$|\\", "", code or "")
    if len(plain) > _LONGEST_CODE:
        return None
    if isinstance(value, date | time):
        parts = [part[0] for part in _PARTS.finditer(plain.lower())]
        names = _DATES if isinstance(value, date) else _TIMES
        names = _DATES | _TIMES if isinstance(value, datetime) else names
        if not parts or not {*parts} <= names.keys() | _SIGNS:
            return None
        return "".join(names.get(part, part) for part in parts).format(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or abs(value) >= _LARGEST:
        return None
    if plain == "General":
        if value == int(value):
            return str(int(value))
        text = f"{value:.{_MOST_DIGITS}g}"
        return None if "e" in text else text
    number = _NUMERIC.fullmatch(plain)
    if number is None:
        return None
    grouped, zeros, places, percent = number.groups()
    exact = Decimal(repr(value)) * (100 if percent else 1)
    rounded = exact.quantize(Decimal(1).scaleb(-len(places or "")), ROUND_HALF_UP) + 0
    width = len(zeros) + (len(places) + 1 if places else 0) + (rounded < 0)
    shown = f"{rounded:,f}" if grouped else f"{rounded:0{width}f}"
    return shown + (percent or "")
