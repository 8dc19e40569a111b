"""Rows to be written: what a format can carry.

What a format cannot carry is refused: nothing is lost in silence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    for mark, what in (("\n", "line break"), ("\0", "zero byte")):
        if mark in text:
            return f"contains a {what}"
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
