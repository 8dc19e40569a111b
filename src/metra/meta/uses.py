"""Questions about uses of a metric: `deltas`, differences that people notice, and `select`.

`select` asks whether a metric keeps good outputs, and takes the best of several.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from metra.errors import CorpusError
from metra.meta import findings
from metra.meta.charts import CurvePlot
from metra.meta.options import DeltaOptions, SelectOptions
from metra.meta.question import Evidence, Question
from metra.scoring.table import Cell, Column, Table, mark_best
from metra.stats.arrays import Array, divide
from metra.stats.curves import (
    PairDifferences,
    collect_differences,
    draw_pair_weights,
    find_difference,
    find_share,
    fit_slope,
)
from metra.stats.panel import ScorePanel
from metra.stats.resampling import (
    Interval,
    Sample,
    compute_intervals,
    interval_of_defined,
)
from metra.stats.thresholds import (
    RERANKED,
    aggregate_filter,
    filter_outputs,
    rerank_outputs,
)

#: Shares of pairs that people should agree with.
SHARES = (0.6, 0.7, 0.8, 0.9, 0.95)
#: Parts of the pairs by the size of their difference.
PARTS = 4


@dataclass(frozen=True)
class NoticedDifferences:
    """Agreement of people with a metric's differences."""

    metric: str
    pairs: PairDifferences
    slope: float
    drawn: Array

    @property
    def accuracy(self) -> float:
        """Share of all pairs that people order alike."""
        return float(self.pairs.agrees.mean())

    @property
    def largest(self) -> float:
        """The largest difference of two systems."""
        return float(self.pairs.size.max())

    def find_difference(self, share: float) -> tuple[float, Interval | None]:
        """Return the difference from which on people agree with a share of pairs.

        NaN beyond the largest difference, and no interval that reaches beyond it.
        """
        value = float(find_difference(np.array(self.slope), share))
        interval = self._bound(find_difference(self.drawn, share))
        is_seen = interval is not None and interval[1] <= self.largest
        return (
            value if value <= self.largest else np.nan,
            interval if is_seen else None,
        )

    def find_share(self, difference: float) -> tuple[float, Interval | None]:
        """Return the share of pairs that people agree with at a difference."""
        value = float(find_share(np.array(self.slope), difference))
        return value, self._bound(find_share(self.drawn, difference))

    def _bound(self, drawn: Array) -> Interval | None:
        """Give the interval of draws; None where it reaches to infinity, or none is drawn."""
        if not len(drawn):
            return None
        # Quantiles of infinite values would be NaN by interpolation.
        interval = interval_of_defined(np.where(np.isinf(drawn), 1e300, drawn))
        return None if interval is None or interval[1] > 1e200 else interval


def ask_deltas(
    evidence: Evidence, options: DeltaOptions
) -> tuple[list[ScorePanel], list[NoticedDifferences]]:
    """Fit the curves to the pairs of systems of all language pairs."""
    panels = evidence.build_panels()
    return panels, measure_differences(panels, options)


def measure_differences(
    panels: Sequence[ScorePanel], options: DeltaOptions
) -> list[NoticedDifferences]:
    """Fit how often people agree by the size of a difference, for each metric.

    Pairs of all language pairs are taken together.
    """
    names = [name for name in panels[0].names if all(name in p.metrics for p in panels)]
    sizes = [len(panel.systems) for panel in panels]
    noticed = []
    for name in names:
        pairs = collect_differences(panels, name)
        if len(pairs.size) < 2:
            msg = (
                f"There are {len(pairs.size)} pairs of systems with different human "
                "scores; at least two are needed."
            )
            raise CorpusError(msg)
        weights = np.ones((1, len(pairs.size)))
        slope = float(fit_slope(pairs.size, pairs.agrees, weights)[0])
        drawn = np.empty(0)
        if options.trials:
            weights = draw_pair_weights(pairs, sizes, options.trials, options.seed)
            drawn = fit_slope(pairs.size, pairs.agrees, weights)
        noticed.append(NoticedDifferences(name, pairs, slope, drawn))
    return noticed


def report_deltas(
    panels: Sequence[ScorePanel],
    noticed: Sequence[NoticedDifferences],
    options: DeltaOptions,
) -> findings.MetaReport:
    """Lay out the differences for some shares of agreement, and what was counted."""
    notes = [f"{panel.place}{note}" for panel in panels for note in panel.notes]
    hopeless = [each.metric for each in noticed if each.slope == 0]
    if hopeless:
        notes.append(
            f"Human scores agree with differences of {', '.join(hopeless)} no more "
            "often than chance, so there is no threshold (–)."
        )
    certain = [each.metric for each in noticed if np.isinf(each.slope)]
    if certain:
        notes.append(
            f"Human scores agree with every difference of {', '.join(certain)}, "
            "however small: the systems are too far apart to estimate a threshold."
        )
    beyond = [
        f"{each.metric} ({each.largest:.3g})"
        for each in noticed
        if 0 < each.slope < np.inf and each.find_difference(SHARES[-1])[1] is None
    ]
    if beyond and options.trials:
        notes.append(
            "Thresholds and intervals that reach beyond the largest difference of two "
            f"systems are not shown: {', '.join(beyond)}."
        )
    gold, several = panels[0].gold_name, len(panels) > 1
    data = [
        {"gold": gold}
        | {name: getattr(each, name) for name in ("metric", "slope", "accuracy")}
        for each in noticed
    ]
    return findings.build_report(
        _build_tables(noticed, gold),
        options,
        notes,
        {"deltas": data},
        panel=None if several else panels[0],
        level="sys",
        curve="logistic",
        **findings.describe_draws(options, "sys"),
        **{"lang": ",".join(panel.lang for panel in panels)} if several else {},
    )


def _build_tables(noticed: Sequence[NoticedDifferences], gold: str) -> list[Table]:
    """Build the least differences and the counted shares."""
    least, parts = [], []
    for each in noticed:
        cells: list[Any] = [len(each.pairs.size), each.accuracy]
        # Some metrics go from 0 to 1, and differ by thousandths.
        digits = 4 if each.find_difference(SHARES[0])[0] < 0.1 else None
        for share in SHARES:
            value, interval = each.find_difference(share)
            defined = np.isfinite(value)
            cells.append(
                Cell(value, interval, digits=digits) if defined else Cell(None)
            )
        least.append((each.metric, cells))
        order = np.argsort(each.pairs.size, kind="stable")
        quarters = [
            f"{each.pairs.agrees[part].mean():.2f} (to {each.pairs.size[part[-1]]:.3g})"
            if len(part)
            else None
            for part in np.array_split(order, PARTS)
        ]
        parts.append((each.metric, quarters))
    heads: list[str | Column] = [
        *(Column("pairs", digits=0), "accuracy"),
        *(f"{100 * share:g} %" for share in SHARES),
    ]
    caption = (
        f"Smallest difference between two systems with human ({gold}) agreement of …"
    )
    tables = [findings.build_table("metric", heads, least, caption, "deltas")]
    heads = [f"quarter {at}" for at in range(1, PARTS + 1)]
    caption = "Observed share of pairs with human agreement, by size of the difference"
    return [*tables, findings.build_table("metric", heads, parts, caption, "quarters")]


#: Values and their intervals, by metric and figure.
Figures: TypeAlias = dict[str, dict[str, tuple[float, Interval | None]]]


def build_curves(noticed: Sequence[NoticedDifferences], gold: str) -> list[CurvePlot]:
    """Build the curve of each metric, from no difference to the largest one."""
    curves = []
    for each in noticed:
        sizes = np.linspace(0, each.largest, 9).tolist()
        shares = [each.find_share(size) for size in sizes]
        caption = f"{len(each.pairs.size)} pairs of systems; logistic curve"
        curves.append(
            CurvePlot(
                f"Human agreement ({gold}) with a difference of {each.metric}",
                caption + (", 95 % interval over systems" if len(each.drawn) else ""),
                f"difference of {each.metric}",
                "share of pairs",
                [f"{size:.3g}" for size in sizes],
                {each.metric: [value for value, _ in shares]},
                {each.metric: [interval for _, interval in shares if interval]},
            )
        )
    return curves


DELTAS = Question(
    "deltas",
    ask_deltas,
    lambda found, options: report_deltas(*found, options),
    lambda found, _: build_curves(found[1], found[0][0].gold_name),
)


FILTERED = ("F", "precision", "recall")
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
    filtering: Figures
    reranking: Figures


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
    drawing = options.folds, options.trials, options.seed
    thresholds, filtering = filter_by_metrics(
        panel.of_metrics(names), is_good, FILTERED, *drawing
    )
    taken = {name: rerank_outputs(gold, panel.metrics[name]) for name in names}
    samples = {
        (name, figure): Sample(rows, partial(_average_column, column=at))
        for name, rows in taken.items()
        for at, figure in enumerate(RERANKED, 1)
    }
    reranking = _bound_figures(samples, options.trials, options.seed)
    reranking[CHANCE] = _choose_by_chance(gold)
    segments = int(taken[names[0]][:, 0].sum())
    decisions = filtering, reranking
    return OutputChoice(panel, good, share, segments, thresholds, *decisions)


def filter_by_metrics(
    panel: ScorePanel,
    is_good: Array,
    figures: Sequence[str],
    folds: int,
    trials: int,
    seed: int,
) -> tuple[dict[str, float], Figures]:
    """Filter outputs by each metric, with the best thresholds by the first figure."""
    thresholds, samples = {}, {}
    for name, metric in panel.metrics.items():
        thresholds[name], kept = filter_outputs(
            is_good, metric, folds=folds, seed=seed, figure=figures[0]
        )
        for figure in figures:
            aggregate = partial(aggregate_filter, figure=figure)
            samples[name, figure] = Sample(kept, aggregate)
    return thresholds, _bound_figures(samples, trials, seed)


def _bound_figures(
    samples: Mapping[tuple[str, str], Sample], trials: int, seed: int
) -> Figures:
    """Return values with intervals, by metric and figure; an undefined value has none."""
    bounds: list[Interval | None] = [None] * len(samples)
    if trials:
        bounds = compute_intervals([*samples.values()], trials=trials, seed=seed)
    figures: Figures = {}
    for ((name, figure), sample), interval in zip(samples.items(), bounds, strict=True):
        value = float(sample.aggregate(sample.rows.sum(0)))
        bound = interval if value == value else None
        figures.setdefault(name, {})[figure] = value, bound
    return figures


def report_selection(
    found: OutputChoice, options: SelectOptions
) -> findings.MetaReport:
    """Lay out filtering and re-ranking, best metrics first."""
    panel = found.panel
    suffix = f" {panel.lang}" if panel.lang else ""
    gold, place = panel.gold_name, panel.place
    tables = [
        build_choice_table(
            found.filtering,
            ["F", "precision", "recall"],
            f"{place}Filtering: outputs with {gold} of at least {found.good:g}",
            f"filtering{suffix}",
            found.thresholds,
        ),
        build_choice_table(
            found.reranking,
            ["precision", "recall", "chosen"],
            f"{place}Re-ranking: the best output of each segment",
            f"reranking{suffix}",
        ),
    ]
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
    return findings.build_report(
        tables,
        options,
        notes,
        panel=panel,
        select="filter,rerank",
        good="median" if options.good is None else options.good,
        beta="1/sqrt(2)",
        folds=options.folds or "none",
        **findings.describe_draws(options, "segments")
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


def build_choice_table(
    figures: Figures,
    shown: Sequence[str],
    caption: str,
    name: str,
    thresholds: Mapping[str, float] | None = None,
) -> Table:
    """Build a row for each metric, the best by the first figure first."""
    order = sorted(
        figures, key=lambda one: np.nan_to_num(-figures[one][shown[0]][0], nan=9)
    )
    columns = [
        mark_best([findings.build_figure(*figures[one][figure]) for one in order])
        for figure in shown
    ]
    headings = list(shown)
    if thresholds is not None:
        headings.append("threshold")
        columns.append([Cell(f"{thresholds[one]:.4g}") for one in order])
    rows = zip(order, zip(*columns, strict=True), strict=True)
    return findings.build_table("metric", headings, rows, caption, name)
