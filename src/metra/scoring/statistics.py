"""Walking through a corpus once: every metric's statistics of every system, added up.

Chunks that end where documents end, for measures that look at a document as one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from metra.corpus.batch import Batch, CorpusChunk, SegmentColumn
from metra.corpus.outputs import Corpus
from metra.errors import CorpusError
from metra.metrics.record import Array, Metric
from metra.stats import totals
from metra.stats.parallel import ordered_map, thread_count
from metra.text.columns import pack, window


def split_corpus(
    corpus: Corpus, metrics: Mapping[str, Metric], chunk: int
) -> Iterator[CorpusChunk]:
    """Walk through the corpus, documents in one piece where a measure wants them so.

    Where none are known, all of it is one document.
    """
    chunks = corpus.chunks(chunk)
    if any(metric.whole_documents for metric in metrics.values()):
        return join_documents(chunks)
    return chunks


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
    at = len(names) - 1
    while at and names[at - 1] == names[-1]:
        at -= 1
    return at


def _note_ends(chunk: CorpusChunk, ended: set[str]) -> None:
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


def _join_chunks(one: CorpusChunk, other: CorpusChunk) -> CorpusChunk:
    return CorpusChunk(
        {
            name: _join_columns(one.systems[name], other.systems[name])
            for name in one.systems
        },
        [_join_columns(*pair) for pair in zip(one.refs, other.refs, strict=True)],
        _join_columns(one.source, other.source)
        if one.source and other.source
        else None,
        [*(one.documents or []), *(other.documents or [])] or None,
        one.first,
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


def _join_columns(one: SegmentColumn, other: SegmentColumn) -> SegmentColumn:
    texts = [
        *window(one.text, 0, len(one.text)),
        *window(other.text, 0, len(other.text)),
    ]
    return SegmentColumn(pack(texts, "the chunk"))


CHUNK = 2048


def check_inputs(corpus: Corpus, metrics: Mapping[str, Metric]) -> None:
    """Refuse measures that compare with what is not there."""
    for spec, metric in metrics.items():
        if metric.needs_reference and not corpus.has_references:
            msg = (
                f"{spec} compares with references, but there is none; give one with "
                "-r FILE, or a table with one."
            )
            raise CorpusError(msg)
        if metric.needs_source and not corpus.has_source:
            msg = f"{spec} compares with the source, but none was given; give -s FILE."
            raise CorpusError(msg)
        if metric.needs_documents and not corpus.has_documents:
            msg = (
                f"{spec} weighs words by their document, but no documents are known; give "
                "--docs FILE (ids that all differ make every segment a document)."
            )
            raise CorpusError(msg)


def fit_metrics(
    corpus: Corpus, metrics: Mapping[str, Metric], chunk: int = CHUNK
) -> dict[str, Metric]:
    """Fit the measures that have corpus weights; the others stay as they are."""
    first = corpus.systems[0]

    def batches() -> Iterator[Batch]:
        return (part.batch(first) for part in split_corpus(corpus, metrics, chunk))

    return {
        spec: metric.fit(batches()) if metric.fit else metric
        for spec, metric in metrics.items()
    }


class Tally:
    """One system's statistics for one metric: their sum, and the rows where needed."""

    def __init__(self, metric: Metric, *, keep: bool, whole_blocks: bool) -> None:
        width = len(metric.columns)
        shorter = metric.sums if whole_blocks and not keep else None
        self._total: Any = totals.BlockTotal(width) if shorter else totals.Total(width)
        self._rows: list[Array] | None = [] if keep else None
        #: What is asked of each batch: its rows, or their sums where that is all one needs.
        self.count: Callable[[Batch], Any] = shorter or metric.rows

    def add(self, counted: Any) -> None:
        """Add the next segments' statistics."""
        self._total.add(counted)
        if self._rows is not None:
            self._rows.append(counted)

    @property
    def total(self) -> Array:
        """The sum over all segments; a list where the metric sums by its shorter way."""
        return self._total.value()

    @property
    def rows(self) -> Array:
        """Every segment's statistics."""
        if self._rows is None:
            msg = "the rows were not kept"
            raise RuntimeError(msg)
        if len(self._rows) > 1:
            import numpy as np

            self._rows = [np.concatenate(self._rows)]
        return self._rows[0]


@dataclass(slots=True)
class CorpusStatistics:
    """What counting found: a tally for each system and metric, and the corpus's shape."""

    tallies: dict[tuple[str, str], Tally]
    #: Each segment's, where rows were kept; else each once.
    documents: list[str]
    segments: int = 0
    references: int = 0
    complete: bool = True

    @property
    def nrefs(self) -> int | str:
        """How many references each segment has, `var` where that varies."""
        return self.references if self.complete else "var"


class Visitor(Protocol):
    """An analysis that takes what it needs from the pass in which metrics are counted."""

    def visit(self, chunk: CorpusChunk) -> None:
        """Look at the next segments; tokens that a metric has made are not made again."""
        ...


def count_corpus(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    keep: bool,
    visitors: Sequence[Visitor] = (),
    chunk: int = CHUNK,
    progress: Callable[[int], None] = lambda _: None,
) -> CorpusStatistics:
    """Walk through the corpus once and tally every metric for every system.

    Visitors see each chunk once, in order and in the calling thread.
    """
    # Sums of blocks can be added only where every chunk is made of whole ones.
    whole_blocks = chunk % totals.BLOCK == 0 and not any(
        metric.whole_documents for metric in metrics.values()
    )
    sheets = CorpusStatistics(
        {
            (name, spec): Tally(metric, keep=keep, whole_blocks=whole_blocks)
            for name in corpus.systems
            for spec, metric in metrics.items()
        },
        [],
    )

    def work(part: CorpusChunk) -> tuple[CorpusChunk, dict[tuple[str, str], Any]]:
        batches = {name: part.batch(name) for name in corpus.systems}
        counted = {
            (name, spec): tally.count(batches[name])
            for (name, spec), tally in sheets.tallies.items()
        }
        return part, counted

    seen: set[str] = set()
    parts = split_corpus(corpus, metrics, chunk)
    for part, counted in ordered_map(work, parts, thread_count()):
        for key, tally in sheets.tallies.items():
            tally.add(counted[key])
        for visitor in visitors:
            visitor.visit(part)
        sheets.segments += len(part)
        sheets.references = len(part.refs)
        sheets.complete &= not any(ref.text.missing() for ref in part.refs)
        names = part.documents or []
        # Without rows nobody asks which segment was of which document.
        sheets.documents.extend(names if keep else _list_unseen(names, seen))
        progress(sheets.segments)
    return sheets


def _list_unseen(names: Sequence[str], seen: set[str]) -> list[str]:
    """List the names that were not seen before."""
    found = [name for name in dict.fromkeys(names) if name not in seen]
    seen.update(found)
    return found
