"""The XML of WMT's test sets since 2021: documents with source, references and outputs."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from metra.errors import FormatError
from metra.formats.atomic import write_pieces
from metra.formats.spool import TEXT_IN_MEMORY, SeekableFile, drain_spool, open_spool
from metra.formats.stream import check_utf8, format_path
from metra.formats.texts import parts, rows
from metra.formats.texts.columns import Field, Role, describe_field, format_column_name
from metra.formats.texts.parts import (
    DocumentPart,
    OpenPart,
    ScannedContents,
    ScannedSegment,
)
from metra.formats.texts.rows import Chunks, Fields
from metra.limits import check_limit

TEXTS: dict[str, Role] = {"src": "source", "ref": "reference", "hyp": "output"}

# What gives a text its name.
NAMES = {"src": "", "ref": "translator", "hyp": "system"}

_ROOTS = ("dataset", "collection")
_WITHOUT_TEXT = frozenset([*_ROOTS, "doc", *TEXTS, "p", "hl"])

# Stands for a line break in the file; XML has no such character, so text cannot hold it,
# and a break that is written as &#10; remains one.
_BREAK = "\0"


def scan(file: SeekableFile, default_name: str) -> ScannedContents:
    """Find and check every document, text and segment id."""
    scanner = _XmlScanner(file.path, default_name)
    parser = scanner.parser
    expected = "WMT's XML, all tags closed and < and & written as &lt; and &amp;"
    blocks = check_utf8(file.blocks(file.start), file.path)
    parts.feed_xml(parser, blocks, file.path, expected)
    for places in scanner.contents.parts.values():
        for document, place in places.items():
            start, stop = place.start + file.start, place.stop + file.start
            places[document] = place._replace(start=start, stop=stop)
    return scanner.contents


def read_segments(file: SeekableFile, part: DocumentPart) -> Iterator[ScannedSegment]:
    """Read the segments of one document's text."""
    if not part.size:
        return
    has_references = _may_have_references(file.blocks(part.start, part.stop))
    parser = _SegmentParser(part.line, tells_breaks=has_references)
    for block in file.blocks(part.start, part.stop):
        yield from parser.feed(block)
    # The part ends before the end tag, without which something could be held back.
    yield from parser.feed(f"</{parser.outer}>".encode(), final=True)


def _may_have_references(blocks: Iterator[bytes]) -> bool:
    last = b""
    for block in blocks:
        if b"&#" in block or (last == b"&" and block.startswith(b"#")):
            return True
        last = block[-1:]
    return False


class _SegmentParser:
    """The text of segments while it is being read.

    With `tells_breaks`, each line break is looked at: whether it is one of the file or
    written as &#10;.
    """

    def __init__(self, line: int, *, tells_breaks: bool) -> None:
        self.outer = ""
        self._line = line - 1
        self._segments: list[ScannedSegment] = []
        self._pieces: list[str] = []
        self._take = self._look if tells_breaks else self._pieces.append
        self._mark = _BREAK if tells_breaks else "\n"
        self._block = self._tail = b""
        self._start = 0
        self._segment = ("", 0)
        self._parser = expat.ParserCreate("UTF-8")
        self._parser.buffer_size = 1 << 16
        self._parser.buffer_text = not tells_breaks
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end

    def feed(self, block: bytes, *, final: bool = False) -> list[ScannedSegment]:
        """Read on; return the segments that have ended."""
        # A reference may have begun in the block before.
        self._tail = (self._tail + self._block)[-64:]
        self._start += len(self._block)
        self._block = block
        self._parser.Parse(block, final)
        segments, self._segments = self._segments, []
        return segments

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self.outer = self.outer or name
        if name == "seg":
            line = self._line + self._parser.CurrentLineNumber
            self._segment = (attributes["id"].strip(), line)
            self._parser.CharacterDataHandler = self._take

    def _look(self, piece: str) -> None:
        if piece == "\n":
            index = self._parser.CurrentByteIndex - self._start
            block = self._block if index >= 0 else self._tail
            piece = "\n" if block.startswith(b"&", index) else _BREAK
        self._pieces.append(piece)

    def _end(self, name: str) -> None:
        if name == "seg":
            self._parser.CharacterDataHandler = None
            text = parts.join_lines("".join(self._pieces), mark=self._mark)
            self._pieces.clear()
            segment_id, line = self._segment
            self._segments.append(ScannedSegment(segment_id, text, line))


@dataclass(slots=True)
class _XmlScanner:
    """A file's structure while it is being read."""

    path: str
    default_name: str
    contents: ScannedContents = field(default_factory=ScannedContents)
    parser: Any = field(default_factory=lambda: expat.ParserCreate("UTF-8"))
    _open: list[str] = field(default_factory=list)
    _collection: str | None = None
    _document: str | None = None
    _part: OpenPart | None = None
    _unknown: int = 0
    _segment_start: int = 0

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
            parts.check_declared_encoding(self.path, encoding)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= parts.DEEPEST:
            self.fail(f"tags are nested deeper than {parts.DEEPEST} here")
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
            self._add_segment(attributes)
        elif name in TEXTS:
            self._part = self._open_text(name, attributes)
        elif name == "doc":
            self._begin_document(attributes)
        elif name == "collection":
            self._collection = attributes.get("id")
        elif name == "dataset" and "id" in attributes:
            self.contents.about.setdefault("setid", attributes["id"])

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

    def _open_text(self, name: str, attributes: dict[str, str]) -> OpenPart:
        if self._document is None or self._part is not None:
            self.fail(f"<{name}> is outside <doc>, or inside another text")
        role = TEXTS[name]
        language = attributes.get("lang")
        if language:
            key = "srclang" if role == "source" else "trglang"
            self.contents.about.setdefault(key, language)
        title = attributes.get(NAMES[name], "").strip()
        if name == "hyp" and not title:
            self.fail("<hyp> has no system")
        if name == "src":
            title = "source"
        text = Field(role, title or self.default_name)
        start, line = self.parser.CurrentByteIndex, self.parser.CurrentLineNumber
        return OpenPart(text, self._document, start=start, line=line)

    def _add_segment(self, attributes: dict[str, str]) -> None:
        if self._part is None:
            self.fail("<seg> is outside <src>, <ref> and <hyp>")
        segment_id = attributes.get("id", "").strip()
        if not segment_id:
            self.fail("<seg> has no id")
        self._part.add(segment_id, self.path, self.parser.CurrentLineNumber)
        self._segment_start = self.parser.CurrentByteIndex
        self.parser.CharacterDataHandler = None

    def _end(self, name: str) -> None:
        self._open.pop()
        if self._unknown:
            self._unknown -= 1
        elif name == "seg":
            size = self.parser.CurrentByteIndex - self._segment_start
            check_limit("cell", size, format_path(self.path))
            self.parser.CharacterDataHandler = self._text
        elif name in TEXTS and self._part is not None:
            self._part.close(self.contents, self.path, self.parser.CurrentByteIndex)
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


_TAGS = {role: tag for tag, role in TEXTS.items()}

# What XML has no way to write, not even as a character reference.
_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "&#10;", "\r": "&#13;"}


def _find_problem(text: str) -> str | None:
    bad = _NOT_XML.search(text)
    return f"contains the character U+{ord(bad[0]):04X}" if bad else None


_RULES = rows.MarkupRules(
    "wmt-xml",
    label=re.compile(r"(?!id$)[A-Za-z_][A-Za-z0-9_.-]*"),
    bad=_NOT_XML,
    find_problem=_find_problem,
    in_text=str.maketrans(_ESCAPES),
    in_attribute=str.maketrans(_ESCAPES | {'"': "&quot;", "\t": "&#9;"}),
)


def write(out: str, fields: Fields, chunks: Chunks, about: Mapping[str, str]) -> None:
    """Write a file, a document at a time."""
    with ExitStack() as stack:
        document = _DocumentWriter(rows.list_text_fields(fields), about, stack)
        runs = rows.split_documents(fields, chunks, _RULES)
        write_pieces(out, _encode(document, runs, about.get("setid", "test")))


def _encode(
    document: "_DocumentWriter", runs: Iterable[rows.DocumentRun], set_id: str
) -> Iterator[bytes]:
    def format_tag(name: str, identity: str) -> bytes:
        return f"<{name}{_RULES.format_attributes({'id': identity})}>\n".encode()

    yield b"<?xml version='1.0' encoding='utf-8'?>\n"
    yield format_tag("dataset", set_id)
    collection = ""
    for run in runs:
        if run.begins:
            yield from document.end()
            wanted = run.labels.get("collection", "")
            if wanted != collection:
                yield b"</collection>\n" if collection else b""
                yield format_tag("collection", wanted) if wanted else b""
                collection = wanted
        document.add(run)
    yield from document.end()
    document.refuse_empty_references()
    yield b"</collection>\n" if collection else b""
    yield b"</dataset>\n"


class _DocumentWriter:
    """A document's texts side by side; they are written one after the other at its end."""

    def __init__(
        self, texts: Sequence[Field], about: Mapping[str, str], stack: ExitStack
    ) -> None:
        spools = [stack.enter_context(open_spool(TEXT_IN_MEMORY)) for _ in texts]
        self._files = dict(zip(texts, spools, strict=True))
        self._about = about
        self._begin = ""
        self._missing: dict[Field, bool] = {}
        self._never = {text for text in texts if text.role == "reference"}

    def add(self, run: rows.DocumentRun) -> None:
        """Take the next segments, of a new document or of the same."""
        if run.begins:
            names = {"id": run.document} | run.labels
            names.pop("collection", None)
            self._begin = f"<doc{_RULES.format_attributes(names)}>\n"
            self._missing = {}
        for text, file in self._files.items():
            if text.role == "reference" and self._is_missing(run, text):
                continue
            self._never.discard(text)
            file.write(_RULES.format_segments(run, text).encode())

    def _is_missing(self, run: rows.DocumentRun, text: Field) -> bool:
        """Whether the reference lacks the document; it cannot lack parts of one."""
        for index, segment in enumerate(run.chunk.rows[text]):
            missing = segment is None
            if missing != self._missing.setdefault(text, missing):
                lacks = "is missing" if missing else "is not missing"
                what = f"{lacks}, unlike others of its document"
                _RULES.refuse(run.chunk, index, text, what)
        return self._missing[text]

    def end(self) -> Iterator[bytes]:
        """Write the document that is open, if any, and make room for the next."""
        if not self._begin:
            return
        yield self._begin.encode()
        for text, file in self._files.items():
            if self._missing.get(text):
                continue
            tag = _TAGS[text.role]
            key = "srclang" if text.role == "source" else "trglang"
            attributes = {"lang": self._about.get(key), NAMES[tag]: text.name}
            given = {k: v for k, v in attributes.items() if k and v}
            yield f"<{tag}{_RULES.format_attributes(given)}>\n<p>\n".encode()
            yield from drain_spool(file)
            yield f"</p>\n</{tag}>\n".encode()
        yield b"</doc>\n"
        self._begin = ""

    def refuse_empty_references(self) -> None:
        """Refuse a reference that no document has: not even its name would be written."""
        for text in self._never:
            msg = (
                f"All of {describe_field(text)} is missing, so wmt-xml cannot "
                "represent it; leave it out with `drop` "
                f"{format_column_name(text)!r}."
            )
            raise FormatError(msg)
