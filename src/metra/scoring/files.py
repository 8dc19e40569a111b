"""Corpora in files: outputs, references, source and documents, read side by side.

This module joins `formats`, which knows files and columns, with `corpus`, which knows
segments; packages of one layer do not import each other, so it lives in the layer above.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metra.corpus.batch import EMPTY, CorpusChunk, SegmentColumn, check_chunk
from metra.errors import CorpusError, OptionError, not_possible
from metra.formats.lines import LineReader, read_lines
from metra.formats.recognise import PLAIN, TextFormat, choose_format
from metra.formats.stream import format_path, name_system
from metra.formats.texts.columns import (
    ColumnNames,
    Field,
    ReadingOptions,
    Role,
    Values,
    count_segments,
    describe_missing_column,
    is_document_column,
    list_values,
)
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.sources import Source, Use, get_kept_segments, list_sources
from metra.metrics.options import parse_spec
from metra.text.columns import RepeatedValues, Text, pack
from metra.text.preparation import Preparation, Tokens, prepare

if TYPE_CHECKING:
    from metra.corpus.outputs import Outputs
    from metra.formats.testsets.record import NamedSet
    from metra.metrics.record import Metric

#: So many segments are read at a time.
CHUNK = 1024
#: Tokens of segments in chunks, with their documents.
TokenStream: TypeAlias = list[tuple[Tokens, list[str]]]


class CorpusFiles(NamedTuple):
    """The files of a call, and how they are read: the arguments of `open_corpus`."""

    outputs: Sequence[str] = ()
    references: Sequence[str] = ()
    source: str | None = None
    documents: str | None = None
    input_format: str = "auto"
    #: The roles of columns of a table; others are recognised by their names.
    columns: ColumnNames | None = None
    reading: ReadingOptions | None = None
    #: A test set that was found by its name; it brings its texts along.
    test_set: "NamedSet | None" = None
    #: Columns of scores: `NAME[/SYSTEM]=COLUMN[:option=value,…]`, or a name alone if the
    #: column has the same.
    score_columns: Sequence[str] = ()

    @property
    def reading_options(self) -> dict[str, Any]:
        """Options of reading, by their names as arguments."""
        names = ("input_format", "columns", "reading")
        return {name: getattr(self, name) for name in names}

    def list_sources(self, use: Use = "output") -> list[Source]:
        """List the files with their formats and roles."""
        texts, test_set = self[:4], self.test_set
        return list_sources(*texts, use=use, test_set=test_set, **self.reading_options)

    def open(self) -> "FileCorpus":
        """Join the files into one corpus."""
        return FileCorpus(self.list_sources())


def open_corpus(
    outputs: Sequence[str],
    references: Sequence[str] = (),
    source: str | None = None,
    documents: str | None = None,
    **reading: Any,
) -> "FileCorpus":
    """Join the files of a call into one corpus; `reading` has further `CorpusFiles` fields.

    An output is a path or `NAME=PATH`; `-` is standard input. A table, a JSON lines file,
    or an SGML or XML file may bring references, sources, documents and several systems
    along.
    """
    return CorpusFiles(outputs, references, source, documents, **reading).open()


def open_scored(
    files: CorpusFiles, metrics: "Mapping[str, Metric]"
) -> "tuple[FileCorpus | Outputs, dict[str, Metric]]":
    """Open a corpus with the metrics of its columns of scores beside those given.

    Without outputs, scores that were made elsewhere are the corpus.
    """
    if not files.outputs:
        return _build_score_corpus(metrics), dict(metrics)
    entries = [parse_score_column(entry) for entry in files.score_columns]
    if not entries:
        return files.open(), dict(metrics)
    named = files.columns or ColumnNames()
    labels = (*named.labels, *(entry.column for entry in entries))
    columns = named._replace(labels=tuple(dict.fromkeys(labels)))
    corpus = files._replace(columns=columns).open()
    return corpus, {**metrics, **_read_score_columns(corpus, entries)}


def _build_score_corpus(metrics: "Mapping[str, Metric]") -> "Outputs":
    """Build a corpus without texts, of the systems and segments of the first metric."""
    from metra.corpus.evalset import EvalSet
    from metra.corpus.outputs import Outputs
    from metra.metrics.outside import collect_values, list_documents

    for spec, metric in metrics.items():
        if metric.notes.scored is None:
            msg = (
                f"{spec} needs texts, but no output was given; give the outputs, or "
                "only scores from other programs."
            )
            raise CorpusError(msg)
    notes = [metric.notes for metric in metrics.values()]
    tables = [note.scored for note in notes if note.scored]
    documents = next(filter(None, map(list_documents, tables)), None)
    outputs = {
        system or "system": [""] * len(each)
        for system, each in collect_values(tables[0]).items()
    }
    return Outputs(EvalSet(documents=documents), outputs)


class ScoredColumn(NamedTuple):
    """A column with the scores of one system's outputs by one metric."""

    metric: str
    system: str
    column: str
    higher_is_better: bool | None = None


def choose_direction(entries: Iterable[ScoredColumn]) -> bool | None:
    """Return the direction that the last of a metric's columns to state one states."""
    stated = (entry.higher_is_better for entry in entries)
    return next((each for each in reversed([*stated]) if each is not None), None)


def parse_score_column(entry: str) -> ScoredColumn:
    """Split `NAME[/SYSTEM]=COLUMN[:option=value,…]`; the column may have that very name.

    >>> parse_score_column("comet/A=c1")[:3], parse_score_column("comet/A")[:3]
    (('comet', 'A', 'c1'), ('comet', 'A', 'comet/A'))
    """
    title, equals, rest = entry.partition("=")
    is_same = not equals or ":" in title
    if is_same:
        title, rest = entry.partition(":")[0], entry
    options = parse_spec(f"{title}@{rest}")[1]
    name, _, system = title.partition("/")
    column = options.pop("file")
    options.pop("name")
    is_higher = {"higher": True, "lower": False}.get(options.get("better", ""))
    for option, value in options.items():
        if option != "better" or is_higher is None:
            wrong = f"{name}: {option}={value}"
            raise OptionError(not_possible(wrong, "better=higher or better=lower"))
    return ScoredColumn(name, system, column, is_higher)


def _read_score_columns(
    corpus: "FileCorpus", entries: Sequence[ScoredColumn]
) -> "dict[str, Metric]":
    from metra.metrics.outside import import_scores

    tables: dict[str, dict[str, list[float]]] = {}
    for entry in entries:
        values = tables.setdefault(entry.metric, {}).setdefault(entry.system, [])
        for chunk in corpus.chunks(CHUNK, [entry.column]):
            for at, value in enumerate(chunk.labels[0], chunk.first + 1):
                place = f"The column {entry.column!r}, segment {at},"
                values.append(_parse_score(value, place))
    return {
        name: import_scores(
            name,
            table,
            higher_is_better=choose_direction(
                entry for entry in entries if entry.metric == name
            ),
        )
        for name, table in tables.items()
    }


def _parse_score(value: object, place: str) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        msg = f"{place} has {value!r}; expected a number."
        raise CorpusError(msg) from None


class FileCorpus:
    """Files as a Corpus: read in step, never more than a chunk of each in memory."""

    def __init__(self, files: Sequence[Source]) -> None:
        """Look at the files to learn which columns there are."""
        self._table = ParallelTable(files)
        document_columns = [file.columns.document for file in files if file.columns]
        self._document_column = next(filter(None, document_columns), None)
        self._fields: dict[Role, list[Field]] = {
            role: [field for field in self._table.fields if field.role == role]
            for role in ("output", "reference", "source", "document")
        }
        self.systems = tuple(field.name for field in self._fields["output"])
        self.has_source = bool(self._fields["source"])
        self.has_documents = bool(self._fields["document"])
        self.has_references = bool(self._fields["reference"])
        self.cleaned = self._table.cleaned
        #: How tables were read, by path, where that had to be recognised.
        self.layouts = self._table.layouts
        #: How rows of several files were found to belong together, if not by position.
        self.joined = self._table.joined
        #: The share of the segments that has been read, None if it is not known.
        self.share = self._table.share
        self._kept = get_kept_segments(files)

    def chunks(self, size: int, labels: Sequence[str] = ()) -> Iterator[CorpusChunk]:
        """Walk through the segments, `size` at a time, with some of their labels."""
        named, wanted = self._choose_fields(labels)
        table = self._keep_segments(self._table.chunks(size, wanted))
        is_empty = True
        for chunk in self._build_chunks(table, named, 0):
            yield chunk
            is_empty = False
        if is_empty:
            raise CorpusError(EMPTY)

    def read_ids(self) -> list[str]:
        """Read the segments' ids; none if no column has them."""
        ids = self._table.read_ids()
        return ids if self._kept is None else [*compress(ids, self._kept)]

    def sections(
        self, size: int, labels: Sequence[str] = ()
    ) -> list[Iterator[CorpusChunk]]:
        """List parts that can be read at the same time, if there are any."""
        if self._kept is not None:
            return []
        named, wanted = self._choose_fields(labels)
        return [
            self._build_chunks(columns, named, first)
            for first, columns in self._table.sections(size, wanted)
        ]

    def _choose_fields(self, labels: Sequence[str]) -> tuple[list[Field], list[Field]]:
        """Return the fields of labels, and all fields to be read."""
        named = [self._find_label(name) for name in labels]
        texts = [field for field in self._table.fields if field.role != "label"]
        return named, [*texts, *named]

    def _build_chunks(
        self, table: Iterator[dict[Field, Values]], named: Sequence[Field], start: int
    ) -> Iterator[CorpusChunk]:
        """Pack columns as chunks of a corpus, the first of which begins at a segment."""

        def get_column(field: Field) -> SegmentColumn:
            values = columns[field]
            if isinstance(values, Text):
                return SegmentColumn(values)
            path = format_path(self._table.path(field))
            what = f"{field.role} {field.name!r} in {path}"
            return SegmentColumn(pack(list_values(values), what, first=start))

        for columns in table:
            documents = [
                _name_documents(columns[field]) for field in self._fields["document"]
            ]
            chunk = CorpusChunk(
                {field.name: get_column(field) for field in self._fields["output"]},
                [get_column(field) for field in self._fields["reference"]],
                next(map(get_column, self._fields["source"]), None),
                documents[0] if documents else None,
                start,
                [list_values(columns[field]) for field in named],
            )
            yield check_chunk(chunk)
            start += len(chunk)

    def _keep_segments(
        self, chunks: Iterator[dict[Field, Values]]
    ) -> Iterator[dict[Field, Values]]:
        """Keep the chosen segments."""
        if self._kept is None:
            yield from chunks
            return
        start = 0
        for columns in chunks:
            count = count_segments(columns)
            kept = self._kept[start : start + count]
            start += count
            if any(kept):
                yield {
                    field: list(compress(list_values(values), kept))
                    for field, values in columns.items()
                }

    def _find_label(self, name: str) -> Field:
        """Find a label, or the documents, by the name of its column."""
        is_document = is_document_column(name) or name == self._document_column
        fields = [f for f in self._table.fields if f.role in ("label", "document")]
        for field in fields:
            if field == Field("label", name) or (
                is_document and field.role == "document"
            ):
                return field
        labels = [field.name for field in fields] or ["no labels"]
        raise CorpusError(describe_missing_column(name, labels, "What is scored"))


def read_texts(corpus: FileCorpus) -> dict[str, list[str | None]]:
    """Read the texts of each system."""
    texts: dict[str, list[str | None]] = {}
    for chunk in corpus.chunks(CHUNK):
        for name, column in chunk.systems.items():
            column_texts = [column.text[at] for at in range(len(column.text))]
            texts.setdefault(name, []).extend(column_texts)
    return texts


def _name_documents(values: Values) -> Sequence[str]:
    """Name each segment's document; those without one are in that without a name."""
    if isinstance(values, RepeatedValues):
        return RepeatedValues([name or "" for name in values.distinct], values.codes)
    return [name or "" for name in list_values(values)]


def open_texts(files: CorpusFiles) -> FileCorpus:
    """Join files of references, side by side; some formats bring their documents along."""
    paths = files.outputs
    plain = [path for path in paths if _choose_format(path, files) is PLAIN]
    rich = [path for path in paths if path not in plain]
    references = files._replace(outputs=(), references=plain, columns=None)
    sources = files._replace(outputs=rich, documents=None).list_sources("any")
    corpus = FileCorpus(sources + references.list_sources())
    names = ", ".join(map(format_path, paths))
    if not corpus.has_references:
        msg = f"{names} has no references; word lists are counted on references."
        raise CorpusError(msg)
    if not corpus.has_documents:
        msg = (
            f"Documents of {names} are missing; give `documents` with the document of "
            "each line, or several plain files, one per document."
        )
        raise CorpusError(msg)
    return corpus


def read_tokens(
    files: CorpusFiles, text: Preparation
) -> Iterator[tuple[Tokens, list[str]]]:
    """Yield the segments' tokens with their documents, all files of a document pooled.

    Without a list of documents, each of several plain files is one.
    """
    paths = files.outputs
    formats = {_choose_format(path, files) for path in paths}
    if files.documents is not None or len(paths) < 2 or formats != {PLAIN}:
        for chunk in open_texts(files).chunks(CHUNK):
            for column in chunk.refs:
                yield column.tokens(text), list(chunk.documents or ())
        return
    names = [name_system(path) for path in paths]
    if len(set(names)) < len(names):
        names = [os.path.normpath(path) for path in paths]
    encoding = files.reading.encoding if files.reading else None
    for path, name in zip(paths, names, strict=True):
        with closing(LineReader(path, encoding)) as lines:
            while len(segments := lines.read(CHUNK)):
                yield prepare(segments, text), [name] * len(segments)


def _choose_format(path: str, files: CorpusFiles) -> TextFormat:
    encoding = files.reading.encoding if files.reading else None
    return choose_format(path, files.input_format, encoding)


def read_streams(
    corpus: FileCorpus, text: Preparation
) -> tuple[tuple[TokenStream, TokenStream], dict[str, TokenStream]]:
    """Return the tokens of two references apart, and those of each system's outputs."""
    streams: tuple[TokenStream, TokenStream] = ([], [])
    outputs: dict[str, TokenStream] = {name: [] for name in corpus.systems}
    for chunk in corpus.chunks(CHUNK):
        if len(chunk.refs) != 2:
            msg = f"Expected two references to compare; found {len(chunk.refs)}."
            raise CorpusError(msg)
        documents = list(chunk.documents or ())
        for stream, column in zip(streams, chunk.refs, strict=True):
            stream.append((column.tokens(text), documents))
        for name, column in chunk.systems.items():
            outputs[name].append((column.tokens(text), documents))
    return streams, outputs


def read_labels(specs: Sequence[str]) -> dict[str, list[str]]:
    """Read the files named by NAME=FILE, or by FILE, whose name then names the labels."""
    labels: dict[str, list[str]] = {}
    for spec in specs:
        name, equals, path = spec.partition("=")
        if not equals:
            name, path = name_system(spec), spec
        if name in labels:
            msg = f"Two lists of labels are named {name!r}; give one another NAME=FILE."
            raise OptionError(msg)
        labels[name] = read_lines(path)
    return labels
