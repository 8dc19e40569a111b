"""Judgements for tests of reports, as a table of scores."""

import numpy as np

from metra.scores.table import ScoredItem, Scorer, Scores, build_score_table


def build_judged(rows) -> Scores:
    """Build the table of rows with a system, a segment, a score, a document and a judge."""
    systems, segments, values, documents, judges = zip(*rows, strict=True)
    items = map(ScoredItem, map(str, segments), documents)
    line = np.arange(2, len(systems) + 2)
    scorer = Scorer("", "human")
    return build_score_table(systems, [*items], {scorer: values}, judges, line=line)
