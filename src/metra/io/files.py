"""A corpus in files: outputs, references, source and documents, read side by side."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

from metra.corpus import EMPTY, Chunk, Column, checked
from metra.errors import CorpusError, FormatError, LengthError
from metra.io.fields import HELP, Field, Role, fields_of
from metra.io.jsonl import Objects
from metra.io.plain import Lines
from metra.io.stream import STDIN, shown, stem, suffix
from metra.io.tsv import Table
from metra.text import Text, pack

FORMATS = ("plain", "tsv", "jsonl")
_BY_SUFFIX = {".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@dataclass(frozen=True, slots=True)
class Source:
    """A file given on the command line: what it is for, its format, the system's name."""

    path: str
    role: Role
    format: str
    name: str

    def open(self) -> "_Plain | Table | Objects":
        """Open it from its start."""
        if self.format == "tsv":
            return Table(self.path, self.name)
        if self.format == "jsonl":
            return Objects(self.path, self.name)
        return _Plain(self.path, Field(self.role, self.name))


class _Plain:
    """Plain lines as the one column of a table."""

    def __init__(self, path: str, field: Field) -> None:
        self.path = path
        self.fields = [field]
        self._lines = Lines(path)

    @property
    def count(self) -> int:
        return self._lines.count

    def read(self, most: int) -> dict[Field, Text]:
        return {self.fields[0]: self._lines.read(most)}

    def close(self) -> None:
        self._lines.close()


def open_corpus(
    outputs: Sequence[str],
    references: Sequence[str] = (),
    source: str | None = None,
    documents: str | None = None,
    *,
    input_format: str = "auto",
) -> "FileCorpus":
    """Join the files of a command line into one corpus.

    An output is a path or `NAME=PATH`; `-` is standard input. A table or JSON lines file
    may bring references, sources, documents and several systems along.
    """

    def given(path: str, role: Role, name: str | None = None) -> Source:
        chosen = _format(path) if input_format == "auto" else input_format
        return Source(path, role, chosen, name or stem(path))

    files = [given(path, "output", name) for name, path in map(_named, outputs)]
    files += [
        given(path, "reference", f"{at}: {path}")
        for at, path in enumerate(references, 1)
    ]
    if source is not None:
        files.append(given(source, "source"))
    if documents is not None:
        files.append(_of_documents(given(documents, "document")))
    if sum(file.path == STDIN for file in files) > 1:
        msg = "Standard input (-) is given twice; it can be read for one purpose only."
        raise FormatError(msg)
    return FileCorpus(files)


class FileCorpus:
    """Files as a Corpus: read in step, never more than a chunk of each in memory."""

    def __init__(self, files: Sequence[Source]) -> None:
        """Look at the files' first lines to learn which columns there are."""
        self._files = files
        self._wanted: list[dict[Field, Field]] = []
        for file in files:
            with closing(file.open()) as reader:
                self._wanted.append(_wanted(file, reader.fields))
        everything = [field for fields in self._wanted for field in fields.values()]
        self.systems = tuple(f.name for f in everything if f.role == "output")
        _refuse_twins(self.systems)
        self.has_source = _at_most_one(everything, "source")
        self.has_documents = _at_most_one(everything, "document")
        if not any(field.role == "reference" for field in everything):
            msg = "There is no reference; give one with -r FILE, or a table with one."
            raise CorpusError(msg)

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Walk through the segments, `size` at a time."""
        with ExitStack() as stack:
            readers = [
                stack.enter_context(closing(file.open())) for file in self._files
            ]
            start = 0
            while True:
                parts: list[dict[Field, Any]] = [
                    reader.read(size) for reader in readers
                ]
                counts = [len(next(iter(part.values()))) for part in parts]
                if min(counts) != max(counts):
                    raise LengthError(_uneven(readers, size))
                if counts[0]:
                    yield checked(self._chunk(parts, start), start)
                elif not start:
                    raise CorpusError(EMPTY)
                if counts[0] < size:
                    return
                start += size

    def _chunk(self, parts: Sequence[dict[Field, Any]], start: int) -> Chunk:
        systems: dict[str, Column] = {}
        refs: list[Column] = []
        source = documents = None
        for file, fields, part in zip(self._files, self._wanted, parts, strict=True):
            for column, field in fields.items():
                values = part[column]
                if field.role == "document":
                    documents = _document_ids(values)
                    continue
                what = f"{field.role} {field.name!r} in {shown(file.path)}"
                if not isinstance(values, Text):
                    values = pack(values, what, first=start)
                stream = Column(values)
                if field.role == "output":
                    systems[field.name] = stream
                elif field.role == "reference":
                    refs.append(stream)
                else:
                    source = stream
        return Chunk(systems, refs, source, documents)


def _format(path: str) -> str:
    return _BY_SUFFIX.get(suffix(path), "plain")


def _named(output: str) -> tuple[str | None, str]:
    name, equals, path = output.partition("=")
    return (name, path) if equals and name and "/" not in name else (None, output)


def _wanted(file: Source, fields: Sequence[Field]) -> dict[Field, Field]:
    """Choose the columns that a file is read for, and say what each is taken as.

    An output's file may bring everything; any other brings what it is given for, be it
    the one column that has no role by its name.
    """
    if file.role == "output":
        found = [field for field in fields if field.role != "label"]
        if any(field.role == "output" for field in found):
            return {field: field for field in found}
    else:
        found = [field for field in fields if field.role == file.role]
        if found:
            return {field: field for field in found}
        rest = [field for field in fields if field.role == "output"]
        if len(rest) == 1:
            return {rest[0]: Field(file.role, rest[0].name)}
    names = ", ".join(field.name for field in fields)
    msg = (
        f"{shown(file.path)} has no column for the {file.role}; it has: {names}. "
        f"Columns are recognised by name: {HELP}."
    )
    raise FormatError(msg)


def _of_documents(file: Source) -> Source:
    """Take a table whose first line names no document column as ids, one a line."""
    if file.format != "tsv":
        return file
    with closing(Lines(file.path)) as lines:
        first = lines.read(1)
        header = str(first[0]).split("\t") if len(first) else []
    if any(field.role == "document" for field in fields_of(header, file.name)):
        return file
    return replace(file, format="plain")


def _refuse_twins(systems: Sequence[str]) -> None:
    for name in systems:
        if systems.count(name) > 1:
            msg = f"Two outputs are called {name!r}; give each a name of its own: NAME=FILE."
            raise CorpusError(msg)


def _at_most_one(fields: Sequence[Field], role: Role) -> bool:
    found = sum(field.role == role for field in fields)
    if found > 1:
        msg = f"The {role} is given {found} times; give it once."
        raise CorpusError(msg)
    return found == 1


def _document_ids(values: Text | Sequence[str | None]) -> list[str]:
    return [str(values[at]).split("\t", 1)[0] for at in range(len(values))]


def _uneven(readers: Sequence[Any], size: int) -> str:
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
