"""A corpus in files: outputs, references, source and documents, read side by side.

Texts with their documents, outside of any test set: what word lists are counted on.
Labels of segments, and other lists of lines that belong to no corpus.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from metra.corpus.batch import CorpusChunk, SegmentColumn, check_chunk
from metra.corpus.evalset import EMPTY
from metra.errors import CorpusError, OptionError
from metra.formats.lines import LineReader
from metra.formats.recognise import recognise_format
from metra.formats.stream import format_path, name_system
from metra.formats.texts.columns import (
    ColumnNames,
    Field,
    Role,
    describe_missing_column,
    is_document_column,
)
from metra.formats.texts.sources import ParallelTable, Source, Values, list_sources
from metra.text.columns import Text, pack
from metra.text.preparation import Preparation, Tokens, prepare


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
    files = list_sources(
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
        self._table = ParallelTable(files)
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

    def chunks(self, size: int) -> Iterator[CorpusChunk]:
        """Walk through the segments, `size` at a time."""
        return (chunk for chunk, _ in self.labelled_chunks(size, ()))

    def labelled_chunks(
        self, size: int, labels: Sequence[str]
    ) -> Iterator[tuple[CorpusChunk, list[list[str | None]]]]:
        """Walk through the segments with some of their labels, by these names."""
        found = [self._label(name) for name in labels]
        start = 0
        for columns in self._table.chunks(size, [*self._fields, *found]):
            chunk = check_chunk(self._chunk(columns, start), start)
            yield chunk, [_list_values(columns[field]) for field in found]
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
                is_document_column(name) or name == self._document
            ):
                return field
        labels = [f.name for f in self._table.fields if f.role in ("label", "document")]
        raise CorpusError(
            describe_missing_column(name, labels or ["no labels"], "What is scored")
        )

    def _of(self, role: Role) -> list[Field]:
        return [field for field in self._fields if field.role == role]

    def _chunk(self, columns: dict[Field, Values], start: int) -> CorpusChunk:
        def column(field: Field) -> SegmentColumn:
            values = columns[field]
            if isinstance(values, Text):
                return SegmentColumn(values)
            path = format_path(self._table.path(field))
            what = f"{field.role} {field.name!r} in {path}"
            return SegmentColumn(pack(values, what, first=start))

        return CorpusChunk(
            {field.name: column(field) for field in self._of("output")},
            [column(field) for field in self._of("reference")],
            next(map(column, self._of("source")), None),
            next(
                (
                    list(map(str, _list_values(columns[f])))
                    for f in self._of("document")
                ),
                None,
            ),
            start,
        )


def _list_values(values: Values) -> list[str | None]:
    if isinstance(values, Text):
        return [values[at] for at in range(len(values))]
    return values


CHUNK = 1024


def open_texts(
    files: Sequence[str], documents: str | None, *, input_format: str = "auto"
) -> FileCorpus:
    """Join files of references, side by side; some formats bring their documents along."""
    forms = {
        path: recognise_format(path) if input_format == "auto" else input_format
        for path in files
    }
    plain = [path for path in files if forms[path] == "plain"]
    rich = [path for path in files if forms[path] != "plain"]
    given = list_sources(rich, input_format=input_format, use="any")
    given += list_sources([], plain, None, documents, input_format=input_format)
    corpus = FileCorpus(given)
    names = ", ".join(map(format_path, files))
    if not corpus.has_references:
        msg = f"There are no references in {names}; lists are counted on references."
        raise CorpusError(msg)
    if not corpus.has_documents:
        msg = (
            f"The documents of {names} are not known; give --docs FILE with the document "
            "of each line, or several plain files, each of them a document."
        )
        raise CorpusError(msg)
    return corpus


def read_tokens(
    files: Sequence[str],
    documents: str | None,
    text: Preparation,
    *,
    input_format: str = "auto",
) -> Iterator[tuple[Tokens, list[str]]]:
    """Give the segments' tokens with their documents, all files of a document pooled.

    Without a list of documents, each of several plain files is one.
    """
    forms = [
        input_format if input_format != "auto" else recognise_format(f) for f in files
    ]
    if documents is None and len(files) > 1 and set(forms) == {"plain"}:
        yield from _read_each(files, text)
        return
    corpus = open_texts(files, documents, input_format=input_format)
    for chunk in corpus.chunks(CHUNK):
        for column in chunk.refs:
            yield column.tokens(text), list(chunk.documents or ())


def read_streams(
    corpus: FileCorpus, text: Preparation
) -> tuple[list[tuple[Tokens, list[str]]], ...]:
    """Give the tokens of two references apart, each with the segments' documents."""
    found: tuple[list[tuple[Tokens, list[str]]], ...] = ([], [])
    for chunk in corpus.chunks(CHUNK):
        if len(chunk.refs) != 2:
            msg = f"There are {len(chunk.refs)} references; two are compared: give two."
            raise CorpusError(msg)
        for stream, column in zip(found, chunk.refs, strict=True):
            stream.append((column.tokens(text), list(chunk.documents or ())))
    return found


def _read_each(
    files: Sequence[str], text: Preparation
) -> Iterator[tuple[Tokens, list[str]]]:
    names = [name_system(path) for path in files]
    if len(set(names)) < len(names):
        names = [str(Path(path)) for path in files]
    for path, name in zip(files, names, strict=True):
        for segments in _read_texts(path):
            yield prepare(segments, text), [name] * len(segments)


def _read_texts(path: str) -> Iterator[Text]:
    lines = LineReader(path)
    while len(found := lines.read(CHUNK)):
        yield found


def read_lines(path: str, *, most: int = 65_536) -> list[str]:
    """Read a whole file of lines, packed or not."""
    lines = LineReader(path)
    found: list[str] = []
    while True:
        text = lines.read(most)
        found.extend(text[at] or "" for at in range(len(text)))
        if len(text) < most:
            return found


def read_labels(specs: Sequence[str]) -> dict[str, list[str]]:
    """Read the files named by NAME=FILE, or by FILE, whose name then names the labels."""
    found: dict[str, list[str]] = {}
    for spec in specs:
        name, equals, path = spec.partition("=")
        if not equals:
            name, path = name_system(spec), spec
        if name in found:
            msg = f"Two lists of labels are named {name!r}; give one another NAME=FILE."
            raise OptionError(msg)
        found[name] = read_lines(path)
    return found
