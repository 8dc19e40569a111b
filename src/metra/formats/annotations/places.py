"""Where annotations belong: to a segment by its number, or to a document by its name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from metra.formats.table import AnnotationTable, TableRow

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PlacedAnnotations(Generic[T]):
    """Annotations of a text: by segment, counted from 0, by document, or of all of it."""

    path: str
    segments: Mapping[int, Sequence[T]]
    documents: Mapping[str, Sequence[T]]
    everywhere: Sequence[T] = ()


def place_annotations(
    table: AnnotationTable,
    entries: Iterable[tuple[TableRow, T]],
    *,
    somewhere: bool = False,
) -> PlacedAnnotations[T]:
    """Put each line's annotation where its columns `segment` and `document` say.

    With `somewhere`, each line has to say that.
    """
    segments: dict[int, list[T]] = {}
    documents: dict[str, list[T]] = {}
    everywhere: list[T] = []
    for row, entry in entries:
        segment = parse_segment_index(table, row)
        document = row.cells.get("document", "")
        if segment is not None:
            segments.setdefault(segment, []).append(entry)
        elif document:
            documents.setdefault(document, []).append(entry)
        elif somewhere:
            found = "there is neither a segment nor a document"
            raise table.refuse(row, found, "every line needs one")
        else:
            everywhere.append(entry)
    return PlacedAnnotations(table.path, segments, documents, everywhere)


def parse_segment_index(table: AnnotationTable, row: TableRow) -> int | None:
    """Read the number of a segment, counted from 1 in files and from 0 inside."""
    cell = row.cells.get("segment", "")
    if not cell:
        return None
    if not (cell.isascii() and cell.isdecimal() and 0 < int(cell) < 10**15):
        raise table.refuse(
            row, f"the segment is {cell!r}", "expected its number, counted from 1"
        )
    return int(cell) - 1
