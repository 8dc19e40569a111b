"""A matrix as a heat map: p-values with clusters framed, or coefficients between scorers."""

from metra.meta.charts import Heatmap
from metra.report import chart
from metra.report.html.markup import Html
from metra.report.terminal import shorten_text

CELL = 38.0
#: Smaller cells have shades only: they have no room for numbers.
SMALL = 30.0
MARGIN = 16.0
LONGEST = 24
#: The shades of p-values.
_STEPS = ((0.001, 0.5), (0.01, 0.38), (0.05, 0.26))


def draw_heatmap(heat: Heatmap, width: float | None = None) -> str:
    """Draw a heat map as a file of its own, with the names on both sides.

    With a `width`, in millimetres, it is for print.
    """
    longest_name, units, cell = LONGEST, chart.convert_width(width), CELL
    if units is not None:
        longest_name = max(8, min(LONGEST, int(0.3 * units / chart.LETTER)))
    names = [shorten_text(name, longest_name) for name in heat.names]
    # Capitals are wider than a letter is on average.
    longest = max(map(chart.measure_text, names)) * 1.09
    left, top = MARGIN + longest + 8, 70 + longest * 0.71
    slanted = chart.measure_text(names[-1]) * 0.78
    if units is not None:
        cell = min(CELL, (units - left - 4 - slanted) / len(names))
    size = len(names) * cell
    heading = max(
        chart.measure_text(heat.title) * 1.12, chart.measure_text(heat.caption)
    )
    across = units or max(left + size + slanted, heading + 2 * MARGIN, 420)
    marks = []
    for at, name in enumerate(names):
        middle = at * cell + cell / 2
        marks.append(chart.draw_text(left - 8, top + middle + 4, name, anchor="end"))
        x, y = left + middle + 2, top - 7
        marks.append(chart.draw_text(x, y, name, transform=f"rotate(-45 {x:g} {y:g})"))
    marks += plot_matrix(heat, left, top, cell)
    texts, page = (heat.title, heat.caption, describe_heatmap(heat)), top + size + 34
    return chart.render_chart(*texts, (across, page), marks, has_title=width is None)


def plot_matrix(
    heat: Heatmap, left: float, top: float, cell: float = CELL
) -> list[Html]:
    """Draw the cells with their values, and a frame round each cluster."""
    gap = 1 if cell >= SMALL else 0.5
    marks, side = [], cell - 2 * gap
    for i, row in enumerate(heat.values):
        for j, value in enumerate(row):
            if value != value:
                continue
            x, y = left + j * cell, top + i * cell
            kind = "heat negative" if value < 0 else "heat"
            shade = {"rx": 2 * gap, "fill_opacity": _choose_shade(value, heat.kind)}
            hint = f"{heat.names[i]}, {heat.names[j]}: {value:.4g}"
            marks.append(
                chart.draw_rect(x + gap, y + gap, side, side, kind, hint, **shade)
            )
            if cell >= SMALL:
                number, place = _format_number(value, heat.kind), y + cell / 2 + 4
                marks.append(
                    chart.draw_text(x + cell / 2, place, number, "cell", "middle")
                )
    for cluster in dict.fromkeys(heat.clusters):
        first, size = heat.clusters.index(cluster), heat.clusters.count(cluster) * cell
        x, y = left + first * cell, top + first * cell
        marks.append(chart.draw_rect(x, y, size, size, "frame"))
        if cell >= SMALL:
            marks.append(chart.draw_text(x + 5, y + size - 5, str(cluster), "tick"))
    return marks


def _choose_shade(value: float, kind: str) -> float:
    """Choose how dark a cell is; ink stays readable on the darkest."""
    if kind == "r":
        return round(0.55 * min(abs(value), 1.0) ** 1.5, 3)
    return next((shade for limit, shade in _STEPS if value <= limit), 0.06)


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
