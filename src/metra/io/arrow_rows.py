"""Rows of an Arrow table as texts: which types can be used, and what a null means."""

from collections.abc import Sequence
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metra.errors import CorpusError, FormatError
from metra.io.fields import no_column
from metra.text.arrow import is_text

#: A null where a text has to be: an error, or an empty text.
Nulls: TypeAlias = Literal["refuse", "empty"]


class NullValueError(CorpusError):
    """A null where a text has to be; rows are counted from 0."""

    def __init__(self, column: str, row: int, where: str = "a batch") -> None:
        """Say where it is: in which row of the batch, or of a file."""
        self.column = column
        self.row = row
        super().__init__(
            f"Row {row + 1} of {where} is null in the column {column!r}, where a text has "
            "to be; give it one, leave the row out, or count nulls as empty texts: "
            "--nulls empty."
        )


def check_there(schema: pa.Schema, names: Sequence[str], where: str) -> None:
    """Refuse a table that lacks one of these columns, or has it twice."""
    for name in names:
        found = schema.names.count(name)
        if found > 1:
            msg = f"{where} has two columns {name!r}; give each a name of its own."
            raise FormatError(msg)
        if not found:
            raise FormatError(no_column(name, schema.names, where))


def check_texts(schema: pa.Schema, names: Sequence[str], where: str) -> None:
    """Refuse columns that hold no texts."""
    for name in names:
        kind = schema.field(name).type
        if not is_text(kind):
            msg = (
                f"{where} has the column {name!r} of type {kind}, where a text is expected; "
                "name another column, or make strings of it."
            )
            raise FormatError(msg)


def check_keys(schema: pa.Schema, names: Sequence[str], where: str) -> None:
    """Refuse columns whose values name no documents and no groups."""
    for name in names:
        kind = schema.field(name).type
        if not is_key(kind):
            msg = (
                f"{where} has the column {name!r} of type {kind}, whose values make no "
                "groups; expected strings, whole numbers, dates or yes and no."
            )
            raise FormatError(msg)


def is_key(kind: Any) -> bool:
    """Whether values of this type can be told apart for certain, and written."""
    return kind_of_key(kind) is not None


def kind_of_key(kind: Any) -> str | None:
    """Name the values of a type by what can be compared with each other, if they are keys."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = {
        "text": is_text,
        "number": pa.types.is_integer,
        "yes or no": pa.types.is_boolean,
        "date": pa.types.is_date,
        "time": pa.types.is_timestamp,
    }
    return next((name for name, fits in tests.items() if fits(kind)), None)


def plain(values: pa.Array) -> pa.Array:
    """A column without Arrow's dictionary, if it has one."""
    if pa.types.is_dictionary(values.type):
        return values.dictionary_decode()
    return values


def required(rows: pa.RecordBatch, name: str, nulls: Nulls) -> pa.Array:
    """Give a column without nulls: they are refused, or made empty texts."""
    values = plain(rows.column(name))
    if values.null_count and nulls == "refuse":
        _refuse(name, values.is_null())
    return values.cast(pa.large_string()).fill_null("") if values.null_count else values


def references(
    rows: pa.RecordBatch, names: Sequence[str], nulls: Nulls
) -> list[pa.Array]:
    """Give the references. Where all are null, that is refused, or the first made empty."""
    found = [plain(rows.column(name)) for name in names]
    if not found or not all(values.null_count for values in found):
        return found
    gaps = found[0].is_null()
    for values in found[1:]:
        gaps = pc.and_(gaps, values.is_null())
    if not pc.any(gaps).as_py():
        return found
    if nulls == "refuse":
        _refuse(names[0], gaps)
    return [pc.if_else(gaps, "", found[0].cast(pa.large_string())), *found[1:]]


def _refuse(name: str, gaps: pa.Array) -> NoReturn:
    flags = gaps.to_numpy(zero_copy_only=False)
    raise NullValueError(name, int(np.flatnonzero(flags)[0]))
