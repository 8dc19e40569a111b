"""One pass through a corpus: every metric's statistics of every system, added up."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from metra.corpus.batch import CorpusChunk, SegmentColumn
from metra.errors import CorpusError, OptionError
from metra.metrics.record import Array, Metric, Need, check_needs
from metra.scoring.totals import Totals, count_chunk, group_segments
from metra.stats.parallel import Progress, ordered_map, thread_count
from metra.stats.totals import join_parts
from metra.text.columns import pack, window

if TYPE_CHECKING:
    from metra.corpus.batch import Batch
    from metra.corpus.outputs import Corpus

CHUNK = 2048
#: Beyond this many documents, their names would take more memory than anything else.
MOST_DOCUMENTS = 100_000


class Tally(NamedTuple):
    """One system's statistics for one metric: every segment's, and their sum."""

    rows: Array
    total: Array


@dataclass(slots=True)
class CorpusStatistics:
    """What was counted: totals, and if they were kept the rows of every segment."""

    #: With their weights, where they have any.
    metrics: Mapping[str, Metric]
    systems: Sequence[str]
    group_by: Sequence[str] = ()
    references: int = 0
    segments: int = 0
    totals: Totals = field(default_factory=Totals)
    #: By system and spec, where rows were kept.
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    #: Each segment's, where rows were kept; else each once, or none where there are too many.
    documents: list[str] = field(default_factory=list)

    @property
    def nrefs(self) -> int | str:
        """How many references each segment has, `var` where that varies."""
        lacking = any(total.lacking for total in self.totals.sum().values())
        return "var" if lacking else self.references


def fit_metrics(
    corpus: "Corpus", metrics: Mapping[str, Metric], chunk: int = CHUNK
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

    def read_batches() -> "Iterator[Batch]":
        return (part.batch(first) for part in split_corpus(corpus, metrics, chunk))

    return {
        spec: metric.fit(read_batches()) if metric.fit else metric
        for spec, metric in metrics.items()
    }


def split_corpus(
    corpus: "Corpus",
    metrics: Mapping[str, Metric],
    chunk: int = CHUNK,
    group_by: Sequence[str] = (),
) -> Iterator[CorpusChunk]:
    """Cut the corpus into chunks, documents in one piece where a metric needs them so.

    Where no documents are known, the whole corpus is one document. Chunks come with the
    labels that segments are grouped by.
    """
    chunks = corpus.chunks(chunk, group_by)
    whole = [spec for spec, metric in metrics.items() if metric.whole_documents]
    if whole and group_by:
        msg = (
            f"{whole[0]} needs whole documents, which groups may split; leave one of "
            "them out."
        )
        raise OptionError(msg)
    return join_documents(chunks) if whole else chunks


def count_corpus(
    corpus: "Corpus",
    metrics: Mapping[str, Metric],
    *,
    keep: bool,
    group_by: Sequence[str] = (),
    visitors: Sequence[Callable[[CorpusChunk], None]] = (),
    chunk: int = CHUNK,
    progress: Progress = lambda *_: None,
) -> CorpusStatistics:
    """Walk through the corpus once; count every metric for every system.

    Metrics that have corpus weights are fitted first. With `group_by`, names of labels,
    segments that agree in them are added up apart. Visitors are given each chunk, in order
    and in the calling thread; tokens that a metric has made are not made again.
    """
    metrics = fit_metrics(corpus, metrics, chunk)

    def count(
        part: CorpusChunk,
    ) -> tuple[CorpusChunk, Totals, dict[tuple[str, str], Array]]:
        grouping = group_segments(part.labels) if part.labels else None
        return part, *count_chunk(part, metrics, grouping, keep=keep)

    statistics = CorpusStatistics(metrics, corpus.systems, group_by)
    rows_by_key: dict[tuple[str, str], list[Array]] = {}
    documents: dict[str, None] = {}
    parts = split_corpus(corpus, metrics, chunk, group_by)
    for part, totals, rows in ordered_map(count, parts, choose_threads(metrics)):
        statistics.totals.add(totals)
        for key, chunk_rows in rows.items():
            rows_by_key.setdefault(key, []).append(chunk_rows)
        for visit in visitors:
            visit(part)
        statistics.segments += len(part)
        statistics.references = len(part.refs)
        names = part.documents or []
        if keep:
            statistics.documents.extend(names)
        # Without rows, only the number of documents is asked for.
        elif len(documents) <= MOST_DOCUMENTS:
            documents.update(dict.fromkeys(names))
        progress(statistics.segments, corpus.share())
    if len(documents) <= MOST_DOCUMENTS:
        statistics.documents.extend(documents)
    if keep:
        import numpy as np

        for pair, entry in statistics.totals.whole.items():
            kept = np.concatenate(rows_by_key.pop(pair))
            statistics.tallies[pair] = Tally(kept, np.array(join_parts(entry.sums)))
    return statistics


def choose_threads(metrics: Mapping[str, Metric]) -> int:
    """Return how many chunks to count at once: one where a metric has threads of its own."""
    has_own = any(metric.own_threads for metric in metrics.values())
    return 1 if has_own else thread_count()


def join_documents(chunks: Iterable[CorpusChunk]) -> Iterator[CorpusChunk]:
    """Cut the same segments so that no document is in two chunks."""
    held: CorpusChunk | None = None
    ended: set[str] = set()
    for chunk in chunks:
        joined = chunk if held is None else _join_chunks(held, chunk)
        names = joined.documents or [""] * len(joined)
        # Where the last document of the chunk begins.
        cut = len(names) - len(list(takewhile(names[-1].__eq__, reversed(names))))
        if cut:
            yield _note_ends(_slice_chunk(joined, 0, cut), ended)
        held = _slice_chunk(joined, cut, len(joined))
    if held is not None:
        yield _note_ends(held, ended)


def _note_ends(chunk: CorpusChunk, ended: set[str]) -> CorpusChunk:
    """Refuse a chunk that returns to a document which had ended."""
    names = chunk.documents or []
    for index, name in enumerate(names):
        if index and names[index - 1] == name:
            continue
        if name in ended:
            msg = (
                f"Segment {chunk.first + index + 1} returns to document {name!r}, "
                "which had ended; document metrics need each document in one piece."
            )
            raise CorpusError(msg)
        ended.add(name)
    return chunk


def _join_chunks(left: CorpusChunk, right: CorpusChunk) -> CorpusChunk:
    def join(first: SegmentColumn, second: SegmentColumn) -> SegmentColumn:
        texts = [window(column.text, 0, len(column.text)) for column in (first, second)]
        return SegmentColumn(pack([*texts[0], *texts[1]], "the chunk"))

    return CorpusChunk(
        {name: join(left.systems[name], right.systems[name]) for name in left.systems},
        [join(*pair) for pair in zip(left.refs, right.refs, strict=True)],
        join(left.source, right.source) if left.source and right.source else None,
        [*(left.documents or []), *(right.documents or [])] or None,
        left.first,
    )


def _slice_chunk(chunk: CorpusChunk, start: int, stop: int) -> CorpusChunk:
    if (start, stop) == (0, len(chunk)):
        return chunk

    def cut(column: SegmentColumn) -> SegmentColumn:
        return SegmentColumn(pack(window(column.text, start, stop), "the chunk"))

    return CorpusChunk(
        {name: cut(column) for name, column in chunk.systems.items()},
        [cut(column) for column in chunk.refs],
        cut(chunk.source) if chunk.source else None,
        None if chunk.documents is None else chunk.documents[start:stop],
        chunk.first + start,
    )
