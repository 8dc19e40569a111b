"""JSON lines: one object a line and a segment; this format carries everything."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metra.errors import FormatError
from metra.formats.atomic import write_pieces
from metra.formats.lines import LineReader, list_strings
from metra.formats.stream import format_path, name_system
from metra.formats.texts.columns import (
    ColumnNames,
    Field,
    format_column_name,
    read_header,
)
from metra.formats.texts.rows import RowChunk, check_names

if TYPE_CHECKING:
    from metra.formats.texts.sources import Source

# Keys that hold several texts: their entries become columns of their own.
_LISTS = ("refs", "references")
_MAPS = ("outputs", "systems", "hyps")


def open_reader(source: "Source", _: Sequence[Field] | None = None) -> "JsonlReader":
    """Open a file from its start, for all of its columns."""
    return JsonlReader(source.path, source.name, source.columns)


class JsonlReader:
    """A file of JSON objects as columns, some lines at a time."""

    def __init__(
        self,
        path: str,
        default_system: str | None = None,
        names: ColumnNames | None = None,
    ) -> None:
        self.path = path
        self._lines = LineReader(path)
        try:
            self._first = self._read_first()
            self._keys = list(self._flatten(self._first[0], 1))
            default_system = default_system or name_system(path)
            self.fields = read_header(
                self._keys, default_system, names, format_path(path)
            )
        except FormatError:
            self.close()
            raise

    @property
    def count(self) -> int:
        """How many segments have been read."""
        return self._lines.count - len(self._first)

    def read(self, most: int) -> dict[Field, list[str | None]]:
        """Read the next segments by column; a key that an object lacks is missing there."""
        start = self.count + 1
        objects, self._first = self._first, []
        objects = objects + self._parse_lines(most - len(objects))
        rows = [self._flatten(entry, line) for line, entry in enumerate(objects, start)]
        known = set(self._keys)
        columns: dict[Field, list[str | None]] = {field: [] for field in self.fields}
        for line, row in enumerate(rows, start):
            extra = row.keys() - known
            if extra:
                msg = (
                    f"{format_path(self.path)}, line {line} has the key {min(extra)!r}, "
                    "which line 1 has not; give all objects the same keys, null if empty."
                )
                raise FormatError(msg)
            for key, field in zip(self._keys, self.fields, strict=True):
                columns[field].append(self._check_text(row.get(key), field, key, line))
        return columns

    def share(self) -> float | None:
        """Return the share of the file that has been read, None if it is not known."""
        return self._lines.share()

    def close(self) -> None:
        """Close the file before its end."""
        self._lines.close()

    def _read_first(self) -> list[dict[str, Any]]:
        objects = self._parse_lines(1)
        if not objects:
            msg = f"{format_path(self.path)} is empty; expected one JSON object a line."
            raise FormatError(msg)
        return objects

    def _parse_lines(self, most: int) -> list[dict[str, Any]]:
        first = self._lines.count + 1
        lines = list_strings(self._lines.read(most))
        return [self._parse_object(line, n) for n, line in enumerate(lines, first)]

    def _parse_object(self, line: str, number: int) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            msg = (
                f"{format_path(self.path)}, line {number}, column {error.colno} is not JSON "
                f"({error.msg}); expected one object a line."
            )
            raise FormatError(msg) from None
        if not isinstance(value, dict):
            kind = type(value).__name__
            msg = (
                f"{format_path(self.path)}, line {number} is a {kind}; "
                "expected a JSON object."
            )
            raise FormatError(msg)
        return value

    def _flatten(self, entry: dict[str, Any], number: int) -> dict[str, Any]:
        """Return the texts of an object by key; none may be given twice."""
        texts: dict[str, Any] = {}
        for key, value in _flatten_entry(entry):
            if key in texts:
                msg = (
                    f"{format_path(self.path)}, line {number} gives {key!r} twice, once "
                    "within a list or map; leave one of them out."
                )
                raise FormatError(msg)
            texts[key] = value
        return texts

    def _check_text(
        self, value: Any, field: Field, key: str, number: int
    ) -> str | None:
        if value is None or isinstance(value, str):
            return value
        if field.role in ("document", "label"):
            return json.dumps(value)
        kind = type(value).__name__
        msg = (
            f"{format_path(self.path)}, line {number}: {key!r} is a {kind}; "
            "expected a string."
        )
        raise FormatError(msg)


def _flatten_entry(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return keys and values, with a key for each text of a list or map.

    >>> _flatten_entry({"refs": ["a", "b"], "outputs": {"x": "c"}})
    [('ref:1', 'a'), ('ref:2', 'b'), ('output:x', 'c')]
    """
    flat: list[tuple[str, Any]] = []
    for key, value in entry.items():
        if key in _LISTS and isinstance(value, list):
            flat += [(f"ref:{number}", text) for number, text in enumerate(value, 1)]
        elif key in _MAPS and isinstance(value, dict):
            flat += [(f"output:{name}", text) for name, text in value.items()]
        else:
            flat.append((key, value))
    return flat


def write(
    out: str, fields: Sequence[Field], chunks: Iterable[RowChunk], _: Mapping[str, str]
) -> None:
    """Write a file; what is missing is null."""
    write_pieces(out, _encode(fields, chunks))


def _encode(fields: Sequence[Field], chunks: Iterable[RowChunk]) -> Iterator[bytes]:
    check_names(fields, "jsonl")
    keys = [format_column_name(field) for field in fields]
    for chunk in chunks:
        rows = zip(*(chunk.rows[field] for field in fields), strict=True)
        objects = (dict(zip(keys, row, strict=True)) for row in rows)
        yield "".join(
            json.dumps(entry, ensure_ascii=False) + "\n" for entry in objects
        ).encode()
