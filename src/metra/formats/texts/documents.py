"""Files with ids, SGML and WMT's XML, as one table: matched by document and segment.

The order is that of the source, else of the first reference, else of the first output;
documents, and segments inside of them, may come in another order in the other files.
Such files are read at once.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from metra.errors import CorpusError, FormatError
from metra.formats.stream import format_path
from metra.formats.texts.columns import (
    DOCUMENT,
    SEGMENT_ID,
    TEXT_ROLES,
    Field,
    Reader,
    describe_field,
    open_columns,
)
from metra.formats.texts.parts import DocumentPart, ScannedContents
from metra.formats.texts.sources import Source


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
            yield from self._read_document(
                field, document, guide.parts[document].segments
            )

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
        return (part.segments[key].text for key in ids)

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
    path, name = format_path(text.source.path), text.describe(document)
    for segment, (_, line) in expected.segments.items():
        if segment not in part.segments:
            what = f"{name} lacks segment {segment!r}, which {guide.place} has on line {line}"
            msg = f"{path}, line {part.line}: {what}; every segment is required."
            raise CorpusError(msg)
    for segment, (_, line) in part.segments.items():
        if segment not in expected.segments:
            what = f"{name} has segment {segment!r}, which {guide.place} does not have"
            where = f"(line {expected.line})"
            msg = f"{path}, line {line}: {what} {where}; ids must agree."
            raise CorpusError(msg)
