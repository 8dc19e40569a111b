"""Files side by side: the columns of all of them as one table."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, NamedTuple

from metra.errors import CorpusError, LengthError
from metra.io.choice import Choice
from metra.io.fields import Field
from metra.io.formats import WITH_IDS
from metra.io.sources import Columns, Reader, Source, Values
from metra.io.stream import shown

if TYPE_CHECKING:  # files with ids are rarer than plain ones, and have much to load
    from metra.io.documents import DocumentFiles


class _Side(NamedTuple):
    """A file, or all files with ids: its columns, and what they are called in the table."""

    file: "Source | DocumentFiles"
    path: str
    columns: dict[Field, Field]

    def open(self, wanted: Sequence[Field]) -> Reader:
        if isinstance(self.file, Source):
            mine = [found for found, field in self.columns.items() if field in wanted]
            return self.file.open(mine)
        return self.file.open(wanted)


class Joined:
    """The table: never more than some segments of each file in memory."""

    def __init__(self, files: Sequence[Source]) -> None:
        """Look at how files begin, and through those with ids, to learn the columns."""
        self._readers: list[Reader] = []
        choose = Choice(files)
        with_ids = [file for file in files if file.format in WITH_IDS]
        self._sides: list[_Side] = []
        for file in files:
            if file not in with_ids:
                with closing(file.open()) as reader:
                    columns = choose(file, reader.fields)
                self._sides.append(_Side(file, file.path, columns))
        self.fields = choose.in_order()
        self.about: dict[str, str] = {}
        self.with_ids: DocumentFiles | None = None
        if with_ids:
            from metra.io import documents

            group = self.with_ids = documents.DocumentFiles(with_ids, choose)
            labels = [documents.DOCUMENT, documents.SEGMENT_ID, *group.labels]
            # Document ids that were given apart from the files are meant to be used.
            kept = [f for f in labels if f.role == "label" or f not in choose.taken]
            columns = {
                field: field for field in [*(text.field for text in group.texts), *kept]
            }
            self._sides.append(_Side(group, with_ids[0].path, columns))
            self.fields = [*choose.in_order(), *kept]
            self.about = group.about
        self.fields = list(dict.fromkeys(self.fields))

    def path(self, field: Field) -> str:
        """Tell which file a column comes from."""
        return next(side.path for side in self._sides if field in side.columns.values())

    def share(self) -> float | None:
        """Tell what share of the first file has been read, if that can be told."""
        return self._readers[0].share() if self._readers else None

    def chunks(
        self, size: int, wanted: Sequence[Field]
    ) -> Iterator[dict[Field, Values]]:
        """Walk through the wanted columns, `size` segments at a time."""
        with ExitStack() as stack:
            readers = [
                stack.enter_context(closing(side.open(wanted))) for side in self._sides
            ]
            start = 0
            self._readers = readers
            while True:
                parts = [reader.read(size) for reader in readers]
                counts = [len(next(iter(part.values()))) for part in parts]
                if min(counts) != max(counts):
                    raise LengthError(_uneven(readers, size))
                if counts[0]:
                    yield self._joined(parts, start, wanted)
                if counts[0] < size:
                    return
                start += size

    def _joined(
        self, parts: Sequence[Columns], start: int, wanted: Sequence[Field]
    ) -> dict[Field, Values]:
        table: dict[Field, Values] = {}
        for side, part in zip(self._sides, parts, strict=True):
            for found, field in side.columns.items():
                if field not in wanted:
                    continue
                values = part[found]
                if field in table:
                    self._same(field, table[field], values, start)
                table[field] = values
        return {field: table[field] for field in wanted}

    def _same(self, label: Field, first: Values, second: Values, start: int) -> None:
        """Check that two files agree about a label that both of them have."""
        for at in range(len(first)):
            if first[at] != second[at]:
                msg = (
                    f"Segment {start + at + 1} has the label {label.name!r} twice, as "
                    f"{first[at]!r} and as {second[at]!r}; the files must agree about it."
                )
                raise CorpusError(msg)


def _uneven(readers: Sequence[Reader], size: int) -> str:
    """Read every file to its end to say how long it is."""
    for reader in readers:
        while len(next(iter(reader.read(size).values()))):
            pass
    first = readers[0]
    other = next(reader for reader in readers if reader.count != first.count)
    return (
        f"{shown(other.path)} has {other.count} segments but {shown(first.path)} has "
        f"{first.count}; each line must be one segment, in the same order in every file."
    )
