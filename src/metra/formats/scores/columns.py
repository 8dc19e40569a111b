"""Tables of scores: how they are read, the names of their columns, and their numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from metra.errors import FormatError
from metra.formats.headed_table import (
    MISSING,
    WITH_COMMA,
    is_workbook_name,
    read_headed_table,
)
from metra.formats.recognise import FileHead, read_head
from metra.formats.stream import STDIN, format_path
from metra.formats.table import DelimitedTable, Dialect, read_table
from metra.stats.arrays import Array

#: No scale of scores goes beyond; squares of larger numbers could not be added up.
LARGEST = 1e100

#: The names that a column goes by in files that we know.
ALIASES = {
    "system": ("system", "sys", "sys_id", "system_id", "systemid"),
    "segment": (
        *("segment", "seg", "seg_id", "segid", "globalsegid", "global_seg_id"),
        *("sid", "item"),
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


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """A table of scores by its columns, and which of them plays which role."""

    path: str
    header: list[str]
    columns: list[tuple[str, ...]]
    #: Number of rows, which all columns have.
    rows: int
    roles: dict[str, int]

    def get(self, role: str) -> Sequence[str]:
        """Return the cells of a role; empty ones if no column plays it."""
        index = self.roles.get(role)
        return [""] * self.rows if index is None else self.columns[index]

    def by_heading(self) -> dict[str, tuple[str, ...]]:
        """Return the columns by their headings; nothing if there are no rows."""
        return dict(zip(self.header, self.columns, strict=True)) if self.rows else {}

    def name_segments(self, units: Sequence[str]) -> Sequence[str]:
        """Return the segments' names, with what stands in the columns `units` too."""
        names = [name.strip() for name in self.header]
        segments = self.get("segment")
        for unit in units:
            if unit not in names:
                place, known = format_path(self.path), ", ".join(names)
                msg = f"{place} has no column {unit}; found: {known}."
                raise FormatError(msg)
            pairs = zip(segments, self.columns[names.index(unit)], strict=True)
            segments = [" ".join(filter(None, pair)) for pair in pairs]
        return segments


def read_columns(path: str, dialect: Dialect | None = None) -> ScoreColumns:
    """Read a table with a header, in a dialect that is known or else recognised."""
    table = read_table(path, dialect) if dialect else read_score_table(path)
    return build_columns(table, path)


def read_score_table(path: str) -> DelimitedTable:
    """Read a table of scores with a header: delimited as its content tells, or a sheet."""
    return read_headed_table(path, count_columns)


def read_score_head(path: str) -> FileHead:
    """Read what the format of a file of scores is recognised by; of a workbook, its table."""
    if path == STDIN or not is_workbook_name(path):
        return read_head(path)
    table = read_score_table(path)
    lines = [table.header, *(row.cells for row in islice(table.rows, 1))]
    return FileHead(path, "\n".join(map("\t".join, lines)).encode())


def build_columns(table: DelimitedTable, path: str) -> ScoreColumns:
    """Turn the rows of a table into columns, and find their roles."""
    rows = [row.cells for row in table.rows]
    columns = list(zip(*rows, strict=True)) or [()] * len(table.header)
    roles = find_columns(table.header)
    return ScoreColumns(path, table.header, columns, len(rows), roles)


def find_columns(header: Sequence[str]) -> dict[str, int]:
    """Find the columns that we know, by any of their names.

    >>> find_columns(["seg", "system", "mqm"])
    {'system': 1, 'segment': 0}
    """
    columns: dict[str, int] = {}
    names = [name.strip().lower() for name in header]
    for role, aliases in ALIASES.items():
        places = [names.index(alias) for alias in aliases if alias in names]
        free = [place for place in places if place not in columns.values()]
        if free:
            columns[role] = free[0]
    return columns


def count_columns(header: Sequence[str]) -> int:
    """Count the columns that we know."""
    return len(find_columns(header))


def require_columns(
    columns: dict[str, int], roles: Sequence[str], path: str, what: str
) -> None:
    """Refuse a table that lacks a column."""
    for role in roles:
        if role not in columns:
            names = " or ".join(ALIASES[role][:3])
            msg = f"{format_path(path)} has no column {names}, which {what} needs."
            raise FormatError(msg)


def parse_numbers(cells: Sequence[str], path: str, name: str, first: int = 2) -> Array:
    """Parse a column of numbers; a missing one is NaN, one beyond all scales an error."""
    try:
        numbers = np.array([math.nan if c in MISSING else float(c) for c in cells])
        is_wrong = np.abs(numbers) > LARGEST
    except ValueError:
        is_wrong = np.array([c not in MISSING and not is_number(c) for c in cells])
    if is_wrong.any():
        wrong = int(is_wrong.argmax())
        msg = (
            f"{format_path(path)}, line {first + wrong}: {name} is {cells[wrong]!r}; "
            f"{describe_expected_number(cells[wrong])}, or nothing where the value is "
            "missing."
        )
        raise FormatError(msg)
    return numbers


def describe_expected_number(cell: str) -> str:
    """Say what is expected in the place of a cell that is no number.

    >>> describe_expected_number("0,5")
    'expected a number with a decimal point (a comma only between semicolons)'
    """
    has_comma = WITH_COMMA.fullmatch(cell)
    more = (
        " with a decimal point (a comma only between semicolons)" if has_comma else ""
    )
    return f"expected a number{more}"


def is_number(cell: str) -> bool:
    """Tell a number from a label."""
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
