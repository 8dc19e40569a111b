"""A matrix as a heat map: p-values with clusters framed, or coefficients between scorers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from metra.report.chart import draw_rect, draw_text, measure_text, render_chart
from metra.report.html.markup import Html
from metra.report.terminal import shorten_text

CELL = 38.0
MARGIN = 16.0
LONGEST = 24


@dataclass(frozen=True, slots=True)
class Heatmap:
    """What is drawn: names down and across, a value or nothing in each cell."""

    title: str
    caption: str
    names: Sequence[str]
    values: Sequence[Sequence[float | None]]
    #: p: small is dark, and shown as p-values are; r: from -1 to 1.
    kind: Literal["p", "r"]
    #: The cluster of each row, in order; framed.
    clusters: Sequence[int] = ()


def draw_heatmap(heat: Heatmap) -> str:
    """Draw a heat map as a file of its own, with the names on both sides."""
    size = len(heat.names) * CELL
    names = [shorten_text(name, LONGEST) for name in heat.names]
    # Capitals are wider than a letter is on average.
    longest = max(map(measure_text, names)) * 1.09
    left = MARGIN + longest + 8
    top = 70 + longest * 0.71
    slanted = measure_text(names[-1]) * 0.78
    heading = max(measure_text(heat.title) * 1.12, measure_text(heat.caption))
    width = max(left + size + slanted, heading + 2 * MARGIN, 420)
    marks = []
    for at, name in enumerate(names):
        middle = at * CELL + CELL / 2
        marks.append(draw_text(left - 8, top + middle + 4, name, anchor="end"))
        x, y = left + middle + 2, top - 7
        marks.append(draw_text(x, y, name, transform=f"rotate(-45 {x:g} {y:g})"))
    marks += plot_matrix(heat, left, top)
    page = width, top + size + 34
    description = _describe_heatmap(heat)
    return render_chart(heat.title, heat.caption, description, page, marks)


def plot_matrix(heat: Heatmap, left: float, top: float) -> list[Html]:
    """Draw the cells with their values, and a frame round each cluster."""
    marks, side = [], CELL - 2
    for i, row in enumerate(heat.values):
        for j, value in enumerate(row):
            if value is None:
                continue
            x, y = left + j * CELL, top + i * CELL
            kind = "heat negative" if value < 0 else "heat"
            shade = {"rx": 2, "fill_opacity": _choose_shade(value, heat.kind)}
            hint = f"{heat.names[i]}, {heat.names[j]}: {value:.4g}"
            number = _format_number(value, heat.kind)
            middle = x + CELL / 2, y + CELL / 2 + 4
            marks.append(draw_rect(x + 1, y + 1, side, side, kind, hint, **shade))
            marks.append(draw_text(*middle, number, "cell", "middle"))
    for cluster in dict.fromkeys(heat.clusters):
        first, size = heat.clusters.index(cluster), heat.clusters.count(cluster) * CELL
        x, y = left + first * CELL, top + first * CELL
        marks.append(draw_rect(x, y, size, size, "frame"))
        marks.append(draw_text(x + 5, y + size - 5, str(cluster), "tick"))
    return marks


def _choose_shade(value: float, kind: str) -> float:
    """Choose how dark a cell is; ink stays readable on the darkest."""
    if kind == "r":
        return round(0.55 * min(abs(value), 1.0) ** 1.5, 3)
    steps = ((0.001, 0.5), (0.01, 0.38), (0.05, 0.26))
    return next((shade for limit, shade in steps if value <= limit), 0.06)


def _format_number(value: float, kind: str) -> str:
    if kind == "p" and value < 0.001:
        return "<.001"
    number = f"{value:.3f}" if kind == "p" and value < 0.1 else f"{value:.2f}"
    return number.replace("-0.", "−.").replace("0.", ".", 1)


def _describe_heatmap(heat: Heatmap) -> str:
    rows = []
    for name, row in zip(heat.names, heat.values, strict=True):
        pairs = zip(heat.names, row, strict=True)
        values = [f"{other} {value:.3g}" for other, value in pairs if value is not None]
        rows.append(f"{name}: {', '.join(values)}")
    members = zip(heat.names, heat.clusters, strict=False)
    clusters = ", ".join(f"{name} {at}" for name, at in members)
    told = f"{heat.caption}. {'; '.join(rows)}. "
    return f"{told}Clusters: {clusters}." if clusters else told
