"""Where the segments of each text and document lie in a file with ids.

Such a file is read in two steps: a scan finds and checks all ids and remembers places,
never texts; then documents are read from their places in the order that is wanted.
"""

import re
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from metra.errors import FormatError
from metra.io.fields import Field
from metra.io.stream import shown


class Part(NamedTuple):
    """One document of one text: from where to where, and which segments in what order."""

    start: int
    stop: int
    line: int
    size: int
    digest: bytes


class Segment(NamedTuple):
    """A segment as it is found."""

    id: str
    text: str
    line: int


@dataclass(slots=True)
class Contents:
    """What a scan found: places by text and document, labels by document, set and languages."""

    parts: dict[Field, dict[str, Part]] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)


class OpenPart:
    """A document of a text while its segments are being counted."""

    def __init__(self, text: Field, document: str, *, start: int, line: int) -> None:
        self.text = text
        self.document = document
        self._start = start
        self._line = line
        self._count = self._ordered = 0
        self._expected = "1"
        self._others: set[str] = set()
        self._digest = blake2b(digest_size=16)

    @property
    def next_number(self) -> str:
        """The next segment's number, which is its id where it has none."""
        return str(self._count + 1)

    def add(self, segment: str, path: str, line: int) -> None:
        """Count a segment; no id may come twice."""
        # Most ids are the numbers from 1 on, and need not be remembered one by one.
        if segment == self._expected and segment not in self._others:
            self._ordered += 1
            self._expected = str(self._ordered + 1)
        elif segment in self._others or self._is_ordered(segment):
            msg = (
                f"{shown(path)}, line {line}: segment {segment!r} of document "
                f"{self.document!r} is there twice in {named(self.text)}; ids must differ."
            )
            raise FormatError(msg)
        else:
            self._others.add(segment)
        self._count += 1
        self._digest.update(segment.encode() + b"\n")

    def _is_ordered(self, segment: str) -> bool:
        return (
            len(segment) < 19
            and segment.isdecimal()
            and segment == str(int(segment))
            and 0 < int(segment) <= self._ordered
        )

    def close(self, contents: Contents, path: str, stop: int) -> None:
        """Remember the document; no text may have it twice."""
        documents = contents.parts.setdefault(self.text, {})
        if self.document in documents:
            first = documents[self.document].line
            msg = (
                f"{shown(path)}, line {self._line}: document {self.document!r} is there "
                f"twice in {named(self.text)}, first on line {first}; ids must differ."
            )
            raise FormatError(msg)
        documents[self.document] = Part(
            self._start, stop, self._line, self._count, self._digest.digest()
        )


def named(text: Field) -> str:
    """Name a text in a message.

    >>> named(Field("source", "source")), named(Field("output", "online-A"))
    ('the source', "the output 'online-A'")
    """
    if text.role == "source":
        return "the source"
    return f"the {text.role} {text.name!r}"


def unbroken(text: str, *, mark: str = "\n") -> str:
    """Join the lines of a segment: a break, with the indent beside it, is one blank.

    At either end of the segment it is nothing. `mark` is what stands for a break.

    >>> unbroken(" these  blanks stay "), unbroken("|a | |  b|", mark="|")
    (' these  blanks stay ', 'a b')
    """
    if mark not in text:
        return text
    # Tried at the first blank of a run only, so that long runs take no longer than short.
    breaks = rf"(?<![ \t])[ \t]*+(?:{re.escape(mark)}[ \t]*+)++"
    return re.sub(breaks, mark, text).strip(mark).replace(mark, " ")
