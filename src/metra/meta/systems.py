"""Questions about scores of systems: `scatter`, `robust` and `diff`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from metra.errors import CorpusError, UnknownNameError, format_count, no_such
from metra.formats.lines import read_lines
from metra.meta import correlate
from metra.meta.charts import CurvePlot, ScatterPoints
from metra.meta.findings import (
    MetaReport,
    build_figure,
    build_report,
    build_table,
    describe_draws,
)
from metra.meta.options import DiffOptions, RobustOptions, ScatterOptions
from metra.meta.question import Evidence, Question
from metra.scores.long_table import read_named_pairs
from metra.stats.arrays import Array, Mask, order_pairs, pair_gaps
from metra.stats.bootstrap import compute_bounds, resamples_segments
from metra.stats.correlation import CorrelationResult, Options, correlate_all
from metra.stats.curves import fit_line, mad_outliers
from metra.stats.defaults import TRIALS
from metra.stats.panel import ScorePanel
from metra.stats.soft_pairwise import permutation_p

#: Fewer systems than this say little.
FEWEST = 4
#: Subsets of systems that are drawn of each size.
SUBSETS = 200
#: p-values below which people are sure of a pair.
BANDS = (0.05, 0.01, 0.001)
#: Draws that it takes to speak of one in a thousand.
MOST_SURE = 20_000


@dataclass(frozen=True)
class ScatterCorrelations:
    """Each metric's coefficient over all systems, without outliers, and by class."""

    panel: ScorePanel
    options: Options
    #: Which systems each choice keeps, by the choice's label.
    choices: dict[str, Mask]
    #: Each metric's coefficient over the systems of each choice.
    results: dict[str, dict[str, CorrelationResult]]
    outliers: Mask
    #: The class of each system, empty where none is known.
    classes: list[str]


def correlate_choices(
    panel: ScorePanel,
    options: Options,
    *,
    classes: Mapping[str, str] | None = None,
    outliers: Sequence[str] | None = None,
) -> ScatterCorrelations:
    """Correlate with all systems, without the outliers, and within each class.

    Outliers are those named, else systems more than 2.5 robust deviations off the median of
    the gold. They are marked, and never removed unsaid.
    """
    far = mad_outliers(panel.system_gold)
    if outliers is not None:
        for name in outliers:
            if name not in panel.systems:
                raise UnknownNameError(no_such("system", name, panel.systems))
        far = np.array([system in outliers for system in panel.systems])
    kinds = [(classes or {}).get(system, "") for system in panel.systems]
    choices = {"all": np.ones(len(kinds), bool)}
    if far.any():
        choices["no outliers"] = ~far
    for kind in sorted(set(filter(None, kinds))):
        choices[kind] = np.array([each == kind for each in kinds])
    results = {
        label: correlate_systems(panel, keep, options)
        for label, keep in choices.items()
    }
    return ScatterCorrelations(panel, options, choices, results, far, kinds)


def correlate_systems(
    panel: ScorePanel, keep: Mask | list[int], options: Options
) -> dict[str, CorrelationResult]:
    """Correlate every metric with the gold over some systems."""
    metrics = {name: metric[keep] for name, metric in panel.system_metrics.items()}
    return correlate_all(panel.system_gold[keep], metrics, options)


def ask_scatter(evidence: Evidence, options: ScatterOptions) -> ScatterCorrelations:
    """Correlate over all systems and over some of them."""
    (panel,) = evidence.build_panels()
    named = options.outliers != "mad"
    return correlate_choices(
        panel,
        Options(coef=options.coef),
        classes=read_named_pairs(options.classes) if options.classes else None,
        outliers=[*filter(None, read_lines(options.outliers))] if named else None,
    )


def report_scatter(scatter: ScatterCorrelations, options: ScatterOptions) -> MetaReport:
    """Lay out a column for each choice of systems."""
    panel = scatter.panel
    rows = [
        (name, [each[name].value for each in scatter.results.values()])
        for name in panel.names
    ]
    notes = list(panel.notes)
    if scatter.outliers.any():
        marked = [panel.systems[place] for place in np.flatnonzero(scatter.outliers)]
        notes.append(f"Outliers by {panel.gold_name}: {', '.join(marked)}.")
    for label, results in scatter.results.items():
        reasons = dict.fromkeys(r.reason for r in results.values() if r.reason)
        notes += [f"{label}: {reason}" for reason in reasons]
    heads = [f"{label} ({int(keep.sum())})" for label, keep in scatter.choices.items()]
    caption = f"{options.coef} of systems with {panel.gold_name}"
    table = build_table("metric", heads, rows, caption, "scatter")
    outliers = "mad 2.5" if options.outliers == "mad" else "named"
    return build_report(
        [table], options, notes, panel=panel, level="sys", outliers=outliers
    )


def build_system_clouds(scatter: ScatterCorrelations) -> list[ScatterPoints]:
    """Build what pictures show: the systems by gold and each metric, with a line."""
    panel = scatter.panel
    clouds = []
    for name, metric in panel.system_metrics.items():
        both = np.flatnonzero(np.isfinite(panel.system_gold) & np.isfinite(metric))
        if not len(both):
            continue
        values = ", ".join(
            f"{label} {results[name].value:.3f}"
            for label, results in scatter.results.items()
            if results[name].value == results[name].value
        )
        gold, scored = panel.system_gold[both], metric[both]
        clouds.append(
            ScatterPoints(
                f"{name} and {panel.gold_name}",
                panel.gold_name,
                name,
                [panel.systems[place] for place in both],
                gold.tolist(),
                scored.tolist(),
                [scatter.classes[place] for place in both],
                scatter.outliers[both].tolist(),
                fit_line(gold, scored),
                f"{scatter.options.coef}: {values or 'none'}",
            )
        )
    return clouds


SCATTER = Question(
    "scatter",
    ask_scatter,
    report_scatter,
    lambda scatter, _: build_system_clouds(scatter),
)


@dataclass(frozen=True)
class Robustness:
    """By metric: the coefficient over each choice of systems, in the choices' order."""

    panel: ScorePanel
    labels: list[str]
    curves: dict[str, list[float]]
    #: Where systems were drawn: what holds 95 % of the subsets, None where few have a value.
    spread: dict[str, list[tuple[float, float] | None]] = field(default_factory=dict)


def compute_robustness(panel: ScorePanel, asked: RobustOptions) -> Robustness:
    """Correlate over the best systems only, a window of neighbours, all but one, or subsets.

    The top and the windows are by the gold; Mathur, Baldwin and Cohn 2020, ACL, who found
    that high correlations often rest on a few systems far worse than the rest.
    """
    count = len(panel.systems)
    if count < FEWEST + 1:
        msg = f"Subsets of systems need at least {FEWEST + 1} systems; found {count}."
        raise CorpusError(msg)
    options = Options(coef=asked.coef, seed=asked.seed)
    if asked.choice == "subsets":
        return _draw_subsets(panel, options)
    choices = _choose_systems(panel, asked)
    values = [correlate_systems(panel, systems, options) for _, systems in choices]
    curves = {name: [each[name].value for each in values] for name in panel.names}
    return Robustness(panel, [label for label, _ in choices], curves)


def _choose_systems(
    panel: ScorePanel, asked: RobustOptions
) -> list[tuple[str, list[int]]]:
    """List the places of the systems of each choice, best first by the gold; with labels."""
    order = np.argsort(-panel.system_gold, kind="stable").tolist()
    if asked.choice == "top":
        sizes = range(len(order), FEWEST - 1, -1)
        return [(f"top {size}", order[:size]) for size in sizes]
    if asked.choice == "window":
        starts = range(len(order) - FEWEST + 1)
        return [(f"{at + 1}–{at + FEWEST}", order[at : at + FEWEST]) for at in starts]
    without = [
        (f"without {panel.systems[gone]}", [each for each in order if each != gone])
        for gone in order
    ]
    return [("all", order), *without]


def _draw_subsets(panel: ScorePanel, options: Options) -> Robustness:
    """Mean over subsets of systems drawn at random, and what holds 95 % of them."""
    rng = np.random.default_rng(options.seed)
    count = len(panel.systems)
    sizes = list(range(count, FEWEST - 1, -1))
    curves: dict[str, list[float]] = {name: [] for name in panel.names}
    spread: dict[str, list[tuple[float, float] | None]] = {n: [] for n in panel.names}
    for size in sizes:
        drawn = [
            correlate_systems(panel, sorted(rng.permutation(count)[:size]), options)
            for _ in range(SUBSETS if size < count else 1)
        ]
        for name in panel.names:
            values = np.array([each[name].value for each in drawn])
            defined = values[np.isfinite(values)]
            curves[name].append(float(defined.mean()) if len(defined) else np.nan)
            spread[name].append(compute_bounds(values) if size < count else None)
    return Robustness(panel, [f"{size} of {count}" for size in sizes], curves, spread)


def report_robustness(robust: Robustness, options: RobustOptions) -> MetaReport:
    """Lay out the choices down and the metrics across."""
    panel = robust.panel
    nothing = [None] * len(robust.labels)
    columns = [
        zip(robust.curves[name], robust.spread.get(name, nothing), strict=True)
        for name in panel.names
    ]
    rows = zip(robust.labels, zip(*columns, strict=True), strict=True)
    caption = f"{panel.place}{options.coef} with {panel.gold_name} by subset of systems"
    table = build_table("systems", panel.names, rows, caption, panel.lang or "robust")
    notes = []
    if any(v != v for curve in robust.curves.values() for v in curve):
        notes.append("– marks subsets with constant scores.")
    drawn = options.choice == "subsets"
    return build_report(
        [table],
        options,
        notes,
        panel=panel,
        level="sys",
        drawn=SUBSETS if drawn else None,
        seed=options.seed if drawn else None,
    )


_ACROSS = {
    "top": "best systems",
    "window": "systems by rank",
    "subsets": "systems drawn at random",
    "leave-one-out": "system left out",
}


def draw_robustness(robust: Robustness, options: RobustOptions) -> list[CurvePlot]:
    """Draw the coefficient over the choices."""
    panel = robust.panel
    return [
        CurvePlot(
            f"{options.coef} with {panel.gold_name} over fewer systems",
            panel.lang or f"{len(panel.systems)} systems",
            _ACROSS[options.choice],
            options.coef,
            [label.removeprefix("without ") for label in robust.labels],
            robust.curves,
            errors=robust.spread,
        )
    ]


ROBUST = Question(
    "robust",
    lambda evidence, options: compute_robustness(evidence.panel, options),
    report_robustness,
    draw_robustness,
)


class SystemDifferences(NamedTuple):
    """Differentials and accuracy of metrics over the pairs of systems."""

    correlations: correlate.MetricCorrelations
    #: Two-sided p-values of all pairs by the gold; None where it has no segments.
    gold_p: Array | None


def correlate_differences(panel: ScorePanel, options: DiffOptions) -> SystemDifferences:
    """Compute Pearson's r of differences, and the share of pairs ordered right.

    A band keeps the pairs of systems that people tell apart with p below it, in a two-sided
    paired permutation test on segments; Kocmi et al. 2021, WMT.
    """
    chosen = Options(trials=options.trials or TRIALS, seed=options.seed)
    questions = correlate.parse_specs(["differentials", "accuracy"], "sys", chosen)
    correlations = correlate.correlate_metrics(panel, questions, options.trials)
    return SystemDifferences(correlations, compute_gold_p(panel, chosen))


def report_differences(answer: SystemDifferences, options: DiffOptions) -> MetaReport:
    """Lay out all pairs of systems, and the sure ones."""
    correlations, gold_p = answer
    panel, gold = correlations.panel, correlations.panel.gold_name
    notes = (
        []
        if gold_p is not None
        else [f"No significance bands: {gold} has no segments."]
    )
    notes += correlations.explain_missing()
    order = order_pairs(pair_gaps(panel.system_gold))
    pairs = "1 pair" if len(order) == 1 else f"{len(order)} pairs"
    heads = ["differentials", f"accuracy ({pairs})"]
    columns, empty = [], []
    gaps = [pair_gaps(panel.system_metrics[name]) for name in correlations.metrics]
    for band in () if gold_p is None else BANDS:
        sure = np.asarray(gold_p) < band
        empty += [] if sure.any() else [band]
        heads.append(f"p<{band:g} ({int(sure.sum())})")
        right = [(order_pairs(each) == order)[sure] for each in gaps]
        columns.append([build_figure(r.mean() if len(r) else np.nan) for r in right])
    if empty:
        notes.append(f"{gold} has no pair of systems with p < {max(empty):g}.")
    tied = int((pair_gaps(panel.system_gold) == 0).sum())
    if tied:
        notes.append(
            f"{format_count(tied, 'pair')} of systems "
            f"{'has' if tied == 1 else 'have'} equal {gold} scores, thus no direction; "
            "excluded from the differentials."
        )
    caption = f"{panel.place}Differences between systems, {gold}"
    name, rows = panel.lang or "differentials", correlations.build_rows(*columns)
    drawn = "both" if resamples_segments(panel) else "sys"
    return build_report(
        [build_table("metric", heads, rows, caption, name)],
        options,
        notes,
        panel=panel,
        level="sys",
        coef="differentials,accuracy",
        bands=f"perm k={max(options.trials, MOST_SURE)}",
        **describe_draws(options, drawn) | {"seed": options.seed},
    )


def draw_differences(answer: SystemDifferences, _: DiffOptions) -> list[ScatterPoints]:
    """Draw all pairs of systems, for each metric that has any."""
    names = answer.correlations.panel.names
    clouds = (_build_cloud(answer.correlations, name) for name in names)
    return [cloud for cloud in clouds if cloud.x]


DIFF = Question(
    "diff",
    lambda evidence, options: correlate_differences(evidence.panel, options),
    report_differences,
    draw_differences,
)


def compute_gold_p(panel: ScorePanel, options: Options) -> Array | None:
    """Two-sided p-values of all pairs of systems by the gold; None without segments."""
    gold, judged = panel.gold, np.isfinite(panel.gold)
    if not judged.any():
        return None
    if (judged == judged[:1]).all():
        gold = gold[:, judged[0]]
    trials = max(options.trials, MOST_SURE)
    p = permutation_p(gold, trials=trials, seed=options.seed)
    return (2 * trials * np.minimum(p, 1 - p) + 1) / (trials + 1)


def _build_cloud(
    correlations: correlate.MetricCorrelations, name: str
) -> ScatterPoints:
    """Differences of all pairs, the better system by the gold first; wrong ones are hollow."""
    panel = correlations.panel
    first, second = np.triu_indices(len(panel.systems), 1)
    gold, metric = map(pair_gaps, (panel.system_gold, panel.system_metrics[name]))
    sign = np.where(gold < 0, -1.0, 1.0)
    gold, metric = gold * sign, metric * sign
    wrong = (metric <= 0) & (gold > 0)
    # Pairs that people set farthest apart are named first, as long as there is room.
    order = np.argsort(-gold, kind="stable")
    order = order[np.isfinite(metric[order])]
    better = np.where(sign > 0, first, second)[order]
    worse = np.where(sign > 0, second, first)[order]
    names = [
        f"{panel.systems[one]} > {panel.systems[other]}"
        for one, other in zip(better, worse, strict=True)
    ]
    line = fit_line(gold[order], metric[order])
    figures = [results[name].value for results in correlations.answers]
    differential, accuracy = (f"{x:.3f}" if x == x else "–" for x in figures)
    shown = f"differentials {differential} and accuracy {accuracy}"
    return ScatterPoints(
        f"{panel.place}Differences between systems, {name} and {panel.gold_name}",
        f"{panel.gold_name}, the better one first",
        name,
        names,
        gold[order].tolist(),
        metric[order].tolist(),
        [""] * len(order),
        wrong[order].tolist(),
        # Pairs share systems, so a band that takes them for independent would be too narrow.
        replace(line, band=()) if line else None,
        f"{shown} of {len(order)} pairs; hollow: in the wrong order",
        points="pairs of systems",
        hollow="wrong order",
        all_named=False,
    )
