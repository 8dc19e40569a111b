"""Tab-separated tables: a header line, then one segment a line; no quoting."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metra.errors import FormatError
from metra.formats.lines import LineReader, list_strings
from metra.formats.table import parse_table, split_columns
from metra.formats.texts.columns import (
    Columns,
    Field,
    Reader,
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
    lines = LineReader(source.path)
    try:
        table = parse_table(list_strings(lines.read(1)), source.path)
        fields = read_header(table.header, source.name, source.columns, table.path)
    except FormatError:
        lines.close()
        raise

    def read(most: int) -> Columns:
        first_line = lines.count + 1
        rows = list_strings(lines.read(most))
        columns: list[Any] = split_columns(rows, len(fields), table.path, first_line)
        # An empty reference cell is a missing one.
        return {
            field: [cell or None for cell in column]
            if field.role == "reference"
            else column
            for field, column in zip(fields, columns, strict=True)
        }

    return Reader(fields, read, lines.share, lines.close)


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
