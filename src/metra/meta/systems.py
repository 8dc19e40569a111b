"""The question `correlate`: coefficients of metrics, and figures by systems and their pairs."""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from metra.errors import OptionError, format_count
from metra.meta import correlate
from metra.meta.charts import ScatterPoints
from metra.meta.findings import (
    MetaReport,
    build_figure,
    build_report,
    build_table,
    describe_draws,
)
from metra.meta.options import CorrelateOptions
from metra.meta.question import Evidence, Question
from metra.stats.arrays import Array, Codes, Mask, order_pairs, pair_gaps
from metra.stats.bootstrap import resamples_segments
from metra.stats.correlation import Options, Results, correlate_all
from metra.stats.curves import fit_line, mad_outliers
from metra.stats.defaults import TRIALS
from metra.stats.panel import ScorePanel
from metra.stats.soft_pairwise import permutation_p

#: Fewer systems than this say little.
FEWEST = 4
#: p-values below which people are sure of a pair.
BANDS = (0.05, 0.01, 0.001)
#: Draws that it takes to speak of one in a thousand.
MOST_SURE = 20_000
_BEST = "best"


@dataclass(frozen=True)
class SubsetCorrelations:
    """Each metric's coefficient over all systems, without outliers, and over the best ones."""

    panel: ScorePanel
    options: Options
    #: Each metric's coefficient over the systems of each choice, by the choice's label.
    results: dict[str, Results]
    outliers: Mask


def correlate_choices(panel: ScorePanel, options: Options) -> SubsetCorrelations:
    """Correlate over all systems, without the outliers, and over ever fewer of the best.

    Outliers are systems more than 2.5 robust deviations off the median of the gold. They are
    marked, and never removed unsaid. The best are those by the gold; Mathur, Baldwin and
    Cohn 2020, ACL, found that high correlations often rest on a few systems far worse than
    the rest.
    """
    count = len(panel.systems)
    order = np.argsort(-panel.system_gold, kind="stable")
    outliers = mad_outliers(panel.system_gold)
    choices = {f"all ({count})": np.arange(count)}
    if outliers.any():
        others = np.flatnonzero(~outliers)
        choices[f"no outliers ({len(others)})"] = others
    for size in range(count - 1, FEWEST - 1, -1):
        choices[f"{_BEST} {size}"] = order[:size]
    results = {
        label: correlate_subset(panel, chosen, options)
        for label, chosen in choices.items()
    }
    return SubsetCorrelations(panel, options, results, outliers)


def correlate_subset(panel: ScorePanel, chosen: Codes, options: Options) -> Results:
    """Correlate every metric with the gold over some systems."""
    metrics = {name: metric[chosen] for name, metric in panel.system_metrics.items()}
    return correlate_all(panel.system_gold[chosen], metrics, options)


def report_choices(
    subsets: SubsetCorrelations, options: CorrelateOptions
) -> MetaReport:
    """Lay out a column for each choice of systems."""
    panel, coef = subsets.panel, subsets.options.coef
    rows = [
        (name, [each[name].value for each in subsets.results.values()])
        for name in panel.names
    ]
    notes = []
    if subsets.outliers.any():
        marked = [panel.systems[place] for place in np.flatnonzero(subsets.outliers)]
        notes.append(f"Outliers by {panel.gold_name}: {', '.join(marked)}.")
    for label, results in subsets.results.items():
        reasons = dict.fromkeys(r.reason for r in results.values() if r.reason)
        notes += [f"{label}: {reason}" for reason in reasons]
    caption = f"{panel.place}{coef} of systems with {panel.gold_name}"
    name = panel.lang or "systems"
    table = build_table("metric", list(subsets.results), rows, caption, name)
    return build_report(
        [table], options, notes, panel=panel, level="sys", coef=coef, outliers="mad 2.5"
    )


def build_system_clouds(subsets: SubsetCorrelations) -> list[ScatterPoints]:
    """Build what pictures show: the systems by gold and each metric, with a line."""
    panel = subsets.panel
    clouds = []
    for name, metric in panel.system_metrics.items():
        both = np.flatnonzero(np.isfinite(panel.system_gold) & np.isfinite(metric))
        if not len(both):
            continue
        values = ", ".join(
            f"{label} {results[name].value:.3f}"
            for label, results in subsets.results.items()
            if not label.startswith(_BEST) and np.isfinite(results[name].value)
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
                subsets.outliers[both].tolist(),
                fit_line(gold, scored),
                f"{subsets.options.coef}: {values or 'none'}",
            )
        )
    return clouds


#: Differentials and accuracy of metrics over the pairs of systems, and two-sided p-values
#: of all pairs by the gold; None where it has no segments.
SystemDifferences: TypeAlias = tuple[correlate.MetricCorrelations, Array | None]


def correlate_differences(
    panel: ScorePanel, options: CorrelateOptions
) -> SystemDifferences:
    """Compute Pearson's r of differences, and the share of pairs ordered right.

    A band keeps the pairs of systems that people tell apart with p below it, in a two-sided
    paired permutation test on segments; Kocmi et al. 2021, WMT.
    """
    chosen = Options(trials=options.trials or TRIALS, seed=options.seed)
    questions = correlate.parse_specs(["differentials", "accuracy"], "sys", chosen)
    correlations = correlate.correlate_metrics(panel, questions, options.trials)
    return correlations, compute_gold_p(panel, chosen)


def report_differences(
    answer: SystemDifferences, options: CorrelateOptions
) -> MetaReport:
    """Lay out all pairs of systems, and the sure ones."""
    correlations, gold_p = answer
    panel, gold = correlations.panel, correlations.panel.gold_name
    unknown = f"No significance bands: {gold} has no segments."
    notes = [unknown] if gold_p is None else []
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


def draw_differences(answer: SystemDifferences) -> list[ScatterPoints]:
    """Draw all pairs of systems, for each metric that has any."""
    correlations, _ = answer
    clouds = (_build_cloud(correlations, name) for name in correlations.panel.names)
    return [cloud for cloud in clouds if cloud.x]


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
        wrong[order].tolist(),
        # Pairs share systems, so a band that takes them for independent would be too narrow.
        replace(line, band=()) if line else None,
        f"{shown} of {len(order)} pairs; hollow: in the wrong order",
        points="pairs of systems",
        hollow="wrong order",
        all_named=False,
    )


#: The ways of showing agreement; all but coefficients are of the scores of systems.
_VIEWS: dict[str, Question[CorrelateOptions, Any]] = {
    "coefficients": Question(
        "correlate",
        correlate.ask_correlation,
        correlate.report_correlation,
        correlate.draw_correlation,
    ),
    "systems": Question(
        "correlate",
        lambda evidence, options: correlate_choices(
            evidence.panel, Options(coef=_choose_coefficient(options))
        ),
        report_choices,
        lambda subsets, _: build_system_clouds(subsets),
    ),
    "pairs": Question(
        "correlate",
        lambda evidence, options: correlate_differences(evidence.panel, options),
        report_differences,
        lambda answer, _: draw_differences(answer),
    ),
}


def _choose_coefficient(options: CorrelateOptions) -> str:
    """Return the one coefficient of systems that was asked for."""
    coefficients = options.coefficients or ("pearson",)
    if len(coefficients) > 1:
        msg = f"Subsets of systems need one coefficient; found {len(coefficients)}."
        raise OptionError(msg)
    return coefficients[0]


def ask_correlation(evidence: Evidence, options: CorrelateOptions) -> Any:
    """Correlate metrics with people, in one of the ways of showing agreement."""
    if options.show != "coefficients" and options.level != "sys":
        msg = f"`show` {options.show} is of scores of systems; omit `level`."
        raise OptionError(msg)
    return _VIEWS[options.show].ask(evidence, options)


CORRELATE = Question(
    "correlate",
    ask_correlation,
    lambda answer, options: _VIEWS[options.show].lay_out(answer, options),
    lambda answer, options: _VIEWS[options.show].draw(answer, options),
)
