"""Tab-separated tables: a header line, then one segment a line; no quoting."""

from metra.errors import FormatError
from metra.io.fields import ColumnNames, Field, check_named, fields_of, refuse_twins
from metra.io.plain import Lines
from metra.io.stream import shown, stem


class Table:
    """A table's columns, some lines at a time."""

    def __init__(
        self,
        path: str,
        default_system: str | None = None,
        names: ColumnNames | None = None,
    ) -> None:
        self.path = path
        self._lines = Lines(path)
        try:
            self.fields = self._header(default_system or stem(path), names)
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
                    f"{shown(self.path)}, line {first + at} has {len(cells)} columns but "
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
            msg = f"{shown(self.path)} is empty; expected a header line with column names."
            raise FormatError(msg)
        columns = str(header[0]).split("\t")
        check_named(columns, names, shown(self.path))
        fields = fields_of(columns, default_system, names)
        refuse_twins(fields, shown(self.path))
        return fields
