"""The files of a call: what each is for, its format and the name of its system."""

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Literal, NamedTuple, TypeAlias

from metra.errors import FormatError
from metra.formats.recognise import FORMATS, PLAIN, TSV, TextFormat, choose_format
from metra.formats.stream import STDIN, format_path, name_system
from metra.formats.texts.columns import ColumnNames, Field, Reader, Role

# "any" takes all that a file holds, as what it holds it.
Use: TypeAlias = Role | Literal["any"]


class Source(NamedTuple):
    """A file, what it is used for, and the name of what it holds."""

    path: str
    use: Use
    format: TextFormat
    name: str
    #: Whether the user gave the name.
    named: bool = False
    #: Which of a table's columns are what, where the user says so.
    columns: ColumnNames | None = None
    #: The files of a table that is in several, one below the other.
    shards: tuple[str, ...] = ()

    @property
    def role(self) -> Role:
        """The role of a text without a column name: an output unless the use is another."""
        return "output" if self.use == "any" else self.use

    def open(self, wanted: Sequence[Field] | None = None) -> Reader:
        """Open a file without ids from its start, for all of its columns or for some."""
        return self.format.load().open_reader(self, wanted)


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
    """List the files of a call; `use` is what `files` are for.

    Such a file is a path or `NAME=PATH`; `-` is standard input. Parquet files without a name
    are one table together, and so are those in a folder. `columns` says which columns of
    these files are what.
    """

    def make(path: str, use: Use, name: str, *, named: bool = False) -> Source:
        return Source(path, use, choose_format(path, input_format), name, named)

    named_paths = [_split_name(path) for file in files for path in _expand_path(file)]
    paths = [*(path for _, path in named_paths), *references, source, documents]
    if paths.count(STDIN) > 1:
        msg = "Standard input (-) is given twice; it can be read for one purpose only."
        raise FormatError(msg)
    sources = _merge_shards(
        make(path, use, name or name_system(path), named=name is not None)
        for name, path in named_paths
    )
    if columns is not None:
        sources = [_set_columns(file, columns) for file in sources]
    sources += [make(path, "reference", _name_reference(path)) for path in references]
    if source is not None:
        sources.append(make(source, "source", "source"))
    if documents is not None:
        sources.append(_check_documents(make(documents, "document", "doc")))
    return sources


def _expand_path(path: str) -> list[str]:
    """List the files that a folder or a pattern, which no shell has resolved, stands for."""
    if os.path.isdir(path):
        return _list_shards(path)
    if "*" not in path or os.path.exists(path):
        return [path]
    from glob import glob

    matches = sorted(glob(path))
    if not matches:
        msg = f"No file fits {path}; check the pattern, or name the files."
        raise FormatError(msg)
    return matches


def _list_shards(folder: str) -> list[str]:
    """List the Parquet files of a folder; hidden ones and logs are none of them."""
    forms = (form for form in FORMATS.values() if form.has_shards)
    suffixes = tuple(suffix for form in forms for suffix in form.suffixes)
    paths = [
        os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if name.endswith(suffixes) and not name.startswith((".", "_"))
    ]
    if not paths:
        msg = (
            f"{folder} is a folder without Parquet files in it; give files, or a folder "
            "that has some."
        )
        raise FormatError(msg)
    return paths


def _split_name(output: str) -> tuple[str | None, str]:
    name, equals, path = output.partition("=")
    if not (equals and name) or "/" in name:
        return None, output
    # A folder such as lp=en-de is no system's name.
    whole = os.path.exists(output) and not os.path.exists(path)
    return (None, output) if whole else (name, path)


def _merge_shards(files: Iterable[Source]) -> list[Source]:
    """Put Parquet files without a name together, in the place of the first."""
    sources = list(files)
    shards = [file for file in sources if file.format.has_shards and not file.named]
    if len(shards) < 2:
        return sources
    known: set[str] = set()
    for shard in shards:
        place = os.path.realpath(shard.path)
        if place in known:
            msg = (
                f"{shard.path} is given twice, so that its rows would count twice; give "
                "it once."
            )
            raise FormatError(msg)
        known.add(place)
    # Parts of a table have numbers for names, so that a lone output goes by its column's.
    table = shards[0]._replace(name="", shards=tuple(shard.path for shard in shards))
    return [
        table if file is shards[0] else file
        for file in sources
        if file is shards[0] or file not in shards
    ]


def _set_columns(file: Source, columns: ColumnNames) -> Source:
    if not file.format.has_column_names:
        names = (form.name for form in FORMATS.values() if form.has_column_names)
        msg = (
            f"{format_path(file.path)} is {file.format.name}, which has no names for its "
            f"columns; columns can be named in {', '.join(names)}."
        )
        raise FormatError(msg)
    return file._replace(columns=columns)


def _check_documents(file: Source) -> Source:
    """A list of documents is plain text, whatever its name, unless it has a header."""
    if file.format.has_ids:
        msg = (
            f"{format_path(file.path)} is a file with ids, which brings its documents "
            "along by itself; give it as an output, a reference or the source instead of "
            "`documents`."
        )
        raise FormatError(msg)
    if file.format is TSV:
        with closing(file.open()) as table:
            if not any(field.role == "document" for field in table.fields):
                return file._replace(format=PLAIN)
    return file


def _name_reference(path: str) -> str:
    """Name a reference after its file.

    >>> _name_reference("test/reference.A.txt"), _name_reference("newstest.en")
    ('A', 'newstest')
    """
    return re.sub(r"^ref(?:erence)?[._-]", "", name_system(path)) or name_system(path)
