"""Where the segments of each text and document lie in a file with ids.

Such a file is read in two steps: a scan finds and checks all ids and remembers places,
never texts; then documents are read from their places in the order that is wanted.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple
from xml.parsers import expat

from metra.errors import FormatError, MetraError
from metra.formats.stream import format_path
from metra.formats.texts.columns import Field, describe_field

# Deeper than any file of these formats; a file that goes on nesting is broken.
DEEPEST = 20


class DocumentPart(NamedTuple):
    """One document of one text: from where to where, and which segments in what order."""

    start: int
    stop: int
    line: int
    size: int
    digest: bytes


class ScannedSegment(NamedTuple):
    """A segment as it is found."""

    id: str
    text: str
    line: int


@dataclass(slots=True)
class ScannedContents:
    """The result of a scan: places by text and document, labels by document, set, languages."""

    parts: dict[Field, dict[str, DocumentPart]] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)


class SeenIds:
    """The ids that have been seen; most are the numbers from 1 on, and need no memory."""

    def __init__(self) -> None:
        self.count = 0
        self._ordered = 0
        self._expected = "1"
        self._others: set[str] = set()

    def add(self, new_id: str) -> bool:
        """Add an id; say whether it is new."""
        if new_id == self._expected and new_id not in self._others:
            self._ordered += 1
            self._expected = str(self._ordered + 1)
        elif new_id in self._others or self._is_ordered(new_id):
            return False
        else:
            self._others.add(new_id)
        self.count += 1
        return True

    def _is_ordered(self, new_id: str) -> bool:
        is_number = len(new_id) < 19 and new_id.isdecimal()
        number = int(new_id) if is_number else 0
        return new_id == str(number) and 0 < number <= self._ordered


class OpenPart:
    """A document of a text while its segments are being counted."""

    def __init__(self, text: Field, document: str, *, start: int, line: int) -> None:
        self.text = text
        self.document = document
        self._start = start
        self._line = line
        self._ids = SeenIds()
        self._digest = blake2b(digest_size=16)

    @property
    def next_number(self) -> str:
        """The next segment's number, which is its id where it has none."""
        return str(self._ids.count + 1)

    def add(self, segment: str, path: str, line: int) -> None:
        """Count a segment; no id may come twice."""
        if not self._ids.add(segment):
            what = f"segment {segment!r} of document {self.document!r} occurs twice"
            place = f"{format_path(path)}, line {line}"
            msg = f"{place}: {what} in {describe_field(self.text)}; ids must differ."
            raise FormatError(msg)
        self._digest.update(segment.encode() + b"\n")

    def close(self, contents: ScannedContents, path: str, stop: int) -> None:
        """Remember the document; no text may have it twice."""
        documents = contents.parts.setdefault(self.text, {})
        if self.document in documents:
            first = documents[self.document].line
            place = f"{format_path(path)}, line {self._line}"
            what = f"document {self.document!r} occurs twice"
            where = f"{describe_field(self.text)}, first on line {first}"
            msg = f"{place}: {what} in {where}; ids must differ."
            raise FormatError(msg)
        documents[self.document] = DocumentPart(
            self._start, stop, self._line, self._ids.count, self._digest.digest()
        )


def check_declared_encoding(path: str, encoding: str) -> None:
    """Refuse a file that says of itself that it is not in UTF-8."""
    if encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        problem = f"{format_path(path)} declares the encoding {encoding}"
        msg = f"{problem}; convert the file to UTF-8 and change its declaration."
        raise FormatError(msg)


# A tag or comment that goes on for longer than this would have to be kept whole.
LONGEST_TAG = 1 << 20


def feed_xml(parser: Any, blocks: Iterable[bytes], path: str, expected: str) -> None:
    """Feed a file to a parser; what is no XML is refused, and so are endless tags.

    What is `expected` ends the message.
    """
    fed = 0
    try:
        for block in blocks:
            parser.Parse(block, False)
            fed += len(block)
            if fed - parser.CurrentByteIndex > LONGEST_TAG:
                place = f"{format_path(path)}, line {parser.CurrentLineNumber}"
                problem = (
                    f"{place}: a tag or comment is longer than {LONGEST_TAG:,} bytes"
                )
                msg = f"{problem}; expected {expected}."
                raise FormatError(msg)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        msg = f"{describe_xml_error(path, error)}; expected {expected}."
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


def describe_xml_error(path: str, error: expat.ExpatError) -> str:
    """Describe what is not XML in a file, and where."""
    place = f"{format_path(path)}, line {error.lineno}, column {error.offset + 1}"
    return f"{place} is not XML: {expat.ErrorString(error.code)}"


# Longer segments are dealt with in pieces.
LONG = 1 << 20


def join_lines(text: str, *, mark: str = "\n") -> str:
    """Join the lines of a segment: a break, with the indent beside it, is one blank.

    At either end of the segment it is nothing. `mark` is what stands for a break.

    >>> join_lines(" these  blanks stay "), join_lines("|a | |  b|", mark="|")
    (' these  blanks stay ', 'a b')
    """
    if mark not in text:
        return text
    pieces: list[str] = []
    broken = False
    for piece in _split_long_text(text, mark):
        joined = _join_short_lines(piece, mark)
        if joined:
            pieces += [" ", joined] if broken and pieces else [joined]
        broken = piece.rstrip(" \t").endswith(mark)
    return "".join(pieces)


def _join_short_lines(text: str, mark: str) -> str:
    lines = text.split(mark)
    if len(lines) == 1:
        return text
    lines[0] = lines[0].rstrip(" \t")
    lines[1:-1] = [line.strip(" \t") for line in lines[1:-1]]
    lines[-1] = lines[-1].lstrip(" \t")
    return " ".join(line for line in lines if line)


def _split_long_text(text: str, mark: str) -> Iterator[str]:
    """Cut a very long segment before some words, so that its lines are not all kept apart."""
    word = re.compile(rf"[^ \t{mark}]")
    start = 0
    while len(text) - start > LONG:
        next_word = word.search(text, start + LONG)
        stop = next_word.start() if next_word else len(text)
        yield text[start:stop]
        start = stop
    yield text[start:]
