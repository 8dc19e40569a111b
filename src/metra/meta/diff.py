"""The question `diff`: do differences between systems agree, and where people are sure?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.errors import format_count
from metra.meta import correlate
from metra.meta.findings import MetaReport, build_figure, build_signature
from metra.meta.scatter import ScatterPoints
from metra.scoring.table import Table, make_table
from metra.stats.arrays import Array, order_pairs, pair_gaps
from metra.stats.bootstrap import resamples_segments
from metra.stats.correlation import CorrelationResult, Options
from metra.stats.line_fit import fit_line
from metra.stats.panel import ScorePanel
from metra.stats.soft_pairwise import permutation_p

#: People are sure of a pair where their p-value is below these.
BANDS = (0.05, 0.01, 0.001)
#: Draws that it takes to speak of one in a thousand.
MOST_SURE = 20_000


@dataclass(frozen=True)
class SystemDifferences:
    """Differences between the systems of one language pair, by gold and metrics."""

    panel: ScorePanel
    questions: list[correlate.CorrelationSpec]
    #: The differentials and the accuracy of each metric.
    answers: list[dict[str, CorrelationResult]]
    #: Two-sided p-values of all pairs by the gold; None where it has no segments.
    gold_p: Array | None


def correlate_differences(
    panel: ScorePanel, options: Options, *, interval: bool = True
) -> SystemDifferences:
    """Compute Pearson's r of differences, and the share of pairs ordered right.

    A band keeps the pairs of systems that people tell apart with p below it, in a two-sided
    paired permutation test on segments; Kocmi et al. 2021, WMT.
    """
    questions = correlate.parse_specs(["differentials", "accuracy"], "sys", options)
    answers = []
    for question in questions:
        results = correlate.correlate_panel(panel, question)
        answers.append(
            correlate.add_bootstrap(panel, question, results) if interval else results
        )
    return SystemDifferences(panel, questions, answers, compute_gold_p(panel, options))


def report_differences(
    differences: Sequence[SystemDifferences], options: Options, *, interval: bool = True
) -> MetaReport:
    """Lay out a table for each language pair: all pairs of systems, and the sure ones."""
    panels = [each.panel for each in differences]
    drawn = "both" if all(map(resamples_segments, panels)) else "sys"
    signature = build_signature(
        panels[0] if len(panels) == 1 else None,
        level="sys",
        coef="differentials,accuracy",
        orient=options.orient,
        bands=f"perm k={max(options.trials, MOST_SURE)}",
        boot=f"{drawn} k={options.trials}" if interval else None,
        seed=options.seed,
    )
    notes = []
    for each in differences:
        notes += [f"{each.panel.place}{note}" for note in _write_notes(each)]
    return MetaReport([_build_table(each) for each in differences], signature, notes)


def build_clouds(differences: Sequence[SystemDifferences]) -> list[ScatterPoints]:
    """Build what pictures show: all pairs of systems, for each metric that has any."""
    named = [(each, name) for each in differences for name in each.panel.names]
    return [cloud for cloud in (_build_cloud(*pair) for pair in named) if cloud.x]


def _write_notes(differences: SystemDifferences) -> list[str]:
    panel, gold_p = differences.panel, differences.gold_p
    gold = panel.gold_name
    notes = list(panel.notes)
    if gold_p is None:
        notes.append(f"No significance bands: {gold} has no segments.")
    notes += correlate.explain_missing(differences.questions, differences.answers)
    empty = [band for band in BANDS if gold_p is not None and not (gold_p < band).any()]
    if empty:
        notes.append(f"{gold} has no pair of systems with p < {max(empty):g}.")
    tied = int((pair_gaps(panel.system_gold) == 0).sum())
    if tied:
        notes.append(
            f"{format_count(tied, 'pair')} of systems "
            f"{'has' if tied == 1 else 'have'} equal {gold} scores, thus no direction; "
            "excluded from the differentials."
        )
    return notes


def compute_gold_p(panel: ScorePanel, options: Options) -> Array | None:
    """Two-sided p-values of all pairs of systems by the gold; None without segments."""
    gold, there = panel.gold, np.isfinite(panel.gold)
    if not there.any():
        return None
    if (there == there[:1]).all():
        gold = gold[:, there[0]]
    trials = max(options.trials, MOST_SURE)
    p = permutation_p(gold, trials=trials, seed=options.seed)
    return (2 * trials * np.minimum(p, 1 - p) + 1) / (trials + 1)


def _build_cloud(differences: SystemDifferences, name: str) -> ScatterPoints:
    """Differences of all pairs, the better system by the gold first; wrong ones are hollow."""
    panel = differences.panel
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
    figures = [results[name].value for results in differences.answers]
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


def _build_table(differences: SystemDifferences) -> Table:
    panel = differences.panel
    gold = order_pairs(pair_gaps(panel.system_gold))
    names = correlate.sort_metrics(differences.answers[0])
    pairs = "1 pair" if len(gold) == 1 else f"{len(gold)} pairs"
    headings = ["differentials", f"accuracy ({pairs})"]
    sure_columns = []
    gaps = {name: pair_gaps(panel.system_metrics[name]) for name in names}
    for band in () if differences.gold_p is None else BANDS:
        sure = np.asarray(differences.gold_p) < band
        headings.append(f"p<{band:g} ({int(sure.sum())})")
        right = [(order_pairs(gaps[name]) == gold)[sure] for name in names]
        sure_columns.append(
            [build_figure(r.mean() if len(r) else np.nan) for r in right]
        )
    cells = correlate.build_columns(names, differences.answers, *sure_columns)
    return make_table(
        "metric",
        headings,
        list(zip(names, cells, strict=True)),
        caption=f"{panel.place}Differences between systems, {panel.gold_name}",
        name=panel.lang or "differentials",
    )
