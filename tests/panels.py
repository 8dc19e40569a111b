"""Small panels for the tests of meta-evaluation."""

import numpy as np

from metra.scores.table import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.scores.views import build_panel
from metra.stats.resampling import draw_signs


def scores_of(gold, metrics, *, name="gold", systems=None):
    """A table of a gold and metrics, systems × segments each."""
    columns = {Scorer(name, "human"): gold}
    columns |= {Scorer(each): m for each, m in metrics.items()}
    return concatenate_scores(
        [
            score_matrix(values, each, systems=systems)
            for each, values in columns.items()
        ]
    )


def score_matrix(values, scorer, *, systems=None, judge=""):
    """A table of one scorer, systems × segments, of a judge if one is named."""
    count, width = np.shape(values)
    systems = systems or [f"s{at}" for at in range(count)]
    names = [system for system in systems for _ in range(width)]
    items = [ScoredItem(str(at + 1)) for _ in systems for at in range(width)]
    return build_score_table(
        names, items, {scorer: np.ravel(values)}, [judge] * len(names)
    )


def score_rows(rows, scorer):
    """A table of one scorer, of rows with a system, a segment, a judge and a value."""
    systems, segments, judges, values = zip(*rows, strict=True)
    items = [ScoredItem(str(segment)) for segment in segments]
    return build_score_table(systems, items, {scorer: values}, judges)


def panel_of(gold, metrics):
    return build_panel(scores_of(gold, metrics), "gold")


def made(systems=7, segments=40, metrics=3, seed=0, gaps=0.0):
    """A gold with ties and metrics of falling quality."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    gold = np.round(quality + rng.normal(size=(systems, segments)))
    if gaps:
        gold = np.where(rng.random(gold.shape) < gaps, np.nan, gold)
    found = {
        f"m{at}": np.nan_to_num(gold) + rng.normal(size=gold.shape) * (at + 1)
        for at in range(metrics)
    }
    return panel_of(gold, found)


def given_too(gold, metrics, whole):
    """As scores_of, with scores of whole systems."""
    systems = [f"s{at}" for at in range(len(gold))]
    columns = {Scorer(each): np.asarray(m, float) for each, m in whole.items()}
    return concatenate_scores(
        [
            scores_of(gold, metrics),
            build_score_table(systems, [ScoredItem()] * len(systems), columns),
        ]
    )


def draw_exchanges(exchanges, options):
    """The signs of as many exchanges as the options say, and what follows from them."""
    rng = np.random.default_rng(options.seed)
    signs = np.concatenate(list(draw_signs(options.trials, exchanges.width, rng)))
    return signs, exchanges.after(exchanges.sum_draws(signs))


def headings(table):
    """The headings of a table with their groups, without the one of its names."""
    return [f"{c.group} {c.heading}".strip() for c in table.columns[1:]]


def cells_by_name(table):
    """The cells of each row of a table, by the row's name."""
    return {name.value: cells for name, *cells in table.rows}
