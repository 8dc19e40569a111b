"""The tags of NIST's SGML, one after the other, whatever the length of the file's lines.

These files are not XML: names have no case, values need no quotes, an ampersand may stand
for itself, and inside a segment everything but the format's own tags is text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from metra.errors import FormatError
from metra.formats.stream import format_path
from metra.limits import check_limit

# A tag that goes on for longer than this is a tag that is not closed.
LONGEST = 1 << 16

_OWN = re.compile(rb"(?i)</?(?:mteval|srcset|refset|tstset|doc|hl|p|seg)(?=[\s/>])")
_ANY = re.compile(rb"<[/!?a-z]", re.IGNORECASE)

# As much text as is shown of what stands where none should.
_MANY_WORDS = 200

# As many bytes as _OWN may have to see to know a tag.
_MARGIN = 16

_TAG = re.compile(
    rb"""<(/?)([a-z][\w.:-]*+)((?:[^"'<>]++|"[^"<\n]*+"|'[^'<\n]*+')*+)>""",
    re.IGNORECASE,
)
# Nearly all of a file is segments in one piece, which are taken at once.
_SEGMENT = re.compile(
    rb"""\s*+(<seg(?=[\s>])((?:[^"'<>/]++|"[^"<\n]*+")*+)>)([^<]*+)</seg\s*+>""",
    re.IGNORECASE,
)
_PLAIN_ID = re.compile(rb"""\s++id\s*+=\s*+"?([^\s"'<>&/]++)"?\s*+""", re.IGNORECASE)

_DECLARATION = re.compile(rb"<([!?]\w*+)([^<>\[]*+)>")

# A slash belongs to a value without quotes unless it is the last thing in the tag.
_BARE = rb"""(?:[^\s"'<>/]++|/(?=[^\s"'<>]))++"""
_VALUE = rb"""([a-z_][\w.:-]*+)\s*+=\s*+("[^"]*+"|'[^']*+'|""" + _BARE + rb")"
_ATTRIBUTE = re.compile(_VALUE, re.IGNORECASE)
_ATTRIBUTES = re.compile(rb"(?:\s++" + _VALUE + rb")*+\s*+/?", re.IGNORECASE)

_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}


class Tag(NamedTuple):
    """A tag, with the text between it and the tag before it.

    Of text outside of segments there is only the beginning, without blanks. A segment in
    one piece is one tag, and `content` is the text in it.
    """

    name: str
    closing: bool
    attributes: bytes
    start: int
    stop: int
    line: int
    text: bytes
    content: bytes | None = None

    @property
    def empty(self) -> bool:
        """Whether it closes itself, as `<seg id="1"/>` does."""
        return self.attributes.endswith(b"/")


class TagReader:
    """The tags of some bytes, then one without a name that stands for the end."""

    def __init__(
        self, blocks: Iterator[bytes], path: str, *, start: int = 0, line: int = 1
    ) -> None:
        """Read blocks whose first byte is at `start` in the file, on this line."""
        self._blocks = blocks
        self._path = path
        self._base = start
        self._line = line
        self._buffer = b""
        self._place = self._counted = 0
        self._pieces: list[bytes] = []
        self._kept = 0
        self._inside = self._ended = False

    def __iter__(self) -> Iterator[Tag]:
        while True:
            while not self._inside and not self._pieces:
                segment = self._read_segment()
                if segment is None:
                    break
                yield segment
            if not self._find(_OWN if self._inside else _ANY):
                break
            if self._buffer.startswith(b"<!--", self._place):
                self._skip_comment()
                continue
            tag = self._read_tag()
            self._inside = tag.name == "seg" and not tag.closing and not tag.empty
            yield tag
        end = self._base + len(self._buffer)
        yield Tag("", True, b"", end, end, self._count_lines(), self._take_text())

    def _read_segment(self) -> Tag | None:
        """Read a whole segment, if one begins here and is in the buffer."""
        segment = _SEGMENT.match(self._buffer, self._place)
        if segment is None or segment.end(1) - segment.start(1) > LONGEST:
            return None
        self._place = segment.start(1)
        start, line = self._base + self._place, self._count_lines()
        self._place = segment.end()
        _, attributes, content = segment.groups()
        stop = self._base + self._place
        return Tag("seg", False, attributes, start, stop, line, b"", content)

    def _find(self, wanted: re.Pattern[bytes]) -> bool:
        """Go to the next tag and keep the text before it; say whether there is one."""
        while True:
            tag = wanted.search(self._buffer, self._place)
            if tag:
                self._keep(tag.start())
                if self._ended or tag.start() + _MARGIN <= len(self._buffer):
                    return True
            elif self._ended:
                self._keep(len(self._buffer))
                return False
            else:
                self._keep(max(self._place, len(self._buffer) - _MARGIN))
            self._read_block()

    def _keep(self, stop: int) -> None:
        text = self._buffer[self._place : stop]
        if not self._inside:
            # Outside of segments, all that matters is whether there is any.
            text = text.strip()[:_MANY_WORDS]
        if text:
            self._pieces.append(text)
            self._kept += len(text)
            check_limit("cell", self._kept, format_path(self._path))
        self._place = stop

    def _take_text(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        self._kept = 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read_block(self) -> None:
        """Read a block, and let go of what has been dealt with."""
        self._count_lines()
        self._base += self._place
        block = next(self._blocks, b"")
        self._buffer = self._buffer[self._place :] + block
        self._place = self._counted = 0
        self._ended = not block

    def _count_lines(self) -> int:
        """Return the number of the line that has been reached."""
        self._line += self._buffer.count(b"\n", self._counted, self._place)
        self._counted = self._place
        return self._line

    def _read_tag(self) -> Tag:
        """Read the tag that begins here."""
        line = self._count_lines()
        while True:
            special = self._buffer[self._place + 1 : self._place + 2] in (b"!", b"?")
            pattern = _DECLARATION if special else _TAG
            tag = pattern.match(self._buffer, self._place)
            if tag and tag.end() - self._place <= LONGEST:
                break
            if tag or self._ended or len(self._buffer) - self._place > LONGEST:
                raise FormatError(self._describe_unreadable(line))
            self._read_block()
        place = self._base + self._place, self._base + tag.end(), line
        self._place = tag.end()
        if special:
            name, attributes = tag.groups()
            return Tag(name.decode(), False, attributes, *place, self._take_text())
        slash, name, attributes = tag.groups()
        lower_name = name.decode().lower()
        return Tag(lower_name, bool(slash), attributes, *place, self._take_text())

    def _skip_comment(self) -> None:
        line = self._count_lines()
        self._place += len(b"<!--")
        while True:
            end = self._buffer.find(b"-->", self._place)
            if end >= 0:
                self._place = end + len(b"-->")
                return
            if self._ended:
                msg = f"{format_path(self._path)}, line {line}: a comment is not closed by -->."
                raise FormatError(msg)
            self._place = max(self._place, len(self._buffer) - 2)
            self._read_block()

    def _describe_unreadable(self, line: int) -> str:
        head = self._buffer[self._place : self._place + 40].decode(errors="replace")
        place = f"{format_path(self._path)}, line {line}"
        if head[1:2] == "!":
            return (
                f"{place} has a declaration in {head!r}; declarations are not "
                "supported, so remove it."
            )
        return (
            f"{place}: {head!r} starts like a tag but does not end like one; expected "
            '<NAME KEY="VALUE"> on few lines, or &lt; for a <.'
        )


def read_segment_id(tag: Tag, path: str) -> str | None:
    """Return a segment's id, None if it has none."""
    plain = _PLAIN_ID.fullmatch(tag.attributes)
    if plain:
        return plain[1].decode()
    segment_id = parse_attributes(tag, path).get("id")
    return None if segment_id is None else segment_id.strip()


def parse_attributes(tag: Tag, path: str) -> dict[str, str]:
    """Return a tag's attributes, names in lower case; of two with one name the first counts.

    That is how mteval reads them, and files with two system names in a tag exist.
    """
    if not _ATTRIBUTES.fullmatch(tag.attributes):
        place, shown = f"{format_path(path)}, line {tag.line}", tag.attributes.decode()
        msg = (
            f"{place}: the attributes of <{tag.name}> cannot be read: {shown.strip()!r}; "
            'expected KEY="VALUE" pairs.'
        )
        raise FormatError(msg)
    attributes: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(tag.attributes):
        if value[:1] in (b'"', b"'"):
            value = value[1:-1]
        attributes.setdefault(name.decode().lower(), decode_entities(value.decode()))
    return attributes


def decode_entities(text: str) -> str:
    """Replace the five standard entities, once.

    >>> decode_entities("AT&T &amp;lt; &eacute; &lt;3")
    'AT&T &lt; &eacute; <3'
    """
    if "&" not in text:
        return text
    # The ampersand comes last, so that what it uncovers is not taken for an entity.
    for entity, sign in _ENTITIES.items():
        text = text.replace(entity, sign)
    return text
