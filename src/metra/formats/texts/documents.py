"""Files with ids, SGML and WMT's XML, as tables: texts matched by document and segment.

The order is that of the source, else of the references, else of the outputs. Such files are
read at once.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple
from xml.parsers import expat

from metra.errors import FormatError, MetraError
from metra.formats.stream import decode_utf8, find_encoding, format_path, read_bytes
from metra.formats.texts.columns import (
    DOCUMENT,
    SEGMENT_ID,
    TEXT_ROLES,
    Field,
    Reader,
    describe_field,
    open_columns,
)
from metra.formats.texts.join import MARK, RowKeys, match_rows
from metra.formats.texts.sources import Source
from metra.limits import check_limit

# Deeper than any file of these formats; a file that goes on nesting is broken.
DEEPEST = 20


class DocumentPart(NamedTuple):
    """One document of one text: its line, its place among all parts, its texts by id."""

    text: Field
    document: str
    line: int
    place: int
    segments: dict[str, str]


@dataclass(slots=True)
class ScannedContents:
    """Parts by text and document, and labels by document."""

    path: str
    parts: dict[Field, dict[str, DocumentPart]] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)

    def add_part(self, text: Field, document: str, line: int) -> DocumentPart:
        """Add a document of a text, without segments; no text may have it twice."""
        documents = self.parts.setdefault(text, {})
        if document in documents:
            what = f"document {document!r} occurs twice"
            first = documents[document].line
            where = f"{describe_field(text)}, first on line {first}"
            raise self._build_error(line, f"{what} in {where}")
        place = sum(map(len, self.parts.values()))
        part = documents[document] = DocumentPart(text, document, line, place, {})
        return part

    def add_segment(self, part: DocumentPart, key: str, text: str, line: int) -> None:
        """Add a segment; no id may come twice in a document."""
        if key in part.segments:
            what = f"segment {key!r} of document {part.document!r} occurs twice"
            raise self._build_error(line, f"{what} in {describe_field(part.text)}")
        check_limit("cell", len(text), format_path(self.path))
        part.segments[key] = text

    def _build_error(self, line: int, what: str) -> FormatError:
        place = f"{format_path(self.path)}, line {line}"
        return FormatError(f"{place}: {what}; ids must differ.")


def load_documents(source: Source) -> Callable[..., Reader]:
    """Read a file with ids at once; return a function that opens its columns."""
    columns = _read_columns(source)

    def open_again(wanted: Sequence[Field] | None = None) -> Reader:
        return open_columns({f: columns[f] for f in wanted or columns})

    return open_again


def _read_columns(source: Source) -> dict[Field, list[str | None]]:
    """Read the texts of a file side by side, with documents, ids and labels."""
    path = format_path(source.path)
    contents: ScannedContents = source.format.load().scan(source.path, source.name)
    if not contents.parts:
        msg = f"{path} contains no documents; expected at least one <doc>."
        raise FormatError(msg)
    parts = _order_documents(contents)
    first = _build_keys(parts[0].text, parts, path)
    columns: dict[Field, list[str | None]] = {}
    for text, own in contents.parts.items():
        keys = _build_keys(text, own.values(), path)
        may_lack = source.format.has_partial_references and text.role == "reference"
        order = match_rows(first, keys, may_lack=may_lack)
        values = [value for part in own.values() for value in part.segments.values()]
        columns[text] = [None if at is None else values[at] for at in order]
    columns[DOCUMENT] = [part.document for part in parts for _ in part.segments]
    columns[SEGMENT_ID] = [segment for part in parts for segment in part.segments]
    for name in dict.fromkeys(chain.from_iterable(contents.labels.values())):
        label = Field("label", name)
        columns[label] = [contents.labels[d or ""].get(name) for d in columns[DOCUMENT]]
    return columns


def _order_documents(contents: ScannedContents) -> list[DocumentPart]:
    """Return the documents in order: the source's, else the references', else the outputs'.

    References may lack documents, so the order of the file counts, not that of one text.
    """
    role = min((text.role for text in contents.parts), key=TEXT_ROLES.index)
    owners: dict[str, DocumentPart] = {}
    for text, parts in contents.parts.items():
        if text.role == role:
            owners = parts | owners
    return sorted(owners.values(), key=lambda part: part.place)


def _build_keys(text: Field, parts: Iterable[DocumentPart], path: str) -> RowKeys:
    names = (DOCUMENT.name, SEGMENT_ID.name)
    rows = [f"{part.document}{MARK}{id_}" for part in parts for id_ in part.segments]
    return RowKeys(f"{describe_field(text)} in {path}", names, rows)


def read_marked_up(path: str) -> str:
    """Read a file in UTF-8 at once, without its byte order mark."""
    content = read_bytes(path)
    name = find_encoding(content, None, path)
    if name != "utf-8":
        msg = f"{format_path(path)} is {name.upper()}; convert the file to UTF-8."
        raise FormatError(msg)
    return decode_utf8(content, path)


def check_declared_encoding(path: str, encoding: str) -> None:
    """Refuse a file that says of itself that it is not in UTF-8."""
    if encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        problem = f"{format_path(path)} declares the encoding {encoding}"
        msg = f"{problem}; convert the file to UTF-8 and change its declaration."
        raise FormatError(msg)


def feed_xml(parser: Any, content: bytes, path: str, expected: str) -> None:
    """Feed a file to a parser of expat; `expected` ends the message of a refusal."""
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        place = f"{format_path(path)}, line {error.lineno}, column {error.offset + 1}"
        problem = f"{place} is not XML: {expat.ErrorString(error.code)}"
        msg = f"{problem}; expected {expected}."
        raise FormatError(msg) from None
    except MetraError:
        raise
    except (LookupError, ValueError) as error:
        # Encodings that Python does not know, or that expat cannot use.
        problem = f"{format_path(path)} declares an encoding that metra does not read"
        msg = (
            f"{problem} ({error}); convert the file to UTF-8 and change its "
            "declaration."
        )
        raise FormatError(msg) from None


def join_lines(text: str, *, mark: str = "\n") -> str:
    """Join the lines of a segment: a break, with the indent beside it, is one blank.

    At either end of the segment it is nothing. `mark` is what stands for a break.

    >>> join_lines(" these  blanks stay "), join_lines("|a | |  b|", mark="|")
    (' these  blanks stay ', 'a b')
    """
    if mark not in text:
        return text
    blanks = rf"(?<![ \t])[ \t]*+(?:{re.escape(mark)}[ \t]*+)++"
    return re.sub(blanks, mark, text).strip(mark).replace(mark, " ")
