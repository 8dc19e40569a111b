"""Columns of Arrow tables: which types are texts or groups; nulls; lists are refused."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from metra.errors import CorpusError, FormatError
from metra.formats.texts.columns import describe_missing_column
from metra.text.columns import is_text_type


class NullValueError(CorpusError):
    """A null where a text has to be; rows are counted from 0."""

    def __init__(self, column: str, row: int, where: str = "a batch") -> None:
        """Name the column, and the row of the batch or of a file."""
        self.column = column
        self.row = row
        self.where = where
        super().__init__(
            f"Row {row + 1} of {where} is null in the column {column!r}, which needs "
            "a text; fill it in, if need be with an empty text, or remove the row."
        )

    def __reduce__(self) -> Any:
        """Pickle what the message is made of: it comes from other processes."""
        return type(self), (self.column, self.row, self.where)


def check_columns(
    schema: pa.Schema, texts: Sequence[str], keys: Sequence[str], where: str
) -> None:
    """Refuse a table that lacks a column, has it twice, or of a type that cannot be used."""
    for name in dict.fromkeys([*texts, *keys]):
        refuse_twin(schema, name, where)
        if name not in schema.names:
            raise FormatError(describe_missing_column(name, schema.names, where))
    for names, fits, problem in (
        (texts, is_text_type, _NO_TEXTS),
        (keys, get_key_kind, _NO_KEYS),
    ):
        for name in names:
            kind = schema.field(name).type
            if not fits(kind):
                msg = f"{where} has the column {name!r} of type {kind}, {problem}."
                raise FormatError(msg)


_NO_TEXTS = "where texts are expected; name another column, or convert it to strings"
_NO_KEYS = (
    "which cannot be a group; expected strings, whole numbers, dates or yes and no"
)


def refuse_twin(schema: pa.Schema, name: str, where: str) -> None:
    """Refuse a table that has two columns of a name."""
    if len(schema.get_all_field_indices(name)) > 1:
        msg = f"{where} has two columns {name!r}; give each its own name."
        raise FormatError(msg)


def get_key_kind(kind: Any) -> str | None:
    """Return what values of a type can be compared with, None if they are no keys."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = {
        "text": is_text_type,
        "number": pa.types.is_integer,
        "yes or no": pa.types.is_boolean,
        "date": pa.types.is_date,
        # Times with and without a zone cannot be compared.
        "time": lambda kind: pa.types.is_timestamp(kind) and kind.tz is None,
        "time in a zone": pa.types.is_timestamp,
    }
    return next((name for name, fits in tests.items() if fits(kind)), None)


def decode_dictionary(values: pa.Array) -> pa.Array:
    """Return a column without Arrow's dictionary, if it has one."""
    is_packed = pa.types.is_dictionary(values.type)
    return values.dictionary_decode() if is_packed else values


def encode_values(values: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    """Return the different values of a column, and which one each row has."""
    encoded = decode_dictionary(values).dictionary_encode("encode")
    return encoded.dictionary, get_numbers(encoded.indices, np.int32)


def number_rows(
    columns: Sequence[pa.Array],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number rows by their values in columns, in the order in which these first appear.

    Returns the first row of each number, and the number of each row.
    """
    first, *others = columns
    numbers = encode_values(first)[1].astype(np.int64)
    for column in others:
        distinct, codes = encode_values(column)
        both = wrap_numbers(numbers * len(distinct) + codes, pa.int64())
        numbers = encode_values(both)[1].astype(np.int64)
    # Where the largest number so far grows.
    firsts = np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))
    return firsts, numbers


# `to_numpy`, `pa.array` and `pa.scalar` would load pandas.
def get_numbers(column: pa.Array, kind: type[Any]) -> NDArray[Any]:
    """Return a column of numbers without nulls as an array."""
    return np.frombuffer(column.buffers()[1], kind)[column.offset :][: len(column)]


def wrap_numbers(values: NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Return an array of numbers as a column."""
    data = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kind, len(values), [None, data])


def get_required_column(rows: pa.RecordBatch, name: str) -> pa.Array:
    """Return a column, of which nulls are refused."""
    values = decode_dictionary(rows.column(name))
    if values.null_count:
        _refuse_nulls(name, values.is_null())
    return values


def get_references(rows: pa.RecordBatch, names: Sequence[str]) -> list[pa.Array]:
    """Return the references; a row where all are null is refused.

    Columns that these rows lack, because other files of the table have them, are null.
    """
    columns = [get_column(rows, name) for name in names]
    if columns and all(values.null_count for values in columns):
        gaps = reduce(pc.and_, [values.is_null() for values in columns])
        if pc.any(gaps).as_py():
            _refuse_nulls(names[0], gaps)
    return columns


def get_column(rows: pa.RecordBatch, name: str) -> pa.Array:
    """Return a column; one that the rows lack is null."""
    if name not in rows.schema.names:
        return pa.nulls(rows.num_rows, pa.large_string())
    return decode_dictionary(rows.column(name))


def _refuse_nulls(name: str, gaps: pa.Array) -> NoReturn:
    flags = gaps.to_numpy(zero_copy_only=False)
    raise NullValueError(name, int(np.flatnonzero(flags)[0]))


def refuse_lists(schema: pa.Schema, where: str) -> None:
    """Refuse a column that holds lists of references, as in JSON lines."""
    for field in schema:
        is_list = pa.types.is_list(field.type) or pa.types.is_large_list(field.type)
        if is_list and field.name.lower() in ("refs", "references"):
            msg = (
                f"{where} has lists of references in the column {field.name!r}; give each "
                "reference a column of its own, such as ref:1 and ref:2."
            )
            raise FormatError(msg)


def gather_batches(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Put batches together into tables of at least so many rows, except for the last."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)
