"""NIST's SGML for machine translation, as mteval reads it: source, reference and test sets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from metra.errors import FormatError
from metra.io.fields import Field, Role
from metra.io.parts import Contents, OpenPart, Part, Segment, unbroken
from metra.io.seekable import Seekable, checked_utf8
from metra.io.stream import shown
from metra.io.tags import Tag, Tags, attributes, decoded, segment_id

SETS: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "output"}

# Deeper than any file of this format; a file that goes on nesting is broken.
DEEPEST = 20

# Where text must not stand; elements that we do not know may hold what they like.
_WITHOUT_TEXT = frozenset(["", "mteval", "doc", "hl", "p", *SETS])

_ABOUT = ("setid", "srclang", "trglang")
_UTF8 = ("utf-8", "utf8", "us-ascii", "ascii")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([^"']*)""")


def scan(file: Seekable, default_name: str) -> Contents:
    """Find and check every set, document and segment id.

    A text whose system or reference has no name is called `default_name`.
    """
    blocks = checked_utf8(file.blocks(file.start), file.path)
    scanning = _Scan(file.path, default_name)
    for tag in Tags(blocks, file.path, at=file.start):
        scanning.take(tag)
    return scanning.contents


def segments(file: Seekable, part: Part) -> Iterator[Segment]:
    """Read the segments of one document."""
    blocks = file.blocks(part.start, part.stop)
    number = 0
    for tag in Tags(blocks, file.path, at=part.start, line=part.line):
        if tag.name != "seg":
            continue
        if not tag.closing:
            number += 1
            opened = tag
        content = tag.text if tag.closing else b"" if tag.empty else tag.content
        if content is not None:
            found = segment_id(opened, file.path) or str(number)
            yield Segment(found, _text(content.decode()), opened.line)


@dataclass(slots=True)
class _Scan:
    """A file's structure while it is being read."""

    path: str
    default_name: str
    contents: Contents = field(default_factory=Contents)
    _open: list[Tag] = field(default_factory=list)
    _set: Tag | None = None
    _set_attributes: dict[str, str] = field(default_factory=dict)
    _part: OpenPart | None = None
    _sets: int = 0

    def take(self, tag: Tag) -> None:
        """Fit the next tag in."""
        if tag.name[:1] in ("!", "?"):
            self._declaration(tag)
            return
        self._refuse_stray_text(tag)
        if not tag.name:
            self._end(tag)
        elif tag.closing:
            self._close(tag)
        else:
            self._begin(tag)
            if tag.empty:
                self._leave(tag)
            elif tag.content is None:
                self._open.append(tag)

    def _begin(self, tag: Tag) -> None:
        if len(self._open) >= DEEPEST:
            self._fail(tag, f"tags are nested deeper than {DEEPEST} here")
        if tag.name == "seg":
            if self._part is None:
                self._fail(tag, "<seg> stands outside of any <doc>")
            found = segment_id(tag, self.path) or self._part.next_number
            self._part.add(found, self.path, tag.line)
        elif tag.name == "doc":
            self._part = self._document(tag)
        elif tag.name in SETS:
            if self._set is not None:
                self._fail(tag, f"<{tag.name}> stands inside of <{self._set.name}>")
            self._set = tag
            self._sets += 1
            self._set_attributes = attributes(tag, self.path)
            for name in _ABOUT:
                value = self._set_attributes.get(name, "")
                if value and value != "any":
                    self.contents.about.setdefault(name, value)

    def _document(self, tag: Tag) -> OpenPart:
        if self._set is None or self._part is not None:
            where = "inside of another <doc>" if self._part else "outside of any set"
            self._fail(tag, f"<doc> stands {where}")
        found = attributes(tag, self.path)
        document = found.pop("docid", "").strip()
        if not document:
            self._fail(tag, "<doc> has no docid")
        role = SETS[self._set.name]
        system = found.pop("sysid", "") or self._set_attributes.get("sysid", "")
        if role == "reference":
            system = self._set_attributes.get("refid", "") or system
        name = "source" if role == "source" else system.strip() or self.default_name
        self.contents.labels[document] = found | self.contents.labels.get(document, {})
        return OpenPart(Field(role, name), document, start=tag.start, line=tag.line)

    def _close(self, tag: Tag) -> None:
        if not self._open:
            self._fail(tag, f"</{tag.name}> closes what was not opened")
        opened = self._open.pop()
        if opened.name != tag.name:
            self._fail(
                tag,
                f"</{tag.name}> stands where </{opened.name}> is expected, because the "
                f"<{opened.name}> of line {opened.line} is still open",
            )
        self._leave(tag)

    def _leave(self, tag: Tag) -> None:
        if tag.name == "doc" and self._part is not None:
            stop = tag.start if tag.closing else tag.stop
            self._part.close(self.contents, self.path, stop)
            self._part = None
        elif tag.name in SETS:
            self._set = None

    def _refuse_stray_text(self, tag: Tag) -> None:
        inner = self._open[-1].name if self._open else ""
        if inner == "seg":
            if not tag.closing or tag.name not in ("seg", ""):
                sign = "/" if tag.closing else ""
                self._fail(
                    tag,
                    f"<{sign}{tag.name}> stands inside of the <seg> of line "
                    f"{self._open[-1].line}, which is not closed",
                )
        elif tag.text and inner in _WITHOUT_TEXT:
            words = tag.text.decode(errors="replace")[:40]
            self._fail(tag, f"there is text outside of any <seg> before it: {words!r}")

    def _end(self, tag: Tag) -> None:
        if self._open:
            last = self._open[-1]
            self._fail(
                tag, f"the file ends, but the <{last.name}> of line {last.line} is open"
            )
        if not self._sets:
            msg = (
                f"{shown(self.path)} holds no <srcset>, <refset> or <tstset>; expected "
                "NIST's SGML."
            )
            raise FormatError(msg)

    def _declaration(self, tag: Tag) -> None:
        kind = tag.name.lower()
        if kind == "?xml":
            declared = _ENCODING.search(tag.attributes)
            encoding = declared[1].decode() if declared else "utf-8"
            if encoding.lower() not in _UTF8:
                msg = (
                    f"{shown(self.path)} is declared to be in {encoding}; convert the file "
                    "to UTF-8 and its declaration too."
                )
                raise FormatError(msg)
        elif kind[0] == "!" and kind != "!doctype":
            self._fail(tag, f"<{tag.name}> declares something, which is not read")

    def _fail(self, tag: Tag, what: str) -> NoReturn:
        msg = (
            f"{shown(self.path)}, line {tag.line}: {what}; expected <srcset>, <refset> or "
            "<tstset> around <doc> around <seg>, each closed in turn."
        )
        raise FormatError(msg)


def _text(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return decoded(unbroken(text))
