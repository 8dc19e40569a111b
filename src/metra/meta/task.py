"""The question `task`: the protocols of WMT's metrics tasks, each in one word.

wmt23: system-level accuracy pooled over the language pairs, weighing as much as there are
pairs, and for each pair Pearson of systems, Pearson of segments and acc*_eq (Freitag et al.
2023, WMT). wmt24 and wmt25: soft pairwise accuracy and acc*_eq for each pair, all alike
(Freitag et al. 2024). Correlations are mapped to 0..1 before they are averaged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.meta.correlate import (
    CorrelationSpec,
    correlate_panel,
    describe_spa,
    draws_soft,
)
from metra.meta.findings import MetaReport, build_count, build_signature
from metra.scoring.table import Cell, Table, make_table, mark_best
from metra.stats.arrays import Array, Codes
from metra.stats.bootstrap import bootstrap, compute_bounds
from metra.stats.correlation import Group, Options
from metra.stats.multiplicity import CLUSTER_RULES
from metra.stats.panel import ScorePanel
from metra.stats.permutation import Swap, prepare_swaps, swaps_segments
from metra.stats.significance import exchange_p_values


@dataclass(frozen=True)
class ProtocolColumn:
    """One column of a protocol: a coefficient of one language pair, and its weight."""

    name: str
    panels: tuple[ScorePanel, ...]
    question: CorrelationSpec
    weight: float

    @property
    def pairs(self) -> Array:
        """The number of pairs of systems of each language pair."""
        return np.array(
            [math.comb(len(each.systems), 2) for each in self.panels], float
        )


@dataclass(frozen=True)
class TaskScores:
    """Metrics in falling order of their average over the columns of a protocol."""

    protocol: str
    panels: list[ScorePanel]
    columns: list[ProtocolColumn]
    metrics: list[str]
    average: Array
    #: The coefficients of each column: columns × metrics.
    values: Array
    #: The clusters of a joint test, where it was asked for.
    clusters: list[int] | None
    #: Metrics that not every language pair has.
    left_out: list[str]
    #: Bootstrap intervals of the average and of each column, where they were asked for.
    intervals: list[list[tuple[float, float] | None]] | None = None


def score_task(
    protocol: str,
    panels: Sequence[ScorePanel],
    options: Options,
    *,
    test: bool = False,
    alpha: float = 0.05,
) -> TaskScores:
    """Score all metrics that every language pair has, and rank them by the average."""
    if protocol not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", protocol, PROTOCOLS))
    panels = sorted(panels, key=lambda panel: panel.lang)
    shared = [n for n in panels[0].names if all(n in panel.names for panel in panels)]
    if not shared:
        msg = "No metric has scores of every language pair; the protocol averages over them."
        raise CorpusError(msg)
    left_out = {name for panel in panels for name in panel.names} - set(shared)
    panels = [panel.of_metrics(shared) for panel in panels]
    columns = _build_columns(protocol, panels, options)
    values = np.array([_score_column(column) for column in columns])
    weights = np.array([column.weight for column in columns])
    weights = weights / weights.sum()
    average = _average(columns, values, weights)
    order = np.argsort(-average, kind="stable")
    clusters = None
    if test:
        p = _p_values(columns, order, weights, options)
        clusters = CLUSTER_RULES["greedy"].split(p, alpha)
    return TaskScores(
        protocol,
        panels,
        columns,
        [shared[place] for place in order],
        average[order],
        values[:, order],
        clusters,
        sorted(left_out),
    )


def add_intervals(scores: TaskScores, options: Options) -> TaskScores:
    """Add bootstrap intervals: systems and segments are drawn, for each language pair anew.

    All columns of a language pair share the draws, so the average of the columns has an
    interval of its own.
    """
    drawn = np.array(
        [_draw_column(scores, column, options) for column in scores.columns]
    )
    weights = np.array([column.weight for column in scores.columns])
    averages = _average(
        scores.columns, drawn.reshape(len(drawn), -1), weights / weights.sum()
    ).reshape(drawn.shape[1:])
    intervals = [
        [compute_bounds(draws) for draws in rows] for rows in (averages, *drawn)
    ]
    return replace(scores, intervals=intervals)


def _draw_column(scores: TaskScores, column: ProtocolColumn, options: Options) -> Array:
    """Draw the coefficients of a column: metrics × draws."""
    total = np.zeros((len(scores.metrics), options.trials))
    for panel, pairs in zip(column.panels, column.pairs.tolist(), strict=True):
        place = next(at for at, other in enumerate(scores.panels) if other is panel)
        seeded = replace(column.question.options, seed=options.seed + place)
        draws = bootstrap(panel, column.question.level, seeded)
        total += pairs * np.array([draws[name] for name in scores.metrics])
    return total / column.pairs.sum()


def report_task(scores: TaskScores, options: Options) -> MetaReport:
    """Lay out the average and every column of the protocol."""
    notes = [f"{panel.place}{note}" for panel in scores.panels for note in panel.notes]
    if scores.left_out:
        notes.append(
            f"Not in every language pair and so left out: {', '.join(scores.left_out)}."
        )
    questions = [column.question for column in scores.columns]
    soft = describe_spa(questions)
    test = scores.clusters is not None
    signature = build_signature(
        task=scores.protocol,
        gold=scores.panels[0].gold_name,
        lang=",".join(panel.lang for panel in scores.panels),
        sys=",".join(str(len(panel.systems)) for panel in scores.panels),
        spa_p=soft,
        test=f"joint exchange k={options.trials}" if test else None,
        clusters="greedy" if test else None,
        boot=f"both k={options.trials}" if scores.intervals else None,
        seed=options.seed
        if test or draws_soft(questions) or scores.intervals
        else None,
    )
    return MetaReport([build_task_table(scores)], signature, notes)


def build_task_table(scores: TaskScores) -> Table:
    """Build the table of the protocol, the best of each column marked."""
    figures = [scores.average, *scores.values]
    intervals = scores.intervals or [[None] * len(scores.metrics)] * len(figures)
    average, *columns = (
        mark_best([Cell(*cell) for cell in zip(row.tolist(), bounds, strict=True)])
        for row, bounds in zip(figures, intervals, strict=True)
    )
    heads = ["average", *(column.name for column in scores.columns)]
    columns = [average, *columns]
    if scores.clusters is not None:
        heads.insert(1, "cluster")
        columns.insert(1, [build_count(cluster) for cluster in scores.clusters])
    return make_table(
        "metric",
        heads,
        list(zip(scores.metrics, zip(*columns, strict=True), strict=True)),
        caption=f"{scores.protocol} protocol, gold {scores.panels[0].gold_name}",
        name=scores.protocol,
    )


#: Level, coefficient and grouping of the columns of each language pair.
PROTOCOLS: dict[str, tuple[tuple[str, str, Group], ...]] = {
    "wmt23": (
        ("sys", "pearson", "none"),
        ("seg", "pearson", "none"),
        ("seg", "acc*_eq", "item"),
    ),
    "wmt24": (("sys", "spa", "none"), ("seg", "acc*_eq", "item")),
    "wmt25": (("sys", "spa", "none"), ("seg", "acc*_eq", "item")),
}


def _build_columns(
    protocol: str, panels: Sequence[ScorePanel], options: Options
) -> list[ProtocolColumn]:
    columns = []
    if protocol == "wmt23":
        name = f"{','.join(panel.lang for panel in panels)} sys accuracy".strip()
        question = CorrelationSpec(replace(options, coef="accuracy"), "sys")
        columns.append(ProtocolColumn(name, tuple(panels), question, len(panels)))
    for panel in panels:
        for level, coef, group in PROTOCOLS[protocol]:
            name = f"{panel.lang} {level} {coef}".strip()
            question = CorrelationSpec(replace(options, coef=coef, group=group), level)
            columns.append(ProtocolColumn(name, (panel,), question, 1))
    return columns


def _score_column(column: ProtocolColumn) -> Array:
    """The coefficients of all metrics; pairs of systems are pooled over language pairs."""
    answers = [correlate_panel(panel, column.question) for panel in column.panels]
    names = list(answers[0])
    for name in names:
        for panel, results in zip(column.panels, answers, strict=True):
            if results[name].reason:
                place = ", ".join(filter(None, (panel.lang, name, column.name)))
                msg = f"{place}: {results[name].reason}"
                raise CorpusError(msg)
    pairs = column.pairs
    each = np.array([[results[name].value for name in names] for results in answers])
    return np.einsum("p,pm->m", pairs, each) / pairs.sum()


def _average(columns: Sequence[ProtocolColumn], scores: Array, weights: Array) -> Array:
    """Weigh the columns' scores, all mapped to 0..1: columns × metrics to metrics."""
    low = np.array([[each.question.options.coefficient.lowest] for each in columns])
    rescaled = (scores - low) / (1 - low)
    return np.einsum("p,pm->m", weights, rescaled)


def _p_values(
    columns: Sequence[ProtocolColumn], order: Codes, weights: Array, options: Options
) -> Array:
    """One joint test of the averages: exchanges of segments in every column at once."""
    observed = []
    parts = []
    for column, weight in zip(columns, weights, strict=True):
        ask = column.question
        tested = replace(column, question=replace(ask, options=ask.options.in_tests))
        observed.append(_score_column(tested)[order])
        share = weight / (1 - ask.options.coefficient.lowest) / column.pairs.sum()
        of_segments = ask.level != "sys" or all(map(swaps_segments, column.panels))
        swap: Swap = "input" if of_segments else "sys"
        for panel, pairs in zip(column.panels, column.pairs.tolist(), strict=True):
            ranked = panel.of_metrics([panel.names[place] for place in order])
            exchanges = prepare_swaps(ranked, ask.level, ask.options, swap)
            parts.append((exchanges, share * pairs))
    average = _average(columns, np.array(observed), weights)
    draws, seed = options.trials, options.seed
    return exchange_p_values(parts, average, sides="one-sided", draws=draws, seed=seed)[
        0
    ]
