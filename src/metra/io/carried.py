"""What a format can carry, and the refusal of what it cannot: nothing is lost in silence."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from metra.errors import FormatError
from metra.io.fields import SEGMENT_IDS, Field
from metra.io.parts import named

Rows: TypeAlias = Mapping[Field, Sequence[str | None]]

_CONTROL = re.compile("[\0-\x1f\ud800-\udfff\ufffe\uffff]")

TEXTS = ("source", "reference", "output")


class Chunk(NamedTuple):
    """Some rows of the table that is converted; `first` is the number of the first."""

    first: int
    rows: Rows

    def place(self, at: int) -> str:
        """Name a segment in a message: its number, and its ids where it has them."""
        ids = []
        for field, values in self.rows.items():
            if field.role == "document":
                ids.append(f"document {values[at]!r}")
            elif field == Field("label", SEGMENT_IDS[0]):
                ids.append(f"segment {values[at]!r}")
        number = f"Segment {self.first + at + 1}"
        return f"{number} ({', '.join(ids)})" if ids else number


def refuse(chunk: Chunk, at: int, field: Field, what: str, form: str) -> NoReturn:
    """Say what a format cannot carry, and where it is."""
    owner = "" if field.role == "document" else f" of {named(field)}"
    remedy = (
        f"leave the label out with --drop {field.name}"
        if field.role == "label"
        else "change the text, or choose another format"
    )
    msg = f"{chunk.place(at)}{owner} {what}, which {form} cannot carry; {remedy}."
    raise FormatError(msg)


def present(
    chunk: Chunk, field: Field, form: str, problem: Callable[[str], str | None]
) -> Iterator[str]:
    """Go through a column in which nothing may be missing and no text be a problem."""
    for at, text in enumerate(chunk.rows[field]):
        if text is None:
            refuse(chunk, at, field, "is missing", form)
        found = problem(text)
        if found:
            refuse(chunk, at, field, found, form)
        yield text


def check_names(fields: Sequence[Field], form: str) -> None:
    """Refuse names of systems, references and labels that would not come back as they are."""
    for field in fields:
        name = field.name
        if not name or name != name.strip() or _CONTROL.search(name):
            msg = (
                f"The name {name!r} of {named(field)} cannot be carried by {form}; give a "
                "name without blanks around it, tabs or other control characters."
            )
            raise FormatError(msg)
