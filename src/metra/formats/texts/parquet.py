"""Tables in Parquet: row groups, folders that name columns, and limits for unpacked data.

The format carries everything, in a column for each text and label.
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from metra.errors import FormatError, OptionError
from metra.formats.atomic import write_file
from metra.formats.remote import is_remote, open_remote
from metra.formats.stream import STDIN, get_file_state
from metra.formats.texts import arrow_columns
from metra.formats.texts.columns import (
    TEXT_ROLES,
    ColumnNames,
    Columns,
    Field,
    Reader,
    Section,
    Values,
    format_column_name,
)
from metra.formats.texts.roles import check_column_names, check_fields, recognise_fields
from metra.formats.texts.rows import Chunks, Fields
from metra.formats.texts.sources import Source
from metra.limits import check_limit, check_unpacked
from metra.text.columns import RepeatedValues, is_text_type, pack_arrow_column

# So many rows are decoded at a time.
ROWS = 8192

# A span of a file, which one thread opens, has at least so many rows; and because opening it
# reads the whole footer, also so many for each row group of the file.
LEAST_SPAN = 8192
_FOOTER_ROWS = 512

# A column's pages are read through a buffer of so many bytes, whatever a row group's size.
_BUFFER = 1 << 20


def read_schema(path: str) -> pa.Schema:
    """Return a file's columns, followed by those that names of folders give."""
    with _translate_errors(path), _open_parquet(path) as file:
        schema = file.schema_arrow
        check_limit("columns", len(schema), path)
    for name in read_partitions(path):
        if name not in schema.names:
            schema = schema.append(pa.field(name, pa.string(), metadata=_PARTITION))
    return schema


def read_union(paths: Sequence[str]) -> pa.Schema:
    """Return the columns of all files of a table, each as the first file has it."""
    if not paths:
        msg = "No files were given; give at least one Parquet file, or a folder."
        raise OptionError(msg)
    schemas = map(read_schema, paths)
    union = next(schemas)
    for schema in schemas:
        for field in schema:
            if field.name not in union.names:
                union = union.append(field)
    return union


# Marks columns that are not in the file.
_PARTITION = {b"metra.added": b"folder"}
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def read_partitions(path: str) -> dict[str, str | None]:
    """Return the values that the names of a file's folders have, as Hive and Spark write.

    >>> read_partitions("data/lp=en-de/text%20type=news%3A1/part-0.parquet")
    {'lp': 'en-de', 'text type': 'news:1'}
    """
    from urllib.parse import unquote

    parts = (folder.partition("=") for folder in path.split("/")[:-1])
    return {
        unquote(name): None if value == _NO_VALUE else unquote(value)
        for name, mark, value in parts
        if name and mark
    }


def mark_partitions(schema: pa.Schema, path: str) -> pa.Schema:
    """Mark the columns that the names of a file's folders give, where another reader did."""
    for name in read_partitions(path):
        index = schema.get_field_index(name)
        if index >= 0:
            schema = schema.set(index, schema.field(index).with_metadata(_PARTITION))
    return schema


def list_added(schema: pa.Schema) -> list[str]:
    """List the columns made of names of folders."""
    return [field.name for field in schema if field.metadata == _PARTITION]


class RowSpan(NamedTuple):
    """Consecutive row groups of a file: which, from which of its rows on, how many rows."""

    path: str
    row_groups: range
    first: int
    rows: int


def list_spans(path: str) -> list[RowSpan]:
    """Cut a file into spans that can be read at the same time; without rows, it is one."""
    with _translate_errors(path), _open_parquet(path) as file:
        data = file.metadata
        sizes = [data.row_group(at).num_rows for at in range(data.num_row_groups)]
    spans, first = list[RowSpan](), 0
    for span in _gather(sizes, max(LEAST_SPAN, _FOOTER_ROWS * len(sizes))):
        rows = sum(sizes[span.start : span.stop])
        spans.append(RowSpan(path, span, first, rows))
        first += rows
    return spans


def _gather(sizes: Sequence[int], least: int) -> Iterator[range]:
    """Cut a sequence into ranges, each with `least` together except for the last."""
    start = size = 0
    for number, own in enumerate(sizes, 1):
        size += own
        if size >= least:
            yield range(start, number)
            start, size = number, 0
    if start < len(sizes) or not sizes:
        yield range(start, len(sizes))


def read_batches(
    path: str,
    columns: Sequence[str] | None = None,
    row_groups: Sequence[int] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read rows of a file, or of row groups, some at a time: these columns, if it has them."""
    with _translate_errors(path):
        opened = _open_parquet(path)
    with opened as file:
        groups = [*(range(file.num_row_groups) if row_groups is None else row_groups)]
        own = file.schema_arrow.names
        folders = read_partitions(path)
        folders = {
            name: value
            for name, value in folders.items()
            if name not in own and (columns is None or name in columns)
        }
        if columns is not None:
            # A file's first column says how many rows there are.
            columns = [name for name in own if name in columns] or own[:1]
        with _translate_errors(path):
            rows = _choose_rows(file, groups, columns, path)
        unpacked = 0
        _, size = get_file_state(path) or (0, 0)
        batches = file.iter_batches(rows, groups, columns, use_threads=False)
        while True:
            with _translate_errors(path):
                batch = next(batches, None)
            if batch is None:
                return
            unpacked += _measure_batch(batch, path)
            check_unpacked(unpacked, size, path)
            for name, value in folders.items():
                values = pa.repeat(pa.scalar(value, pa.string()), batch.num_rows)
                field = pa.field(name, pa.string(), metadata=_PARTITION)
                batch = batch.append_column(field, values)
            yield batch


# So many bytes of a column may become one batch.
_BATCH = 1 << 28


def _choose_rows(
    file: pq.ParquetFile,
    groups: Sequence[int],
    columns: Sequence[str] | None,
    path: str,
) -> int:
    """Choose as many rows for a batch as do not take too much memory."""
    least = ROWS
    for number in groups:
        group = file.metadata.row_group(number)
        for index in range(group.num_columns):
            chunk = group.column(index)
            name = chunk.path_in_schema.partition(".")[0]
            size = chunk.total_uncompressed_size
            if columns is not None and name not in columns:
                continue
            check_unpacked(size, chunk.total_compressed_size, path)
            # If every cell were the longest one, which is stored once:
            if size * min(ROWS, group.num_rows) > _BATCH:
                longest = max(_find_longest(path, number, chunk.path_in_schema), 1)
                mean = size // max(group.num_rows, 1)
                least = min(least, max(1, _BATCH // max(longest, mean)))
    return least


def _find_longest(path: str, group: int, place: str) -> int:
    """Return the length of the longest text that many rows of a row group may share."""
    with _open_parquet(path, shared=[place]) as file:
        name = place.partition(".")[0]
        batch = next(file.iter_batches(1, [group], [name], use_threads=False))
    column = batch.column(0)
    if not pa.types.is_dictionary(column.type):
        return 0
    return pc.max(pc.binary_length(column.dictionary)).as_py() or 0


def _measure_batch(batch: pa.RecordBatch, path: str) -> int:
    """Return the bytes of a batch without dictionaries; refuse overlong texts."""
    size = 0
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        shares = pa.types.is_dictionary(column.type)
        values = column.dictionary if shares else column
        if not is_text_type(values.type) or pa.types.is_null(values.type):
            size += column.nbytes
            continue
        lengths = pc.binary_length(values)
        check_limit("cell", pc.max(lengths).as_py() or 0, f"{path}, column {name!r},")
        lengths = lengths.take(column.indices) if shares else lengths
        size += pc.sum(lengths.cast(pa.int64())).as_py() or 0
    return size


def _open_parquet(path: str, shared: Sequence[str] = ()) -> pq.ParquetFile:
    """Open a file; of `shared` columns, texts that several rows share are kept once."""
    if path == STDIN:
        msg = "Parquet cannot be read from standard input; give the file's name."
        raise FormatError(msg)
    if os.path.isdir(path):
        msg = f"{path} is a folder; expected a Parquet file here."
        raise FormatError(msg)
    file = open_remote(path) if is_remote(path) else Path(path)
    return pq.ParquetFile(
        file, pre_buffer=False, buffer_size=_BUFFER, read_dictionary=[*shared]
    )


@contextmanager
def _translate_errors(path: str) -> Iterator[None]:
    """Turn errors of the library into messages for the user."""
    try:
        yield
    except FormatError:
        raise
    except (FileNotFoundError, PermissionError) as error:
        reason = os.strerror(error.errno or 0)
        msg = f"{path} cannot be read: {reason}; check the name and its permissions."
        raise FormatError(msg) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).split("\n", 1)[0].rstrip(".")
        problem = f"{path} is damaged, truncated or not Parquet: {reason}"
        msg = f"{problem}; write it again, or leave it out."
        raise FormatError(msg) from None


def open_reader(source: Source, wanted: Sequence[Field] | None = None) -> Reader:
    """Open a table, of one or more files, from its start, for all of its columns or some."""
    table = _open_table(source, wanted)
    tables = (rows for path in table.paths for rows in _read_tables(table, path))
    count = cache(
        lambda: sum(span.rows for path in table.paths for span in list_spans(path))
    )
    return _build_reader(table, tables, _Progress(count, {}))


def list_sections(source: Source, wanted: Sequence[Field]) -> list[Section]:
    """List spans of a table's files, small ones together; readers tell the share of all."""
    table = _open_table(source, wanted)
    spans = [span for path in table.paths for span in list_spans(path)]
    count = sum(span.rows for span in spans)
    progress = _Progress(lambda: count, {})

    def open_section(own: Sequence[RowSpan], first: int) -> Reader:
        tables = (rows for span in own for rows in _read_tables(table, span.path, span))
        return _build_reader(table, tables, progress, first)

    sections, first = list[Section](), 0
    for at in _gather([span.rows for span in spans], LEAST_SPAN):
        own = spans[at.start : at.stop]
        sections.append(Section(first, partial(open_section, own, first)))
        first += sum(span.rows for span in own)
    return sections


class _Progress(NamedTuple):
    """The number of rows of a table, and of rows read by each reader from its first on."""

    count_all: Callable[[], int]
    read: dict[int, int]

    def share(self) -> float:
        return sum([*self.read.values()]) / max(self.count_all(), 1)


class _Table(NamedTuple):
    """A table in files: all its columns, and those to read."""

    paths: Sequence[str]
    fields: Mapping[Field, str]
    columns: Mapping[Field, str]
    #: False if nulls are refused in columns that need a text.
    may_be_null: bool


def _open_table(source: Source, wanted: Sequence[Field] | None) -> _Table:
    paths = source.shards or (source.path,)
    fields = map_fields(read_union(paths), paths[0], source.name, source.columns)
    columns = {
        field: name
        for field, name in fields.items()
        if wanted is None or field in wanted
    } or dict([next(iter(fields.items()))])
    # What is converted is not judged.
    return _Table(paths, fields, columns, may_be_null=source.use != "output")


def _build_reader(
    table: _Table, tables: Generator[pa.Table], progress: _Progress, start: int = 0
) -> Reader:
    """Build what reads rows of a table as columns, from its segment `start` on."""
    nothing = pa.array([], pa.large_string())
    held = pa.table([nothing] * len(table.columns), [*table.columns.values()])
    count = start

    def read(most: int) -> Columns:
        nonlocal held, count
        while held.num_rows < most:
            rows = next(tables, None)
            if rows is None:
                break
            held = pa.concat_tables([held, rows]) if held.num_rows else rows
            check_limit("whole", held.nbytes, table.paths[0])
        rows, held = held.slice(0, most), held.slice(most)
        first, count = count, count + rows.num_rows
        progress.read[start] = count - start
        values: dict[Field, Values] = {}
        for field, chunked in zip(table.columns, rows.itercolumns(), strict=True):
            is_whole = chunked.num_chunks == 1
            column = chunked.chunk(0) if is_whole else chunked.combine_chunks()
            if field.role in ("document", "label"):
                distinct, codes = arrow_columns.encode_values(column)
                values[field] = RepeatedValues(distinct.to_pylist(), codes)
            else:
                what = f"the {field.role} {field.name!r}"
                values[field] = pack_arrow_column(column, what, first=first)
        return values

    return Reader(list(table.fields), read, progress.share, tables.close)


def _read_tables(
    table: _Table, path: str, span: RowSpan | None = None
) -> Generator[pa.Table]:
    """Read the wanted columns of a file, or of a span of it."""
    schema = read_schema(path)
    _check_fields(schema, path, _leave_out_absent(table.fields, schema))
    names = [*table.columns.values()]
    first = span.first if span else 0
    for rows in read_batches(path, names, span and span.row_groups):
        try:
            values = _select_columns(rows, table)
        except arrow_columns.NullValueError as null:
            row = first + null.row
            raise arrow_columns.NullValueError(null.column, row, path) from None
        yield pa.table(values, names)
        first += rows.num_rows


def _leave_out_absent(
    fields: Mapping[Field, str], schema: pa.Schema
) -> dict[Field, str]:
    """Leave out labels and references that other files of a table have, if one is left."""
    refs = [name for field, name in fields.items() if field.role == "reference"]
    lacks_all = not any(name in schema.names for name in refs)
    return {
        field: name
        for field, name in fields.items()
        if name in schema.names
        or not (field.role == "label" or (field.role == "reference" and not lacks_all))
    }


def map_fields(
    schema: pa.Schema,
    where: str,
    default_system: str = "",
    names: ColumnNames | None = None,
) -> dict[Field, str]:
    """Return which of a table's columns are what, without those of other types.

    A lone output goes by the default name, or by its column's.
    """
    names = names or ColumnNames()
    if not names.references:
        arrow_columns.refuse_lists(schema, where)
    for name in schema.names:
        arrow_columns.refuse_twin(schema, name, where)
    check_column_names(schema.names, names, where)
    given = {*names.get_fields(), *names.labels}
    usable = [
        f.name for f in schema if arrow_columns.get_key_kind(f.type) or f.name in given
    ]
    no_texts = [name for name in usable if not is_text_type(schema.field(name).type)]
    names = names._replace(labels=(*names.labels, *no_texts))
    recognised = recognise_fields(usable, default_system, names, where)
    named = zip(recognised, usable, strict=True)
    fields = [field._replace(name=field.name or column) for field, column in named]
    # The name of a folder is no text, unless the user says so.
    folders = {*list_added(schema)} - {*names.get_fields()}
    fields = [
        Field("label", column)
        if column in folders and field.role in TEXT_ROLES
        else field
        for field, column in zip(fields, usable, strict=True)
    ]
    check_fields(fields, where)
    columns = dict(zip(fields, usable, strict=True))
    _check_fields(schema, where, columns)
    return columns


def _check_fields(schema: pa.Schema, where: str, columns: Mapping[Field, str]) -> None:
    texts = [name for field, name in columns.items() if field.role in TEXT_ROLES]
    # Labels may be scores.
    keys = [
        name
        for field, name in columns.items()
        if name not in texts
        and not (field.role == "label" and _is_fraction(schema, name))
    ]
    arrow_columns.check_columns(schema, texts, keys, where)


def _is_fraction(schema: pa.Schema, name: str) -> bool:
    return name in schema.names and pa.types.is_floating(schema.field(name).type)


def _select_columns(rows: pa.RecordBatch, table: _Table) -> list[pa.Array]:
    """Return the columns as strings, with nulls only where they may be."""
    if not table.may_be_null:
        columns = table.columns.items()
        references = [name for field, name in columns if field.role == "reference"]
        arrow_columns.get_references(rows, references)
        for field, name in columns:
            if field.role in ("output", "source", "document"):
                arrow_columns.get_required_column(rows, name)
    values = (arrow_columns.get_column(rows, name) for name in table.columns.values())
    return [column.cast(pa.large_string()) for column in values]


#: A row group that is written holds at least so many rows, where there are as many.
ROW_GROUP = 64 * 1024


def write(out: str, fields: Fields, chunks: Chunks) -> None:
    """Write a file, with null for missing values."""
    schema = pa.schema([(format_column_name(field), pa.string()) for field in fields])
    batches = (
        pa.record_batch(
            [pa.array(chunk.rows[field], pa.string()) for field in fields],
            schema=schema,
        )
        for chunk in chunks
    )
    with write_file(out) as file, pq.ParquetWriter(file, schema) as writer:
        for table in arrow_columns.gather_batches(batches, ROW_GROUP):
            writer.write_table(table)
