"""JSON lines: one object a line and a segment; this format carries everything."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.errors import FormatError
from metra.formats.atomic import write_pieces
from metra.formats.lines import LineReader
from metra.formats.stream import format_path
from metra.formats.texts.columns import (
    Field,
    LineColumnReader,
    Reader,
    format_column_name,
    read_header,
)
from metra.formats.texts.rows import RowChunk, check_names

if TYPE_CHECKING:
    from metra.formats.texts.sources import Source

# Keys that hold several texts: their entries become columns of their own.
_LISTS = ("refs", "references")
_MAPS = ("outputs", "systems", "hyps")


class JsonRow(NamedTuple):
    """A segment: the number of its line, counted from 1, and its texts by key."""

    line: int
    texts: dict[str, Any]


def open_reader(source: "Source", _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start, for all of its columns."""
    lines = LineReader(source.path)
    place = format_path(source.path)
    try:
        rows = _parse_rows(lines, place)
        first = next(rows, None)
        if first is None:
            msg = f"{place} is empty; expected one JSON object a line."
            raise FormatError(msg)
        keys = list(first.texts)
        fields = read_header(keys, source.name, source.columns, place)
    except FormatError:
        lines.close()
        raise
    columns = dict(zip(fields, keys, strict=True))
    all_rows = chain([first], rows)
    return LineColumnReader(
        lines,
        fields,
        lambda most: _collect_columns(columns, islice(all_rows, most), place),
    )


def _collect_columns(
    columns: Mapping[Field, str], rows: Iterable[JsonRow], place: str
) -> dict[Field, list[str | None]]:
    """Return the texts by column; a key that an object lacks is missing there."""
    known = set(columns.values())
    values: dict[Field, list[str | None]] = {field: [] for field in columns}
    for row in rows:
        extra = row.texts.keys() - known
        if extra:
            msg = (
                f"{place}, line {row.line} has the key {min(extra)!r}, which line 1 has "
                "not; give all objects the same keys, null if empty."
            )
            raise FormatError(msg)
        for field, key in columns.items():
            text = row.texts.get(key)
            values[field].append(
                _check_text(text, field, f"{place}, line {row.line}: {key!r}")
            )
    return values


def _check_text(value: Any, field: Field, place: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if field.role in ("document", "label"):
        return json.dumps(value)
    msg = f"{place} is a {type(value).__name__}; expected a string."
    raise FormatError(msg)


def _parse_rows(lines: LineReader, path: str) -> Iterator[JsonRow]:
    for line, text in enumerate(lines, 1):
        place = f"{path}, line {line}"
        try:
            entry = json.loads(text)
        except json.JSONDecodeError as error:
            msg = (
                f"{place}, column {error.colno} is not JSON ({error.msg}); expected one "
                "object a line."
            )
            raise FormatError(msg) from None
        if not isinstance(entry, dict):
            msg = f"{place} is a {type(entry).__name__}; expected a JSON object."
            raise FormatError(msg)
        texts: dict[str, Any] = {}
        for key, value in _flatten_entry(entry):
            if key in texts:
                msg = (
                    f"{place} gives {key!r} twice, once within a list or map; leave one "
                    "of them out."
                )
                raise FormatError(msg)
            texts[key] = value
        yield JsonRow(line, texts)


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
