"""The files of a call: what each is for, its format and the name of its system."""

import os
import re
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from metra.errors import FormatError
from metra.formats.recognise import FORMATS, PLAIN, TSV, TextFormat, choose_format
from metra.formats.stream import STDIN, format_path, name_system, split_named_path
from metra.formats.texts.columns import (
    ColumnNames,
    Field,
    Reader,
    Role,
    is_document_column,
)

if TYPE_CHECKING:
    from metra.formats.testsets.record import NamedSet

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
    #: The texts of a test set that was found by its name instead of a file.
    texts: "NamedSet | None" = None

    @property
    def field(self) -> Field:
        """The column of a file that does not name it; an output where all uses are open."""
        return Field("output" if self.use == "any" else self.use, self.name)

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
    test_set: "NamedSet | None" = None,
) -> list[Source]:
    """List the files of a call; `use` is what `files` are for.

    Such a file is a path or `NAME=PATH`; `-` is standard input. Parquet files without a name
    are one table together, and so are those in a folder. `columns` says which columns of
    these files are what. A `test_set` brings its source, references and documents along.
    """
    named_paths = [pair for file in files for pair in _expand_file(file)]
    paths = [*(path for _, path in named_paths), *references, source, documents]
    if paths.count(STDIN) > 1:
        msg = "Standard input (-) is given twice; it can be read for one purpose only."
        raise FormatError(msg)
    sources = []
    for name, path in named_paths:
        form, is_named = choose_format(path, input_format), name is not None
        sources.append(Source(path, use, form, name or name_system(path), is_named))
    shards = [file for file in sources if file.format.has_shards and not file.named]
    if len(shards) > 1:
        sources = _merge_shards(sources, shards)
    columns = _leave_out_labels(columns, test_set)
    if columns is not None:
        sources = [_set_columns(file, columns) for file in sources]
    others: list[tuple[str | None, Use, str]] = []
    for path in references:
        name = name_system(path)
        # reference.A.txt is the reference A.
        short_name = re.sub(r"^ref(?:erence)?[._-]", "", name)
        others.append((path, "reference", short_name or name))
    others += [(source, "source", "source"), (documents, "document", "doc")]
    for other, role, name in others:
        if other is not None:
            form = choose_format(other, input_format)
            sources.append(Source(other, role, form, name))
    if documents is not None:
        sources[-1] = _check_documents(sources[-1])
    if test_set is not None:
        from metra.formats.texts.named_set import build_source

        sources.append(build_source(test_set))
    return sources


def get_kept_segments(files: Sequence[Source]) -> list[bool] | None:
    """Return whether each segment is wanted, as a test set says; None if all are."""
    return next((file.texts.kept for file in files if file.texts), None)


def _expand_file(file: str) -> list[tuple[str | None, str]]:
    """List the names and paths that a file, a folder or an unresolved pattern stands for."""
    paths = [file]
    if os.path.isdir(file):
        paths = _list_shards(file)
    elif "*" in file and not os.path.exists(file):
        from glob import glob

        paths = sorted(glob(file))
        if not paths:
            msg = f"No file fits {file}; check the pattern, or name the files."
            raise FormatError(msg)
    return [split_named_path(path) for path in paths]


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
        problem = f"{folder} is a folder without Parquet files in it"
        msg = f"{problem}; give files, or a folder that has some."
        raise FormatError(msg)
    return paths


def _merge_shards(sources: list[Source], shards: list[Source]) -> list[Source]:
    """Put Parquet files without a name together, in the place of the first."""
    places = [os.path.realpath(shard.path) for shard in shards]
    for index, shard in enumerate(shards):
        if places[index] in places[:index]:
            problem = f"{shard.path} is given twice, so that its rows would count twice"
            msg = f"{problem}; give it once."
            raise FormatError(msg)
    # Parts of a table have numbers for names, so that a lone output goes by its column's.
    table = shards[0]._replace(name="", shards=tuple(shard.path for shard in shards))
    place = sources.index(shards[0])
    others = [file for file in sources[place:] if file not in shards]
    return [*sources[:place], table, *others]


def _leave_out_labels(
    columns: ColumnNames | None, test_set: "NamedSet | None"
) -> ColumnNames | None:
    """Leave out labels that a test set knows, so that no other file needs to have them."""
    if columns is None or test_set is None:
        return columns
    known = {field.name for field in test_set.columns() if field.role == "label"}
    has_documents = test_set.documents is not None
    labels = [
        label
        for label in columns.labels
        if label not in known and not (has_documents and is_document_column(label))
    ]
    rest = columns._replace(labels=tuple(labels))
    return None if rest == ColumnNames() else rest


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
