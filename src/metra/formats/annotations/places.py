"""Where annotations belong: to a segment by its number, or to a document by its name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from metra.corpus.evalset import Batch, Sentence
from metra.errors import CorpusError
from metra.formats.table import Row, Table

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Placed(Generic[T]):
    """Annotations of a text: by segment, counted from 0, by document, or of all of it."""

    path: str
    segments: Mapping[int, Sequence[T]]
    documents: Mapping[str, Sequence[T]]
    everywhere: Sequence[T] = ()

    def check(self, batches: Iterable[Batch]) -> None:
        """Refuse annotations of segments or documents that the text has not."""
        count = 0
        known: set[str] | None = set()
        for batch in batches:
            count += len(batch)
            if known is not None:
                names = batch.place.documents
                known = None if names is None else known | set(names)
        beyond = max(self.segments, default=0)
        if beyond >= count:
            msg = (
                f"{self.path} speaks of segment {beyond + 1}, but the text has {count} "
                "segments; the annotations must belong to the text."
            )
            raise CorpusError(msg)
        if not self.documents:
            return
        if known is None:
            msg = (
                f"{self.path} says which document its lines belong to, but no documents "
                "are known; give --docs."
            )
            raise CorpusError(msg)
        for name in self.documents:
            if name not in known:
                msg = (
                    f"{self.path} speaks of document {name!r}, which the text has not; it "
                    f"has: {', '.join(sorted(known)[:10])}."
                )
                raise CorpusError(msg)


def placed(
    table: Table, entries: Iterable[tuple[Row, T]], *, somewhere: bool = False
) -> Placed[T]:
    """Put each line's annotation where its columns `segment` and `document` say.

    With `somewhere`, each line has to say that.
    """
    segments: dict[int, list[T]] = {}
    documents: dict[str, list[T]] = {}
    everywhere: list[T] = []
    for row, entry in entries:
        segment = segment_of(table, row)
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
    return Placed(table.path, segments, documents, everywhere)


def segment_of(table: Table, row: Row) -> int | None:
    """Read the number of a segment, counted from 1 in files and from 0 inside."""
    cell = row.cells.get("segment", "")
    if not cell:
        return None
    if not (cell.isascii() and cell.isdecimal() and 0 < int(cell) < 10**15):
        raise table.refuse(
            row, f"the segment is {cell!r}", "expected its number, counted from 1"
        )
    return int(cell) - 1


def units_of(batch: Batch | Sentence, unit: str) -> Iterator[tuple[str, range]]:
    """Give the segments, or the documents, of a batch: a document's name, and its segments.

    Where no documents are known, all is one document.
    """
    if unit == "segment":
        yield from (("", range(at, at + 1)) for at in range(len(batch)))
        return
    names = batch.place.documents
    if names is None:
        yield "", range(len(batch))
        return
    start = 0
    for at in range(1, len(names) + 1):
        if at == len(names) or names[at] != names[start]:
            yield names[start], range(start, at)
            start = at
