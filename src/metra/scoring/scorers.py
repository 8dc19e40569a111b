"""Metrics as scorers for meta-evaluation, with the statistics behind them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.corpus.batch import CorpusChunk, check_chunk
from metra.corpus.outputs import Corpus
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.metrics.record import Array, Metric
from metra.scoring.evaluate import EvaluationOptions, count_statistics
from metra.scoring.statistics import CorpusStatistics
from metra.stats.panel import SegmentStatistics
from metra.stats.totals import join_parts, sum_parts_by_group


def score_systems(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    lang: str = "",
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Scores, dict[str, SegmentStatistics]]:
    """Score all systems' segments and the systems as wholes, and keep the statistics.

    Segments are numbered from 1, as tables of judgements number the lines of a test set.
    """
    fitted, statistics = count_statistics(
        corpus, metrics, EvaluationOptions(), keep=True, progress=progress
    )
    return build_scores(tuple(corpus.systems), fitted, statistics, lang=lang)


def build_scores(
    systems: tuple[str, ...],
    metrics: Mapping[str, Metric],
    counted: CorpusStatistics,
    *,
    lang: str = "",
) -> tuple[Scores, dict[str, SegmentStatistics]]:
    """Put what was counted, rows and all, into a table of scores."""
    segments = tuple(str(number) for number in range(1, counted.segments + 1))
    documents = counted.documents or [""] * len(segments)
    items = [
        ScoredItem(name, document, lang=lang)
        for name, document in zip(segments, documents, strict=True)
    ]
    tables, statistics = [], {}
    for spec, metric in metrics.items():
        rows = np.stack([counted.tallies[name, spec].rows for name in systems])
        better = metric.higher_is_better
        statistics[spec] = SegmentStatistics(
            rows, metric.aggregate, better, systems, segments
        )
        scorer = Scorer(spec, "metric", better)
        single = metric.for_segments or metric
        names = [name for name in systems for _ in items]
        tables.append(
            build_score_table(
                names, items * len(systems), {scorer: single.aggregate(rows).ravel()}
            )
        )
        whole = metric.aggregate(
            np.stack([counted.tallies[name, spec].total for name in systems])
        )
        tables.append(
            build_score_table(
                systems, [ScoredItem(lang=lang)] * len(systems), {scorer: whole}
            )
        )
        if counted.documents:
            tables.append(
                _score_documents(systems, counted.documents, lang, scorer, metric, rows)
            )
    return concatenate_scores(tables), statistics


def _score_documents(
    systems: tuple[str, ...],
    documents: Sequence[str],
    lang: str,
    scorer: Scorer,
    metric: Metric,
    rows: Array,
) -> Scores:
    """Score each document as a corpus of its segments."""
    names, places = np.unique(documents, return_inverse=True)
    sums = [sum_parts_by_group(part, places, len(names)) for part in rows]
    totals = np.array([list(map(join_parts, groups)) for groups in sums])
    items = [ScoredItem("", str(name), lang=lang) for name in names]
    lines = [system for system in systems for _ in items]
    values = metric.aggregate(totals).ravel()
    return build_score_table(lines, items * len(systems), {scorer: values})


@dataclass(frozen=True)
class ReferenceSubset:
    """A corpus of which only some reference streams are used."""

    corpus: Corpus
    chosen: Sequence[int]

    @property
    def systems(self) -> Sequence[str]:
        """The systems' names."""
        return self.corpus.systems

    @property
    def has_documents(self) -> bool:
        """Whether segments belong to documents."""
        return self.corpus.has_documents

    @property
    def has_source(self) -> bool:
        """Whether there is a source text."""
        return self.corpus.has_source

    @property
    def has_references(self) -> bool:
        """Whether any reference is chosen."""
        return bool(self.chosen)

    def chunks(self, size: int) -> Iterator[CorpusChunk]:
        """Walk through the segments; one that lacks all chosen references is refused."""
        for chunk in self.corpus.chunks(size):
            refs = [chunk.refs[index] for index in self.chosen]
            yield check_chunk(replace(chunk, refs=refs), chunk.first)


def count_streams(corpus: Corpus) -> int:
    """Count the reference streams of a corpus."""
    return len(next(iter(corpus.chunks(1))).refs)
