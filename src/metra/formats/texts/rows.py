"""Rows to be written: what a format can carry, and the documents that rows form.

What a format cannot carry is refused: nothing is lost in silence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, NoReturn, TypeAlias

from metra.errors import FormatError
from metra.formats.atomic import write_pieces
from metra.formats.texts import columns
from metra.formats.texts.columns import Field

_CONTROL = re.compile("[\0-\x1f\ud800-\udfff\ufffe\uffff]")


class RowChunk(NamedTuple):
    """Some rows of a converted table; `first` is the number of the first."""

    first: int
    rows: Mapping[Field, Sequence[str | None]]

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(next(iter(self.rows.values())))

    def fill_missing(self, field: Field) -> "RowChunk":
        """Put empty texts where a column has none."""
        filled = {field: [text or "" for text in self.rows[field]]}
        return RowChunk(self.first, {**self.rows, **filled})

    def place(self, index: int) -> str:
        """Name a segment in a message: its number, and its ids where it has them."""
        ids = []
        for field, values in self.rows.items():
            if field.role == "document":
                ids.append(f"document {values[index]!r}")
            elif field == columns.SEGMENT_ID:
                ids.append(f"segment {values[index]!r}")
        number = f"Segment {self.first + index + 1}"
        return f"{number} ({', '.join(ids)})" if ids else number


Fields: TypeAlias = Sequence[Field]
Chunks: TypeAlias = Iterable[RowChunk]


def refuse_value(
    chunk: RowChunk, index: int, field: Field, what: str, form: str
) -> NoReturn:
    """Raise an error that names what a format cannot carry, and where it is."""
    owner = "" if field.role == "document" else f" of {columns.describe_field(field)}"
    remedy = (
        f"leave the label out with `drop` {field.name}"
        if field.role == "label"
        else "change the text, or choose another format"
    )
    msg = (
        f"{chunk.place(index)}{owner} {what}, which {form} cannot represent; {remedy}."
    )
    raise FormatError(msg)


def check_values(
    chunk: RowChunk, field: Field, form: str, find_problem: Callable[[str], str | None]
) -> Iterator[str]:
    """Go through a column in which nothing may be missing and no text be a problem."""
    for index, text in enumerate(chunk.rows[field]):
        problem = "is missing" if text is None else find_problem(text)
        if text is None or problem:
            refuse_value(chunk, index, field, problem or "", form)
        yield text


def format_cells(
    chunk: RowChunk, field: Field, form: str, find_problem: Callable[[str], str | None]
) -> Iterator[str]:
    """Go through a column of a table in which an empty cell is a missing reference."""
    if field.role in ("reference", "label"):
        values = chunk.rows[field]
        if field.role == "reference" and "" in values:
            index = values.index("")
            refuse_value(chunk, index, field, "is empty but not missing", form)
        chunk = chunk.fill_missing(field)
    return check_values(chunk, field, form, find_problem)


def find_line_problem(text: str) -> str | None:
    """Return why a text cannot stand on a line of its own, None if it can."""
    if "\n" in text:
        return "contains a line break"
    # A carriage return before the end of a line is taken for a part of it.
    return "ends in a carriage return" if text.endswith("\r") else None


def check_names(fields: Fields, form: str) -> None:
    """Refuse names of systems, references and labels that would not come back as they are."""
    for field in fields:
        name = field.name
        if not name or name != name.strip() or _CONTROL.search(name):
            what = f"The name {name!r} of {columns.describe_field(field)}"
            msg = (
                f"{what} cannot be represented in {form}; give a name without "
                "surrounding spaces, tabs or other control characters."
            )
            raise FormatError(msg)


def write_lines(out: str, blocks: Iterable[Iterable[str]]) -> None:
    """Write a file of blocks of lines."""
    texts = ("".join(f"{line}\n" for line in lines) for lines in blocks)
    write_pieces(out, (text.encode() for text in texts))


# What the one document is called where none are known.
NAMELESS = "all"


class WrittenDocument(NamedTuple):
    """A document to be written: its name and labels, the ids of its segments, its rows."""

    name: str
    labels: dict[str, str]
    ids: list[str]
    chunk: RowChunk


class MarkupRules(NamedTuple):
    """Rules of a format with ids: what it cannot hold, and what stands for signs."""

    form: str
    #: The names that labels may have.
    label: re.Pattern[str]
    #: What no id or label may hold.
    bad: re.Pattern[str]
    find_problem: Callable[[str], str | None]
    #: What is written for signs, in texts and in attributes.
    in_text: Mapping[int, str]
    in_attribute: Mapping[int, str]

    def format_attributes(self, values: Mapping[str, str]) -> str:
        """Format attributes, a blank before each."""
        signs = self.in_attribute
        return "".join(f' {k}="{text.translate(signs)}"' for k, text in values.items())

    def format_segments(self, document: WrittenDocument, text: Field) -> str:
        """Format one text's segments, a line each."""
        segments = check_values(document.chunk, text, self.form, self.find_problem)
        return "".join(
            f"<seg{self.format_attributes({'id': segment_id})}>"
            f"{segment.translate(self.in_text)}</seg>\n"
            for segment_id, segment in zip(document.ids, segments, strict=True)
        )

    def refuse(self, chunk: RowChunk, index: int, field: Field, what: str) -> NoReturn:
        """Raise the error of a value that the format cannot carry."""
        refuse_value(chunk, index, field, what, self.form)


def list_text_fields(fields: Fields) -> list[Field]:
    """List the texts: source, references, outputs."""
    roles = columns.TEXT_ROLES
    return [field for role in roles for field in fields if field.role == role]


def split_documents(
    fields: Fields, chunks: Chunks, rules: MarkupRules
) -> Iterator[WrittenDocument]:
    """Collect the rows, and cut them where documents end.

    A document comes in one piece, its segments have ids of their own, and its labels are
    the same throughout.
    """
    document = next((field for field in fields if field.role == "document"), None)
    id_fields = (Field("label", name) for name in columns.SEGMENT_IDS)
    ids = next((field for field in id_fields if field in fields), None)
    labels = [field for field in fields if field.role == "label" and field != ids]
    for field in labels:
        if not rules.label.fullmatch(field.name):
            msg = (
                f"The label {field.name!r} cannot be an attribute of a document in "
                f"{rules.form}; leave it out with `drop` {field.name!r}."
            )
            raise FormatError(msg)
    table: dict[Field, list[str | None]] = {field: [] for field in fields}
    for chunk in chunks:
        for field, column in table.items():
            column += chunk.rows[field]
    count = len(next(iter(table.values())))
    names = table[document] if document else [NAMELESS] * count
    ended: dict[str, int] = {}
    stop = 0
    for key, group in groupby(names):
        start, stop = stop, stop + len(list(group))
        rows = {field: column[start:stop] for field, column in table.items()}
        part, name = RowChunk(start, rows), key or ""
        if document:
            _check_name(part, document, name, rules)
        if name in ended:
            msg = (
                f"{part.place(0)} returns to document {name!r}, which ended at segment "
                f"{ended[name]}; {rules.form} needs each document in one piece."
            )
            raise FormatError(msg)
        ended[name] = stop
        given = {field.name: rows[field][0] for field in labels}
        values = {label: value for label, value in given.items() if value}
        _check_labels(part, labels, values, rules)
        yield WrittenDocument(name, values, _list_ids(part, ids, rules), part)


def _check_name(chunk: RowChunk, field: Field, name: str, rules: MarkupRules) -> None:
    if not name:
        rules.refuse(chunk, 0, field, "has no document id")
    if name != name.strip() or rules.bad.search(name):
        rules.refuse(chunk, 0, field, f"has the document id {name!r}")


def _check_labels(
    chunk: RowChunk, labels: Fields, values: Mapping[str, str], rules: MarkupRules
) -> None:
    for field in labels:
        expected = values.get(field.name, "")
        for index, value in enumerate(chunk.rows[field]):
            label = value or ""
            if label != expected:
                what = f"is {label!r}, but {expected!r} before it in the same document"
                rules.refuse(chunk, index, field, what)
            if rules.bad.search(label):
                rules.refuse(chunk, index, field, f"is {label!r}")


def _list_ids(chunk: RowChunk, field: Field | None, rules: MarkupRules) -> list[str]:
    """List the ids of a document's segments; those without one are numbered."""
    label = field or columns.SEGMENT_ID
    ids: dict[str, None] = {}
    for index in range(chunk.size):
        given = chunk.rows[field][index] if field else None
        segment_id = given or str(len(ids) + 1)
        if segment_id != segment_id.strip() or rules.bad.search(segment_id):
            rules.refuse(chunk, index, label, f"is {segment_id!r}")
        if segment_id in ids:
            what = f"is {segment_id!r}, which the same document already has"
            rules.refuse(chunk, index, label, what)
        ids[segment_id] = None
    return list(ids)
