"""A corpus in files: outputs, references, source and documents, read side by side."""

from collections.abc import Iterator, Sequence

from metra.corpus import EMPTY, Chunk, Column, checked
from metra.errors import CorpusError
from metra.io.fields import Field, Role
from metra.io.joined import Joined
from metra.io.sources import Source, Values, sources
from metra.io.stream import shown
from metra.text import Text, pack


def open_corpus(
    outputs: Sequence[str],
    references: Sequence[str] = (),
    source: str | None = None,
    documents: str | None = None,
    *,
    input_format: str = "auto",
) -> "FileCorpus":
    """Join the files of a command line into one corpus.

    An output is a path or `NAME=PATH`; `-` is standard input. A table, a JSON lines file,
    or an SGML or XML file may bring references, sources, documents and several systems
    along.
    """
    return FileCorpus(
        sources(outputs, references, source, documents, input_format=input_format)
    )


class FileCorpus:
    """Files as a Corpus: read in step, never more than a chunk of each in memory."""

    def __init__(self, files: Sequence[Source]) -> None:
        """Look at the files to learn which columns there are."""
        self._table = Joined(files)
        self._fields = [field for field in self._table.fields if field.role != "label"]
        self.systems = tuple(field.name for field in self._of("output"))
        self.has_source = bool(self._of("source"))
        self.has_documents = bool(self._of("document"))
        references = self._of("reference")
        self.has_references = bool(references)
        with_ids = self._table.with_ids
        if with_ids and references and set(references) <= set(with_ids.fields):
            with_ids.check_references()

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Walk through the segments, `size` at a time."""
        start = 0
        for columns in self._table.chunks(size, self._fields):
            chunk = checked(self._chunk(columns, start), start)
            yield chunk
            start += len(chunk)
        if not start:
            raise CorpusError(EMPTY)

    def _of(self, role: Role) -> list[Field]:
        return [field for field in self._fields if field.role == role]

    def _chunk(self, columns: dict[Field, Values], start: int) -> Chunk:
        def column(field: Field) -> Column:
            values = columns[field]
            if isinstance(values, Text):
                return Column(values)
            path = shown(self._table.path(field))
            what = f"{field.role} {field.name!r} in {path}"
            return Column(pack(values, what, first=start))

        return Chunk(
            {field.name: column(field) for field in self._of("output")},
            [column(field) for field in self._of("reference")],
            next(map(column, self._of("source")), None),
            next(
                (list(map(str, _listed(columns[f]))) for f in self._of("document")),
                None,
            ),
            start,
        )


def _listed(values: Values) -> list[str | None]:
    if isinstance(values, Text):
        return [values[at] for at in range(len(values))]
    return values
