"""Tables of annotations: named columns, and the segment or document each row is about."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from metra.errors import FormatError
from metra.formats.headed_table import read_headed_table

T = TypeVar("T")

#: What separates several values in one cell.
BETWEEN = "|"


class AnnotationRow(NamedTuple):
    """A row of the table: the number of its line, counted from 1, and its cells by column."""

    line: int
    cells: dict[str, str]

    def list_values(self, column: str) -> tuple[str, ...]:
        """Return the values of a cell that may hold several, `|` between them."""
        values = map(str.strip, self.cells.get(column, "").split(BETWEEN))
        return tuple(filter(None, values))


class AnnotationTable(NamedTuple):
    """A file's columns and its rows."""

    path: str
    columns: Sequence[str]
    rows: Sequence[AnnotationRow]

    def error(self, row: AnnotationRow, problem: str, expected: str) -> FormatError:
        """Build the error for a row: where, what was found and what was expected."""
        return FormatError(f"{self.path}, line {row.line}: {problem}; {expected}.")


@dataclass(frozen=True, slots=True)
class PlacedAnnotations(Generic[T]):
    """Annotations of a text: by segment, counted from 0, by document, or of all of it."""

    path: str
    segments: Mapping[int, Sequence[T]]
    documents: Mapping[str, Sequence[T]]
    everywhere: Sequence[T] = ()


def read_annotation_table(
    path: str, needed: Sequence[str], known: Collection[str]
) -> AnnotationTable:
    """Read a table that has the needed columns and, of the others, only known ones.

    Names of columns are compared without letter case; blanks around cells and empty lines
    are left out.
    """
    expected = f"a header with the columns {', '.join(needed)}"

    def count_known(header: Sequence[str]) -> int:
        return len({cell.strip().lower() for cell in header} & {*known})

    table = read_headed_table(path, count_known, skip_empty=True, expected=expected)
    columns = [cell.strip().lower() for cell in table.header]
    _check_header(f"{table.path}, line {table.line}", columns, needed, known)
    rows = []
    for line, cells in table.rows:
        by_column = dict(zip(columns, map(str.strip, cells), strict=True))
        rows.append(AnnotationRow(line, by_column))
    return AnnotationTable(table.path, columns, rows)


def _check_header(
    place: str, columns: list[str], needed: Sequence[str], known: Collection[str]
) -> None:
    listed = f"the header is: {', '.join(columns)}"
    for name in needed:
        if name not in columns:
            expected = f"Expected {', '.join(needed)}"
            msg = f"{place}: the column {name!r} is missing; {listed}. {expected}."
            raise FormatError(msg)
    for name in columns:
        if columns.count(name) > 1:
            msg = f"{place}: two columns are named {name!r}; {listed}."
            raise FormatError(msg)
        if name not in known:
            problem = f"{place}: the column {name!r} is unknown"
            msg = f"{problem}; known columns are {', '.join(sorted(known))}."
            raise FormatError(msg)


def place_annotations(
    table: AnnotationTable,
    parse: Callable[[AnnotationRow], T],
    *,
    somewhere: bool = False,
) -> PlacedAnnotations[T]:
    """Parse each row, and put it where its columns `segment` and `document` say.

    With `somewhere`, each row has to say that.
    """
    segments: dict[int, list[T]] = {}
    documents: dict[str, list[T]] = {}
    everywhere: list[T] = []
    for row in table.rows:
        entry = parse(row)
        segment = _parse_segment_index(table, row)
        document = row.cells.get("document", "")
        if segment is not None:
            segments.setdefault(segment, []).append(entry)
        elif document:
            documents.setdefault(document, []).append(entry)
        elif somewhere:
            problem = "segment and document are both missing"
            raise table.error(row, problem, "every line needs one")
        else:
            everywhere.append(entry)
    return PlacedAnnotations(table.path, segments, documents, everywhere)


def _parse_segment_index(table: AnnotationTable, row: AnnotationRow) -> int | None:
    """Parse the number of a segment, counted from 1 in files and from 0 inside."""
    cell = row.cells.get("segment", "")
    if not cell:
        return None
    if not (cell.isascii() and cell.isdecimal() and 0 < int(cell[:16]) < 10**15):
        expected = "expected its number, counted from 1"
        raise table.error(row, f"the segment is {cell!r}", expected)
    return int(cell) - 1
