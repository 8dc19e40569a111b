"""Delimited tables, TSV and CSV: a header line, then one segment a row.

What separates cells, and whether they stand in quotes, is recognised from the content.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from metra.errors import FormatError, OptionError
from metra.formats.dialect import recognise_dialect
from metra.formats.lines import LineReader, list_strings
from metra.formats.stream import ByteStream, format_path, get_file_state
from metra.formats.table import DELIMITERS, TABS, Dialect, parse_table, split_columns
from metra.formats.texts.columns import (
    Columns,
    Field,
    Reader,
    ReadingOptions,
    check_headings,
    count_headings,
    format_column_name,
    read_header,
)
from metra.formats.texts.rows import (
    Chunks,
    Fields,
    RowChunk,
    check_values,
    find_line_problem,
    refuse_value,
    write_lines,
)

if TYPE_CHECKING:
    from metra.formats.texts.sources import Source


def open_reader(source: "Source", _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start, for all of its columns."""
    # What comes through a pipe has no state, and is looked at again.
    state = get_file_state(source.path) or object()
    dialect = _find_dialect(source.path, state, source.format.name, source.reading)
    lines = LineReader(source.path, source.encoding)
    try:
        lines.read(dialect.skipped)
        one_by_one = list_strings(lines.read(1)) if dialect == TABS else lines
        table = parse_table(one_by_one, source.path, dialect)
        fields = read_header(table.header, source.name, source.columns, table.path)
        if source.use != "document":  # a list of documents has no headings
            check_headings(table.header, source.columns, table.path)
    except FormatError:
        lines.close()
        raise
    rows = iter(table.rows)

    def read(most: int) -> Columns:
        if dialect == TABS:
            first_line = lines.count + 1
            text = list_strings(lines.read(most))
            columns: Any = split_columns(text, len(fields), table.path, first_line)
        else:
            cells = [row.cells for row in islice(rows, most)]
            columns = zip(*cells, strict=True) if cells else [[] for _ in fields]
        # An empty reference cell is a missing one.
        return {
            field: [cell or None for cell in column]
            if field.role == "reference"
            else list(column)
            for field, column in zip(fields, columns, strict=True)
        }

    layout = dialect.describe()
    if lines.read_as != "utf-8":
        layout += f", {lines.read_as}"
    return Reader(fields, read, lines.share, lines.close, layout)


@lru_cache(maxsize=64)
def _find_dialect(
    path: str, _: object, form: str, reading: ReadingOptions | None
) -> Dialect:
    """Return what the user says of a table, and what its content tells."""
    given = reading or ReadingOptions()
    delimiter = None
    if given.delimiter != "auto":
        delimiter = DELIMITERS.get(given.delimiter, given.delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            known = ", ".join(DELIMITERS)
            msg = f"`delimiter` is {given.delimiter!r}; expected one sign, or one of {known}."
            raise OptionError(msg)
    quoted = None if given.quotes == "auto" else given.quotes == "yes"
    if quoted is None and not _holds_quotes(path):
        quoted = False
    encoding = reading.encoding if reading else None

    def open_lines() -> Iterator[str]:
        with closing(LineReader(path, encoding)) as lines:
            yield from lines

    try:
        return recognise_dialect(
            open_lines,
            "\t" if form == "tsv" else ",",
            count_headings,
            delimiter=delimiter,
            quoted=quoted,
        )
    except FormatError as error:
        place = format_path(path)
        msg = str(error) if str(error).startswith(place) else f"{place}: {error}"
        raise FormatError(msg) from None


def _holds_quotes(path: str) -> bool:
    """Whether there is a quote in a file, in any encoding in which its byte is one."""
    with closing(ByteStream(path)) as stream:
        while block := stream.read():
            if b'"' in block:
                return True
    return False


def write(out: str, fields: Fields, chunks: Chunks, _: Mapping[str, str]) -> None:
    """Write a file."""

    def format_blocks() -> Iterator[Iterable[str]]:
        yield ["\t".join(map(format_column_name, fields))]
        for chunk in chunks:
            columns = [list(_format_cells(chunk, field)) for field in fields]
            yield map("\t".join, zip(*columns, strict=True))

    write_lines(out, format_blocks())


def _format_cells(chunk: RowChunk, field: Field) -> Iterator[str]:
    if field.role in ("reference", "label"):
        values = chunk.rows[field]
        # An empty cell stands for a missing reference.
        if field.role == "reference" and "" in values:
            index = values.index("")
            refuse_value(chunk, index, field, "is empty but not missing", "tsv")
        chunk = chunk.fill_missing(field)
    return check_values(chunk, field, "tsv", _find_problem)


def _find_problem(text: str) -> str | None:
    return "holds a tab" if "\t" in text else find_line_problem(text)
