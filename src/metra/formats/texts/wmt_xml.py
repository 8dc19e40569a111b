"""The XML of WMT's test sets since 2021: documents with source, references and outputs."""

from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from metra.errors import FormatError
from metra.formats.stream import format_path
from metra.formats.texts.columns import Field, Role
from metra.formats.texts.documents import (
    DEEPEST,
    DocumentPart,
    ScannedContents,
    check_declared_encoding,
    feed_xml,
    join_lines,
    read_marked_up,
)

TEXTS: dict[str, Role] = {"src": "source", "ref": "reference", "hyp": "output"}

# What gives a text its name.
NAMES = {"src": "", "ref": "translator", "hyp": "system"}

_ROOTS = ("dataset", "collection")
_WITHOUT_TEXT = frozenset([*_ROOTS, "doc", *TEXTS, "p", "hl"])

# Stands for a line break in the file; XML has no such character, so text cannot hold it,
# and a break that is written as &#10; remains one.
_BREAK = "\0"


def scan(path: str, default_name: str) -> ScannedContents:
    """Read and check every document, text and segment."""
    content = read_marked_up(path).encode()
    scanner = _XmlScanner(path, default_name, content, ScannedContents(path))
    expected = "WMT's XML, all tags closed and < and & written as &lt; and &amp;"
    feed_xml(scanner.parser, content, path, expected)
    return scanner.contents


@dataclass(slots=True)
class _XmlScanner:
    """A file's structure while it is being read."""

    path: str
    default_name: str
    content: bytes
    contents: ScannedContents
    parser: Any = field(default_factory=lambda: expat.ParserCreate("UTF-8"))
    _open: list[str] = field(default_factory=list)
    _collection: str | None = None
    _document: str | None = None
    _part: DocumentPart | None = None
    _unknown: int = 0
    _segment: tuple[str, int] = ("", 0)
    _pieces: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parser.XmlDeclHandler = self._check_declaration
        self.parser.StartDoctypeDeclHandler = lambda *_: self.fail(
            "<!DOCTYPE> is a declaration, which is not supported"
        )
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def _check_declaration(self, _: str, encoding: str | None, __: int) -> None:
        if encoding:
            check_declared_encoding(self.path, encoding)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= DEEPEST:
            self.fail(f"tags are nested deeper than {DEEPEST} here")
        outer = self._open[-1] if self._open else ""
        if not outer and name not in _ROOTS:
            self.fail(f"the file begins with <{name}>")
        if outer == "seg":
            self.fail(f"<{name}> is inside <seg>, which may contain only text")
        self._open.append(name)
        # Elements that we do not know, such as <supplemental>, are left alone.
        if self._unknown or (name not in _WITHOUT_TEXT and name != "seg"):
            self._unknown += 1
        elif name == "seg":
            self._begin_segment(attributes)
        elif name in TEXTS:
            self._part = self._open_text(name, attributes)
        elif name == "doc":
            self._begin_document(attributes)
        elif name == "collection":
            self._collection = attributes.get("id")

    def _begin_document(self, attributes: dict[str, str]) -> None:
        if self._document is not None:
            self.fail("<doc> is inside another <doc>")
        document = attributes.pop("id", "").strip()
        if not document:
            self.fail("<doc> has no id")
        if document in self.contents.labels:
            self.fail(f"document {document!r} occurs twice")
        if self._collection is not None:
            attributes = {"collection": self._collection} | attributes
        self._document = document
        self.contents.labels[document] = attributes

    def _open_text(self, name: str, attributes: dict[str, str]) -> DocumentPart:
        if self._document is None or self._part is not None:
            self.fail(f"<{name}> is outside <doc>, or inside another text")
        role = TEXTS[name]
        title = attributes.get(NAMES[name], "").strip()
        if name == "hyp" and not title:
            self.fail("<hyp> has no system")
        if name == "src":
            title = "source"
        text = Field(role, title or self.default_name)
        line = self.parser.CurrentLineNumber
        return self.contents.add_part(text, self._document, line)

    def _begin_segment(self, attributes: dict[str, str]) -> None:
        if self._part is None:
            self.fail("<seg> is outside <src>, <ref> and <hyp>")
        segment_id = attributes.get("id", "").strip()
        if not segment_id:
            self.fail("<seg> has no id")
        self._segment = (segment_id, self.parser.CurrentLineNumber)
        self.parser.CharacterDataHandler = self._add_piece

    def _add_piece(self, piece: str) -> None:
        is_written_out = self.content[self.parser.CurrentByteIndex] == ord("&")
        is_break = piece == "\n" and not is_written_out
        self._pieces.append(_BREAK if is_break else piece)

    def _end(self, name: str) -> None:
        self._open.pop()
        if self._unknown:
            self._unknown -= 1
        elif name == "seg" and self._part is not None:
            text = join_lines("".join(self._pieces), mark=_BREAK)
            self._pieces.clear()
            key, line = self._segment
            self.contents.add_segment(self._part, key, text, line)
            self.parser.CharacterDataHandler = self._text
        elif name in TEXTS:
            self._part = None
        elif name == "doc":
            self._document = None
        elif name == "collection":
            self._collection = None

    def _text(self, piece: str) -> None:
        is_bare = self._open[-1] in _WITHOUT_TEXT and not self._unknown
        if is_bare and not piece.isspace():
            self.fail("there is text outside any <seg>")

    def fail(self, what: str) -> NoReturn:
        """Refuse the file, by the line that has been reached."""
        msg = (
            f"{format_path(self.path)}, line {self.parser.CurrentLineNumber}: {what}; expected "
            "WMT's XML: <dataset> around <doc> around <src>, <ref> and <hyp> around <seg>."
        )
        raise FormatError(msg)
