"""JSON: one object a line and a segment, or an array of objects or strings.

JSON lines carry everything, and are read line by line. An array is read at once; each of its
entries is a segment. The content decides which it is, not the name.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from types import NoneType
from typing import Any

from metra.errors import FormatError
from metra.formats.atomic import write_pieces
from metra.formats.lines import LineReader
from metra.formats.stream import format_path, load_json, parse_json
from metra.formats.texts import columns, roles
from metra.formats.texts.rows import Chunks, Fields, RowChunk, write_lines
from metra.formats.texts.sources import Source

# Keys that hold several texts: their entries become columns of their own.
_LISTS = ("refs", "references")
_MAPS = ("outputs", "systems", "hyps")
# A line whose references have names.
_REFERENCE_MAP = re.compile(r'"(?:refs|references)"\s*:\s*\{')


def open_reader(
    source: Source, _: Sequence[columns.Field] | None = None
) -> columns.Reader:
    """Open a file from its start, for all of its columns."""
    lines = LineReader(source.path, source.encoding)
    place = format_path(source.path)
    try:
        texts = iter(lines)
        begin = list(islice(texts, 2))
        texts = chain(begin, texts)
        if _has_lines(begin):
            unit = "line"
            rows = _flatten_entries(_parse_lines(texts, place), place, unit)
            has_names = any(map(_REFERENCE_MAP.search, begin))
        else:
            entries = _list_entries("\n".join(texts), place)
            if all(isinstance(entry, (str, NoneType)) for entry in entries):
                return _open_strings(entries, source, place)
            unit, has_names = "entry", True
            rows = _flatten_entries(entries, place, unit)
        if has_names:
            rows = _add_references(rows)
        head = list(islice(rows, roles.SAMPLE))
        if not head:
            msg = f"{place} is empty; expected one JSON object per line."
            raise FormatError(msg)
        headings = list(head[0])
        fields, description = roles.read_header(
            *(headings, source.name, source.columns, place),
            lambda: [[_show_text(row.get(key)) for row in head] for key in headings],
        )
    except FormatError:
        lines.close()
        raise
    numbered_rows = enumerate(chain(head, rows), 1)

    def read(most: int) -> columns.Columns:
        values: dict[columns.Field, list[str | None]] = {field: [] for field in fields}
        for number, row in islice(numbered_rows, most):
            if extra := row.keys() - head[0].keys():
                msg = (
                    f"{place}, {unit} {number} has the key {min(extra)!r}, which "
                    f"{unit} 1 does not have; give all objects the same keys, null if "
                    "empty."
                )
                raise FormatError(msg)
            # A key that an object lacks is missing there.
            for field, key in zip(fields, headings, strict=True):
                where = f"{place}, {unit} {number}: {key!r}"
                values[field].append(_check_text(row.get(key), field, where))
        return values

    return columns.Reader(fields, read, lines.share, lines.close, lambda: description)


def _show_text(value: Any) -> str | None:
    """Return a text, or a figure for a value of another type."""
    return value if value is None or isinstance(value, str) else "0"


def _check_text(value: Any, field: columns.Field, place: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if field.role in ("document", "label"):
        return json.dumps(value)
    msg = f"{place} is of type {type(value).__name__}; expected a string."
    raise FormatError(msg)


def _has_lines(head: Sequence[str]) -> bool:
    """Return True if a file is one object a line, by its first two lines."""
    begin = head[0].strip() if head else ""
    # An object that goes on in the next line is none on a line.
    return not begin.startswith("[") and not begin.endswith(("{", "[", ","))


def _open_strings(texts: list[Any], source: Source, place: str) -> columns.Reader:
    """Read an array of strings, or of nothing: one text."""
    if not texts:
        msg = f"{place} is an empty array; expected strings or objects."
        raise FormatError(msg)
    if source.columns is not None:
        problem = f"{place} is an array of strings, which has no column names"
        msg = f"{problem}; leave them out."
        raise FormatError(msg)
    return columns.open_columns({source.field: texts})


def _parse_lines(lines: Iterable[str], path: str) -> Iterator[Any]:
    for line, text in enumerate(lines, 1):
        try:
            yield load_json(text, f"{path}, line {line}")
        except json.JSONDecodeError as error:
            place = f"{path}, line {line}, column {error.colno}"
            msg = f"{place} is not JSON ({error.msg}); expected one object per line."
            raise FormatError(msg) from None


def _list_entries(text: str, path: str) -> list[Any]:
    """Return the entries of an array."""
    whole = parse_json(text, path)
    if not isinstance(whole, list):
        msg = (
            f"{path} is one object with the keys {', '.join(list(whole)[:6])}; "
            "expected an array of strings or objects, or one object per line."
        )
        raise FormatError(msg)
    return whole


def _flatten_entries(
    entries: Iterable[Any], path: str, unit: str
) -> Iterator[dict[str, Any]]:
    """Yield the texts of each entry by key."""
    for number, entry in enumerate(entries, 1):
        place = f"{path}, {unit} {number}"
        if not isinstance(entry, dict):
            kind = type(entry).__name__
            msg = f"{place} is of type {kind}; expected a JSON object."
            raise FormatError(msg)
        texts: dict[str, Any] = {}
        for key, value in _flatten_entry(entry):
            if key in texts:
                problem = f"{place} gives {key!r} twice, once within a list or map"
                msg = f"{problem}; leave one of them out."
                raise FormatError(msg)
            texts[key] = value
        yield texts


def _add_references(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Read all rows, so that any of them may have other references than the first."""
    flat = list(rows)
    refs = [key for row in flat for key in row if key.startswith("ref:")]
    flat[:1] = [row | (dict.fromkeys(refs) | row) for row in flat[:1]]
    return iter(flat)


def _flatten_entry(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return keys and values, with a key for each text of a list or map.

    >>> _flatten_entry({"refs": ["a", "b"], "outputs": {"x": "c"}})
    [('ref:1', 'a'), ('ref:2', 'b'), ('output:x', 'c')]
    >>> _flatten_entry({"refs": {"refA": {"ref": "a"}}})
    [('ref:refA', 'a')]
    """
    flat: list[tuple[str, Any]] = []
    for key, value in entry.items():
        if key in _LISTS and isinstance(value, list):
            flat += [(f"ref:{number}", text) for number, text in enumerate(value, 1)]
        elif key in _MAPS and isinstance(value, dict):
            flat += [(f"output:{name}", text) for name, text in value.items()]
        elif key in _LISTS and isinstance(value, dict):
            # Since 2025, WMT has each reference in an object.
            refs = {
                n: v.get("ref", v) if isinstance(v, dict) else v
                for n, v in value.items()
            }
            flat += [(f"ref:{name}", text) for name, text in refs.items()]
        else:
            flat.append((key, value))
    return flat


def write(out: str, fields: Fields, chunks: Chunks) -> None:
    """Write one object a line, with null for missing texts."""
    write_lines(out, (_format_objects(fields, chunk) for chunk in chunks))


def write_array(out: str, fields: Fields, chunks: Chunks) -> None:
    """Write an array of objects, one a line, with null for missing texts."""

    def format_pieces() -> Iterator[bytes]:
        mark = "[\n"
        for chunk in chunks:
            yield (mark + ",\n".join(_format_objects(fields, chunk))).encode()
            mark = ",\n"
        yield b"\n]\n"

    write_pieces(out, format_pieces())


def _format_objects(fields: Fields, chunk: RowChunk) -> Iterator[str]:
    keys = [columns.format_column_name(field) for field in fields]
    for row in zip(*(chunk.rows[field] for field in fields), strict=True):
        yield json.dumps(dict(zip(keys, row, strict=True)), ensure_ascii=False)
