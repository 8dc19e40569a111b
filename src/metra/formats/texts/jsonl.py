"""JSON lines: one object a line and a segment; this format carries everything."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from metra.errors import FormatError
from metra.formats.lines import LineReader
from metra.formats.stream import format_path
from metra.formats.texts.columns import (
    Columns,
    Field,
    Reader,
    format_column_name,
    read_header,
)
from metra.formats.texts.rows import Chunks, Fields, RowChunk, write_lines

if TYPE_CHECKING:
    from metra.formats.texts.sources import Source

# Keys that hold several texts: their entries become columns of their own.
_LISTS = ("refs", "references")
_MAPS = ("outputs", "systems", "hyps")


def open_reader(source: "Source", _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start, for all of its columns."""
    lines = LineReader(source.path)
    place = format_path(source.path)
    rows = _parse_rows(lines, place)
    try:
        first = next(rows, None)
        if first is None:
            msg = f"{place} is empty; expected one JSON object a line."
            raise FormatError(msg)
        keys = list(first)
        fields = read_header(keys, source.name, source.columns, place)
    except FormatError:
        lines.close()
        raise
    numbered_rows = enumerate(chain([first], rows), 1)

    def read(most: int) -> Columns:
        values: dict[Field, list[str | None]] = {field: [] for field in fields}
        for line, texts in islice(numbered_rows, most):
            extra = texts.keys() - first.keys()
            if extra:
                msg = (
                    f"{place}, line {line} has the key {min(extra)!r}, which line 1 has "
                    "not; give all objects the same keys, null if empty."
                )
                raise FormatError(msg)
            # A key that an object lacks is missing there.
            for field, key in zip(fields, keys, strict=True):
                where = f"{place}, line {line}: {key!r}"
                values[field].append(_check_text(texts.get(key), field, where))
        return values

    return Reader(fields, read, lines.share, lines.close)


def _check_text(value: Any, field: Field, place: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if field.role in ("document", "label"):
        return json.dumps(value)
    msg = f"{place} is a {type(value).__name__}; expected a string."
    raise FormatError(msg)


def _parse_rows(lines: LineReader, path: str) -> Iterator[dict[str, Any]]:
    """Yield the texts of each line by key."""
    for line, text in enumerate(lines, 1):
        place = f"{path}, line {line}"
        try:
            entry = json.loads(text)
        except json.JSONDecodeError as error:
            problem = f"{place}, column {error.colno} is not JSON ({error.msg})"
            msg = f"{problem}; expected one object a line."
            raise FormatError(msg) from None
        if not isinstance(entry, dict):
            msg = f"{place} is a {type(entry).__name__}; expected a JSON object."
            raise FormatError(msg)
        texts: dict[str, Any] = {}
        for key, value in _flatten_entry(entry):
            if key in texts:
                problem = f"{place} gives {key!r} twice, once within a list or map"
                msg = f"{problem}; leave one of them out."
                raise FormatError(msg)
            texts[key] = value
        yield texts


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


def write(out: str, fields: Fields, chunks: Chunks, _: Mapping[str, str]) -> None:
    """Write a file; what is missing is null."""
    keys = [format_column_name(field) for field in fields]

    def format_chunk(chunk: RowChunk) -> Iterator[str]:
        for row in zip(*(chunk.rows[field] for field in fields), strict=True):
            yield json.dumps(dict(zip(keys, row, strict=True)), ensure_ascii=False)

    write_lines(out, map(format_chunk, chunks))
