"""One pass through a corpus: every metric's statistics of every system, added up."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from threading import Event, Lock
from typing import TYPE_CHECKING, NamedTuple

from metra.corpus.batch import CorpusChunk, SegmentColumn
from metra.errors import CorpusError, MissingReferenceError, OptionError
from metra.metrics.record import Array, Metric, Need, check_needs, settle
from metra.scoring.totals import Totals, count_chunk, group_segments
from metra.stats.parallel import Progress, ordered_map, thread_count
from metra.stats.totals import join_parts
from metra.text.columns import RepeatedValues, pack, window

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


@dataclass(slots=True, eq=False, repr=False)
class CorpusStatistics:
    """Counts of a corpus: totals and, if they were kept, the rows of every segment."""

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
        """Number of references of each segment, `var` if it varies."""
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
    try:
        check_needs(metrics, has)
    except MissingReferenceError as error:
        layouts: Mapping[str, str] = getattr(corpus, "layouts", {})
        if not layouts:
            raise
        tables = ", ".join(f"{name} ({how})" for name, how in layouts.items())
        msg = (
            f"{error} Read: {tables}, with the outputs {', '.join(corpus.systems)}; name "
            "another column with `columns.references`=COLUMN."
        )
        raise MissingReferenceError(msg) from None
    first = corpus.systems[0]

    has_scores = any(metric.notes.scored for metric in metrics.values())
    ids: list[str] = getattr(corpus, "read_ids", list)() if has_scores else []

    def read_batches() -> "Iterator[Batch]":
        for part in split_corpus(corpus, metrics, chunk):
            batch = part.batch(first)
            named = ids[part.first : part.first + len(part)]
            batch.place = batch.place._replace(ids=named)
            yield batch

    fitted = {
        spec: metric.fit(read_batches()) if metric.fit else metric
        for spec, metric in metrics.items()
    }
    if not corpus.cleaned:
        return fitted
    return {
        spec: metric if metric.notes.scored else settle(metric, clean=corpus.cleaned)
        for spec, metric in fitted.items()
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
    whole = [
        spec for spec, metric in metrics.items() if "whole_documents" in metric.needs
    ]
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
    in_order: bool = True,
    chunk: int = CHUNK,
    progress: Progress = lambda *_: None,
) -> CorpusStatistics:
    """Walk through the corpus once; count every metric for every system.

    Metrics that have corpus weights are fitted first. With `group_by`, names of labels,
    segments that agree in them are added up apart. Visitors are given each chunk, one at a
    time; tokens that a metric has made are not made again. The first chunk comes first, and
    the others `in_order` or where rows are kept; otherwise, each thread reads and counts
    sections of a large table.
    """
    metrics = fit_metrics(corpus, metrics, chunk)
    statistics = CorpusStatistics(metrics, corpus.systems, group_by)
    walk = _Walk(statistics, keep, visitors, lambda n: progress(n, corpus.share()))
    threads = choose_threads(metrics)
    parts = split_corpus(corpus, metrics, chunk, group_by)
    whole = any("whole_documents" in metric.needs for metric in metrics.values())
    is_ordered = keep or in_order or whole
    sections = [] if is_ordered else corpus.sections(chunk, group_by)
    # Of few sections, threads would wait for the last.
    if len(sections) >= 2 * threads:
        for _ in ordered_map(walk.count_section, sections, threads, alone=0):
            pass
    else:
        for counted in ordered_map(walk.count, parts, threads):
            walk.add(*counted)
    return walk.finish()


class _Walk:
    """A pass through a corpus, and what was counted on the way."""

    def __init__(
        self,
        statistics: CorpusStatistics,
        keep: bool,
        visitors: Sequence[Callable[[CorpusChunk], None]],
        progress: Callable[[int], None],
    ) -> None:
        """Begin a pass; `progress` is told how many segments are counted."""
        self.statistics, self.keep = statistics, keep
        self.visitors, self.progress = visitors, progress
        self._rows: dict[tuple[str, str], list[Array]] = {}
        self._documents: dict[str, None] = {}
        self._lock, self._has_begun = Lock(), Event()

    def count(
        self, part: CorpusChunk
    ) -> tuple[CorpusChunk, Totals, dict[tuple[str, str], Array]]:
        """Count a chunk, in any thread."""
        grouping = group_segments(part.labels) if part.labels else None
        metrics = self.statistics.metrics
        return part, *count_chunk(part, metrics, grouping, keep=self.keep)

    def add(
        self, part: CorpusChunk, totals: Totals, rows: dict[tuple[str, str], Array]
    ) -> None:
        """Add the counts of a chunk to the statistics."""
        statistics = self.statistics
        statistics.totals.add(totals)
        for key, chunk_rows in rows.items():
            self._rows.setdefault(key, []).append(chunk_rows)
        for visit in self.visitors:
            visit(part)
        statistics.segments += len(part)
        statistics.references = len(part.refs)
        names = part.documents or []
        if self.keep:
            statistics.documents.extend(names)
        # Without rows, only the number of documents is asked for.
        elif len(self._documents) <= MOST_DOCUMENTS:
            distinct = names.distinct if isinstance(names, RepeatedValues) else names
            self._documents.update(dict.fromkeys(distinct))
        self.progress(statistics.segments)

    def count_section(self, parts: Iterable[CorpusChunk]) -> None:
        """Count and add chunks, beside other threads: in any order, sums are exact."""
        for part in parts:
            counted = self.count(part)
            # Visitors expect the first chunk first; an interrupt ends the wait.
            while part.first and not self._has_begun.wait(0.1):
                pass
            with self._lock:
                self.add(*counted)
            self._has_begun.set()

    def finish(self) -> CorpusStatistics:
        """Return the statistics, with the rows if they were kept."""
        statistics = self.statistics
        if len(self._documents) <= MOST_DOCUMENTS:
            statistics.documents.extend(self._documents)
        if self.keep:
            import numpy as np

            for pair, entry in statistics.totals.whole.items():
                kept = np.concatenate(self._rows.pop(pair))
                tally = Tally(kept, np.array(join_parts(entry.sums)))
                statistics.tallies[pair] = tally
        return statistics


def choose_threads(metrics: Mapping[str, Metric]) -> int:
    """Return how many chunks to count at once: one where a metric has threads of its own."""
    has_own = any(metric.fast.own_threads for metric in metrics.values())
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
