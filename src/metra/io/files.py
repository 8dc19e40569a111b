"""A corpus in files: outputs, references, source and documents, read side by side."""

from collections.abc import Iterator, Sequence

from metra.corpus import EMPTY, Chunk, Column, checked
from metra.errors import CorpusError
from metra.io.fields import ColumnNames, Field, Role, is_document, no_column
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
    columns: ColumnNames | None = None,
) -> "FileCorpus":
    """Join the files of a command line into one corpus.

    An output is a path or `NAME=PATH`; `-` is standard input. A table, a JSON lines file,
    or an SGML or XML file may bring references, sources, documents and several systems
    along; `columns` says which columns of a table are what.
    """
    files = sources(
        outputs,
        references,
        source,
        documents,
        input_format=input_format,
        columns=columns,
    )
    return FileCorpus(files)


class FileCorpus:
    """Files as a Corpus: read in step, never more than a chunk of each in memory."""

    def __init__(self, files: Sequence[Source]) -> None:
        """Look at the files to learn which columns there are."""
        self._table = Joined(files)
        named = [file.columns.document for file in files if file.columns]
        self._document = next(filter(None, named), None)
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
        return (chunk for chunk, _ in self.labelled_chunks(size, ()))

    def labelled_chunks(
        self, size: int, labels: Sequence[str]
    ) -> Iterator[tuple[Chunk, list[list[str | None]]]]:
        """Walk through the segments with some of their labels, by these names."""
        found = [self._label(name) for name in labels]
        start = 0
        for columns in self._table.chunks(size, [*self._fields, *found]):
            chunk = checked(self._chunk(columns, start), start)
            yield chunk, [_listed(columns[field]) for field in found]
            start += len(chunk)
        if not start:
            raise CorpusError(EMPTY)

    def share(self) -> float | None:
        """Tell what share of the segments has been read, as far as that can be told."""
        return self._table.share()

    def _label(self, name: str) -> Field:
        """Find a label, or the documents, by the name of its column."""
        for field in self._table.fields:
            if field == Field("label", name):
                return field
            if field.role == "document" and (
                is_document(name) or name == self._document
            ):
                return field
        labels = [f.name for f in self._table.fields if f.role in ("label", "document")]
        raise CorpusError(no_column(name, labels or ["no labels"], "What is scored"))

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
