"""Files with ids, SGML and WMT's XML, as one table: matched by document and segment.

The order is that of the source, else of the first reference, else of the first output;
documents, and segments inside of them, may come in another order in the other files.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice, repeat
from typing import NamedTuple

from metra.errors import CorpusError, FormatError
from metra.formats.stream import SeekableFile, format_path
from metra.formats.texts.columns import (
    DOCUMENT,
    SEGMENT_ID,
    TEXT_ROLES,
    Field,
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

    @property
    def place(self) -> str:
        """The text and its file, as messages name them."""
        return f"{describe_field(self.field)} in {format_path(self.source.path)}"


class ScannedFile(NamedTuple):
    """A file with ids and what a scan found in it."""

    source: Source
    file: SeekableFile
    contents: ScannedContents

    def get_text(self, own_field: Field, field: Field) -> DocumentText:
        """Return one of the file's texts, to be used as `field`."""
        return DocumentText(field, *self, self.contents.parts[own_field])


def scan_file(source: Source) -> ScannedFile:
    """Look through a file with ids for its texts, documents and segments."""
    file = SeekableFile(source.path)
    contents = source.format.load().scan(file, source.name)
    if not contents.parts:
        msg = f"{format_path(source.path)} holds no documents; expected at least one <doc>."
        raise FormatError(msg)
    return ScannedFile(source, file, contents)


class DocumentFiles:
    """Texts of files with ids that agree, ready to be read any number of times."""

    def __init__(self, texts: Sequence[DocumentText]) -> None:
        """Check that the ids agree, and collect the labels of all files."""
        self.texts = texts
        self._by_field = {text.field: text for text in texts}
        guides = _find_guides(texts)
        self._guide = _order_documents(guides)
        self._shuffled = {
            (text.field, document)
            for text in texts
            for document in self._check_ids(text)
        }
        self._labels: dict[str, dict[str, str]] = {}
        self.about: dict[str, str] = {}
        for text in [*guides, *texts]:
            self.about = text.contents.about | self.about
            for document in text.parts:
                labels = self._labels.setdefault(document, {})
                self._labels[document] = text.contents.labels[document] | labels
        names = dict.fromkeys(
            name for labels in self._labels.values() for name in labels
        )
        self.labels = [Field("label", name) for name in names]
        self.fields = [*self._by_field, DOCUMENT, SEGMENT_ID, *self.labels]

    def open(self, wanted: Collection[Field]) -> "_DocumentReader":
        """Read the wanted columns from the start."""
        return _DocumentReader(
            self, [field for field in self.fields if field in wanted]
        )

    def _check_ids(self, text: DocumentText) -> Iterator[str]:
        """Check a text's ids; yield the documents whose segments are in another order."""
        for document, part in text.parts.items():
            guide = self._guide.get(document)
            if guide is None:
                other = next(iter(self._guide.values()))
                msg = (
                    f"{format_path(text.source.path)}, line {part.line}: document "
                    f"{document!r} of {describe_field(text.field)} is not in "
                    f"{other.place}; ids must agree."
                )
                raise CorpusError(msg)
            expected = guide.parts[document]
            if (part.size, part.digest) != (expected.size, expected.digest):
                _compare_segments(text, guide, document)
                yield document
        if text.field.role == "reference" and text.source.format.has_partial_references:
            return
        for document, guide in self._guide.items():
            if document not in text.parts:
                msg = (
                    f"{format_path(text.source.path)} has no document {document!r} of "
                    f"{describe_field(text.field)}, but {guide.place} has it on line "
                    f"{guide.parts[document].line}; every document must be there."
                )
                raise CorpusError(msg)

    def count(self, document: str) -> int:
        """Return the number of a document's segments."""
        return self._guide[document].parts[document].size

    def read_column(self, field: Field, document: str) -> Iterator[str | None]:
        """Read a column of a document."""
        guide = self._guide[document]
        if field == DOCUMENT:
            return repeat(document, self.count(document))
        if field == SEGMENT_ID:
            return (segment.id for segment in guide.segments(document))
        if field.role == "label":
            label = self._labels[document].get(field.name)
            return repeat(label, self.count(document))
        return self._read_text(self._by_field[field], document)

    def _read_text(self, text: DocumentText, document: str) -> Iterator[str | None]:
        guide = self._guide[document]
        if document not in text.parts:
            return repeat(None, self.count(document))
        segments = text.segments(document)
        if (text.field, document) not in self._shuffled:
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

    @property
    def documents(self) -> Iterator[str]:
        """The documents in order."""
        return iter(self._guide)


class _DocumentReader:
    """The table of the files, some segments at a time."""

    def __init__(self, files: DocumentFiles, fields: list[Field]) -> None:
        self.path = files.texts[0].source.path
        self.fields = fields
        self.count = 0
        self._files = files
        self._documents = files.documents
        self._left = 0
        self._open: dict[Field, Iterator[str | None]] = {}

    def read(self, most: int) -> dict[Field, list[str | None]]:
        """Read the next segments by column: fewer than `most` only at the end."""
        columns: dict[Field, list[str | None]] = {field: [] for field in self.fields}
        taken = 0
        while taken < most:
            if not self._left:
                document = next(self._documents, None)
                if document is None:
                    break
                self._left = self._files.count(document)
                self._open = {
                    field: self._files.read_column(field, document)
                    for field in self.fields
                }
                continue
            count = min(most - taken, self._left)
            for field, values in columns.items():
                values += islice(self._open[field], count)
            taken += count
            self._left -= count
        if any(len(values) != taken for values in columns.values()):
            msg = f"{format_path(self.path)} or a file beside it has changed while it was read."
            raise FormatError(msg)
        self.count += taken
        return columns

    def share(self) -> float | None:
        """Files with ids are looked through before, and read in the order of their ids."""
        return None

    def close(self) -> None:
        """Drop what is open; the files stay, to be read again."""
        self._open = {}


def _find_guides(texts: Sequence[DocumentText]) -> list[DocumentText]:
    """Return the texts whose order counts: the source, else references, else outputs."""
    roles = {text.field.role for text in texts}
    role = next(role for role in TEXT_ROLES if role in roles)
    return [text for text in texts if text.field.role == role]


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
    path, line = format_path(text.source.path), text.parts[document].line
    for segment in expected:
        if segment not in present:
            msg = (
                f"{path}, line {line}: document {document!r} of "
                f"{describe_field(text.field)} lacks segment {segment!r}, which "
                f"{guide.place} has on line "
                f"{expected[segment]}; every segment must be there."
            )
            raise CorpusError(msg)
    for segment in present:
        if segment not in expected:
            msg = (
                f"{path}, line {present[segment]}: document {document!r} of "
                f"{describe_field(text.field)} has segment {segment!r}, which "
                f"{guide.place} has not (line {guide.parts[document].line}); ids must agree."
            )
            raise CorpusError(msg)
