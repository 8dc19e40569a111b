"""The files of a call: what each is for, its format and the name of its system."""

import os
import re
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from metra.errors import FormatError
from metra.formats.recognise import CSV, FORMATS, PLAIN, TSV, TextFormat, choose_format
from metra.formats.remote import is_remote, list_remote
from metra.formats.stream import STDIN, format_path, name_system, split_named_path
from metra.formats.texts.columns import (
    ColumnNames,
    Field,
    Reader,
    ReadingOptions,
    Role,
    Section,
    is_document_column,
    open_columns,
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
    #: How the file is read, where the user can say so.
    reading: ReadingOptions | None = None
    #: The texts of a test set that was found by its name instead of a file.
    texts: "NamedSet | None" = None

    @property
    def encoding(self) -> str | None:
        """The encoding that the user has named, or auto; None if they cannot name one."""
        return self.reading.encoding if self.reading else None

    @property
    def pair(self) -> str | None:
        """The language pair that the user has chosen."""
        return self.reading.pair if self.reading else None

    @property
    def is_arranged(self) -> bool:
        """True if rows of pairs and systems are split; converted tables stay as they are."""
        is_split = self.use != "any" or self.pair is not None
        return self.format.has_column_names and is_split

    @property
    def field(self) -> Field:
        """The column of a file that does not name it; an output where all uses are open."""
        return Field("output" if self.use == "any" else self.use, self.name)

    def open(self, wanted: Sequence[Field] | None = None) -> Reader:
        """Open a file without ids from its start, for all of its columns or for some."""
        reader: Reader = self.format.load().open_reader(self, wanted)
        if not self.is_arranged:
            return reader
        from metra.formats.texts.long_tables import arrange_rows

        return arrange_rows(self, reader, wanted)

    def list_sections(self, wanted: Sequence[Field]) -> list[Section]:
        """List the sections of a file that has some; they can be read at the same time."""
        if not self.format.has_shards:
            return []
        sections: list[Section] = self.format.load().list_sections(self, wanted)
        if not self.is_arranged:
            return sections
        from metra.formats.texts.long_tables import arrange_sections

        return arrange_sections(self, sections, wanted)


def list_sources(
    files: Sequence[str],
    references: Sequence[str] = (),
    source: str | None = None,
    documents: str | None = None,
    *,
    input_format: str = "auto",
    use: Use = "output",
    columns: ColumnNames | None = None,
    reading: ReadingOptions | None = None,
    test_set: "NamedSet | None" = None,
) -> list[Source]:
    """List the files of a call; `use` is what `files` are for.

    Such a file is a path or `NAME=PATH`; `-` is standard input. Parquet files without a name
    are one table together, and so are those in a folder. `columns` says which columns of
    tables are what, and `reading` how files are read. A `test_set` brings its source,
    references and documents along.
    """
    named_paths = [
        split_named_path(path) for file in files for path in _expand_path(file)
    ]
    paths = [*(path for _, path in named_paths), *references, source, documents]
    if paths.count(STDIN) > 1:
        msg = "Standard input (-) is given twice; it can be read for one purpose only."
        raise FormatError(msg)

    def open_source(path: str, role: Use, name: str, named: bool = False) -> Source:
        form = choose_format(path, input_format, reading.encoding if reading else None)
        return Source(path, role, form, name, named, reading=reading)

    sources = [
        open_source(path, use, name or name_system(path), name is not None)
        for name, path in named_paths
    ]
    columns = _leave_out_labels(columns, test_set)
    sources = _join_shards(sources, files, columns, use)
    for path in references:
        name = name_system(path)
        # reference.A.txt is the reference A.
        short_name = re.sub(r"^ref(?:erence)?[._-]", "", name)
        sources.append(open_source(path, "reference", short_name or name))
    if source is not None:
        sources.append(open_source(source, "source", "source"))
    if documents is not None:
        file = open_source(documents, "document", "doc")
        is_named = file.format.has_column_names and columns and columns.document
        sources.append(file if is_named else _check_documents(file))
    if columns is not None:
        columns = _leave_out_foreign_labels(columns, sources, use)
        sources = _set_columns(sources, columns, use)
    if reading and reading.pair and test_set is None:
        _check_pair(sources, reading.pair)
    if test_set is not None:
        title = test_set.title
        sources.append(Source(title, "any", _NAMED_SET, title, texts=test_set))
    return sources


def _check_pair(sources: Sequence[Source], pair: str) -> None:
    """Refuse a language pair where no file says of its rows which pair they are."""
    from metra.formats.texts.long_tables import PAIRS, has_pairs

    if not any(map(has_pairs, sources)):
        msg = (
            f"No file has a column of language pairs, such as {PAIRS[0]}, so {pair} "
            "cannot be chosen; leave `pair` out, or give a test set."
        )
        raise FormatError(msg)


def get_kept_segments(files: Sequence[Source]) -> list[bool] | None:
    """Return whether each segment is wanted, as a test set says; None if all are."""
    return next((file.texts.kept for file in files if file.texts), None)


def _expand_path(file: str) -> list[str]:
    """List the paths that a file, a folder or an unresolved pattern stands for."""
    is_elsewhere = is_remote(file)
    if "*" not in file or (not is_elsewhere and os.path.exists(file)):
        listed = list_remote(file) if is_elsewhere else _list_folder(file)
        return [file] if listed is None else _choose_shards(file, listed)
    if is_elsewhere:
        paths = _match_remote(file)
    else:
        from glob import glob

        paths = sorted(glob(file))
    if not paths:
        msg = f"No file matches {file}; check the pattern, or name the files."
        raise FormatError(msg)
    return paths


def _list_folder(folder: str) -> list[str] | None:
    """List the files of a folder, and of its folders named after a column."""
    if not os.path.isdir(folder):
        return None
    paths = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if "=" in name]
        paths += [os.path.join(place, name) for name in names]
    return sorted(paths)


def _match_remote(pattern: str) -> list[str]:
    """List the files elsewhere that a pattern fits."""
    from fnmatch import fnmatchcase

    folder = pattern[: pattern.index("*")].rpartition("/")[0]
    depth = pattern.count("/")
    paths = list_remote(folder) or []
    return [p for p in paths if fnmatchcase(p, pattern) and p.count("/") == depth]


def _choose_shards(folder: str, files: Sequence[str]) -> list[str]:
    """Choose the Parquet files of a folder, and of those in it with names like lp=en-de."""
    forms = (form for form in FORMATS.values() if form.has_shards)
    suffixes = tuple(suffix for form in forms for suffix in form.suffixes)
    root = folder.rstrip("/") + "/"

    def is_shard(path: str) -> bool:
        *folders, name = path.removeprefix(root).split("/")
        is_hidden = any(part.startswith((".", "_")) for part in (*folders, name))
        return not is_hidden and all("=" in part for part in folders)

    paths = [path for path in files if path.endswith(suffixes) and is_shard(path)]
    if not paths:
        problem = f"{folder} is a folder without Parquet files"
        msg = f"{problem}; give files, or a folder with Parquet files."
        raise FormatError(msg)
    return paths


def _join_shards(
    sources: list[Source],
    files: Sequence[str],
    columns: ColumnNames | None,
    use: Use,
) -> list[Source]:
    """Put Parquet files without a name together, unless each is a system of its own."""
    shards = [file for file in sources if file.format.has_shards and not file.named]
    if len(shards) < 2:
        return sources
    paths = tuple(file.path for file in shards)
    _refuse_duplicates(paths)
    from metra.formats.texts.shards import are_systems

    named = _set_columns(sources, columns, use) if columns else sources
    chosen = [file for file in named if file.path in paths]
    if are_systems(chosen, are_listed={*paths} <= {*files}):
        return sources
    # Parts of a table have numbers for names, so that a lone output goes by its column's.
    table = shards[0]._replace(name="", shards=paths)
    kept = [file for file in sources if file not in shards[1:]]
    return [table if file == shards[0] else file for file in kept]


def _refuse_duplicates(paths: Sequence[str]) -> None:
    places: set[str] = set()
    for path in paths:
        place = path if is_remote(path) else os.path.realpath(path)
        if place in places:
            problem = f"{path} is given twice, so its rows would count twice"
            msg = f"{problem}; give it once."
            raise FormatError(msg)
        places.add(place)


def list_shards(paths: Sequence[str]) -> list[str]:
    """List the files of a table, with those that folders and patterns stand for."""
    files = [path for given in paths for path in _expand_path(given)]
    _refuse_duplicates(files)
    return files


def _leave_out_labels(
    columns: ColumnNames | None, test_set: "NamedSet | None"
) -> ColumnNames | None:
    """Leave out labels that a test set knows, so that no other file needs to have them."""
    if columns is None or test_set is None:
        return columns
    own_labels = {field.name for field in test_set.columns if field.role == "label"}
    has_documents = test_set.documents is not None
    labels = [
        label
        for label in columns.labels
        if label not in own_labels and not (has_documents and is_document_column(label))
    ]
    rest = columns._replace(labels=tuple(labels))
    return None if rest == ColumnNames() else rest


def _leave_out_foreign_labels(
    columns: ColumnNames, sources: Sequence[Source], use: Use
) -> ColumnNames:
    """Leave out labels that tables of references or the source have, and no output has."""
    tables = [file for file in sources if file.format.has_column_names]
    if not columns.labels or all(file.use == use for file in tables):
        return columns
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for file in tables:
        with closing(file.format.load().open_reader(file)) as reader:
            names[file.use == use] |= {field.name for field in reader.fields}
    foreign = names[False] - names[True]
    labels = tuple(label for label in columns.labels if label not in foreign)
    return columns._replace(labels=labels)


def _set_columns(sources: list[Source], columns: ColumnNames, use: Use) -> list[Source]:
    """Say of each table which of its columns are what.

    A column of references, the source or documents is one of the tables that were given for
    that, if there are any, else of the tables of outputs, which have all the others.
    """
    tables = [file for file in sources if file.format.has_column_names]
    mains = [file for file in tables if file.use == use]
    elsewhere = {file.use for file in tables} - {use}
    in_mains = columns._replace(
        references=() if "reference" in elsewhere else columns.references,
        source=None if "source" in elsewhere else columns.source,
        document=None if "document" in elsewhere else columns.document,
    )
    in_others: dict[Use, ColumnNames] = {
        "reference": ColumnNames(references=columns.references),
        "source": ColumnNames(source=columns.source),
        "document": ColumnNames(document=columns.document),
    }
    if in_mains != ColumnNames() and not mains:
        formats = (form.name for form in FORMATS.values() if form.has_column_names)
        msg = (
            f"{format_path(sources[0].path)} is {sources[0].format.name}, which has "
            f"no column names; columns can be named in {', '.join(formats)}."
        )
        raise FormatError(msg)
    named = []
    for file in sources:
        names = in_mains if file.use == use else in_others.get(file.use, ColumnNames())
        if file in tables and names != ColumnNames():
            if file.use == use and (file.named or len(mains) > 1):
                names = _name_outputs(names, file.name)
            file = file._replace(columns=names)
        named.append(file)
    return named


def _name_outputs(columns: ColumnNames, name: str) -> ColumnNames:
    """Call the one system whose column has no name of its own like its file."""
    if len(columns.outputs) != 1:
        return columns
    [(system, column)] = columns.outputs
    from metra.formats.texts.roles import name_output_column  # not for lines

    is_default = system == name_output_column(column)
    return columns._replace(outputs=((name if is_default else system, column),))


def _check_documents(file: Source) -> Source:
    """A list of documents is plain text, whatever its name, unless it has a header."""
    if file.format.has_ids:
        msg = (
            f"{format_path(file.path)} contains its own document ids; give it as an "
            "output, a reference or the source instead of `documents`."
        )
        raise FormatError(msg)
    if file.format in (TSV, CSV):
        with closing(file.open()) as table:
            is_list = file.format is TSV or len(table.fields) == 1
            if is_list and all(field.role != "document" for field in table.fields):
                return file._replace(format=PLAIN)
    return file


#: Test sets found by their name; not among the formats of files, as no file is in it.
_NAMED_SET = TextFormat("test set", "sources", is_written=False)


def open_reader(source: Source, _: Sequence[Field] | None = None) -> Reader:
    """Read a test set found by its name from its start."""
    texts = cast("NamedSet", source.texts)
    references = [f"reference {name}" for name in texts.references]
    origin = ", ".join([texts.origin, *references, *texts.subset])
    return open_columns(texts.columns, lambda: origin)
