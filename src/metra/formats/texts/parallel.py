"""Files side by side: the columns of all of them as one table, in step."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import count
from typing import NamedTuple

from metra.errors import CorpusError, FormatError
from metra.formats.stream import format_path
from metra.formats.texts.columns import (
    DOCUMENT,
    TEXT_ROLES,
    Columns,
    Field,
    Reader,
    Role,
    Section,
    Values,
    count_segments,
    is_row_number,
    is_segment_id,
    list_values,
)
from metra.formats.texts.sources import Source
from metra.text.columns import check_lengths

#: Segments that are read at a time where whole columns are wanted.
_WHOLE = 4096


class ParallelTable:
    """Files as one table, of which never more than some segments are in memory."""

    def __init__(self, files: Sequence[Source]) -> None:
        """Look at how files begin, and through their keys, to learn columns and order."""
        #: The kinds of marks that are removed from outputs, with plus signs between them.
        self.cleaned = ""
        for names in (file.reading.clean for file in files if file.reading):
            if names:
                from metra.formats.texts.furniture import make_cleaner, parse_names

                self.cleaned, self._clean = parse_names(names), make_cleaner(names)
        #: How tables were read, by path, where that had to be recognised.
        self.layouts: dict[str, str] = {}
        #: How rows of several files were found to belong together, empty if by position.
        self.joined = ""
        self._readers: list[Reader] = []
        self._sides: list[Side] = []
        fields: list[Field] = []
        has_documents = any(file.use == "document" for file in files)
        for file in files:
            opener: Callable[..., Reader] = file.open
            if file.format.has_ids:
                from metra.formats.texts.documents import load_documents

                opener = load_documents(file)
            with closing(opener()) as reader:
                own, layout = reader.fields, reader.describe()
            if layout:
                self.layouts[format_path(file.path)] = layout
            if file.format.is_localised and has_documents:
                own = [field for field in own if field.role != "document"]
            columns = _choose_columns(file, own, fields)
            if file.format.has_ids:
                # Document ids that were given apart from the files are meant to be used.
                taken = [*fields, *[DOCUMENT][:has_documents]]
                kinds = ("document", "label")
                columns |= {f: f for f in own if f.role in kinds and f not in taken}
            self._sides.append(_build_side(file, opener, own, columns))
            fields += columns.values()
        if sum(bool(side.labels) for side in self._sides) > 1:
            from metra.formats.texts.join import add_keys

            self._sides = add_keys(self._sides)
        keys = [*filter(any, (side.keys for side in self._sides))]
        if len(keys) > 1 or (
            len(files) > 1 and any(key[:3] != (None, (), None) for key in keys)
        ):
            from metra.formats.texts.join import join_sides

            self._sides, self.joined = join_sides(self._sides)
        self.fields = list(dict.fromkeys(fields))

    def path(self, field: Field) -> str:
        """Return the path of the file that a column comes from."""
        return next(side.path for side in self._sides if field in side.columns.values())

    def check_order(self) -> None:
        """Refuse files whose rows are numbered out of order."""
        from metra.formats.texts.join import check_order

        for side in self._sides:
            check_order(side)

    def share(self) -> float | None:
        """Return the share of the first file that has been read, None if not known."""
        return self._readers[0].share() if self._readers else None

    def chunks(
        self, size: int, wanted: Sequence[Field]
    ) -> Iterator[dict[Field, Values]]:
        """Walk through the wanted columns, `size` segments at a time."""
        with ExitStack() as stack:
            readers = self._readers = []
            for side in self._sides:
                own = [own for own, field in side.columns.items() if field in wanted]
                readers.append(stack.enter_context(closing(side.open(own))))
            yield from self._read_chunks(readers, size, wanted)

    def read_columns(self, wanted: Sequence[Field]) -> dict[Field, list[str | None]]:
        """Read the wanted columns as a whole."""
        columns: dict[Field, list[str | None]] = {field: [] for field in wanted}
        for chunk in self.chunks(_WHOLE, wanted):
            for field, values in chunk.items():
                columns[field] += list_values(values)
        return columns

    def read_ids(self) -> list[str]:
        """Read the segments' ids of the first file that has some."""
        for side in self._sides:
            for field in side.keys.ids[:1]:
                with closing(side.open([field])) as reader:
                    values = list_values(reader.read(_WHOLE)[field])
                return [name or "" for name in values]
        return []

    def sections(
        self, size: int, wanted: Sequence[Field]
    ) -> list[tuple[int, Iterator[dict[Field, Values]]]]:
        """List the sections of a table in one file or folder, each with its first segment.

        They can be read at the same time. There are none where files are read side by side.
        Sections do not depend on threads, so that chunks are the same on any number of them.
        """
        if len(self._sides) != 1:
            return []
        columns = self._sides[0].columns
        own = [own for own, field in columns.items() if field in wanted]
        sections = self._sides[0].list_sections(own)
        if len(sections) < 2:
            return []

        def read(section: Section) -> Iterator[dict[Field, Values]]:
            with closing(section.open()) as reader:
                self._readers = [reader]
                yield from self._read_chunks([reader], size, wanted)

        return [(each.first, read(each)) for each in sections]

    def _read_chunks(
        self, readers: Sequence[Reader], size: int, wanted: Sequence[Field]
    ) -> Iterator[dict[Field, Values]]:
        start = 0
        while True:
            parts = [reader.read(size) for reader in readers]
            counts = [count_segments(part) for part in parts]
            if min(counts) != max(counts):
                self._refuse_lengths([start + n for n in counts], size)
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
            for own_field, field in side.columns.items():
                if field not in wanted:
                    continue
                values = part[own_field]
                if self.cleaned and field.role == "output":
                    values = self._clean(list_values(values))
                if field in table:
                    _check_agreement(field, table[field], values, start)
                table[field] = values
        return {field: table[field] for field in wanted}

    def _refuse_lengths(self, counts: Sequence[int], size: int) -> None:
        """Read every file to its end to say how long it is."""
        lengths: dict[str, int] = {}
        sides = zip(self._sides, self._readers, counts, strict=True)
        for side, reader, length in sides:
            while more := count_segments(reader.read(size)):
                length += more
            name = format_path(side.path)
            # One file may be read in two ways, which need not give equally many segments.
            lengths[f"{name} again" if name in lengths else name] = length
        rule = "each line must be one segment, in the same order in every file"
        check_lengths(lengths, rule)


class KeyColumns(NamedTuple):
    """Columns of a file that tell which segment a row is."""

    document: Field | None = None
    ids: tuple[Field, ...] = ()
    #: Numbers that a program has given to rows, which may be new after each change.
    row_number: Field | None = None
    source: Field | None = None


class Side(NamedTuple):
    """A file: its columns, and what each is in the table."""

    path: str
    columns: dict[Field, Field]
    open: Callable[[Sequence[Field]], Reader]
    list_sections: Callable[[Sequence[Field]], list[Section]]
    #: Files of lower rank give others their order.
    rank: tuple[bool, bool, int]
    keys: KeyColumns
    #: Whether it may lack documents that other files have.
    may_lack: bool
    #: Columns that may be keys, whatever their names.
    labels: Sequence[Field] = ()


def _build_side(
    file: Source,
    opener: Callable[..., Reader],
    fields: Sequence[Field],
    columns: dict[Field, Field],
) -> Side:
    """Find the keys of a file, and its rank by the first text of the table that it has."""
    roles = [role for role in TEXT_ROLES if role in {f.role for f in columns.values()}]
    place = TEXT_ROLES.index(roles[0]) if roles else len(TEXT_ROLES)
    # A test set knows which of its segments count.
    rank = (file.texts is None, file.use != "source", place)
    is_list = file.use == "document"
    keys = KeyColumns()
    if not is_list or file.format.has_column_names:
        keys = KeyColumns(
            None if is_list else _find_field(fields, "document"),
            tuple(filter(is_segment_id, fields)),
            next(filter(is_row_number, fields), None),
            _find_field(fields, "source"),
        )
    may_lack = roles == ["reference"] and file.format.has_partial_references
    # Beside references, columns of other names count as outputs.
    ignored = (f for f in fields if f.role == "label" or f not in columns)
    labels = [f for f in ignored if f.role in ("label", "output")]
    labels = [f for f in labels if not is_segment_id(f) and not is_row_number(f)]
    sections = file.list_sections
    return Side(file.path, columns, opener, sections, rank, keys, may_lack, labels)


def _find_field(fields: Sequence[Field], role: Role) -> Field | None:
    return next((field for field in fields if field.role == role), None)


_OPTIONS: dict[str, str] = {
    "output": "`columns.outputs`=NAME=COLUMN",
    "reference": "`columns.references`=COLUMN",
    "source": "`columns.source`=COLUMN",
    "document": "`columns.document`=COLUMN",
}


def _choose_columns(
    file: Source, fields: Sequence[Field], taken: Sequence[Field]
) -> dict[Field, Field]:
    """Choose columns of a file, and what each is in the table, where some are taken.

    An output brings all of its columns, another file those of the role that it is for.
    """
    if file.format.has_ids:
        fields = [field for field in fields if field.role in TEXT_ROLES]
    outputs = [field for field in fields if field.role == "output"]
    texts = [field for field in fields if field.role in TEXT_ROLES]
    labels = file.columns.labels if file.columns else ()
    is_renamed = file.named and file.format.has_ids
    if is_renamed and len(outputs) != 1:
        msg = (
            f"{file.name}={format_path(file.path)} gives one name to a file with "
            f"{len(outputs)} outputs; give a name only to a file with one output."
        )
        raise FormatError(msg)
    if file.use == "any":
        chosen = {field: field for field in fields}
    elif file.use == "output" and outputs:
        kept = [f for f in fields if f.role != "label" or f.name in labels]
        chosen = {field: field for field in kept}
    elif any(field.role == file.use for field in fields):
        chosen = {f: f for f in fields if f.role in (file.use, "label")}
    elif len(texts) == 1 and (file.format.has_ids or texts == outputs):
        chosen = {texts[0]: Field(file.use, file.name)}
    else:
        from metra.formats.texts.roles import HELP

        names, advice = [field.name for field in fields], ""
        if file.format.has_column_names:
            names = [f"{field.name} ({field.role})" for field in fields]
            advice = f" Name one with {_OPTIONS[file.use]}."
        problem = f"{format_path(file.path)} has no column for the {file.use}"
        msg = (
            f"{problem}; it has: {', '.join(names)}.{advice} Columns are recognised by "
            f"name: {HELP}."
        )
        raise FormatError(msg)
    if is_renamed:
        chosen[outputs[0]] = Field("output", file.name)
    _check_twins(file, [*chosen.values()])
    columns: dict[Field, Field] = {}
    for own, field in chosen.items():
        columns[own] = _name_column(file, field, taken, [*columns.values()])
    return columns


def _check_twins(file: Source, fields: Sequence[Field]) -> None:
    """Refuse two columns of a file where one is needed."""
    roles: tuple[Role, ...] = ("source", "document")
    for role in roles:
        twins = [field.name for field in fields if field.role == role]
        if len(twins) > 1:
            problem = f"{format_path(file.path)} has two columns for the {role}"
            msg = f"{problem}: {', '.join(twins)}; choose one with {_OPTIONS[role]}."
            raise CorpusError(msg)


def _name_column(
    file: Source, field: Field, taken: Sequence[Field], own: Sequence[Field]
) -> Field:
    """Name a column of the table; references in files of their own are numbered.

    Other files may have the same source, documents and references, which count once.
    """
    if field.role == "label":
        return field
    if field.role == "source":
        field = Field("source", "source")
    elif field.role == "document":
        field = DOCUMENT
    elif file.use == "output" and _is_unnamed_reference(field):
        twin = next(filter(_is_unnamed_reference, taken), field)
        field = field if twin in own else twin
    if field not in taken and field not in own:
        return field
    if field.role == "reference" and file.use == "reference":
        numbered = (field._replace(name=f"{field.name}-{n}") for n in count(2))
        return next(name for name in numbered if name not in taken and name not in own)
    is_single = field.role in ("source", "document")
    may_share = field.role == "reference" or (is_single and file.use != "document")
    if may_share and field not in own:
        return field
    remedy = ": NAME=FILE" if field.role == "output" else ""
    msg = f"Two {field.role}s are named {field.name!r}; give each its own name{remedy}."
    if is_single:
        msg = f"The {field.role} is given 2 times; give it once."
    raise CorpusError(msg)


def _is_unnamed_reference(field: Field) -> bool:
    name = field.name.strip().lower()
    return field.role == "reference" and name in ("ref", "reference")


def _check_agreement(field: Field, first: Values, second: Values, start: int) -> None:
    """Check that two files agree about a column that both of them have."""
    pairs = zip(list_values(first), list_values(second), strict=True)
    for number, (one, other) in enumerate(pairs, start + 1):
        if one != other:
            msg = (
                f"Segment {number} has the {field.role} {field.name!r} twice, as "
                f"{one!r} and as {other!r}; the files must agree."
            )
            raise CorpusError(msg)
