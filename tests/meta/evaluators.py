"""Results of evaluators as tables of scores, for tests of the collective exercise."""

from math import isnan, nan

import numpy as np

from metra.scores.table import ScoredItem, Scorer, Scores, number_named
from metra.stats.arrays import number_names
from metra.stats.direction import find_direction


def given(metric, evaluator, values, *, text="", hundred=None, reason="", **scorer):
    """Rows of the systems a, b, c, … by one evaluator."""
    return [
        (metric, evaluator, text, system, value, hundred, reason, scorer)
        for system, value in zip("abcdef", values, strict=False)
    ]


def build_results(rows) -> Scores:
    """Build the table of rows: metric, evaluator, text, system, value, hundred, reason.

    The last three may be missing, and the settings of the scorer that come after them.
    """
    full = [(*row, *(None, "", {})[len(row) - 5 :]) for row in rows]
    columns = list(zip(*full, strict=True)) or [()] * 8
    names, scorer = number_names(columns[0])
    judges, judge = number_named(columns[1])
    items, item = number_names([ScoredItem(document=text) for text in columns[2]])
    systems, system = number_names(columns[3])
    reasons, reason = number_named(columns[6])
    settings = {row[0]: row[7] for row in full}
    hundred = np.array([nan if h is None else h for h in columns[5]], np.float64)
    return Scores(
        systems,
        items,
        tuple(
            Scorer(
                name,
                settings[name].get("kind", ""),
                find_direction(settings[name].get("higher_is_better", True)),
            )
            for name in names
        ),
        judges,
        system,
        item,
        scorer,
        judge,
        np.array(columns[4], np.float64),
        hundred=np.empty(0) if all(map(isnan, hundred)) else hundred,
        reason=reason,
        reasons=reasons,
    )
