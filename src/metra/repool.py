"""Our own measures as scorers for meta-evaluation, with the statistics behind them."""

from collections.abc import Callable, Mapping

import numpy as np

from metra.corpus import Corpus
from metra.counting import count, fitted
from metra.measure import Metric
from metra.meta.scores import Item, Scorer, Scores, joined, table
from metra.meta.statistics import Statistics


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
    systems = tuple(corpus.systems)
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
    return joined(tables), statistics
