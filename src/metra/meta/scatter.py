"""The question `scatter`: systems by gold and metric, with a line and the outliers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import UnknownNameError, no_such
from metra.meta.findings import MetaReport, build_figure, build_signature
from metra.scoring.table import make_table
from metra.stats.arrays import Mask
from metra.stats.correlation import CorrelationResult, Options, correlate_all
from metra.stats.line_fit import LineFit, fit_line, mad_outliers
from metra.stats.panel import ScorePanel


@dataclass(frozen=True)
class ScatterPoints:
    """What a scatter plot shows: points with names, classes and outliers, and a line."""

    title: str
    across: str
    down: str
    names: list[str]
    x: list[float]
    y: list[float]
    classes: list[str]
    outliers: list[bool]
    fit: LineFit | None
    caption: str
    #: What points are, and what the hollow ones are.
    points: str = "systems"
    hollow: str = "outlier"
    #: Whether all points are named, or only the hollow ones.
    all_named: bool = True


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


def report_scatter(scatter: ScatterCorrelations, *, named: bool = False) -> MetaReport:
    """Lay out a column for each choice of systems; `named` says who chose the outliers."""
    panel, options = scatter.panel, scatter.options
    rows = [
        (name, [build_figure(each[name].value) for each in scatter.results.values()])
        for name in panel.names
    ]
    notes = list(panel.notes)
    if scatter.outliers.any():
        marked = [panel.systems[place] for place in np.flatnonzero(scatter.outliers)]
        notes.append(f"Outliers by {panel.gold_name}: {', '.join(marked)}.")
    for label, results in scatter.results.items():
        reasons = dict.fromkeys(r.reason for r in results.values() if r.reason)
        notes += [f"{label}: {reason}" for reason in reasons]
    signature = build_signature(
        panel, level="sys", coef=options.coef, outliers="named" if named else "mad 2.5"
    )
    table = make_table(
        "metric",
        [f"{label} ({int(keep.sum())})" for label, keep in scatter.choices.items()],
        rows,
        caption=f"{options.coef} of systems with {panel.gold_name}",
        name="scatter",
    )
    return MetaReport([table], signature, notes)


def build_system_clouds(scatter: ScatterCorrelations) -> list[ScatterPoints]:
    """Build what pictures show: the systems by gold and each metric, with a line."""
    panel = scatter.panel
    clouds = []
    for name, metric in panel.system_metrics.items():
        there = np.flatnonzero(np.isfinite(panel.system_gold) & np.isfinite(metric))
        if not len(there):
            continue
        values = ", ".join(
            f"{label} {results[name].value:.3f}"
            for label, results in scatter.results.items()
            if results[name].value == results[name].value
        )
        gold, scored = panel.system_gold[there], metric[there]
        clouds.append(
            ScatterPoints(
                f"{name} and {panel.gold_name}",
                panel.gold_name,
                name,
                [panel.systems[place] for place in there],
                gold.tolist(),
                scored.tolist(),
                [scatter.classes[place] for place in there],
                scatter.outliers[there].tolist(),
                fit_line(gold, scored),
                f"{scatter.options.coef}: {values or 'none'}",
            )
        )
    return clouds
