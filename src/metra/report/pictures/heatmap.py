"""A matrix as a heat map: p-values with clusters framed, or coefficients between scorers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from metra.report.chart import (
    draw_rect,
    draw_text,
    measure_text,
    render_chart,
    shorten_word,
)
from metra.report.html.markup import Html

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
    """Draw the cells with their values, and a frame round each cluster."""
    size = len(heat.names) * CELL
    names = [shorten_word(name, LONGEST) for name in heat.names]
    # Capitals are wider than a letter is on average.
    longest = max(map(measure_text, names)) * 1.09
    left = MARGIN + longest + 8
    top = 70 + longest * 0.71
    slanted = measure_text(names[-1]) * 0.78
    heading = max(measure_text(heat.title) * 1.12, measure_text(heat.caption))
    width = max(left + size + slanted, heading + 2 * MARGIN, 420)
    marks = [
        *_draw_names(names, left, top),
        *_draw_cells(heat, left, top),
        *_draw_frames(heat.clusters, left, top),
    ]
    page = width, top + size + 34
    description = _describe_heatmap(heat)
    return render_chart(heat.title, heat.caption, description, page, marks)


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
            shade, color = _choose_shade(value, heat.kind)
            fill = f"fill: var(--{color}); fill-opacity: {shade:.2f}"
            yield draw_rect(
                x + 0.5,
                y + 0.5,
                CELL - 1,
                CELL - 1,
                hint=f"{heat.names[i]}, {heat.names[j]}: {value:.4g}",
                rx=2,
                style=f"{fill}; stroke: var(--rule)",
            )
            yield draw_text(
                x + CELL / 2,
                y + CELL / 2 + 4,
                _format_number(value, heat.kind),
                "small",
                "middle",
                style=f"fill: var(--{'paper' if shade > 0.62 else 'ink'})",
            )


def _choose_shade(value: float, kind: str) -> tuple[float, str]:
    if kind == "r":
        return min(abs(value), 1.0) ** 1.5, "c0" if value >= 0 else "c1"
    steps = ((0.001, 1.0), (0.01, 0.8), (0.05, 0.6), (0.1, 0.2))
    return next((shade for limit, shade in steps if value <= limit), 0.05), "c0"


def _format_number(value: float, kind: str) -> str:
    if kind == "p" and value < 0.001:
        return "<.001"
    shown = f"{value:.3f}" if kind == "p" and value < 0.1 else f"{value:.2f}"
    return shown.replace("-0.", "−.").replace("0.", ".", 1)


def _draw_frames(clusters: Sequence[int], left: float, top: float) -> Iterator[Html]:
    for cluster in dict.fromkeys(clusters):
        rows = [row for row, entry in enumerate(clusters) if entry == cluster]
        side = len(rows) * CELL
        x, y = left + rows[0] * CELL, top + rows[0] * CELL
        frame = "stroke: var(--c1); stroke-width: 2"
        yield draw_rect(x, y, side, side, "edge", style=frame)
        yield draw_text(
            x + 5, y + side - 5, str(cluster), "small", style="fill: var(--c1)"
        )


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
