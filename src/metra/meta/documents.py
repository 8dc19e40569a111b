"""Documents as what is scored: their own scores, or the means of their segments'."""

import numpy as np

from metra.errors import CorpusError
from metra.meta.arrays import Array, Codes, Mask
from metra.meta.scores import Item, Scores, joined, table


def by_document(scores: Scores, gold: str | None = None) -> Scores:
    """Make a table of documents, which then are compared as segments are.

    A document's own score counts where there is one. Else it is the mean of its segments;
    where the gold has judged only some of them, of these segments for every scorer.
    """
    names: dict[tuple[str, str], int] = {}
    items: list[Item] = []
    for item in scores.items:
        key = (item.lang, item.document)
        if item.document and key not in names:
            names[key] = len(items)
            items.append(Item(item.document, item.document, item.domain, item.lang))
    if not items:
        msg = (
            "No score names a document; comparing documents takes a column that says "
            "which document a segment is of."
        )
        raise CorpusError(msg)

    def place(level: str) -> list[int]:
        wanted = [item for item in scores.items if item.level == level]
        return [names.get((item.lang, item.document), -1) for item in wanted]

    of_segment, of_document = np.array(place("segment"), np.int64), place("document")
    judged = np.isfinite(scores.matrix(gold)) if gold is not None else None
    tables = []
    for scorer in scores.scorers:
        values = _means(scores.matrix(scorer.name), of_segment, len(items), judged)
        given = scores.matrix(scorer.name, level="document")
        for at, column in zip(of_document, given.T, strict=True):
            values[:, at] = np.where(np.isfinite(column), column, values[:, at])
        systems = [system for system in scores.systems for _ in items]
        tables.append(
            table(systems, items * len(scores.systems), {scorer: values.ravel()})
        )
    return joined(tables)


def _means(values: Array, of_segment: Codes, count: int, judged: Mask | None) -> Array:
    """Mean over each document's segments: systems × segments to systems × documents."""
    known = of_segment >= 0
    values, places = values[:, known], of_segment[known]
    found = np.full((len(values), count), np.nan)
    for system, row in enumerate(values):
        there = np.isfinite(row)
        if judged is not None:
            mine = judged[system, known]
            some = np.bincount(places, mine, count) > 0
            there &= mine | ~some[places]
        size = np.bincount(places[there], minlength=count)
        total = np.bincount(places[there], row[there], count)
        found[system] = np.where(size > 0, total / np.maximum(size, 1), np.nan)
    return found
