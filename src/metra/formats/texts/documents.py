"""Files with ids, SGML and WMT's XML, as one table: matched by document and segment.

The order is that of the source, else of the first reference, else of the first output;
documents, and segments inside of them, may come in another order in the other files.
Such files are read at once.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, NamedTuple
from xml.parsers import expat

from metra.errors import CorpusError, FormatError, MetraError
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


class DocumentText(NamedTuple):
    """One text of a file: what it is used as, and its documents."""

    field: Field
    source: Source
    contents: ScannedContents
    parts: Mapping[str, DocumentPart]

    def describe(self, document: str) -> str:
        """Name a document in a message."""
        return f"document {document!r} of {describe_field(self.field)}"

    @property
    def place(self) -> str:
        """The text and its file, as messages name them."""
        return f"{describe_field(self.field)} in {format_path(self.source.path)}"


def scan_file(source: Source) -> dict[Field, DocumentText]:
    """Read the texts of a file with ids."""
    contents = source.format.load().scan(source.path, source.name)
    if not contents.parts:
        msg = (
            f"{format_path(source.path)} contains no documents; expected at least "
            "one <doc>."
        )
        raise FormatError(msg)
    return {
        field: DocumentText(field, source, contents, parts)
        for field, parts in contents.parts.items()
    }


class DocumentFiles:
    """Texts of files with ids that agree, ready to be read any number of times."""

    def __init__(self, texts: Sequence[DocumentText]) -> None:
        """Check that the ids agree, and collect the labels of all files."""
        self.texts = texts
        self._by_field = {text.field: text for text in texts}
        # The order of the source counts, else that of references, else of outputs.
        roles = {text.field.role for text in texts}
        role = next(role for role in TEXT_ROLES if role in roles)
        guides = [text for text in texts if text.field.role == role]
        self._guide = _order_documents(guides)
        for text in texts:
            self._check_ids(text)
        self._labels: dict[str, dict[str, str]] = {}
        for text in [*guides, *texts]:
            for document in text.parts:
                labels = self._labels.setdefault(document, {})
                self._labels[document] = text.contents.labels[document] | labels
        names = chain.from_iterable(self._labels.values())
        self.labels = [Field("label", name) for name in dict.fromkeys(names)]
        self.fields = [*self._by_field, DOCUMENT, SEGMENT_ID, *self.labels]

    def open(self, wanted: Collection[Field]) -> Reader:
        """Read the wanted columns from the start."""
        fields = [field for field in self.fields if field in wanted]
        return open_columns({field: [*self._read_column(field)] for field in fields})

    def _check_ids(self, text: DocumentText) -> None:
        path = format_path(text.source.path)
        for document, part in text.parts.items():
            guide = self._guide.get(document)
            if guide is None:
                other = next(iter(self._guide.values()))
                what = f"{path}, line {part.line}: {text.describe(document)}"
                msg = f"{what} is not in {other.place}; ids must agree."
                raise CorpusError(msg)
            _compare_segments(text, guide, document)
        if text.field.role == "reference" and text.source.format.has_partial_references:
            return
        for document, guide in self._guide.items():
            if document not in text.parts:
                line = guide.parts[document].line
                msg = (
                    f"{path} has no {text.describe(document)}, but {guide.place} has it "
                    f"on line {line}; every document is required."
                )
                raise CorpusError(msg)

    def _read_column(self, field: Field) -> Iterator[str | None]:
        for document, guide in self._guide.items():
            ids = guide.parts[document].segments
            yield from self._read_document(field, document, ids)

    def _read_document(
        self, field: Field, document: str, ids: Collection[str]
    ) -> Iterable[str | None]:
        """Read a column of a document, segments in the order of `ids`."""
        if field == SEGMENT_ID:
            return ids
        if field == DOCUMENT:
            return repeat(document, len(ids))
        if field.role == "label":
            return repeat(self._labels[document].get(field.name), len(ids))
        part = self._by_field[field].parts.get(document)
        if part is None:
            return repeat(None, len(ids))
        return (part.segments[key] for key in ids)

    def check_references(self) -> None:
        """Refuse a document that no reference has; it can be converted, but not scored."""
        references = [text for text in self.texts if text.field.role == "reference"]
        for document, guide in self._guide.items():
            if not any(document in text.parts for text in references):
                msg = (
                    f"{format_path(guide.source.path)}, line {guide.parts[document].line}: "
                    f"document {document!r} has no reference; give one, or leave such "
                    "documents out with `metra convert --only LABEL=VALUE`."
                )
                raise CorpusError(msg)


def _order_documents(guides: Sequence[DocumentText]) -> dict[str, DocumentText]:
    """Return the documents in order, each with the first of the texts that has it.

    References may lack documents, so the order of the file counts, not that of one text.
    """
    owners: dict[str, DocumentText] = {}
    for text in guides:
        for document in text.parts:
            owners.setdefault(document, text)
    files = [id(text.contents) for text in guides]

    def get_place(document: str) -> tuple[int, int]:
        text = owners[document]
        return files.index(id(text.contents)), text.parts[document].place

    return {document: owners[document] for document in sorted(owners, key=get_place)}


def _compare_segments(text: DocumentText, guide: DocumentText, document: str) -> None:
    """Name the first segment that one text has and the other lacks."""
    part, expected = text.parts[document], guide.parts[document]
    path = format_path(text.source.path)
    place = f"{path}, line {part.line}: {text.describe(document)}"
    for segment in expected.segments:
        if segment not in part.segments:
            what = f"lacks segment {segment!r}, which {guide.place} has"
            msg = f"{place} {what} (line {expected.line}); every segment is required."
            raise CorpusError(msg)
    for segment in part.segments:
        if segment not in expected.segments:
            what = f"has segment {segment!r}, which {guide.place} does not have"
            msg = f"{place} {what} (line {expected.line}); ids must agree."
            raise CorpusError(msg)


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
