"""One pass through a corpus: every metric's statistics of every system, added up."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

from metra.corpus.batch import Batch, CorpusChunk, SegmentColumn
from metra.corpus.outputs import Corpus
from metra.errors import CorpusError, OptionError
from metra.metrics.record import Array, Metric, Need, check_needs
from metra.scoring.totals import (
    ONE_GROUP,
    Statistics,
    Totals,
    TotalsShape,
    add_entries,
    count_chunk,
    count_chunk_rows,
    group_segments,
    sum_groups,
)
from metra.stats.parallel import ordered_map, thread_count
from metra.stats.totals import join_parts
from metra.text.columns import pack, window

CHUNK = 2048


class LabelledCorpus(Protocol):
    """A corpus whose segments have labels, which they can be grouped by."""

    def labelled_chunks(
        self, size: int, labels: Sequence[str]
    ) -> Iterator[tuple[CorpusChunk, Sequence[Sequence[Any]]]]:
        """Walk through the segments with these labels of theirs."""
        ...


class Visitor(Protocol):
    """An analysis that takes what it needs from the pass in which metrics are counted."""

    def visit(self, chunk: CorpusChunk) -> None:
        """Look at the next segments; tokens that a metric has made are not made again."""
        ...


class Tally(NamedTuple):
    """One system's statistics for one metric: every segment's, and their sum."""

    rows: Array
    total: Array


@dataclass(slots=True)
class CorpusStatistics:
    """What was counted: totals, and if they were kept the rows of every segment."""

    shape: TotalsShape
    totals: Totals = field(default_factory=dict)
    #: By system and spec, where rows were kept.
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    #: Each segment's, where rows were kept; else each once.
    documents: list[str] = field(default_factory=list)
    segments: int = 0

    @property
    def nrefs(self) -> int | str:
        """How many references each segment has, `var` where that varies."""
        lacking = any(total.lacking for total in self.totals.values())
        return "var" if lacking else self.shape.references


def fit_metrics(
    corpus: Corpus, metrics: Mapping[str, Metric], chunk: int = CHUNK
) -> dict[str, Metric]:
    """Fit the metrics that have corpus weights; the others stay as they are.

    Metrics that need what the corpus does not have are refused.
    """
    has: dict[Need, bool] = {
        "references": corpus.has_references,
        "source": corpus.has_source,
        "documents": corpus.has_documents,
    }
    check_needs(metrics, has)
    first = corpus.systems[0]

    def batches() -> Iterator[Batch]:
        return (part.batch(first) for part in split_corpus(corpus, metrics, chunk))

    return {
        spec: metric.fit(batches()) if metric.fit else metric
        for spec, metric in metrics.items()
    }


def split_corpus(
    corpus: Corpus, metrics: Mapping[str, Metric], chunk: int = CHUNK
) -> Iterator[CorpusChunk]:
    """Cut the corpus into chunks, documents in one piece where a metric needs them so.

    Where no documents are known, the whole corpus is one document.
    """
    chunks = corpus.chunks(chunk)
    if any(metric.whole_documents for metric in metrics.values()):
        return join_documents(chunks)
    return chunks


def count_corpus(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    keep: bool,
    group_by: Sequence[str] = (),
    visitors: Sequence[Visitor] = (),
    chunk: int = CHUNK,
    progress: Callable[[int], None] = lambda _: None,
) -> CorpusStatistics:
    """Walk through the corpus once; count every metric for every system.

    With `group_by`, names of labels, segments that agree in them are added up apart.
    Visitors see each chunk once, in order and in the calling thread.
    """

    def count(
        part: tuple[CorpusChunk, Sequence[Sequence[Any]]],
    ) -> tuple[CorpusChunk, Statistics, Totals]:
        segments, labels = part
        grouping = group_segments(labels) if labels else ONE_GROUP
        if not keep:
            return segments, {}, count_chunk(segments, metrics, grouping)
        rows = count_chunk_rows(segments, metrics)
        return segments, rows, sum_groups(segments, rows, grouping)

    statistics = CorpusStatistics(TotalsShape(corpus.systems, 0, group_by))
    rows_by_key: dict[tuple[str, str], list[Array]] = {}
    documents: dict[str, None] = {}
    parts = _split_labelled(corpus, metrics, group_by, chunk)
    for segments, rows, totals in ordered_map(count, parts, thread_count()):
        add_entries(statistics.totals, totals.items())
        for key, chunk_rows in rows.items():
            rows_by_key.setdefault(key, []).append(chunk_rows)
        for visitor in visitors:
            visitor.visit(segments)
        statistics.segments += len(segments)
        statistics.shape = statistics.shape._replace(references=len(segments.refs))
        names = segments.documents or []
        if keep:
            statistics.documents.extend(names)
        else:  # without rows nobody asks which segment was of which document
            documents.update(dict.fromkeys(names))
        progress(statistics.segments)
    statistics.documents.extend(documents)
    if keep:
        statistics.tallies = _build_tallies(statistics.totals, rows_by_key)
    return statistics


def _split_labelled(
    corpus: Corpus, metrics: Mapping[str, Metric], group_by: Sequence[str], chunk: int
) -> Iterator[tuple[CorpusChunk, Sequence[Sequence[Any]]]]:
    """Cut the corpus into chunks with the labels that segments are grouped by."""
    if not group_by:
        return ((part, ()) for part in split_corpus(corpus, metrics, chunk))
    for spec, metric in metrics.items():
        if metric.whole_documents:
            msg = (
                f"{spec} looks at whole documents, which groups may cut; leave one out."
            )
            raise OptionError(msg)
    return cast("LabelledCorpus", corpus).labelled_chunks(chunk, group_by)


def _build_tallies(
    totals: Totals, rows_by_key: dict[tuple[str, str], list[Array]]
) -> dict[tuple[str, str], Tally]:
    import numpy as np

    return {
        (system, spec): Tally(
            np.concatenate(rows_by_key.pop((system, spec))),
            np.array(join_parts(entry.sums)),
        )
        for (_, system, spec), entry in totals.items()
    }


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
