"""Delimited tables, TSV and CSV: a header line, then one segment a row.

What separates cells, and whether they stand in quotes, is recognised from the content.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import compress, islice
from typing import Any

from metra.errors import FormatError, TextWarning, format_count
from metra.formats.headed_table import (
    QuoteMarks,
    decide_quotes,
    find_dialect,
    fits_quotes,
)
from metra.formats.lines import LineReader, list_strings
from metra.formats.table import (
    TABS,
    DelimitedTable,
    Dialect,
    Row,
    escape_formula,
    parse_table,
    split_columns,
)
from metra.formats.texts.columns import (
    Columns,
    Field,
    Reader,
    format_column_name,
)
from metra.formats.texts.roles import (
    SAMPLE,
    check_headings,
    check_rows,
    count_headings,
    read_header,
)
from metra.formats.texts.rows import (
    Chunks,
    Fields,
    find_line_problem,
    format_cells,
    write_lines,
)
from metra.formats.texts.sources import Source


def open_reader(source: Source, chosen: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start, for all of its columns."""
    preferred = "," if source.format.name == "csv" else "\t"
    dialect = find_dialect(source.path, preferred, count_headings, source.reading)
    lines = LineReader(source.path, source.encoding)
    try:
        lines.read(dialect.skipped)
        one_by_one = list_strings(lines.read(1)) if dialect == TABS else lines
        table = parse_table(one_by_one, source.path, dialect)
        if "\r" in "".join(table.header).strip():
            msg = (
                f"{table.path} has lines that end in carriage returns only; save it "
                "with Windows or Unix line endings."
            )
            raise FormatError(msg)
        if source.use != "document":  # a list of documents has no headings
            check_headings(table.header, source.columns, table.path, source.name)
        fields, roles = read_header(
            *(table.header, source.name, source.columns, table.path),
            lambda: _turn_rows(_read_sample(source, dialect), len(table.header)),
        )
        if chosen is None and source.use == "output":
            check_rows(_read_sample(source, dialect), fields, table.path, "line")
    except FormatError:
        lines.close()
        raise
    rows = _Rows(lines, table, dialect)

    def read(most: int) -> Columns:
        columns = rows.read(most)
        # An empty reference cell is a missing one.
        return {
            field: [cell or None for cell in column]
            if field.role == "reference"
            else list(column)
            for field, column in zip(fields, columns, strict=True)
        }

    def describe() -> str:
        encoding = "" if lines.read_as == "utf-8" else f", {lines.read_as}"
        skipped = ""
        if dialect.titles:
            lines_above = format_count(dialect.titles, "line")
            skipped = f"{lines_above} above the headings skipped"
        return "; ".join(filter(None, [dialect.describe() + encoding, roles, skipped]))

    return Reader(fields, read, lines.share, lines.close, describe)


class _Rows:
    """The rows of a table without those that repeat its headings, which a warning lists."""

    def __init__(
        self, lines: LineReader, table: DelimitedTable, dialect: Dialect
    ) -> None:
        self.lines, self.table, self.dialect = lines, table, dialect
        self.width = len(table.header)
        self.heading_line = "\t".join(table.header)
        self.repeated: list[int] = []
        header = table.header if self.width > 1 else []
        self.rows = (
            row.cells for row in table.rows if row.cells != header or self._skip(row)
        )

    def read(self, most: int) -> list[Sequence[str]]:
        """Return the columns of the next rows."""
        if self.dialect == TABS:
            columns = self._cut_lines(most)
        else:
            cells = [*islice(self.rows, most)]
            columns = [*zip(*cells, strict=True)] or [[]] * self.width
        if self.repeated and len(columns[0]) < most:
            listed = ", ".join(map(str, self.repeated[:10]))
            msg = f"{self.table.path} repeats its headings; left out: line {listed}."
            self.repeated.clear()
            warnings.warn(msg, TextWarning, stacklevel=2)
        return columns

    def _skip(self, row: Row) -> bool:
        self.repeated.append(row.line)
        return False

    def _cut_lines(self, most: int) -> list[Any]:
        columns: list[Any] = []
        while True:
            first, text = self.lines.count + 1, list_strings(self.lines.read(most))
            own = split_columns(text, self.width, self.table.path, first)
            is_kept = [True]
            if self.width > 1 and self.heading_line in text:
                is_kept = [line != self.heading_line for line in text]
                self.repeated += [
                    n for n, kept in enumerate(is_kept, first) if not kept
                ]
                own = [[*compress(column, is_kept)] for column in own]
            pairs = zip(columns, own, strict=True) if columns else ()
            columns = [one + other for one, other in pairs] or own
            if all(is_kept) or len(text) < most:
                return columns
            most = is_kept.count(False)


def _read_sample(source: Source, dialect: Dialect) -> list[Row]:
    """Return the first rows."""
    with closing(LineReader(source.path, source.encoding)) as lines:
        lines.read(dialect.skipped)
        return [*islice(parse_table(lines, source.path, dialect).rows, SAMPLE)]


def _turn_rows(rows: Sequence[Row], width: int) -> list[list[str]]:
    """Return the first cells of each column."""
    cells = (row.cells for row in rows)
    columns = [[*column] for column in zip(*cells, strict=True)]
    return columns + [[]] * (width - len(columns))


def write(out: str, fields: Fields, chunks: Chunks) -> None:
    """Write a file of tabs, without quotes; texts that would be read otherwise are refused."""

    def format_blocks() -> Iterator[Iterable[str]]:
        header = "\t".join(map(format_column_name, fields))
        yield [header]
        marks, is_quotable = QuoteMarks(), True
        marks.add(header, "\t")
        for chunk in chunks:
            columns = [format_cells(chunk, f, "tsv", _find_problem) for f in fields]
            lines = ["\t".join(row) for row in zip(*columns, strict=True)]
            for line in lines:
                marks.add(line, "\t")
            is_quotable = is_quotable and fits_quotes([header, *lines], "\t")
            yield lines
        _check_quotes(marks, is_quotable)

    write_lines(out, format_blocks())


def _find_problem(text: str) -> str | None:
    return "holds a tab" if "\t" in text else find_line_problem(text)


def _check_quotes(marks: QuoteMarks, is_quotable: bool) -> None:
    """Refuse quotes around texts that would be taken for quotes around cells."""
    try:
        is_lost = marks.any and decide_quotes(marks, "\t", is_quotable)
    except FormatError:
        is_lost = True
    if is_lost:
        msg = (
            "Quotes around the texts would be read as quoted cells in tsv; choose "
            "another format, such as csv or jsonl."
        )
        raise FormatError(msg)


def write_csv(out: str, fields: Fields, chunks: Chunks) -> None:
    """Write a file of commas, with all cells in quotes.

    Cells that a spreadsheet would run as formulas have an apostrophe before them, which
    the reader removes.
    """

    def format_blocks() -> Iterator[Iterable[str]]:
        yield [_format_csv_row([*map(format_column_name, fields)])]
        for chunk in chunks:
            columns = [format_cells(chunk, f, "csv", _find_csv_problem) for f in fields]
            yield map(_format_csv_row, zip(*columns, strict=True))

    write_lines(out, format_blocks())


def _format_csv_row(cells: Sequence[str]) -> str:
    escaped = (escape_formula(cell).replace('"', '""') for cell in cells)
    return ",".join(f'"{cell}"' for cell in escaped)


def _find_csv_problem(text: str) -> str | None:
    if "\r\n" in text:
        return "contains a carriage return before a line break"
    return "contains a zero byte" if "\0" in text else None
