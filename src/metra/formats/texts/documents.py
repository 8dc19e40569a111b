"""Files with ids, SGML and WMT's XML, as one table: matched by document and segment.

The order is that of the source, else of the first reference, else of the first output;
documents, and segments inside of them, may come in another order in the other files.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice, repeat
from typing import NamedTuple

from metra.errors import CorpusError, FormatError
from metra.formats.spool import SeekableFile
from metra.formats.stream import format_path
from metra.formats.texts.columns import (
    DOCUMENT,
    SEGMENT_ID,
    TEXT_ROLES,
    Columns,
    Field,
    Reader,
    describe_field,
)
from metra.formats.texts.parts import DocumentPart, ScannedContents, ScannedSegment
from metra.formats.texts.sources import Source


class DocumentText(NamedTuple):
    """One text of a file: what it is used as, and where its documents lie."""

    field: Field
    source: Source
    file: SeekableFile
    contents: ScannedContents
    parts: dict[str, DocumentPart]

    def segments(self, document: str) -> Iterator[ScannedSegment]:
        """Read the segments of a document."""
        module = self.source.format.load()
        return module.read_segments(self.file, self.parts[document])

    def describe(self, document: str) -> str:
        """Name a document in a message."""
        return f"document {document!r} of {describe_field(self.field)}"

    @property
    def place(self) -> str:
        """The text and its file, as messages name them."""
        return f"{describe_field(self.field)} in {format_path(self.source.path)}"


def scan_file(source: Source) -> dict[Field, DocumentText]:
    """Look through a file with ids for its texts, documents and segments."""
    file = SeekableFile(source.path)
    contents = source.format.load().scan(file, source.name)
    if not contents.parts:
        msg = (
            f"{format_path(source.path)} contains no documents; expected at least "
            "one <doc>."
        )
        raise FormatError(msg)
    return {
        field: DocumentText(field, source, file, contents, parts)
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
        shuffled = {text.field: self._check_ids(text) for text in texts}
        self._shuffled = {
            (f, document) for f, ids in shuffled.items() for document in ids
        }
        self._labels: dict[str, dict[str, str]] = {}
        self.about: dict[str, str] = {}
        for text in [*guides, *texts]:
            self.about = text.contents.about | self.about
            for document in text.parts:
                labels = self._labels.setdefault(document, {})
                self._labels[document] = text.contents.labels[document] | labels
        names = chain.from_iterable(self._labels.values())
        self.labels = [Field("label", name) for name in dict.fromkeys(names)]
        self.fields = [*self._by_field, DOCUMENT, SEGMENT_ID, *self.labels]

    def open(self, wanted: Collection[Field]) -> Reader:
        """Read the wanted columns from the start, whose share is not known."""
        fields = [field for field in self.fields if field in wanted]
        columns = {field: self._read_column(field) for field in fields}

        def read(most: int) -> Columns:
            return {field: list(islice(columns[field], most)) for field in fields}

        return Reader(fields, read, lambda: None)

    def _check_ids(self, text: DocumentText) -> Iterator[str]:
        """Check a text's ids; yield the documents whose segments are in another order."""
        path = format_path(text.source.path)
        for document, part in text.parts.items():
            guide = self._guide.get(document)
            if guide is None:
                other = next(iter(self._guide.values()))
                what = f"{path}, line {part.line}: {text.describe(document)}"
                msg = f"{what} is not in {other.place}; ids must agree."
                raise CorpusError(msg)
            expected = guide.parts[document]
            if (part.size, part.digest) != (expected.size, expected.digest):
                _compare_segments(text, guide, document)
                yield document
        if text.field.role == "reference" and text.source.format.has_partial_references:
            return
        for document, guide in self._guide.items():
            if document not in text.parts:
                other_place = (
                    f"{guide.place} has it on line {guide.parts[document].line}"
                )
                msg = (
                    f"{path} has no {text.describe(document)}, but {other_place}; "
                    "every document is required."
                )
                raise CorpusError(msg)

    def _read_column(self, field: Field) -> Iterator[str | None]:
        for document, guide in self._guide.items():
            size = guide.parts[document].size
            count = 0
            for value in islice(self._read_document(field, document, size), size):
                yield value
                count += 1
            if count < size:
                path = format_path(self.texts[0].source.path)
                msg = f"{path} or a parallel file changed while it was being read."
                raise FormatError(msg)

    def _read_document(
        self, field: Field, document: str, size: int
    ) -> Iterator[str | None]:
        """Read a column of a document."""
        guide = self._guide[document]
        if field == DOCUMENT:
            return repeat(document, size)
        if field == SEGMENT_ID:
            return (segment.id for segment in guide.segments(document))
        if field.role == "label":
            return repeat(self._labels[document].get(field.name), size)
        text = self._by_field[field]
        if document not in text.parts:
            return repeat(None, size)
        segments = text.segments(document)
        if (field, document) not in self._shuffled:
            return (segment.text for segment in segments)
        by_id = {segment.id: segment.text for segment in segments}
        return (by_id[segment.id] for segment in guide.segments(document))

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
    files = [text.file for text in guides]

    def get_place(document: str) -> tuple[int, int]:
        text = owners[document]
        return files.index(text.file), text.parts[document].start

    return {document: owners[document] for document in sorted(owners, key=get_place)}


def _compare_segments(text: DocumentText, guide: DocumentText, document: str) -> None:
    """Name the first segment that one text has and the other lacks."""
    present = {segment.id: segment.line for segment in text.segments(document)}
    expected = {segment.id: segment.line for segment in guide.segments(document)}
    path, name = format_path(text.source.path), text.describe(document)
    for segment, line in expected.items():
        if segment not in present:
            what = f"{name} lacks segment {segment!r}, which {guide.place} has on line {line}"
            place = f"{path}, line {text.parts[document].line}"
            msg = f"{place}: {what}; every segment is required."
            raise CorpusError(msg)
    for segment, line in present.items():
        if segment not in expected:
            what = f"{name} has segment {segment!r}, which {guide.place} does not have"
            guide_line = guide.parts[document].line
            msg = f"{path}, line {line}: {what} (line {guide_line}); ids must agree."
            raise CorpusError(msg)
