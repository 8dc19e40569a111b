"""Lines, header and numbers of a text table, with errors that say where."""

import math
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from metra.errors import FormatError
from metra.io.stream import ByteStream, shown
from metra.meta.arrays import Array

#: No scale of scores goes beyond; squares of larger numbers could not be added up.
LARGEST = 1e100
#: How missing values are written.
MISSING = frozenset({"", "None", "nan", "NaN", "NA", "null", "-"})

#: The names that a column goes by in files that we know.
ALIASES = {
    "system": ("system", "sys", "sys_id", "system_id", "systemid"),
    "segment": (
        "segment",
        "seg",
        "seg_id",
        "segid",
        "globalsegid",
        "global_seg_id",
        "sid",
        "item",
    ),
    "document": ("document", "doc", "docid", "doc_id", "documentid"),
    "scorer": ("scorer", "metric", "protocol"),
    "value": ("value", "score"),
    "judge": ("judge", "rater", "annotator", "worker", "workerid", "evaluator"),
    "kind": ("kind",),
    "domain": ("domain", "genre"),
    "lang": ("lang", "lp", "language_pair", "lp_ref"),
    "direction": ("higher_is_better", "direction"),
}


def lines_of(path: str) -> list[str]:
    """Read a file, packed or not, as lines; a line ends at a line feed and nowhere else."""
    with closing(ByteStream(path)) as stream:
        blocks = list(iter(stream.read, b""))
    try:
        text = b"".join(blocks).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = (
            f"{shown(path)}: byte {error.start + 1} is not UTF-8; "
            "convert the file to UTF-8."
        )
        raise FormatError(msg) from None
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def rows_of(
    path: str, *, delimiter: str | None = "\t"
) -> tuple[list[str], list[list[str]]]:
    """Read a table without quoting: its header and its rows, all of the same width.

    Without a delimiter, any white space parts the columns.
    """
    lines = lines_of(path)
    if not lines:
        msg = f"{shown(path)} is empty; expected a header line with column names."
        raise FormatError(msg)
    header = lines[0].split(delimiter)
    rows = [line.split(delimiter) for line in lines[1:]]
    for at, row in enumerate(rows, 2):
        if len(row) != len(header):
            msg = (
                f"{shown(path)}, line {at} has {len(row)} columns but the header has "
                f"{len(header)}; each line needs as many as the header."
            )
            raise FormatError(msg)
    return header, rows


def csv_rows(path: str) -> list[list[str]]:
    """Read comma-separated lines, where commas and quotes may stand in quotes."""
    import csv

    return [row for row in csv.reader(lines_of(path)) if row]


def columns_of(header: Sequence[str]) -> dict[str, int]:
    """Find the columns that we know, by any of their names.

    >>> columns_of(["seg", "system", "mqm"])
    {'system': 1, 'segment': 0}
    """
    found: dict[str, int] = {}
    names = [name.strip().lower() for name in header]
    for role, aliases in ALIASES.items():
        for alias in aliases:
            if alias in names and names.index(alias) not in found.values():
                found[role] = names.index(alias)
                break
    return found


def with_units(
    segments: Sequence[str],
    units: Sequence[str],
    header: Sequence[str],
    columns: Sequence[Sequence[str]],
    path: str,
) -> Sequence[str]:
    """Name segments more closely, by what stands in other columns too."""
    names = [name.strip() for name in header]
    for unit in units:
        if unit not in names:
            msg = f"{shown(path)} has no column {unit}; found: {', '.join(names)}."
            raise FormatError(msg)
        cells = columns[names.index(unit)]
        pairs = zip(segments, cells, strict=True)
        segments = [" ".join(filter(None, pair)) for pair in pairs]
    return segments


def require(found: dict[str, int], roles: Sequence[str], path: str, what: str) -> None:
    """Refuse a table that lacks a column."""
    for role in roles:
        if role not in found:
            names = " or ".join(ALIASES[role][:3])
            msg = f"{shown(path)} has no column {names}, which {what} needs."
            raise FormatError(msg)


def numbers(cells: Sequence[str], path: str, name: str, first_line: int = 2) -> Array:
    """Read a column of numbers; a missing one is NaN, one beyond all scales an error."""
    wrong = None
    try:
        found = np.array(
            [math.nan if cell in MISSING else float(cell) for cell in cells], np.float64
        )
    except ValueError:
        wrong = next(
            at
            for at, cell in enumerate(cells)
            if cell not in MISSING and not is_number(cell)
        )
    else:
        beyond = np.abs(found) > LARGEST
        if beyond.any():
            wrong = int(beyond.argmax())
    if wrong is not None:
        msg = (
            f"{shown(path)}, line {first_line + wrong}: {name} is {cells[wrong]!r}; "
            "expected a number, or nothing where the value is missing."
        )
        raise FormatError(msg)
    return found


def is_number(cell: str) -> bool:
    """Tell a number from a label."""
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
