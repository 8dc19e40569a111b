"""The files of a command line: what each is for, its format, and what it is called."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Literal, NamedTuple, Protocol, TypeAlias

from metra.errors import FormatError
from metra.io.fields import SEGMENT_IDS, ColumnNames, Field, Role
from metra.io.formats import READ_ONLY, TABLES, WITH_IDS
from metra.io.plain import Lines
from metra.io.recognise import format_of
from metra.io.stream import STDIN, shown, stem
from metra.text import Text

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
            from metra.io.tsv import Table

            return Table(self.path, self.name, self.columns)
        if self.format == "jsonl":
            from metra.io.jsonl import Objects

            return Objects(self.path, self.name, self.columns)
        if self.format == "parquet":
            from metra.text.arrow import pyarrow

            pyarrow("Reading Parquet")
            from metra.io.parquet_rows import ParquetRows

            paths = self.shards or (self.path,)
            nulls = None  # what is converted is not judged
            if self.use == "output":
                nulls = self.columns.nulls if self.columns else "refuse"
            return ParquetRows(paths, self.name, self.columns, wanted, nulls=nulls)
        role = "output" if self.use == "any" else self.use
        if self.format in READ_ONLY:
            from metra.io.bilingual import Pairs

            return Pairs(self.path, role, self.name)
        if self.use == "document":
            return _DocumentIds(self.path)
        return _Plain(self.path, Field(role, self.name))


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

    def share(self) -> float | None:
        return self._lines.share()

    def close(self) -> None:
        self._lines.close()


class _DocumentIds:
    """A document id a line; what stands behind a tab is the segment's id."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.fields = [Field("document", "doc")]
        with closing(Lines(path)) as lines:
            first = lines.read(1)
        if len(first) and "\t" in str(first[0]):
            self.fields.append(Field("label", SEGMENT_IDS[0]))
        self._lines = Lines(path)

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


def sources(
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
        chosen = format_of(path) if input_format == "auto" else input_format
        return Source(path, use, chosen, name, named)

    files = [name for file in files for name in _expanded(file)]
    paths = [*(path for _, path in map(_named, files)), *references]
    paths += [path for path in (source, documents) if path is not None]
    if paths.count(STDIN) > 1:
        msg = "Standard input (-) is given twice; it can be read for one purpose only."
        raise FormatError(msg)
    found = [
        given(path, use, name or stem(path), named=name is not None)
        for name, path in map(_named, files)
    ]
    found = _one_table(found)
    if columns is not None:
        found = [_with_columns(file, columns) for file in found]
    found += [given(path, "reference", _reference_name(path)) for path in references]
    if source is not None:
        found.append(given(source, "source", "source"))
    if documents is not None:
        found.append(_documents(given(documents, "document", "doc")))
    return found


def _expanded(file: str) -> list[str]:
    """A pattern that no shell has resolved stands for the files that it fits, a folder for
    the Parquet files in it; hidden ones and logs are none of them.
    """
    if not os.path.isdir(file):
        return _fitting(file)
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


def _fitting(file: str) -> list[str]:
    if "*" not in file or os.path.exists(file):
        return [file]
    from glob import glob

    found = sorted(glob(file))
    if not found:
        msg = f"No file fits {file}; check the pattern, or name the files."
        raise FormatError(msg)
    return found


def _one_table(files: Sequence[Source]) -> list[Source]:
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


def _with_columns(file: Source, columns: ColumnNames) -> Source:
    if file.format not in TABLES:
        msg = (
            f"{shown(file.path)} is {file.format}, which has no names for its columns; "
            f"columns can be named in {', '.join(TABLES)}."
        )
        raise FormatError(msg)
    return file._replace(columns=columns)


def _documents(file: Source) -> Source:
    """A list of documents is plain text, whatever its name, unless it has a header."""
    if file.format in WITH_IDS:
        msg = (
            f"--docs {shown(file.path)} is a file with ids, which brings its documents "
            "along by itself; give it as an output, a reference or the source."
        )
        raise FormatError(msg)
    if file.format == "tsv":
        with closing(file.open()) as table:
            if not any(field.role == "document" for field in table.fields):
                return file._replace(format="plain")
    return file


def _named(output: str) -> tuple[str | None, str]:
    name, equals, path = output.partition("=")
    if not (equals and name) or "/" in name:
        return None, output
    # A folder such as lp=en-de is no system's name.
    whole = os.path.exists(output) and not os.path.exists(path)
    return (None, output) if whole else (name, path)


def _reference_name(path: str) -> str:
    """Name a reference after its file.

    >>> _reference_name("test/reference.A.txt"), _reference_name("newstest.en")
    ('A', 'newstest')
    """
    return re.sub(r"^ref(?:erence)?[._-]", "", stem(path)) or stem(path)
