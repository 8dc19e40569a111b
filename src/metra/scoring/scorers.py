"""Our own measures as scorers for meta-evaluation, with the statistics behind them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.corpus.evalset import Chunk, Corpus, checked
from metra.formats.scores.panel import Statistics
from metra.formats.scores.record import Item, Scorer, Scores, joined, table
from metra.metrics.record import Array, Metric
from metra.scoring.statistics import Sheets, count, fitted


def scored(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    lang: str = "",
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Scores, dict[str, Statistics]]:
    """Score all systems' segments and the systems as wholes, and keep the statistics.

    Segments are numbered from 1, as tables of judgements number the lines of a test set.
    """
    metrics = fitted(corpus, metrics)
    sheets = count(corpus, metrics, keep=True, progress=progress)
    return tabled(tuple(corpus.systems), metrics, sheets, lang=lang)


def tabled(
    systems: tuple[str, ...],
    metrics: Mapping[str, Metric],
    sheets: Sheets,
    *,
    lang: str = "",
) -> tuple[Scores, dict[str, Statistics]]:
    """Put what was counted, rows and all, into a table of scores."""
    segments = tuple(str(at) for at in range(1, sheets.segments + 1))
    documents = sheets.documents or [""] * len(segments)
    items = [
        Item(name, document, lang=lang)
        for name, document in zip(segments, documents, strict=True)
    ]
    tables, statistics = [], {}
    for spec, metric in metrics.items():
        rows = np.stack([sheets.tallies[name, spec].rows for name in systems])
        better = metric.higher_is_better
        statistics[spec] = Statistics(rows, metric.aggregate, better, systems, segments)
        scorer = Scorer(spec, "metric", better)
        single = metric.for_segments or metric
        names = [name for name in systems for _ in items]
        tables.append(
            table(names, items * len(systems), {scorer: single.aggregate(rows).ravel()})
        )
        whole = metric.aggregate(
            np.stack([sheets.tallies[name, spec].total for name in systems])
        )
        tables.append(table(systems, [Item(lang=lang)] * len(systems), {scorer: whole}))
        if sheets.documents:
            tables.append(
                _of_documents(systems, sheets.documents, lang, scorer, metric, rows)
            )
    return joined(tables), statistics


def _of_documents(
    systems: tuple[str, ...],
    documents: Sequence[str],
    lang: str,
    scorer: Scorer,
    metric: Metric,
    rows: Array,
) -> Scores:
    """Score each document as a corpus of its segments."""
    names, place = np.unique(documents, return_inverse=True)
    own = [rows[:, place == at].sum(1) for at in range(len(names))]
    totals = np.stack(own, axis=1)
    items = [Item("", str(name), lang=lang) for name in names]
    lines = [system for system in systems for _ in items]
    values = metric.aggregate(totals).ravel()
    return table(lines, items * len(systems), {scorer: values})


@dataclass(frozen=True)
class WithReferences:
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

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Walk through the segments; one that lacks all chosen references is refused."""
        for chunk in self.corpus.chunks(size):
            refs = [chunk.refs[at] for at in self.chosen]
            yield checked(replace(chunk, refs=refs), chunk.first)


def reference_streams(corpus: Corpus) -> int:
    """Count the reference streams of a corpus."""
    return len(next(iter(corpus.chunks(1))).refs)
