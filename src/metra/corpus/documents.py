"""Chunks that end where documents end, for metrics that look at a document as a whole."""

from collections.abc import Iterable, Iterator

from metra.corpus.batch import CorpusChunk, SegmentColumn
from metra.errors import CorpusError
from metra.text.columns import pack, window


def join_documents(chunks: Iterable[CorpusChunk]) -> Iterator[CorpusChunk]:
    """Cut the same segments so that no document is in two chunks."""
    held: CorpusChunk | None = None
    ended: set[str] = set()
    for chunk in chunks:
        joined = chunk if held is None else _join_chunks(held, chunk)
        cut = _find_last_document(joined)
        if cut:
            head = _slice_chunk(joined, 0, cut)
            _note_ends(head, ended)
            yield head
        held = _slice_chunk(joined, cut, len(joined))
    if held is not None:
        _note_ends(held, ended)
        yield held


def _find_last_document(chunk: CorpusChunk) -> int:
    """Find where the last document of the chunk begins."""
    names = chunk.documents or [""] * len(chunk)
    start = len(names) - 1
    while start and names[start - 1] == names[-1]:
        start -= 1
    return start


def _note_ends(chunk: CorpusChunk, ended: set[str]) -> None:
    names = chunk.documents or []
    for index, name in enumerate(names):
        if index and names[index - 1] == name:
            continue
        if name in ended:
            msg = (
                f"Segment {chunk.first + index + 1} returns to document {name!r}, which had "
                "ended; a measure of whole documents needs each in one piece."
            )
            raise CorpusError(msg)
        ended.add(name)


def _join_chunks(left: CorpusChunk, right: CorpusChunk) -> CorpusChunk:
    return CorpusChunk(
        {
            name: _join_columns(left.systems[name], right.systems[name])
            for name in left.systems
        },
        [_join_columns(*pair) for pair in zip(left.refs, right.refs, strict=True)],
        _join_columns(left.source, right.source)
        if left.source and right.source
        else None,
        [*(left.documents or []), *(right.documents or [])] or None,
        left.first,
    )


def _slice_chunk(chunk: CorpusChunk, start: int, stop: int) -> CorpusChunk:
    if (start, stop) == (0, len(chunk)):
        return chunk

    def part(column: SegmentColumn) -> SegmentColumn:
        return SegmentColumn(pack(window(column.text, start, stop), "the chunk"))

    return CorpusChunk(
        {name: part(column) for name, column in chunk.systems.items()},
        [part(column) for column in chunk.refs],
        part(chunk.source) if chunk.source else None,
        None if chunk.documents is None else chunk.documents[start:stop],
        chunk.first + start,
    )


def _join_columns(left: SegmentColumn, right: SegmentColumn) -> SegmentColumn:
    texts = [
        *window(left.text, 0, len(left.text)),
        *window(right.text, 0, len(right.text)),
    ]
    return SegmentColumn(pack(texts, "the chunk"))
