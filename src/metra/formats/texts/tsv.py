"""Tab-separated tables: a header line, then one segment a line; no quoting.

Tab-separated tables, written: a header line, then one segment a line.
"""

from collections.abc import Iterable, Iterator, Sequence

from metra.errors import FormatError
from metra.formats.stream import format_path, name_system
from metra.formats.texts.columns import (
    ColumnNames,
    Field,
    check_column_names,
    check_duplicate_fields,
    format_column_name,
    recognise_fields,
)
from metra.formats.texts.plain import LineReader
from metra.formats.texts.rows import RowChunk, check_names, check_values, refuse_value


class TsvReader:
    """A table's columns, some lines at a time."""

    def __init__(
        self,
        path: str,
        default_system: str | None = None,
        names: ColumnNames | None = None,
    ) -> None:
        self.path = path
        self._lines = LineReader(path)
        try:
            self.fields = self._header(default_system or name_system(path), names)
        except FormatError:
            self.close()
            raise

    @property
    def count(self) -> int:
        """How many segments have been read."""
        return self._lines.count - 1

    def read(self, most: int) -> dict[Field, list[str | None]]:
        """Read the next segments by column; an empty reference cell is a missing one."""
        first = self._lines.count + 1
        lines = self._lines.read(most)
        width = len(self.fields)
        rows = []
        for at in range(len(lines)):
            cells = str(lines[at]).split("\t")
            if len(cells) != width:
                msg = (
                    f"{format_path(self.path)}, line {first + at} has {len(cells)} columns but "
                    f"the header has {width}; each line needs as many tabs as the header."
                )
                raise FormatError(msg)
            rows.append(cells)
        columns = list(zip(*rows, strict=True)) if rows else [()] * width
        return {
            field: [cell or None for cell in column]
            if field.role == "reference"
            else list(column)
            for field, column in zip(self.fields, columns, strict=True)
        }

    def share(self) -> float | None:
        """Tell what share of the file has been read, if that can be told."""
        return self._lines.share()

    def close(self) -> None:
        """Let go of the file before its end."""
        self._lines.close()

    def _header(self, default_system: str, names: ColumnNames | None) -> list[Field]:
        header = self._lines.read(1)
        if not len(header):
            msg = (
                f"{format_path(self.path)} is empty; expected a header line with "
                "column names."
            )
            raise FormatError(msg)
        columns = str(header[0]).split("\t")
        check_column_names(columns, names, format_path(self.path))
        fields = recognise_fields(columns, default_system, names)
        check_duplicate_fields(fields, format_path(self.path))
        return fields


def encode_tsv(fields: Sequence[Field], chunks: Iterable[RowChunk]) -> Iterator[bytes]:
    """Give the file's bytes, a chunk at a time."""
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
    for at, text in enumerate(chunk.rows[field]):
        # An empty cell stands for a missing reference.
        if text == "" and field.role == "reference":
            refuse_value(chunk, at, field, "is empty but not missing", "tsv")
        found = _find_problem(text or "")
        if found:
            refuse_value(chunk, at, field, found, "tsv")
        yield text or ""


def _find_problem(text: str) -> str | None:
    if "\t" in text:
        return "holds a tab"
    if "\n" in text:
        return "holds a line break"
    # A carriage return before the end of a line is taken for a part of it.
    return "ends in a carriage return" if text.endswith("\r") else None
