"""Delimited tables: the only place where lines are cut into cells.

`read_table` and `parse_table` give a header and numbered rows, all of the same width, or an
error that says in which file and line they differ. Tables without a header, or with one of
their own kind, use `split_rows`. What separates the cells is a `Dialect`: a new delimiter
or quoting rule is added there and in `split_rows`, nowhere else.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from metra.errors import FormatError
from metra.formats.lines import LineReader, read_lines
from metra.formats.stream import format_path

if TYPE_CHECKING:
    from metra.stats.arrays import Array


class Dialect(NamedTuple):
    """What separates cells: a delimiter, or any white space if it is None."""

    delimiter: str | None
    #: Whether cells may stand in double quotes, as in CSV.
    quoted: bool = False


TABS = Dialect("\t")
COMMAS = Dialect(",", quoted=True)
BLANKS = Dialect(None)


class Row(NamedTuple):
    """A row's cells, and the number of its line, counted from 1."""

    line: int
    cells: list[str]


def split_rows(
    lines: Iterable[str], dialect: Dialect = TABS, *, first_line: int = 1
) -> Iterator[Row]:
    """Cut lines into cells; rows may differ in width."""
    if dialect.quoted:
        import csv

        reader = csv.reader(lines, delimiter=dialect.delimiter or " ")
        for cells in reader:
            yield Row(first_line + reader.line_num - 1, cells)
        return
    for number, line in enumerate(lines, first_line):
        yield Row(number, line.split(dialect.delimiter))


@dataclass(frozen=True, slots=True)
class Table:
    """The column names of a table and its rows, each as wide as the header."""

    #: The file as messages name it.
    path: str
    header: list[str]
    #: From `parse_table`, rows come one at a time, and once.
    rows: Iterable[Row]
    #: The line of the header, counted from 1.
    line: int = 1

    def error(self, line: int, problem: str, expected: str) -> FormatError:
        """Build the error for a row: where, what was found and what was expected."""
        return FormatError(f"{self.path}, line {line}: {problem}; {expected}.")


def read_table(
    path: str, dialect: Dialect = TABS, *, skip_empty: bool = False
) -> Table:
    """Read a file with a header line, all of it."""
    with closing(LineReader(path)) as lines:
        table = parse_table(lines, path, dialect, skip_empty=skip_empty)
        return replace(table, rows=list(table.rows))


def parse_table(
    lines: Iterable[str],
    path: str,
    dialect: Dialect = TABS,
    *,
    skip_empty: bool = False,
    expected: str = "a header line with column names",
) -> Table:
    """Parse lines of which the first is a header, a row at a time.

    `path` is for messages, and so is what is `expected` where there are no lines. With
    `skip_empty`, empty lines are no rows.
    """
    place = format_path(path)
    rows = split_rows(lines, dialect)
    if skip_empty:
        rows = (row for row in rows if row.cells not in ([], [""]))
    header = next(rows, None)
    if header is None:
        msg = f"{place} is empty; expected {expected}."
        raise FormatError(msg)
    checked_rows = _check_widths(rows, place, header.cells, dialect)
    return Table(place, header.cells, checked_rows, header.line)


def _check_widths(
    rows: Iterable[Row], place: str, header: Sequence[str], dialect: Dialect
) -> Iterator[Row]:
    for row in rows:
        if len(row.cells) != len(header):
            counted = "as many tabs as" if dialect == TABS else "as many as"
            msg = (
                f"{place}, line {row.line} has {len(row.cells)} columns but the header "
                f"has {len(header)}; each line needs {counted} the header."
            )
            raise FormatError(msg)
        yield row


_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def escape_formula(cell: str) -> str:
    """Put an apostrophe before a cell that begins like a formula.

    >>> escape_formula("=1+1"), escape_formula("a = b"), escape_formula("'=1")
    ("'=1+1", 'a = b', "''=1")
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Undo `escape_formula`; any other cell stays.

    >>> unescape_formula("'=1+1"), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def replace_line_breaks(text: str) -> str:
    r"""Turn tabs and ends of lines into spaces.

    >>> replace_line_breaks("a\tb\r\nc")
    'a b  c'
    """
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")


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


def read_packed_lines(path: str) -> list[str]:
    """Read all lines of a file; see `read_lines`."""
    return read_lines(path)


def read_rows(
    path: str, *, delimiter: str | None = "\t"
) -> tuple[list[str], list[list[str]]]:
    """Read a table without quoting: its header and its rows, all of the same width."""
    table = read_table(path, Dialect(delimiter))
    return table.header, [row.cells for row in table.rows]


def read_csv_rows(path: str) -> list[list[str]]:
    """Read comma-separated lines, where commas and quotes may stand in quotes."""
    return [row.cells for row in split_rows(read_lines(path), COMMAS) if row.cells]


def find_columns(header: Sequence[str]) -> dict[str, int]:
    """Find the columns that we know, by any of their names.

    >>> find_columns(["seg", "system", "mqm"])
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


def extend_segment_names(
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
            msg = (
                f"{format_path(path)} has no column {unit}; found: {', '.join(names)}."
            )
            raise FormatError(msg)
        cells = columns[names.index(unit)]
        pairs = zip(segments, cells, strict=True)
        segments = [" ".join(filter(None, pair)) for pair in pairs]
    return segments


def require_columns(
    found: dict[str, int], roles: Sequence[str], path: str, what: str
) -> None:
    """Refuse a table that lacks a column."""
    for role in roles:
        if role not in found:
            names = " or ".join(ALIASES[role][:3])
            msg = f"{format_path(path)} has no column {names}, which {what} needs."
            raise FormatError(msg)


def parse_numbers(
    cells: Sequence[str], path: str, name: str, first_line: int = 2
) -> "Array":
    """Read a column of numbers; a missing one is NaN, one beyond all scales an error."""
    import numpy as np

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
            f"{format_path(path)}, line {first_line + wrong}: {name} is {cells[wrong]!r}; "
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
