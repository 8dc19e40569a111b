"""Texts of a file with ids while it is read, and what the readers of such files share."""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat

from metra.errors import FormatError, MetraError
from metra.formats.stream import decode_utf8, find_encoding, format_path, read_bytes
from metra.formats.texts.columns import Field, describe_field
from metra.limits import check_limit

# Deeper than any file of these formats; a file that goes on nesting is broken.
DEEPEST = 20


class ScannedSegment(NamedTuple):
    """The text of a segment, and its line in the file."""

    text: str
    line: int


class DocumentPart(NamedTuple):
    """One document of one text: its line, its place among all parts, its segments by id."""

    text: Field
    document: str
    line: int
    place: int
    segments: dict[str, ScannedSegment]


@dataclass(slots=True)
class ScannedContents:
    """Parts by text and document, labels by document, and the set and its languages."""

    path: str
    parts: dict[Field, dict[str, DocumentPart]] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)

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
        part.segments[key] = ScannedSegment(text, line)

    def _build_error(self, line: int, what: str) -> FormatError:
        place = f"{format_path(self.path)}, line {line}"
        return FormatError(f"{place}: {what}; ids must differ.")


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
