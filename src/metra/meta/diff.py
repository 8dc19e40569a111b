"""The question `diff`: do differences between systems agree, and where people are sure?"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metra.meta.correlate import (
    CorrelationSpec,
    correlate_panel,
    explain_missing,
    parse_specs,
)
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.meta.scatter import ScatterPoints
from metra.scoring.table import Cell, Table, make_table, mark_best
from metra.stats.arrays import Array, Mask
from metra.stats.bootstrap import bootstrap, compute_bounds, resamples_segments
from metra.stats.correlation import CorrelationResult, Options
from metra.stats.moments import fit_line
from metra.stats.panel import ScorePanel
from metra.stats.soft_pairwise import permutation_p

#: People are sure of a pair where their p-value is below these.
BANDS = (0.05, 0.01, 0.001)
#: Draws that it takes to speak of one in a thousand.
MOST_SURE = 20_000


def report_differences(
    panels: Sequence[ScorePanel], options: Options, *, interval: bool = True
) -> tuple[MetaReport, list[ScatterPoints]]:
    """Pearson's r of differences, and the share of pairs ordered right, all and sure ones.

    A band keeps the pairs of systems that people tell apart with p below it, in a two-sided
    paired permutation test on segments; Kocmi et al. 2021, WMT. The clouds are of pairs, one
    for each metric.
    """
    tables, notes = [], []
    clouds: list[ScatterPoints] = []
    for panel in panels:
        place = f"{panel.lang}: " if panel.lang else ""
        notes += [f"{place}{note}" for note in panel.notes]
        p = compute_gold_p(panel, options)
        if p is None:
            notes.append(
                f"{place}No band of sure pairs: {panel.gold_name} has no segments."
            )
        questions = parse_specs(["differentials", "accuracy"], "sys", options)
        answers = [correlate_panel(panel, question) for question in questions]
        notes += [f"{place}{note}" for note in explain_missing(questions, answers)]
        empty = [band for band in BANDS if p is not None and not (p < band).any()]
        if empty:
            notes.append(
                f"{place}{panel.gold_name} tells no two systems apart with "
                f"p < {max(empty):g}."
            )
        tables.append(_build_table(panel, questions, answers, p, interval))
        made = [_build_cloud(panel, name, answers) for name in panel.names]
        clouds += [cloud for cloud in made if cloud.x]
        tied = int((_compute_gaps(panel.system_gold) == 0).sum())
        if tied:
            notes.append(
                f"{place}{tied} pairs of systems have equal {panel.gold_name} scores; they "
                "have no direction and are left out of the differentials."
            )
    segments = all(map(resamples_segments, panels))
    line = build_signature(
        panels[0] if len(panels) == 1 else None,
        level="sys",
        coef="differentials,accuracy",
        orient=options.orient,
        bands=f"perm k={_choose_trials(options)}",
        boot=f"{'both' if segments else 'sys'} k={options.trials}"
        if interval
        else None,
        seed=options.seed,
    )
    return MetaReport(tables, line, notes), clouds


def compute_gold_p(panel: ScorePanel, options: Options) -> Array | None:
    """Two-sided p-values of all pairs of systems by the gold; None without segments."""
    if not np.isfinite(panel.gold).any():
        return None
    gold = panel.gold
    there = np.isfinite(gold)
    if (there == there[:1]).all():
        gold = gold[:, there[0]]
    trials = _choose_trials(options)
    p = permutation_p(gold, trials=trials, seed=options.seed)
    return (2 * trials * np.minimum(p, 1 - p) + 1) / (trials + 1)


def _choose_trials(options: Options) -> int:
    """Enough draws to tell p-values below the last band."""
    return max(options.trials, MOST_SURE)


def _build_cloud(
    panel: ScorePanel, name: str, answers: Sequence[dict[str, CorrelationResult]]
) -> ScatterPoints:
    """Differences of all pairs, the better system by the gold first; wrong ones are hollow."""
    first, second = np.triu_indices(len(panel.systems), 1)
    gold, metric = (
        _compute_gaps(panel.system_gold),
        _compute_gaps(panel.system_metrics[name]),
    )
    sign = np.where(gold < 0, -1.0, 1.0)
    gold, metric = gold * sign, metric * sign
    wrong = (metric <= 0) & (gold > 0)
    # Pairs that people set farthest apart are named first, as long as there is room.
    order = [at for at in np.argsort(-gold, kind="stable") if np.isfinite(metric[at])]
    names = [
        " > ".join(
            panel.systems[of]
            for of in (
                (first[at], second[at]) if sign[at] > 0 else (second[at], first[at])
            )
        )
        for at in order
    ]
    line = fit_line(gold[order], metric[order])
    shown = " and ".join(
        f"{label} {_format_figure(found[name].value)}"
        for label, found in zip(("differentials", "accuracy"), answers, strict=True)
    )
    place = f"{panel.lang}: " if panel.lang else ""
    return ScatterPoints(
        f"{place}Differences between systems, {name} and {panel.gold_name}",
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


def _format_figure(value: float) -> str:
    """Write a figure, or a dash for what is none."""
    return f"{value:.3f}" if value == value else "–"


def _build_table(
    panel: ScorePanel,
    questions: Sequence[CorrelationSpec],
    answers: list[dict[str, CorrelationResult]],
    p: Array | None,
    interval: bool,
) -> Table:
    if interval and len(panel.systems) > 2:
        for at, question in enumerate(questions):
            draws = bootstrap(panel, "sys", question.options)
            answers[at] = {
                name: replace(result, interval=compute_bounds(draws[name]))
                for name, result in answers[at].items()
            }
    gold = np.sign(_compute_gaps(panel.system_gold))
    names = sorted(
        panel.names, key=lambda name: -np.nan_to_num(answers[0][name].value, nan=-9)
    )
    columns = [
        mark_best(
            [Cell(drop_nan(found[name].value), found[name].interval) for name in names]
        )
        for found in answers
    ]
    pairs = "1 pair" if len(gold) == 1 else f"{len(gold)} pairs"
    headings = ["differentials", f"accuracy ({pairs})"]
    for band in () if p is None else BANDS:
        sure = np.asarray(p) < band
        headings.append(f"p<{band:g} ({int(sure.sum())})")
        columns.append(
            mark_best([_score_sure(panel, name, gold, sure) for name in names])
        )
    rows = list(zip(names, map(list, zip(*columns, strict=True)), strict=True))
    title = f"{panel.lang}: " if panel.lang else ""
    return make_table(
        "metric",
        headings,
        rows,
        caption=f"{title}Differences between systems, {panel.gold_name}",
        name=panel.lang or "differentials",
    )


def _score_sure(panel: ScorePanel, name: str, gold: Array, sure: Mask) -> Cell:
    if not sure.any():
        return Cell(None)
    right = np.sign(_compute_gaps(panel.system_metrics[name])) == gold
    return Cell(float(right[sure].mean()))


def _compute_gaps(x: Array) -> Array:
    first, second = np.triu_indices(len(x), 1)
    return x[first] - x[second]
