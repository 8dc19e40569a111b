"""A matrix as a heat map: p-values with clusters framed, or coefficients between scorers."""

from collections.abc import Iterator, Sequence
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
    marks = [*_draw_names(names, left, top), *plot_matrix(heat, left, top)]
    page = width, top + size + 34
    description = _describe_heatmap(heat)
    return render_chart(heat.title, heat.caption, description, page, marks)


def plot_matrix(heat: Heatmap, left: float, top: float) -> list[Html]:
    """Draw the cells with their values, and a frame round each cluster."""
    return [*_draw_cells(heat, left, top), *_draw_clusters(heat.clusters, left, top)]


def _draw_names(names: Sequence[str], left: float, top: float) -> Iterator[Html]:
    for at, name in enumerate(names):
        middle = at * CELL + CELL / 2
        yield draw_text(left - 8, top + middle + 4, name, anchor="end")
        x, y = left + middle + 2, top - 7
        yield draw_text(x, y, name, transform=f"rotate(-45 {x:g} {y:g})")


def _draw_cells(heat: Heatmap, left: float, top: float) -> Iterator[Html]:
    for i, row in enumerate(heat.values):
        for j, value in enumerate(row):
            if value is None:
                continue
            x, y = left + j * CELL, top + i * CELL
            kind = "heat negative" if value < 0 else "heat"
            shade = _choose_shade(value, heat.kind)
            hint = f"{heat.names[i]}, {heat.names[j]}: {value:.4g}"
            side = CELL - 2
            yield draw_rect(
                x + 1, y + 1, side, side, kind, hint, rx=2, fill_opacity=shade
            )
            number = _format_number(value, heat.kind)
            yield draw_text(x + CELL / 2, y + CELL / 2 + 4, number, "cell", "middle")


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


def _draw_clusters(clusters: Sequence[int], left: float, top: float) -> Iterator[Html]:
    for cluster in dict.fromkeys(clusters):
        rows = [row for row, entry in enumerate(clusters) if entry == cluster]
        side = len(rows) * CELL
        x, y = left + rows[0] * CELL, top + rows[0] * CELL
        yield draw_rect(x, y, side, side, "frame")
        yield draw_text(x + 5, y + side - 5, str(cluster), "tick")


def _describe_heatmap(heat: Heatmap) -> str:
    rows = [
        f"{name}: "
        + ", ".join(
            f"{other} {value:.3g}"
            for other, value in zip(heat.names, row, strict=True)
            if value is not None
        )
        for name, row in zip(heat.names, heat.values, strict=True)
    ]
    clusters = ", ".join(
        f"{name} {at}" for name, at in zip(heat.names, heat.clusters, strict=False)
    )
    return f"{heat.caption}. {'; '.join(rows)}. " + (
        f"Clusters: {clusters}." if clusters else ""
    )
