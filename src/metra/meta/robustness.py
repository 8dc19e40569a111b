"""The question `robust`: does the agreement hang on a few systems?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from metra.errors import CorpusError
from metra.meta.correlation import Options, correlate_all
from metra.meta.findings import Figure, FigureTable, Findings, number
from metra.meta.panel import Panel
from metra.meta.signature import signature

Kind: TypeAlias = Literal["top", "window", "leave-one-out"]

#: Fewer systems than this say little.
FEWEST = 4


@dataclass(frozen=True)
class Robustness:
    """By metric: the coefficient over each choice of systems, in the choices' order."""

    labels: list[str]
    curves: dict[str, list[float]]


def robustness(
    panel: Panel, options: Options, *, kind: Kind = "top", window: int = 4
) -> Robustness:
    """Correlate over the best systems only, over a window of neighbours, or without one.

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
        found = correlate_all(
            panel.system_gold[systems],
            {name: m[systems] for name, m in panel.system_metrics.items()},
            options,
        )
        for name, result in found.items():
            curves[name].append(result.value)
    return Robustness([label for label, _ in choices], curves)


def robust(
    panels: Sequence[Panel], options: Options, *, kind: Kind, window: int
) -> tuple[Findings, list[Robustness]]:
    """Lay out the choices down and the metrics across."""
    tables, notes, found = [], [], []
    for panel in panels:
        one = robustness(panel, options, kind=kind, window=window)
        found.append(one)
        rows = [
            (label, [Figure(number(one.curves[name][at])) for name in panel.names])
            for at, label in enumerate(one.labels)
        ]
        place = f"{panel.lang}: " if panel.lang else ""
        title = f"{place}{options.coef} with {panel.gold_name} by choice of systems"
        tables.append(
            FigureTable(panel.lang or "robust", "systems", panel.names, rows, title)
        )
        notes += [f"{place}{note}" for note in panel.notes]
        if any(v != v for curve in one.curves.values() for v in curve):
            notes.append(f"{place}– marks choices where the scores are constant.")
    line = signature(
        panels[0] if len(panels) == 1 else None,
        level="sys",
        coef=options.coef,
        choice=f"{kind} {window}" if kind == "window" else kind,
    )
    return Findings(tables, line, notes), found
