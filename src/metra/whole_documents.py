"""Chunks that end where documents end, for measures that look at a document as one."""

from collections.abc import Iterable, Iterator, Mapping

from metra.corpus import Chunk, Column, Corpus
from metra.errors import CorpusError
from metra.measure import Metric
from metra.text import pack, window


def parts_of(
    corpus: Corpus, metrics: Mapping[str, Metric], chunk: int
) -> Iterator[Chunk]:
    """Walk through the corpus, documents in one piece where a measure wants them so.

    Where none are known, all of it is one document.
    """
    chunks = corpus.chunks(chunk)
    if any(metric.whole_documents for metric in metrics.values()):
        return whole_documents(chunks)
    return chunks


def whole_documents(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Cut the same segments so that no document is in two chunks."""
    held: Chunk | None = None
    ended: set[str] = set()
    for chunk in chunks:
        joined = chunk if held is None else _joined(held, chunk)
        cut = _last_document(joined)
        if cut:
            head = _part(joined, 0, cut)
            _note_ends(head, ended)
            yield head
        held = _part(joined, cut, len(joined))
    if held is not None:
        _note_ends(held, ended)
        yield held


def _last_document(chunk: Chunk) -> int:
    """Find where the last document of the chunk begins."""
    names = chunk.documents or [""] * len(chunk)
    at = len(names) - 1
    while at and names[at - 1] == names[-1]:
        at -= 1
    return at


def _note_ends(chunk: Chunk, ended: set[str]) -> None:
    names = chunk.documents or []
    for at, name in enumerate(names):
        if at and names[at - 1] == name:
            continue
        if name in ended:
            msg = (
                f"Segment {chunk.first + at + 1} returns to document {name!r}, which had "
                "ended; a measure of whole documents needs each in one piece."
            )
            raise CorpusError(msg)
        ended.add(name)


def _joined(one: Chunk, other: Chunk) -> Chunk:
    return Chunk(
        {name: _column(one.systems[name], other.systems[name]) for name in one.systems},
        [_column(*pair) for pair in zip(one.refs, other.refs, strict=True)],
        _column(one.source, other.source) if one.source and other.source else None,
        [*(one.documents or []), *(other.documents or [])] or None,
        one.first,
    )


def _part(chunk: Chunk, start: int, stop: int) -> Chunk:
    if (start, stop) == (0, len(chunk)):
        return chunk

    def part(column: Column) -> Column:
        return Column(pack(window(column.text, start, stop), "the chunk"))

    return Chunk(
        {name: part(column) for name, column in chunk.systems.items()},
        [part(column) for column in chunk.refs],
        part(chunk.source) if chunk.source else None,
        None if chunk.documents is None else chunk.documents[start:stop],
        chunk.first + start,
    )


def _column(one: Column, other: Column) -> Column:
    texts = [
        *window(one.text, 0, len(one.text)),
        *window(other.text, 0, len(other.text)),
    ]
    return Column(pack(texts, "the chunk"))
