"""The question `select`: does a metric keep good outputs, and take the best of several?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import MetaReport, build_figure, build_signature
from metra.meta.options import SelectOptions
from metra.scoring.table import Cell, Table, make_table, mark_best
from metra.stats.arrays import Array, divide
from metra.stats.panel import ScorePanel
from metra.stats.resampling import Interval, Sample, compute_intervals
from metra.stats.selection import (
    RERANKED,
    aggregate_filter,
    filter_outputs,
    rerank_outputs,
)

FILTERED = ("precision", "recall", "F")
#: Rows of what chance would do, beside the metrics.
CHANCE = "chance"


@dataclass(frozen=True)
class OutputChoice:
    """Decisions of a metric on the outputs of one language pair."""

    panel: ScorePanel
    #: People's score from which on an output is good, and the share of good ones.
    good: float
    share: float
    #: Segments with two systems or more.
    segments: int
    thresholds: Mapping[str, float]
    #: By metric and figure.
    filtering: Mapping[str, Mapping[str, tuple[float, Interval | None]]]
    reranking: Mapping[str, Mapping[str, tuple[float, Interval | None]]]


def select_outputs(panel: ScorePanel, options: SelectOptions) -> OutputChoice:
    """Measure filtering and re-ranking of all metrics of a panel.

    Perrella et al. 2024, EMNLP. A good output has people's score of at least `good`, by
    default their median.
    """
    gold = panel.gold
    known = gold[np.isfinite(gold)]
    names = [name for name in panel.names if np.isfinite(panel.metrics[name]).any()]
    if not len(known) or not names:
        msg = (
            f"Selection needs segment scores, and {panel.gold_name} or all metrics "
            "have none."
        )
        raise CorpusError(msg)
    good = float(np.median(known)) if options.good is None else options.good
    is_good = np.where(np.isfinite(gold), gold >= good, np.nan)
    share = float((known >= good).mean())
    if share in (0.0, 1.0):
        which = "No output is" if share == 0 else "All outputs are"
        msg = (
            f"{which} good by {panel.gold_name} of at least {good:g}; its values "
            f"range from {known.min():g} to {known.max():g}. Choose another limit "
            "with `good`."
        )
        raise CorpusError(msg)
    kept = {
        name: filter_outputs(
            is_good, panel.metrics[name], folds=options.folds, seed=options.seed
        )
        for name in names
    }
    taken = {name: rerank_outputs(gold, panel.metrics[name]) for name in names}
    samples: dict[tuple[str, str, str], Sample] = {}
    for name in names:
        for figure in FILTERED:
            aggregate = partial(aggregate_filter, figure=figure)
            samples["filtering", name, figure] = Sample(kept[name].rows, aggregate)
        for at, figure in enumerate(RERANKED, 1):
            sample = Sample(taken[name], partial(_average_column, column=at))
            samples["reranking", name, figure] = sample
    bounds: list[Interval | None] = [None] * len(samples)
    if not options.no_ci:
        bounds = compute_intervals(
            list(samples.values()), trials=options.trials, seed=options.seed
        )
    figures: dict[str, dict[str, dict[str, tuple[float, Interval | None]]]] = {}
    for (kind, name, figure), interval in zip(samples, bounds, strict=True):
        sample = samples[kind, name, figure]
        value = float(sample.aggregate(sample.rows.sum(0)))
        figures.setdefault(kind, {}).setdefault(name, {})[figure] = value, interval
    figures["reranking"][CHANCE] = _choose_by_chance(gold)
    return OutputChoice(
        panel,
        good,
        share,
        int(taken[names[0]][:, 0].sum()),
        {name: each.threshold for name, each in kept.items()},
        figures["filtering"],
        figures["reranking"],
    )


def report_selection(
    selections: Sequence[OutputChoice], options: SelectOptions
) -> MetaReport:
    """Lay out filtering and re-ranking for each language pair, best metrics first."""
    tables, notes = [], []
    for each in selections:
        panel = each.panel
        suffix = f" {panel.lang}" if panel.lang else ""
        tables.append(
            _build_table(
                each.filtering,
                ["F", "precision", "recall"],
                caption=(
                    f"{panel.place}Filtering: outputs with {panel.gold_name} of at least "
                    f"{each.good:g}"
                ),
                name=f"filtering{suffix}",
                thresholds=each.thresholds,
            )
        )
        tables.append(
            _build_table(
                each.reranking,
                ["precision", "recall", "chosen"],
                caption=f"{panel.place}Re-ranking: the best output of each segment",
                name=f"reranking{suffix}",
            )
        )
        told = list(panel.notes)
        told.append(
            f"{100 * each.share:.1f} % of outputs are good: this is the precision of "
            "keeping all outputs."
        )
        best = each.reranking[next(iter(each.filtering))]["best"][0]
        told.append(
            f"chosen is the mean {panel.gold_name} of the outputs that the metric "
            f"chooses; the best outputs of the {each.segments:,} segments have "
            f"{best:.3f}."
        )
        if options.good is None:
            told.append(
                "An output is good if it reaches the median; `good` sets another limit."
            )
        notes += [f"{panel.place}{note}" for note in told]
    panels = [each.panel for each in selections]
    drawn = not options.no_ci
    signature = build_signature(
        panels[0] if len(panels) == 1 else None,
        select="filter,rerank",
        good="median" if options.good is None else options.good,
        beta="1/sqrt(2)",
        folds=options.folds or "none",
        boot=f"segments k={options.trials}" if drawn else None,
        seed=options.seed if drawn or options.folds else None,
    )
    return MetaReport(tables, signature, notes)


def _average_column(totals: Array, column: int) -> Array:
    return divide(totals[..., column], totals[..., 0])


def _choose_by_chance(gold: Array) -> dict[str, tuple[float, Interval | None]]:
    """Return what a choice among the judged outputs of a segment would give."""
    rows = rerank_outputs(gold, np.where(np.isfinite(gold), 0.0, np.nan))
    totals = rows.sum(0)
    # Whoever calls all of them equal finds all that are best; a choice of one does not.
    there = np.isfinite(gold).sum(0)
    recall = divide(rows[:, 2], there, fill=0.0).sum()
    values = {
        figure: float(_average_column(totals, at))
        for at, figure in enumerate(RERANKED, 1)
    }
    values["recall"] = float(divide(recall, totals[0]))
    return {figure: (value, None) for figure, value in values.items()}


def _build_table(
    figures: Mapping[str, Mapping[str, tuple[float, Interval | None]]],
    shown: Sequence[str],
    *,
    caption: str,
    name: str,
    thresholds: Mapping[str, float] | None = None,
) -> Table:
    order = sorted(
        figures, key=lambda one: np.nan_to_num(-figures[one][shown[0]][0], nan=9)
    )
    columns = [
        mark_best([build_figure(*figures[one][figure]) for one in order])
        for figure in shown
    ]
    headings = list(shown)
    if thresholds is not None:
        headings.append("threshold")
        columns.append([Cell(f"{thresholds[one]:.4g}") for one in order])
    rows = list(zip(order, map(list, zip(*columns, strict=True)), strict=True))
    return make_table("metric", headings, rows, caption=caption, name=name)
