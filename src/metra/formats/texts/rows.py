"""Rows to be written: what a format can carry, and the documents that rows form.

What a format cannot carry is refused: nothing is lost in silence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from metra.errors import FormatError
from metra.formats.texts.columns import (
    SEGMENT_ID,
    SEGMENT_IDS,
    TEXT_ROLES,
    Field,
    describe_field,
)
from metra.formats.texts.parts import SeenIds

Rows: TypeAlias = Mapping[Field, Sequence[str | None]]

_CONTROL = re.compile("[\0-\x1f\ud800-\udfff\ufffe\uffff]")


class RowChunk(NamedTuple):
    """Some rows of the table that is converted; `first` is the number of the first."""

    first: int
    rows: Rows

    def place(self, index: int) -> str:
        """Name a segment in a message: its number, and its ids where it has them."""
        ids = []
        for field, values in self.rows.items():
            if field.role == "document":
                ids.append(f"document {values[index]!r}")
            elif field == SEGMENT_ID:
                ids.append(f"segment {values[index]!r}")
        number = f"Segment {self.first + index + 1}"
        return f"{number} ({', '.join(ids)})" if ids else number


def refuse_value(
    chunk: RowChunk, index: int, field: Field, what: str, form: str
) -> NoReturn:
    """Raise an error that names what a format cannot carry, and where it is."""
    owner = "" if field.role == "document" else f" of {describe_field(field)}"
    remedy = (
        f"leave the label out with `drop` {field.name}"
        if field.role == "label"
        else "change the text, or choose another format"
    )
    msg = f"{chunk.place(index)}{owner} {what}, which {form} cannot carry; {remedy}."
    raise FormatError(msg)


def check_values(
    chunk: RowChunk, field: Field, form: str, find_problem: Callable[[str], str | None]
) -> Iterator[str]:
    """Go through a column in which nothing may be missing and no text be a problem."""
    for index, text in enumerate(chunk.rows[field]):
        if text is None:
            refuse_value(chunk, index, field, "is missing", form)
        problem = find_problem(text)
        if problem:
            refuse_value(chunk, index, field, problem, form)
        yield text


def check_names(fields: Sequence[Field], form: str) -> None:
    """Refuse names of systems, references and labels that would not come back as they are."""
    for field in fields:
        name = field.name
        if not name or name != name.strip() or _CONTROL.search(name):
            msg = (
                f"The name {name!r} of {describe_field(field)} cannot be carried by {form}; "
                "give a name without blanks around it, tabs or other control characters."
            )
            raise FormatError(msg)


# What the one document is called where none are known.
NAMELESS = "all"


class FormatRules(NamedTuple):
    """Rules of a format: names of labels, and what no id or label may hold."""

    form: str
    label: re.Pattern[str]
    bad: re.Pattern[str]


class DocumentRun(NamedTuple):
    """Segments of one document that follow each other; a long document has several runs."""

    document: str
    labels: dict[str, str]
    begins: bool
    ids: list[str]
    chunk: RowChunk


def list_text_fields(fields: Sequence[Field]) -> list[Field]:
    """List the texts: source, references, outputs."""
    return [field for role in TEXT_ROLES for field in fields if field.role == role]


def split_documents(
    fields: Sequence[Field], chunks: Iterable[RowChunk], rules: FormatRules
) -> Iterator[DocumentRun]:
    """Cut the chunks where documents end.

    A document comes in one piece, its segments have ids of their own, and its labels are
    the same throughout.
    """
    document = next((field for field in fields if field.role == "document"), None)
    ids = _find_segment_ids(fields)
    labels = [field for field in fields if field.role == "label" and field != ids]
    _check_label_names(labels, rules)
    ended: dict[str, int] = {}
    now = _OpenDocument("", {}, SeenIds())
    for chunk in chunks:
        count = len(next(iter(chunk.rows.values())))
        names = chunk.rows[document] if document else [NAMELESS] * count
        for start, stop in _find_stretches(names):
            part = _slice_chunk(chunk, start, stop)
            name = names[start] or ""
            begins = name != now.name or not name
            if begins:
                if document:
                    _check_name(part, document, name, rules)
                ended[now.name] = part.first
                if name in ended:
                    raise FormatError(
                        _describe_split_document(part, name, ended[name], rules)
                    )
                values = {field.name: part.rows[field][0] or "" for field in labels}
                values = {label: value for label, value in values.items() if value}
                now = _OpenDocument(name, values, SeenIds())
            _check_labels(part, labels, now, rules)
            yield DocumentRun(
                name, now.labels, begins, list(_check_ids(part, ids, now, rules)), part
            )


class _OpenDocument(NamedTuple):
    name: str
    labels: dict[str, str]
    ids: SeenIds


def _find_segment_ids(fields: Sequence[Field]) -> Field | None:
    for name in SEGMENT_IDS:
        if Field("label", name) in fields:
            return Field("label", name)
    return None


def _check_label_names(labels: Sequence[Field], rules: FormatRules) -> None:
    for field in labels:
        if not rules.label.fullmatch(field.name):
            msg = (
                f"The label {field.name!r} cannot be an attribute of a document in "
                f"{rules.form}; leave it out with `drop` {field.name!r}."
            )
            raise FormatError(msg)


def _find_stretches(names: Sequence[str | None]) -> Iterator[tuple[int, int]]:
    start = 0
    for index in range(1, len(names) + 1):
        if index == len(names) or names[index] != names[start]:
            yield start, index
            start = index


def _slice_chunk(chunk: RowChunk, start: int, stop: int) -> RowChunk:
    rows = {field: values[start:stop] for field, values in chunk.rows.items()}
    return RowChunk(chunk.first + start, rows)


def _check_name(chunk: RowChunk, field: Field, name: str, rules: FormatRules) -> None:
    if not name:
        refuse_value(chunk, 0, field, "has no document id", rules.form)
    if name != name.strip() or rules.bad.search(name):
        refuse_value(chunk, 0, field, f"has the document id {name!r}", rules.form)


def _describe_split_document(
    chunk: RowChunk, name: str, end: int, rules: FormatRules
) -> str:
    return (
        f"{chunk.place(0)} returns to document {name!r}, which ended at segment {end}; "
        f"{rules.form} needs each document in one piece."
    )


def _check_labels(
    chunk: RowChunk,
    labels: Sequence[Field],
    document: _OpenDocument,
    rules: FormatRules,
) -> None:
    for field in labels:
        expected = document.labels.get(field.name, "")
        for index, value in enumerate(chunk.rows[field]):
            label = value or ""
            if label != expected:
                what = f"is {label!r}, but {expected!r} before it in the same document"
                refuse_value(chunk, index, field, what, rules.form)
            if rules.bad.search(label):
                refuse_value(chunk, index, field, f"is {label!r}", rules.form)


def _check_ids(
    chunk: RowChunk, field: Field | None, document: _OpenDocument, rules: FormatRules
) -> Iterator[str]:
    count = len(next(iter(chunk.rows.values())))
    given = chunk.rows[field] if field else [None] * count
    label = field or SEGMENT_ID
    for index in range(count):
        segment_id = given[index] or str(document.ids.count + 1)
        if segment_id != segment_id.strip() or rules.bad.search(segment_id):
            refuse_value(chunk, index, label, f"is {segment_id!r}", rules.form)
        if not document.ids.add(segment_id):
            what = f"is {segment_id!r}, as it was before in the same document"
            refuse_value(chunk, index, label, what, rules.form)
        yield segment_id
