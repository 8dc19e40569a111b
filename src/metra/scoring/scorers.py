"""Metrics as scorers for meta-evaluation, with the statistics behind them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from metra.corpus.batch import CorpusChunk, check_chunk
from metra.corpus.outputs import Corpus
from metra.metrics.record import Array, Metric, get_ordered_formula
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.scoring.statistics import CorpusStatistics, count_corpus
from metra.stats.panel import SegmentStatistics
from metra.stats.parallel import Progress
from metra.stats.totals import join_parts, sum_parts_by_group


def score_systems(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    lang: str = "",
    progress: Progress = lambda *_: None,
) -> tuple[Scores, dict[str, SegmentStatistics]]:
    """Score all systems' segments and the systems as wholes, and keep the statistics.

    Segments are numbered from 1, as tables of judgements number the lines of a test set.
    """
    counted = count_corpus(corpus, metrics, keep=True, progress=progress)
    return build_scores(counted, lang=lang)


def build_scores(
    counted: CorpusStatistics, *, lang: str = ""
) -> tuple[Scores, dict[str, SegmentStatistics]]:
    """Build a table of scores from statistics with rows."""
    systems = tuple(counted.systems)
    segments = tuple(str(number) for number in range(1, counted.segments + 1))
    documents = counted.documents or [""] * len(segments)
    names, places = np.unique(documents, return_inverse=True)
    tables, statistics = [], {}

    def add_table(items: Sequence[ScoredItem], scorer: Scorer, scores: Array) -> None:
        lines = [system for system in systems for _ in items]
        values = {scorer: scores.ravel()}
        tables.append(build_score_table(lines, [*items] * len(systems), values))

    for spec, metric in counted.metrics.items():
        tallies = [counted.tallies[system, spec] for system in systems]
        rows = np.stack([tally.rows for tally in tallies])
        formula, is_higher = get_ordered_formula(metric)
        statistics[spec] = SegmentStatistics(
            rows, formula, is_higher, systems, segments
        )
        scorer = Scorer(spec, "metric", metric.direction)
        single = metric.for_segments or metric
        items = [
            ScoredItem(name, document, lang=lang)
            for name, document in zip(segments, documents, strict=True)
        ]
        add_table(items, scorer, single.aggregate(rows))
        whole = np.stack([tally.total for tally in tallies])
        add_table([ScoredItem(lang=lang)], scorer, metric.aggregate(whole))
        if counted.documents:  # each is scored as a corpus of its segments
            sums = [sum_parts_by_group(part, places, len(names)) for part in rows]
            totals = np.array([list(map(join_parts, groups)) for groups in sums])
            items = [ScoredItem("", str(name), lang=lang) for name in names]
            add_table(items, scorer, metric.aggregate(totals))
    return concatenate_scores(tables), statistics


class ReferenceSubset:
    """A corpus of which only some reference streams are used."""

    def __init__(self, corpus: Corpus, chosen: Sequence[int]) -> None:
        self.corpus = corpus
        self.chosen = chosen
        self.systems = corpus.systems
        self.has_documents = corpus.has_documents
        self.has_source = corpus.has_source
        self.has_references = bool(chosen)
        self.cleaned = corpus.cleaned
        self.share = corpus.share

    def chunks(self, size: int, labels: Sequence[str] = ()) -> Iterator[CorpusChunk]:
        """Walk through the segments; one that lacks all chosen references is refused."""
        for chunk in self.corpus.chunks(size, labels):
            refs = [chunk.refs[index] for index in self.chosen]
            yield check_chunk(replace(chunk, refs=refs))

    def sections(
        self, size: int, labels: Sequence[str] = ()
    ) -> list[Iterator[CorpusChunk]]:
        """List nothing: segments are read in order."""
        del size, labels
        return []


def count_streams(corpus: Corpus) -> int:
    """Count the reference streams of a corpus."""
    return len(next(iter(corpus.chunks(1))).refs)
