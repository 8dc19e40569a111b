"""The question `scatter`: systems by gold and metric, with a line and the outliers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import UnknownNameError, no_such
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.scoring.table import Cell, make_table
from metra.stats.correlation import Options, correlate_all
from metra.stats.moments import LineFit, fit_line, mad_outliers
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


def report_scatter(
    panel: ScorePanel,
    options: Options,
    *,
    classes: Mapping[str, str] | None = None,
    outliers: Sequence[str] | None = None,
) -> tuple[MetaReport, list[ScatterPoints]]:
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
    named = sorted(set(filter(None, kinds)))
    choices = {"all": np.ones(len(kinds), bool)}
    if far.any():
        choices["no outliers"] = ~far
    choices |= {kind: np.array([k == kind for k in kinds]) for kind in named}
    columns, clouds = {}, []
    for label, keep in choices.items():
        metrics = {name: m[keep] for name, m in panel.system_metrics.items()}
        columns[label] = correlate_all(panel.system_gold[keep], metrics, options)
    for name, metric in panel.system_metrics.items():
        shown = ", ".join(
            f"{label} {found[name].value:.3f}"
            for label, found in columns.items()
            if found[name].value == found[name].value
        )
        there = np.flatnonzero(np.isfinite(panel.system_gold) & np.isfinite(metric))
        if not len(there):
            continue
        gold, scored = panel.system_gold[there], metric[there]
        clouds.append(
            ScatterPoints(
                f"{name} and {panel.gold_name}",
                panel.gold_name,
                name,
                [panel.systems[at] for at in there],
                gold.tolist(),
                scored.tolist(),
                [kinds[at] for at in there],
                far[there].tolist(),
                fit_line(gold, scored),
                f"{options.coef}: {shown or 'none'}",
            )
        )
    rows = [
        (name, [Cell(drop_nan(found[name].value)) for found in columns.values()])
        for name in panel.names
    ]
    heads = [f"{label} ({int(keep.sum())})" for label, keep in choices.items()]
    notes = list(panel.notes)
    if far.any():
        marked = ", ".join(s for s, f in zip(panel.systems, far, strict=True) if f)
        notes.append(f"Outliers by {panel.gold_name}: {marked}.")
    for label, found in columns.items():
        for reason in dict.fromkeys(r.reason for r in found.values() if r.reason):
            notes.append(f"{label}: {reason}")
    line = build_signature(
        panel,
        level="sys",
        coef=options.coef,
        outliers="named" if outliers is not None else "mad 2.5",
    )
    title = f"{options.coef} of systems with {panel.gold_name}"
    return MetaReport(
        [make_table("metric", heads, rows, caption=title, name="scatter")], line, notes
    ), clouds
