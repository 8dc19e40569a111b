"""A table in Parquet files as columns of segments, as the other formats give them."""

from collections.abc import Generator, Sequence

import pyarrow as pa

from metra.io import parquet
from metra.io.arrow_rows import (
    Nulls,
    NullValueError,
    check_keys,
    check_texts,
    check_there,
    is_key,
    plain,
    references,
    required,
)
from metra.io.fields import ColumnNames, Field, check_named, fields_of, refuse_twins
from metra.text import Text
from metra.text.arrow import is_text, packed


class ParquetRows:
    """Files with the same columns, one below the other, some rows at a time."""

    def __init__(
        self,
        paths: Sequence[str],
        default_system: str = "",
        names: ColumnNames | None = None,
        wanted: Sequence[Field] | None = None,
        *,
        nulls: Nulls | None = None,
    ) -> None:
        """Look at the first file's columns; of these, only the wanted ones are read.

        Nulls stay what they are, unless it is said what they mean.
        """
        self.path = paths[0]
        self.count = 0
        self._paths = paths
        self._rows: int | None = None
        self._nulls = nulls
        self._columns = columns_of(
            parquet.schema_of(paths[0]), paths[0], default_system, names
        )
        self.fields = list(self._columns)
        self._read = {
            field: name
            for field, name in self._columns.items()
            if wanted is None or field in wanted
        } or dict([next(iter(self._columns.items()))])
        self._found = self._batches(paths)
        self._held: list[pa.RecordBatch] = []

    def read(self, most: int) -> dict[Field, Text | list[str | None]]:
        """Read the next segments: fewer than `most` only where the last file ends."""
        held, self._held = self._held, []
        there = sum(batch.num_rows for batch in held)
        while there < most:
            batch = next(self._found, None)
            if batch is None:
                break
            held.append(batch)
            there += batch.num_rows
        schema = self._schema()
        table = pa.Table.from_batches(held, schema).combine_chunks()
        if there > most:
            self._held = table.slice(most).to_batches()
        rows = table.slice(0, most)
        first, self.count = self.count, self.count + rows.num_rows
        return {
            field: _values(field, _one(rows.column(at)), first)
            for at, field in enumerate(self._read)
        }

    def share(self) -> float | None:
        """Tell what share of the rows has been read."""
        if self._rows is None:
            self._rows = sum(map(parquet.row_count, self._paths))
        return self.count / max(self._rows, 1)

    def close(self) -> None:
        """Let go of the files before their end."""
        self._found.close()

    def _schema(self) -> pa.Schema:
        kinds = ((str(at), pa.large_string()) for at in range(len(self._read)))
        return pa.schema(list(kinds))

    def _batches(self, paths: Sequence[str]) -> Generator[pa.RecordBatch]:
        for path in paths:
            check_columns(parquet.schema_of(path), path, self._columns)
            first = 0
            for rows in parquet.batches(path, list(self._read.values())):
                try:
                    columns = _texts(rows, self._read, self._nulls)
                except NullValueError as null:
                    raise NullValueError(null.column, first + null.row, path) from None
                yield pa.record_batch(columns, schema=self._schema())
                first += rows.num_rows


def columns_of(
    schema: pa.Schema,
    where: str,
    default_system: str = "",
    names: ColumnNames | None = None,
) -> dict[Field, str]:
    """Tell which of a table's columns are what; those that are neither text nor key are none.

    A lone output goes by the default name, or by its column's.
    """
    names = names or ColumnNames()
    check_named(schema.names, names, where)
    given = names.given()
    usable = [f.name for f in schema if is_key(f.type) or f.name in given]
    no_texts = [name for name in usable if not is_text(schema.field(name).type)]
    names = names._replace(labels=(*names.labels, *no_texts))
    found = fields_of(usable, default_system, names)
    fields = [
        field._replace(name=field.name or column)
        for field, column in zip(found, usable, strict=True)
    ]
    refuse_twins(fields, where)
    columns = dict(zip(fields, usable, strict=True))
    check_columns(schema, where, columns)
    return columns


def check_columns(schema: pa.Schema, where: str, columns: dict[Field, str]) -> None:
    """Refuse a table that lacks a column, or has one of a type that cannot be used."""
    check_there(schema, list(columns.values()), where)
    texts = ("output", "reference", "source")
    check_texts(
        schema, [name for field, name in columns.items() if field.role in texts], where
    )
    check_keys(
        schema,
        [name for field, name in columns.items() if field.role not in texts],
        where,
    )


def _texts(
    rows: pa.RecordBatch, columns: dict[Field, str], nulls: Nulls | None
) -> list[pa.Array]:
    """Give the columns as strings, with nulls only where they may be."""
    found = {field: plain(rows.column(name)) for field, name in columns.items()}
    if nulls is not None:
        refs = [field for field in columns if field.role == "reference"]
        names = [columns[field] for field in refs]
        found |= zip(refs, references(rows, names, nulls), strict=True)
        for field, name in columns.items():
            if field.role in ("output", "source", "document"):
                found[field] = required(rows, name, nulls)
    return [values.cast(pa.large_string()) for values in found.values()]


def _values(field: Field, column: pa.Array, first: int) -> Text | list[str | None]:
    if field.role in ("document", "label"):
        return column.to_pylist()
    return packed(column, f"the {field.role} {field.name!r}", first=first)


def _one(column: pa.ChunkedArray) -> pa.Array:
    """The column in one piece; there is at most one after `combine_chunks`."""
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.array([], column.type)
