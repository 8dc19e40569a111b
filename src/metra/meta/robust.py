"""The question `robust`: does the agreement depend on a few systems?"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import MetaReport, build_figure, build_signature
from metra.meta.options import RobustOptions
from metra.meta.scatter import correlate_systems
from metra.scoring.table import make_table
from metra.stats.bootstrap import compute_bounds
from metra.stats.correlation import Options
from metra.stats.panel import ScorePanel

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


def compute_robustness(panel: ScorePanel, asked: RobustOptions) -> Robustness:
    """Correlate over the best systems only, a window of neighbours, all but one, or subsets.

    The top and the windows are by the gold; Mathur, Baldwin and Cohn 2020, ACL, who found
    that high correlations often rest on a few systems that are far worse than the rest.
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
    return Robustness([label for label, _ in choices], curves)


def _choose_systems(
    panel: ScorePanel, asked: RobustOptions
) -> list[tuple[str, list[int]]]:
    """List the places of the systems of each choice, best first by the gold; with labels."""
    order = np.argsort(-panel.system_gold, kind="stable").tolist()
    if asked.choice == "top":
        sizes = range(len(order), FEWEST - 1, -1)
        return [(f"top {size}", order[:size]) for size in sizes]
    if asked.choice == "window":
        size = min(max(asked.window, FEWEST), len(order))
        starts = range(len(order) - size + 1)
        return [(f"{at + 1}–{at + size}", order[at : at + size]) for at in starts]
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
            there = values[np.isfinite(values)]
            curves[name].append(float(there.mean()) if len(there) else np.nan)
            spread[name].append(compute_bounds(values) if size < count else None)
    return Robustness([f"{size} of {count}" for size in sizes], curves, spread)


def report_robustness(
    panels: Sequence[ScorePanel], robustness: Sequence[Robustness], asked: RobustOptions
) -> MetaReport:
    """Lay out the choices down and the metrics across."""
    notes: list[str] = []
    tables = []
    for panel, each in zip(panels, robustness, strict=True):
        nothing = [None] * len(each.labels)
        columns = [
            map(build_figure, each.curves[name], each.spread.get(name, nothing))
            for name in panel.names
        ]
        rows = list(zip(each.labels, zip(*columns, strict=True), strict=True))
        caption = (
            f"{panel.place}{asked.coef} with {panel.gold_name} by subset of systems"
        )
        tag = panel.lang or "robust"
        tables.append(
            make_table("systems", panel.names, rows, caption=caption, name=tag)
        )
        notes += [f"{panel.place}{note}" for note in panel.notes]
        if any(v != v for curve in each.curves.values() for v in curve):
            notes.append(f"{panel.place}– marks subsets with constant scores.")
    drawn, window = asked.choice == "subsets", asked.choice == "window"
    signature = build_signature(
        panels[0] if len(panels) == 1 else None,
        level="sys",
        coef=asked.coef,
        choice=f"window {asked.window}" if window else asked.choice,
        drawn=SUBSETS if drawn else None,
        seed=asked.seed if drawn else None,
    )
    return MetaReport(tables, signature, notes)
