"""Lines, header and numbers of a text table, with errors that say where.

Tables of annotations: columns by name, tabs between them, no quoting, line numbers kept.
Cells that a spreadsheet would run as formulas, made harmless and restored.
Cells of tables that know no quoting: a text stays on its line and in its column.
"""

import math
import re
from collections.abc import Collection, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metra.errors import FormatError
from metra.formats.stream import ByteStream, format_path
from metra.stats.arrays import Array

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
    """Read a file, packed or not, as lines; a line ends at a line feed and nowhere else."""
    with closing(ByteStream(path)) as stream:
        blocks = list(iter(stream.read, b""))
    try:
        text = b"".join(blocks).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = (
            f"{format_path(path)}: byte {error.start + 1} is not UTF-8; "
            "convert the file to UTF-8."
        )
        raise FormatError(msg) from None
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_rows(
    path: str, *, delimiter: str | None = "\t"
) -> tuple[list[str], list[list[str]]]:
    """Read a table without quoting: its header and its rows, all of the same width.

    Without a delimiter, any white space parts the columns.
    """
    lines = read_packed_lines(path)
    if not lines:
        msg = f"{format_path(path)} is empty; expected a header line with column names."
        raise FormatError(msg)
    header = lines[0].split(delimiter)
    rows = [line.split(delimiter) for line in lines[1:]]
    for at, row in enumerate(rows, 2):
        if len(row) != len(header):
            msg = (
                f"{format_path(path)}, line {at} has {len(row)} columns but the header has "
                f"{len(header)}; each line needs as many as the header."
            )
            raise FormatError(msg)
    return header, rows


def read_csv_rows(path: str) -> list[list[str]]:
    """Read comma-separated lines, where commas and quotes may stand in quotes."""
    import csv

    return [row for row in csv.reader(read_packed_lines(path)) if row]


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
) -> Array:
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


class TableRow(NamedTuple):
    """A line of the table: its number, counted from 1, and its cells by column."""

    line: int
    cells: dict[str, str]


class AnnotationTable(NamedTuple):
    """A file's columns and its rows."""

    path: str
    columns: Sequence[str]
    rows: Sequence[TableRow]

    def refuse(self, row: TableRow, found: str, expected: str) -> FormatError:
        """Word what is wrong with a row."""
        return FormatError(f"{self.path}, line {row.line}: {found}; {expected}.")


def read_table(
    path: str, needed: Sequence[str], known: Collection[str]
) -> AnnotationTable:
    """Read a table that has the needed columns and, of the others, only known ones.

    Empty lines are left out.
    """
    lines = read_lines(path)
    columns: list[str] = []
    rows: list[TableRow] = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        cells = line.split("\t")
        if not columns:
            columns = _parse_header(path, number, cells, needed, known)
            continue
        if len(cells) != len(columns):
            msg = (
                f"{path}, line {number} has {len(cells)} columns, but the header has "
                f"{len(columns)}; each line needs as many tabs as the header."
            )
            raise FormatError(msg)
        rows.append(
            TableRow(number, dict(zip(columns, map(str.strip, cells), strict=True)))
        )
    if not columns:
        msg = (
            f"{path} is empty; expected a header with the columns {', '.join(needed)}."
        )
        raise FormatError(msg)
    return AnnotationTable(path, columns, rows)


def compute_file_version(path: str) -> str:
    """Name a file with a digest of what is in it, for signatures."""
    return f"{path}[sha256:{sha256(_read_content(path)).hexdigest()[:12]}]"


def read_lines(path: str) -> list[str]:
    """Read a small UTF-8 text whole; a line ends at a newline only."""
    lines = _read_content(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(line.removesuffix(b"\r").decode())
        except UnicodeDecodeError as error:
            msg = (
                f"{path}, line {number}: byte {error.start + 1} of the line is "
                f"0x{line[error.start]:02x}, which is not UTF-8; convert the file to UTF-8."
            )
            raise FormatError(msg) from None
    return found


def _read_content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
        raise FormatError(msg) from None


def _parse_header(
    path: str,
    line: int,
    cells: list[str],
    needed: Sequence[str],
    known: Collection[str],
) -> list[str]:
    columns = [cell.strip().lower() for cell in cells]
    listed = f"the header is: {', '.join(columns)}"
    for name in needed:
        if name not in columns:
            msg = (
                f"{path}, line {line}: there is no column {name!r}; {listed}. Expected "
                f"{', '.join(needed)}, tabs between them."
            )
            raise FormatError(msg)
    for name in columns:
        if columns.count(name) > 1:
            msg = f"{path}, line {line}: two columns are called {name!r}; {listed}."
            raise FormatError(msg)
        if name not in known:
            msg = (
                f"{path}, line {line}: there is a column {name!r}, which means nothing "
                f"here; known columns are {', '.join(sorted(known))}."
            )
            raise FormatError(msg)
    return columns


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
