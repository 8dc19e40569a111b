"""A matrix as a heat map: p-values with clusters framed, or coefficients between scorers."""

from metra.meta.charts import Heatmap
from metra.report.chart import (
    LETTER,
    SCREEN,
    PictureLayout,
    draw_rect,
    draw_text,
    format_tick,
    measure_text,
    render_chart,
)
from metra.report.html.markup import Html
from metra.report.terminal import shorten_text

CELL = 38.0
#: Numbers lose their point in smaller cells, p-values become stars; below, shades only.
SMALL, TINY = 30.0, 13.0
MARGIN = 16.0
LONGEST = 24
#: What shades p-values, and the stars that stand for them.
_STEPS = ((0.001, 0.5, "***"), (0.01, 0.38, "**"), (0.05, 0.26, "*"))


def draw_heatmap(heat: Heatmap, layout: PictureLayout = SCREEN) -> str:
    """Draw a heat map as a file of its own, with the names on both sides."""
    longest_name = LONGEST
    if layout.units is not None:
        longest_name = max(8, min(LONGEST, int(0.3 * layout.units / LETTER)))
    names = [shorten_text(name, longest_name) for name in heat.names]
    # Capitals are wider than a letter is on average.
    longest = max(map(measure_text, names)) * 1.09
    left = MARGIN + longest + 8
    slanted = measure_text(names[-1]) * 0.78
    cell = CELL
    if layout.units is not None:
        room = layout.units - left - 4
        cell = min(CELL, (room - slanted) / len(names))
        # Names that stand upright leave more room for narrow cells.
        if cell < SMALL:
            cell, slanted = min(CELL, room / len(names)), 0.0
    is_upright = layout.units is not None and not slanted
    top = 70 + longest * (1.0 if is_upright else 0.71)
    size = len(names) * cell
    heading = max(measure_text(heat.title) * 1.12, measure_text(heat.caption))
    width = max(left + size + slanted, heading + 2 * MARGIN, 420)
    marks = []
    for at, name in enumerate(names):
        middle = at * cell + cell / 2
        marks.append(draw_text(left - 8, top + middle + 4, name, anchor="end"))
        x, y, turn = left + middle + 2, top - 7, -45
        if is_upright:
            x, turn = x + 2, -90
        marks.append(draw_text(x, y, name, transform=f"rotate({turn} {x:g} {y:g})"))
    marks += plot_matrix(heat, left, top, cell)
    page = layout.choose_width(width), top + size + (6 if is_upright else 34)
    caption = f"{heat.caption}{_explain_cells(heat.kind, cell)}"
    description = describe_heatmap(heat)
    return render_chart(heat.title, caption, description, page, marks, layout)


def plot_matrix(
    heat: Heatmap, left: float, top: float, cell: float = CELL
) -> list[Html]:
    """Draw the cells with their values, and a frame round each cluster."""
    gap = 1 if cell >= SMALL else 0.5
    marks, side = [], cell - 2 * gap
    # Stars stand high.
    lower = 4.0 if cell >= SMALL else cell * (0.36 if heat.kind == "p" else 0.19)
    share = 0.72 if heat.kind == "p" else 0.52
    letters = {} if cell >= SMALL else {"style": f"font-size: {share * cell:.3g}px"}
    for i, row in enumerate(heat.values):
        for j, value in enumerate(row):
            if value != value:
                continue
            x, y = left + j * cell, top + i * cell
            kind = "heat negative" if value < 0 else "heat"
            shade = {"rx": 2 * gap, "fill_opacity": _choose_shade(value, heat.kind)}
            hint = f"{heat.names[i]}, {heat.names[j]}: {value:.4g}"
            across, down = x + cell / 2, y + cell / 2 + lower
            marks.append(draw_rect(x + gap, y + gap, side, side, kind, hint, **shade))
            if number := _format_cell(value, heat.kind, cell):
                marks.append(
                    draw_text(across, down, number, "cell", "middle", **letters)
                )
    for cluster in dict.fromkeys(heat.clusters):
        first, size = heat.clusters.index(cluster), heat.clusters.count(cluster) * cell
        x, y = left + first * cell, top + first * cell
        marks.append(draw_rect(x, y, size, size, "frame"))
        if cell >= SMALL:
            marks.append(draw_text(x + 5, y + size - 5, str(cluster), "tick"))
    return marks


def _choose_shade(value: float, kind: str) -> float:
    """Choose how dark a cell is; ink stays readable on the darkest."""
    if kind == "r":
        return round(0.55 * min(abs(value), 1.0) ** 1.5, 3)
    return next((shade for limit, shade, _ in _STEPS if value <= limit), 0.06)


def _format_cell(value: float, kind: str, cell: float) -> str:
    """Write what stands in a cell of a size: the number, hundredths or stars, or nothing."""
    if cell >= SMALL:
        return _format_number(value, kind)
    if kind == "p":
        return next((stars for limit, _, stars in _STEPS if value <= limit), "")
    hundredths = round(100 * value)
    if cell >= TINY:
        return format_tick(hundredths)
    return "−" if hundredths < 0 else ""


def _explain_cells(kind: str, cell: float) -> str:
    if cell >= SMALL:
        return ""
    if kind == "p":
        return "; * p ≤ .05, ** p ≤ .01, *** p ≤ .001"
    return "; in hundredths" if cell >= TINY else "; darker means further from 0"


def _format_number(value: float, kind: str) -> str:
    """Write a coefficient or a p-value without a zero before the point.

    >>> [_format_number(value, "r") for value in (-0.004, -0.25, 1.0)]
    ['.00', '−.25', '1.00']
    """
    if kind == "p" and value < 0.001:
        return "<.001"
    digits = 3 if kind == "p" and value < 0.1 else 2
    # Adding zero takes the sign from what is rounded to nothing.
    number = f"{round(value, digits) + 0.0:.{digits}f}"
    return number.replace("-0.", "−.").replace("-", "−").replace("0.", ".", 1)


def describe_heatmap(heat: Heatmap) -> str:
    """Write the values of all cells and the clusters as text."""
    rows = []
    for name, row in zip(heat.names, heat.values, strict=True):
        pairs = zip(heat.names, row, strict=True)
        values = [f"{other} {value:.3g}" for other, value in pairs if value == value]
        rows.append(f"{name}: {', '.join(values)}")
    members = zip(heat.names, heat.clusters, strict=False)
    clusters = ", ".join(f"{name} {at}" for name, at in members)
    described = f"{heat.caption}. {'; '.join(rows)}. "
    return f"{described}Clusters: {clusters}." if clusters else described
