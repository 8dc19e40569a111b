"""Tab-separated tables: a header line, then one segment a line; no quoting."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from metra.errors import FormatError
from metra.formats.atomic import write_pieces
from metra.formats.lines import LineReader
from metra.formats.table import parse_table
from metra.formats.texts.columns import (
    Field,
    LineColumnReader,
    Reader,
    format_column_name,
    read_header,
)
from metra.formats.texts.plain import find_line_problem
from metra.formats.texts.rows import RowChunk, check_names, check_values, refuse_value

if TYPE_CHECKING:
    from metra.formats.texts.sources import Source


def open_reader(source: "Source", _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start, for all of its columns."""
    lines = LineReader(source.path)
    try:
        table = parse_table(lines, source.path)
        fields = read_header(table.header, source.name, source.columns, table.path)
    except FormatError:
        lines.close()
        raise
    rows = (cells for _, cells in table.rows)
    return LineColumnReader(
        lines, fields, lambda most: _collect_columns(fields, islice(rows, most))
    )


def _collect_columns(
    fields: Sequence[Field], rows: Iterable[Sequence[str]]
) -> dict[Field, list[str | None]]:
    """Return the cells by column; an empty reference cell is a missing one."""
    columns = list(zip(*rows, strict=True)) or [()] * len(fields)
    return {
        field: [cell or None for cell in column]
        if field.role == "reference"
        else list(column)
        for field, column in zip(fields, columns, strict=True)
    }


def write(
    out: str, fields: Sequence[Field], chunks: Iterable[RowChunk], _: Mapping[str, str]
) -> None:
    """Write a file."""
    write_pieces(out, _encode(fields, chunks))


def _encode(fields: Sequence[Field], chunks: Iterable[RowChunk]) -> Iterator[bytes]:
    check_names(fields, "tsv")
    yield ("\t".join(map(format_column_name, fields)) + "\n").encode()
    for chunk in chunks:
        columns = [list(_format_cells(chunk, field)) for field in fields]
        rows = zip(*columns, strict=True)
        yield "".join("\t".join(row) + "\n" for row in rows).encode()


def _format_cells(chunk: RowChunk, field: Field) -> Iterator[str]:
    if field.role not in ("reference", "label"):
        yield from check_values(chunk, field, "tsv", _find_problem)
        return
    for index, text in enumerate(chunk.rows[field]):
        # An empty cell stands for a missing reference.
        if text == "" and field.role == "reference":
            refuse_value(chunk, index, field, "is empty but not missing", "tsv")
        problem = _find_problem(text or "")
        if problem:
            refuse_value(chunk, index, field, problem, "tsv")
        yield text or ""


def _find_problem(text: str) -> str | None:
    if "\t" in text:
        return "holds a tab"
    return find_line_problem(text)
