"""The question `select`: does a metric keep good outputs, and take the best of several?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import (
    MetaReport,
    build_figure,
    build_report,
    describe_draws,
)
from metra.meta.options import SelectOptions
from metra.meta.question import Question
from metra.scoring.table import Cell, Table, make_table, mark_best
from metra.stats.arrays import Array, divide
from metra.stats.panel import ScorePanel
from metra.stats.resampling import Interval, Sample, compute_intervals
from metra.stats.thresholds import (
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
    judged = gold[np.isfinite(gold)]
    names = [name for name in panel.names if np.isfinite(panel.metrics[name]).any()]
    if not len(judged) or not names:
        msg = (
            f"Selection needs segment scores, and {panel.gold_name} or all metrics "
            "have none."
        )
        raise CorpusError(msg)
    good = float(np.median(judged)) if options.good is None else options.good
    is_good = np.where(np.isfinite(gold), gold >= good, np.nan)
    share = float((judged >= good).mean())
    if share in (0.0, 1.0):
        which = "No output is" if share == 0 else "All outputs are"
        msg = (
            f"{which} good by {panel.gold_name} of at least {good:g}; its values "
            f"range from {judged.min():g} to {judged.max():g}. Choose another limit "
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
    if options.trials:
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


def report_selection(found: OutputChoice, options: SelectOptions) -> MetaReport:
    """Lay out filtering and re-ranking, best metrics first."""
    panel = found.panel
    suffix = f" {panel.lang}" if panel.lang else ""
    gold, place = panel.gold_name, panel.place
    filtering = _build_table(
        found.filtering,
        ["F", "precision", "recall"],
        caption=f"{place}Filtering: outputs with {gold} of at least {found.good:g}",
        name=f"filtering{suffix}",
        thresholds=found.thresholds,
    )
    reranking = _build_table(
        found.reranking,
        ["precision", "recall", "chosen"],
        caption=f"{place}Re-ranking: the best output of each segment",
        name=f"reranking{suffix}",
    )
    best = found.reranking[next(iter(found.filtering))]["best"][0]
    notes = [
        f"{100 * found.share:.1f} % of outputs are good: this is the precision of "
        "keeping all outputs.",
        f"chosen is the mean {gold} of the outputs that the metric chooses; the best "
        f"outputs of the {found.segments:,} segments have {best:.3f}.",
    ]
    if options.good is None:
        notes.append(
            "An output is good if it reaches the median; `good` sets another limit."
        )
    drawn = options.trials or options.folds
    return build_report(
        [filtering, reranking],
        options,
        notes,
        panel=panel,
        select="filter,rerank",
        good="median" if options.good is None else options.good,
        beta="1/sqrt(2)",
        folds=options.folds or "none",
        **describe_draws(options, "segments")
        | {"seed": options.seed if drawn else None},
    )


SELECT = Question(
    "select",
    lambda evidence, options: select_outputs(evidence.panel, options),
    report_selection,
)


def _average_column(totals: Array, column: int) -> Array:
    return divide(totals[..., column], totals[..., 0])


def _choose_by_chance(gold: Array) -> dict[str, tuple[float, Interval | None]]:
    """Return what a choice among the judged outputs of a segment would give."""
    rows = rerank_outputs(gold, np.where(np.isfinite(gold), 0.0, np.nan))
    totals = rows.sum(0)
    # Whoever calls all of them equal finds all that are best; a choice of one does not.
    counts = np.isfinite(gold).sum(0)
    recall = divide(rows[:, 2], counts, fill=0.0).sum()
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
