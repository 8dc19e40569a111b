"""The files of a command line: what each is for, its format, and what it is called.

Which columns of a file are used, as what, and under which names.
Files side by side: the columns of all of them as one table.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from metra.errors import CorpusError, FormatError, LengthError
from metra.formats.lines import LineReader
from metra.formats.recognise import READ_ONLY, TABLES, WITH_IDS, recognise_format
from metra.formats.stream import STDIN, format_path, name_system
from metra.formats.texts.columns import HELP, SEGMENT_IDS, ColumnNames, Field, Role
from metra.text.columns import Text

if TYPE_CHECKING:
    from metra.formats.texts.documents import DocumentFiles


# "any" takes all that a file holds, as what it holds it.
Use: TypeAlias = Role | Literal["any"]


class Reader(Protocol):
    """A file's columns, some segments at a time."""

    path: str
    fields: list[Field]

    @property
    def count(self) -> int:
        """How many segments have been read."""
        ...

    def read(self, most: int) -> "Columns":
        """Read the next segments: fewer than `most` only where the file ends."""
        ...

    def share(self) -> float | None:
        """Tell what share of the file has been read, if that can be told."""
        ...

    def close(self) -> None:
        """Let go of the file before its end."""
        ...


Values: TypeAlias = list[str | None] | Text
Columns: TypeAlias = Mapping[Field, Values]


class Source(NamedTuple):
    """A file given on the command line."""

    path: str
    use: Use
    format: str
    name: str
    named: bool = False
    #: Which of a table's columns are what, where the user says so.
    columns: ColumnNames | None = None
    #: The files of a table that is in several, one below the other.
    shards: tuple[str, ...] = ()

    def open(self, wanted: Sequence[Field] | None = None) -> Reader:
        """Open a file without ids from its start, for all of its columns or for some."""
        if self.format == "tsv":
            from metra.formats.texts.tsv import TsvReader

            return TsvReader(self.path, self.name, self.columns)
        if self.format == "jsonl":
            from metra.formats.texts.jsonl import JsonlReader

            return JsonlReader(self.path, self.name, self.columns)
        if self.format == "parquet":
            from metra.text.columns import import_pyarrow

            import_pyarrow("Reading Parquet")
            from metra.formats.texts.parquet import ParquetReader

            paths = self.shards or (self.path,)
            nulls = None  # what is converted is not judged
            if self.use == "output":
                nulls = self.columns.nulls if self.columns else "refuse"
            return ParquetReader(paths, self.name, self.columns, wanted, nulls=nulls)
        role = "output" if self.use == "any" else self.use
        if self.format in READ_ONLY:
            from metra.formats.texts.bilingual import BilingualReader

            return BilingualReader(self.path, role, self.name)
        if self.use == "document":
            return _DocumentIdReader(self.path)
        return _PlainReader(self.path, Field(role, self.name))


class _PlainReader:
    """Plain lines as the one column of a table."""

    def __init__(self, path: str, field: Field) -> None:
        self.path = path
        self.fields = [field]
        self._lines = LineReader(path)

    @property
    def count(self) -> int:
        return self._lines.count

    def read(self, most: int) -> dict[Field, Text]:
        return {self.fields[0]: self._lines.read(most)}

    def share(self) -> float | None:
        return self._lines.share()

    def close(self) -> None:
        self._lines.close()


class _DocumentIdReader:
    """A document id a line; what stands behind a tab is the segment's id."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.fields = [Field("document", "doc")]
        with closing(LineReader(path)) as lines:
            first = lines.read(1)
        if len(first) and "\t" in str(first[0]):
            self.fields.append(Field("label", SEGMENT_IDS[0]))
        self._lines = LineReader(path)

    @property
    def count(self) -> int:
        return self._lines.count

    def read(self, most: int) -> dict[Field, list[str | None]]:
        lines = self._lines.read(most)
        cells = [[*str(lines[at]).split("\t"), None] for at in range(len(lines))]
        return {
            field: [row[at] for row in cells] for at, field in enumerate(self.fields)
        }

    def share(self) -> float | None:
        return self._lines.share()

    def close(self) -> None:
        self._lines.close()


def list_sources(
    files: Sequence[str],
    references: Sequence[str] = (),
    source: str | None = None,
    documents: str | None = None,
    *,
    input_format: str = "auto",
    use: Use = "output",
    columns: ColumnNames | None = None,
) -> list[Source]:
    """List the files of a command line; `use` is what the files without an option are for.

    Such a file is a path or `NAME=PATH`; `-` is standard input. Parquet files without a name
    are one table together, and so are those in a folder. `columns` says which columns of
    these files are what.
    """

    def given(path: str, use: Use, name: str, *, named: bool = False) -> Source:
        chosen = recognise_format(path) if input_format == "auto" else input_format
        return Source(path, use, chosen, name, named)

    files = [name for file in files for name in _expand_pattern(file)]
    paths = [*(path for _, path in map(_split_name, files)), *references]
    paths += [path for path in (source, documents) if path is not None]
    if paths.count(STDIN) > 1:
        msg = "Standard input (-) is given twice; it can be read for one purpose only."
        raise FormatError(msg)
    found = [
        given(path, use, name or name_system(path), named=name is not None)
        for name, path in map(_split_name, files)
    ]
    found = _merge_parquet_files(found)
    if columns is not None:
        found = [_set_columns(file, columns) for file in found]
    found += [given(path, "reference", _name_reference(path)) for path in references]
    if source is not None:
        found.append(given(source, "source", "source"))
    if documents is not None:
        found.append(_make_document_source(given(documents, "document", "doc")))
    return found


def _expand_pattern(file: str) -> list[str]:
    """A pattern that no shell has resolved stands for the files that it fits, a folder for
    the Parquet files in it; hidden ones and logs are none of them.
    """
    if not os.path.isdir(file):
        return _find_matching_files(file)
    names = sorted(os.listdir(file))
    found = [
        os.path.join(file, name)
        for name in names
        if name.endswith((".parquet", ".pq")) and not name.startswith((".", "_"))
    ]
    if not found:
        msg = (
            f"{file} is a folder without Parquet files in it; give files, or a folder that "
            "has some."
        )
        raise FormatError(msg)
    return found


def _find_matching_files(file: str) -> list[str]:
    if "*" not in file or os.path.exists(file):
        return [file]
    from glob import glob

    found = sorted(glob(file))
    if not found:
        msg = f"No file fits {file}; check the pattern, or name the files."
        raise FormatError(msg)
    return found


def _merge_parquet_files(files: Sequence[Source]) -> list[Source]:
    """Put Parquet files without a name together, in the place of the first."""
    shards = [file for file in files if file.format == "parquet" and not file.named]
    if len(shards) < 2:
        return list(files)
    paths = tuple(file.path for file in shards)
    known: set[str] = set()
    for path in paths:
        place = os.path.realpath(path)
        if place in known:
            msg = f"{path} is given twice, so that its rows would count twice; give it once."
            raise FormatError(msg)
        known.add(place)
    # Parts of a table have numbers for names, so that a lone output goes by its column's.
    whole = shards[0]._replace(name="", shards=paths)
    return [
        whole if file is shards[0] else file
        for file in files
        if file is shards[0] or file not in shards
    ]


def _set_columns(file: Source, columns: ColumnNames) -> Source:
    if file.format not in TABLES:
        msg = (
            f"{format_path(file.path)} is {file.format}, which has no names for its columns; "
            f"columns can be named in {', '.join(TABLES)}."
        )
        raise FormatError(msg)
    return file._replace(columns=columns)


def _make_document_source(file: Source) -> Source:
    """A list of documents is plain text, whatever its name, unless it has a header."""
    if file.format in WITH_IDS:
        msg = (
            f"--docs {format_path(file.path)} is a file with ids, which brings its documents "
            "along by itself; give it as an output, a reference or the source."
        )
        raise FormatError(msg)
    if file.format == "tsv":
        with closing(file.open()) as table:
            if not any(field.role == "document" for field in table.fields):
                return file._replace(format="plain")
    return file


def _split_name(output: str) -> tuple[str | None, str]:
    name, equals, path = output.partition("=")
    if not (equals and name) or "/" in name:
        return None, output
    # A folder such as lp=en-de is no system's name.
    whole = os.path.exists(output) and not os.path.exists(path)
    return (None, output) if whole else (name, path)


def _name_reference(path: str) -> str:
    """Name a reference after its file.

    >>> _name_reference("test/reference.A.txt"), _name_reference("newstest.en")
    ('A', 'newstest')
    """
    return re.sub(r"^ref(?:erence)?[._-]", "", name_system(path)) or name_system(path)


_TEXTS = ("source", "reference", "output")


class FieldChoice:
    """Chooses the columns of one file after the other; no two may have the same name."""

    def __init__(self, files: Sequence[Source]) -> None:
        self.taken: set[Field] = set()
        self._files = files
        self._order: list[tuple[int, Field]] = []

    def __call__(self, file: Source, fields: Sequence[Field]) -> dict[Field, Field]:
        """Choose columns: what each is called in the file, and what it is used as."""
        chosen = {
            found: self._distinct(wanted, file)
            for found, wanted in _choose_fields(file, fields).items()
        }
        place = self._files.index(file)
        self._order += [(place, field) for field in chosen.values()]
        return chosen

    def in_order(self) -> list[Field]:
        """List what was chosen in the order of the files."""
        return [field for _, field in sorted(self._order, key=lambda entry: entry[0])]

    def _distinct(self, field: Field, file: Source) -> Field:
        if field.role == "label":
            return field
        if field.role in ("source", "document"):
            field = Field(field.role, "source" if field.role == "source" else "doc")
        if field in self.taken:
            field = self._number_reference(field, file)
        self.taken.add(field)
        return field

    def _number_reference(self, field: Field, file: Source) -> Field:
        """Number references that are files of their own; other names are for users to give."""
        if field.role in ("source", "document"):
            msg = f"The {field.role} is given 2 times; give it once."
            raise CorpusError(msg)
        if field.role == "reference" and file.use == "reference":
            number = 2
            while field._replace(name=f"{field.name}-{number}") in self.taken:
                number += 1
            return field._replace(name=f"{field.name}-{number}")
        remedy = ": NAME=FILE" if field.role == "output" else ""
        msg = (
            f"Two {field.role}s are called {field.name!r}; give each a name of its own"
            f"{remedy}."
        )
        raise CorpusError(msg)


def _choose_fields(file: Source, fields: Sequence[Field]) -> dict[Field, Field]:
    """Choose all of an output's columns, else those of the role that the file is for."""
    outputs = [field for field in fields if field.role == "output"]
    if file.named and file.format in WITH_IDS:
        if len(outputs) != 1:
            msg = (
                f"{file.name}={format_path(file.path)} gives a name to a file that holds "
                f"{len(outputs)} outputs; give a name only where there is one."
            )
            raise FormatError(msg)
        renamed = {outputs[0]: Field("output", file.name)}
    else:
        renamed = {}
    if file.use == "any":
        return {field: field for field in fields} | renamed
    if file.use == "output":
        if outputs:
            labels = file.columns.labels if file.columns else ()
            kept = [f for f in fields if f.role != "label" or f.name in labels]
            return {f: f for f in kept} | renamed
    else:
        found = {f: f for f in fields if f.role in (file.use, "label")}
        if any(field.role == file.use for field in found):
            return found
    texts = [field for field in fields if field.role in _TEXTS]
    if len(texts) == 1 and (file.format in WITH_IDS or texts == outputs):
        return {texts[0]: Field(file.use, file.name)}
    names = ", ".join(field.name for field in fields)
    msg = (
        f"{format_path(file.path)} has no column for the {file.use}; it has: {names}. "
        f"Columns are recognised by name: {HELP}."
    )
    raise FormatError(msg)


class _TableSide(NamedTuple):
    """A file, or all files with ids: its columns, and what they are called in the table."""

    file: "Source | DocumentFiles"
    path: str
    columns: dict[Field, Field]

    def open(self, wanted: Sequence[Field]) -> Reader:
        if isinstance(self.file, Source):
            mine = [found for found, field in self.columns.items() if field in wanted]
            return self.file.open(mine)
        return self.file.open(wanted)


class ParallelTable:
    """The table: never more than some segments of each file in memory."""

    def __init__(self, files: Sequence[Source]) -> None:
        """Look at how files begin, and through those with ids, to learn the columns."""
        self._readers: list[Reader] = []
        choose = FieldChoice(files)
        with_ids = [file for file in files if file.format in WITH_IDS]
        self._sides: list[_TableSide] = []
        for file in files:
            if file not in with_ids:
                with closing(file.open()) as reader:
                    columns = choose(file, reader.fields)
                self._sides.append(_TableSide(file, file.path, columns))
        self.fields = choose.in_order()
        self.about: dict[str, str] = {}
        self.with_ids: DocumentFiles | None = None
        if with_ids:
            from metra.formats.texts import documents

            group = self.with_ids = documents.DocumentFiles(with_ids, choose)
            labels = [documents.DOCUMENT, documents.SEGMENT_ID, *group.labels]
            # Document ids that were given apart from the files are meant to be used.
            kept = [f for f in labels if f.role == "label" or f not in choose.taken]
            columns = {
                field: field for field in [*(text.field for text in group.texts), *kept]
            }
            self._sides.append(_TableSide(group, with_ids[0].path, columns))
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
                    raise LengthError(_describe_lengths(readers, size))
                if counts[0]:
                    yield self._join_columns(parts, start, wanted)
                if counts[0] < size:
                    return
                start += size

    def _join_columns(
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


def _describe_lengths(readers: Sequence[Reader], size: int) -> str:
    """Read every file to its end to say how long it is."""
    for reader in readers:
        while len(next(iter(reader.read(size).values()))):
            pass
    first = readers[0]
    other = next(reader for reader in readers if reader.count != first.count)
    return (
        f"{format_path(other.path)} has {other.count} segments but "
        f"{format_path(first.path)} has {first.count}; each line must be one "
        "segment, in the same order in every file."
    )
