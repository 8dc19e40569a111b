"""NIST's SGML for machine translation, as mteval reads it: source, reference and test sets.

These files are not XML: names have no case, values need no quotes, an ampersand may stand
for itself, and inside a segment everything but the format's own tags is text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from metra.errors import FormatError
from metra.formats.stream import format_path
from metra.formats.texts.columns import Field, Role
from metra.formats.texts.documents import (
    DEEPEST,
    DocumentPart,
    ScannedContents,
    check_declared_encoding,
    join_lines,
    read_marked_up,
)

SETS: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "output"}

# Where text must not stand; elements that we do not know may hold what they like.
_WITHOUT_TEXT = frozenset(["", "mteval", "doc", "hl", "p", *SETS])

_AS_IN_FILES = re.IGNORECASE | re.ASCII
_ENCODING = re.compile(r"""encoding\s*=\s*["']([^"']*)""", re.ASCII)
_OWN = re.compile(
    r"</?(?:mteval|srcset|refset|tstset|doc|hl|p|seg)(?=[\s/>])", _AS_IN_FILES
)
_ANY = re.compile(r"<[/!?a-z]", _AS_IN_FILES)
_TAG = re.compile(
    r"""<(/?)([a-z][\w.:-]*+)((?:[^"'<>]++|"[^"<\n]*+"|'[^'<\n]*+')*+)>""", _AS_IN_FILES
)
_DECLARATION = re.compile(r"<()([!?]\w*+)([^<>\[]*+)>", re.ASCII)
# A slash belongs to a value without quotes unless it is the last thing in the tag.
_BARE = r"""(?:[^\s"'<>/]++|/(?=[^\s"'<>]))++"""
_VALUE = rf"""([a-z_][\w.:-]*+)\s*+=\s*+("[^"]*+"|'[^']*+'|{_BARE})"""
_ATTRIBUTE = re.compile(_VALUE, _AS_IN_FILES)
_ATTRIBUTES = re.compile(rf"(?:\s++{_VALUE})*+\s*+/?", _AS_IN_FILES)
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
# As much text as is shown of what stands where none should.
_MANY_WORDS = 40
_BLANKS = " \t\n\r\v\f"


class Tag(NamedTuple):
    """A tag, with the text between it and the tag before it.

    Of text outside of segments there is only the beginning, without blanks.
    """

    name: str
    closing: bool
    attributes: str
    line: int
    text: str

    @property
    def empty(self) -> bool:
        """True if it closes itself, as `<seg id="1"/>` does."""
        return self.attributes.endswith("/")


def scan(path: str, default_name: str) -> ScannedContents:
    """Read and check everything; a text without a name is called `default_name`."""
    scanner = _SgmlScanner(path, default_name, ScannedContents(path))
    for tag in _read_tags(read_marked_up(path), path):
        scanner.take(tag)
    return scanner.contents


def _read_tags(text: str, path: str) -> Iterator[Tag]:
    """Yield the tags of a file, then one without a name that stands for the end."""
    place, line, stray, inside = 0, 1, "", False
    while begin := (_OWN if inside else _ANY).search(text, place):
        start = begin.start()
        before = text[place:start]
        line += before.count("\n")
        if not inside:
            # Outside of segments, all that matters is whether there is any.
            before = (stray + before.strip(_BLANKS))[:_MANY_WORDS]
        if text.startswith("<!--", start):
            place, stray = _find_comment_end(text, start, path, line), before
            line += text.count("\n", start, place)
            continue
        is_declaration = text[start + 1] in "!?"
        tag = (_DECLARATION if is_declaration else _TAG).match(text, start)
        if tag is None:
            raise FormatError(_describe_unreadable(text[start:][:40], path, line))
        slash, name, attributes = tag.groups()
        name = name if is_declaration else name.lower()
        read = Tag(name, bool(slash), attributes, line, before)
        yield read
        inside = name == "seg" and not slash and not read.empty
        place, stray = tag.end(), ""
        line += tag[0].count("\n")
    rest = text[place:]
    yield Tag("", True, "", line + rest.count("\n"), stray + rest.strip(_BLANKS))


def _find_comment_end(text: str, start: int, path: str, line: int) -> int:
    end = text.find("-->", start + len("<!--"))
    if end < 0:
        msg = f"{format_path(path)}, line {line}: a comment is not closed by -->."
        raise FormatError(msg)
    return end + len("-->")


def _describe_unreadable(head: str, path: str, line: int) -> str:
    place = f"{format_path(path)}, line {line}"
    if head[1] == "!":
        return (
            f"{place} has a declaration in {head!r}; declarations are not "
            "supported, so remove it."
        )
    return (
        f"{place}: {head!r} starts like a tag but does not end like one; expected "
        '<NAME KEY="VALUE"> on few lines, or &lt; for a <.'
    )


def _parse_attributes(tag: Tag, path: str) -> dict[str, str]:
    """Return a tag's attributes, names in lower case; of two with one name the first counts.

    mteval reads them so, and files with two system names in a tag exist.
    """
    if not _ATTRIBUTES.fullmatch(tag.attributes):
        place, shown = f"{format_path(path)}, line {tag.line}", tag.attributes.strip()
        msg = (
            f"{place}: the attributes of <{tag.name}> cannot be read: {shown!r}; "
            'expected KEY="VALUE" pairs.'
        )
        raise FormatError(msg)
    attributes: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(tag.attributes):
        if value[:1] in ('"', "'"):
            value = value[1:-1]
        attributes.setdefault(name.lower(), _decode_entities(value))
    return attributes


def _decode_entities(text: str) -> str:
    """Replace the five standard entities, once.

    >>> _decode_entities("AT&T &amp;lt; &eacute; &lt;3")
    'AT&T &lt; &eacute; <3'
    """
    # The ampersand comes last, so that what it uncovers is not taken for an entity.
    for entity, sign in _ENTITIES.items():
        text = text.replace(entity, sign)
    return text


@dataclass(slots=True)
class _SgmlScanner:
    """A file's structure while it is being read."""

    path: str
    default_name: str
    contents: ScannedContents
    _open: list[Tag] = field(default_factory=list)
    _set: Tag | None = None
    _set_attributes: dict[str, str] = field(default_factory=dict)
    _part: DocumentPart | None = None
    _segment: tuple[str, int] = ("", 0)
    _has_sets: bool = False

    def take(self, tag: Tag) -> None:
        """Fit the next tag in."""
        if tag.name[:1] in ("!", "?"):
            self._check_declaration(tag)
            return
        self._refuse_stray_text(tag)
        if not tag.name:
            self._end(tag)
        elif tag.closing:
            self._close(tag)
        else:
            self._begin(tag)
            if tag.empty:
                self._leave(tag._replace(text=""))
            else:
                self._open.append(tag)

    def _begin(self, tag: Tag) -> None:
        if len(self._open) >= DEEPEST:
            self._fail(tag, f"tags are nested deeper than {DEEPEST} here")
        if tag.name == "seg":
            if self._part is None:
                self._fail(tag, "<seg> is outside any <doc>")
            given = _parse_attributes(tag, self.path).get("id", "").strip()
            number = len(self._part.segments) + 1
            self._segment = (given or str(number), tag.line)
        elif tag.name == "doc":
            self._part = self._open_document(tag)
        elif tag.name in SETS:
            if self._set is not None:
                self._fail(tag, f"<{tag.name}> is inside <{self._set.name}>")
            self._set, self._has_sets = tag, True
            self._set_attributes = _parse_attributes(tag, self.path)

    def _open_document(self, tag: Tag) -> DocumentPart:
        if self._set is None or self._part is not None:
            where = "inside another <doc>" if self._part else "outside any set"
            self._fail(tag, f"<doc> is {where}")
        labels = _parse_attributes(tag, self.path)
        document = labels.pop("docid", "").strip()
        if not document:
            self._fail(tag, "<doc> has no docid")
        role = SETS[self._set.name]
        system = labels.pop("sysid", "") or self._set_attributes.get("sysid", "")
        if role == "reference":
            system = self._set_attributes.get("refid", "") or system
        name = "source" if role == "source" else system.strip() or self.default_name
        self.contents.labels[document] = labels | self.contents.labels.get(document, {})
        return self.contents.add_part(Field(role, name), document, tag.line)

    def _close(self, tag: Tag) -> None:
        if not self._open:
            self._fail(tag, f"</{tag.name}> has no opening tag")
        opened = self._open.pop()
        if opened.name != tag.name:
            why = f"the <{opened.name}> of line {opened.line} is still open"
            what = f"</{tag.name}> found instead of </{opened.name}>, because {why}"
            self._fail(tag, what)
        self._leave(tag)

    def _leave(self, tag: Tag) -> None:
        if tag.name == "seg" and self._part is not None:
            key, line = self._segment
            text = join_lines(tag.text.replace("\r\n", "\n").replace("\r", "\n"))
            self.contents.add_segment(self._part, key, _decode_entities(text), line)
        elif tag.name == "doc":
            self._part = None
        elif tag.name in SETS:
            self._set = None

    def _refuse_stray_text(self, tag: Tag) -> None:
        inner = self._open[-1].name if self._open else ""
        if inner == "seg":
            if not tag.closing or tag.name not in ("seg", ""):
                name, line = f"{'/' * tag.closing}{tag.name}", self._open[-1].line
                where = f"inside the <seg> of line {line}, which is not closed"
                self._fail(tag, f"<{name}> is {where}")
        elif tag.text and inner in _WITHOUT_TEXT:
            words = tag.text[:_MANY_WORDS]
            self._fail(tag, f"there is text outside any <seg> before it: {words!r}")

    def _end(self, tag: Tag) -> None:
        if self._open:
            last = f"<{self._open[-1].name}> of line {self._open[-1].line}"
            self._fail(tag, f"the file ends, but the {last} is open")
        if not self._has_sets:
            sets = "<srcset>, <refset> or <tstset>"
            msg = f"{format_path(self.path)} contains no {sets}; expected NIST SGML."
            raise FormatError(msg)

    def _check_declaration(self, tag: Tag) -> None:
        kind = tag.name.lower()
        if kind == "?xml":
            if declared := _ENCODING.search(tag.attributes):
                check_declared_encoding(self.path, declared[1])
        elif kind[0] == "!" and kind != "!doctype":
            self._fail(tag, f"<{tag.name}> is a declaration, which is not supported")

    def _fail(self, tag: Tag, what: str) -> NoReturn:
        msg = (
            f"{format_path(self.path)}, line {tag.line}: {what}; expected <srcset>, "
            "<refset> or <tstset> around <doc> around <seg>, each closed in turn."
        )
        raise FormatError(msg)
