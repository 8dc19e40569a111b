"""The question `report_robustness`: does the agreement hang on a few systems?"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.scoring.table import Cell, make_table
from metra.stats.bootstrap import compute_bounds
from metra.stats.correlation import Options, correlate_all
from metra.stats.panel import ScorePanel

Kind: TypeAlias = Literal["top", "window", "leave-one-out", "subsets"]

#: Fewer systems than this say little.
FEWEST = 4
#: Subsets of systems that are drawn of each size.
SUBSETS = 200


@dataclass(frozen=True)
class Robustness:
    """By metric: the coefficient over each choice of systems, in the choices' order."""

    labels: list[str]
    curves: dict[str, list[float]]
    #: Where systems were drawn: what holds 95 % of the subsets, None where few have a value.
    spread: dict[str, list[tuple[float, float] | None]] = field(default_factory=dict)


def compute_robustness(
    panel: ScorePanel, options: Options, *, kind: Kind = "top", window: int = 4
) -> Robustness:
    """Correlate over the best systems only, a window of neighbours, all but one, or subsets.

    The top and the windows are by the gold; Mathur, Baldwin and Cohn 2020, ACL, who found
    that high correlations often rest on a few systems that are far worse than the rest.
    """
    count = len(panel.systems)
    if count < FEWEST + 1:
        msg = (
            f"To see what hangs on single systems takes at least {FEWEST + 1} of them; "
            f"found: {count}."
        )
        raise CorpusError(msg)
    if kind == "subsets":
        return _draw_subsets(panel, options)
    order = np.argsort(-panel.system_gold, kind="stable")
    choices: list[tuple[str, list[int]]]
    if kind == "top":
        choices = [
            (f"top {k}", order[:k].tolist()) for k in range(count, FEWEST - 1, -1)
        ]
    elif kind == "window":
        size = min(max(window, FEWEST), count)
        choices = [
            (f"{at + 1}–{at + size}", order[at : at + size].tolist())
            for at in range(count - size + 1)
        ]
    else:
        choices = [("all", order.tolist())] + [
            (
                f"without {panel.systems[gone]}",
                [at for at in order.tolist() if at != gone],
            )
            for gone in order.tolist()
        ]
    curves: dict[str, list[float]] = {name: [] for name in panel.names}
    for _, systems in choices:
        for name, value in _correlate_systems(panel, systems, options).items():
            curves[name].append(value)
    return Robustness([label for label, _ in choices], curves)


def _correlate_systems(
    panel: ScorePanel, systems: list[int], options: Options
) -> dict[str, float]:
    """Every metric's coefficient over some systems."""
    metrics = {name: m[systems] for name, m in panel.system_metrics.items()}
    found = correlate_all(panel.system_gold[systems], metrics, options)
    return {name: result.value for name, result in found.items()}


def _draw_subsets(panel: ScorePanel, options: Options) -> Robustness:
    """Mean over subsets of systems drawn at random, and what holds 95 % of them."""
    rng = np.random.default_rng(options.seed)
    count = len(panel.systems)
    sizes = list(range(count, FEWEST - 1, -1))
    curves: dict[str, list[float]] = {name: [] for name in panel.names}
    spread: dict[str, list[tuple[float, float] | None]] = {n: [] for n in panel.names}
    for size in sizes:
        drawn = [
            _correlate_systems(
                panel, np.sort(rng.permutation(count)[:size]).tolist(), options
            )
            for _ in range(SUBSETS if size < count else 1)
        ]
        for name in panel.names:
            values = np.array([each[name] for each in drawn])
            there = values[np.isfinite(values)]
            curves[name].append(float(there.mean()) if len(there) else np.nan)
            spread[name].append(compute_bounds(values) if size < count else None)
    return Robustness([f"{size} of {count}" for size in sizes], curves, spread)


def report_robustness(
    panels: Sequence[ScorePanel], options: Options, *, kind: Kind, window: int
) -> tuple[MetaReport, list[Robustness]]:
    """Lay out the choices down and the metrics across."""
    tables, notes, found = [], [], []
    for panel in panels:
        one = compute_robustness(panel, options, kind=kind, window=window)
        found.append(one)
        rows = [
            (
                label,
                [
                    Cell(
                        drop_nan(one.curves[name][at]),
                        one.spread[name][at] if one.spread else None,
                    )
                    for name in panel.names
                ],
            )
            for at, label in enumerate(one.labels)
        ]
        place = f"{panel.lang}: " if panel.lang else ""
        title = f"{place}{options.coef} with {panel.gold_name} by choice of systems"
        tables.append(
            make_table(
                "systems", panel.names, rows, caption=title, name=panel.lang or "robust"
            )
        )
        notes += [f"{place}{note}" for note in panel.notes]
        if any(v != v for curve in one.curves.values() for v in curve):
            notes.append(f"{place}– marks choices where the scores are constant.")
    line = build_signature(
        panels[0] if len(panels) == 1 else None,
        level="sys",
        coef=options.coef,
        choice=f"{kind} {window}" if kind == "window" else kind,
        drawn=SUBSETS if kind == "subsets" else None,
        seed=options.seed if kind == "subsets" else None,
    )
    return MetaReport(tables, line, notes), found
