"""A forest plot: a row for each name, and a point with its interval in every panel."""

import math
from collections.abc import Iterator

from metra.meta.charts import ForestPanel, ForestPlot
from metra.report import chart
from metra.report.html.markup import Html
from metra.report.terminal import shorten_text

WIDTH = 680.0
TOP, BOTTOM, MARGIN = 58.0, 26.0, 16.0
HEADING = 20.0


#: The height of a row, the distance of panels, the width below which they stand below each
#: other, and the letters of a name.
ROOMY = (18.0, 18.0, 105.0, 24)
#: For print, where many rows would be longer than a page.
DENSE = (13.0, 12.0, 62.0, 16)


def draw_forest(plot: ForestPlot, width: float | None = None) -> str:
    """Draw a forest plot as a file of its own; panels share the names of the rows.

    With a `width`, in millimetres, it is for print.
    """
    size, marks = _arrange_panels(plot, chart.convert_width(width))
    texts = plot.title, plot.caption, _describe_forest(plot)
    return chart.render_chart(*texts, size, marks, has_title=width is None)


def _arrange_panels(
    plot: ForestPlot, units: float | None
) -> tuple[tuple[float, float], list[Html]]:
    """Return the size of the picture, and its marks."""
    row, gap, narrowest, longest = DENSE if units else ROOMY
    width = units or max(WIDTH, 170 * len(plot.panels))
    longest = max(8, min(longest, int(0.42 * width / chart.LETTER)))
    left = MARGIN + chart.measure_names(plot.names, longest)
    room = width - left - MARGIN
    across = max(1, min(len(plot.panels), int((room + gap) / (narrowest + gap))))
    # As many in every line as can be: five panels are three and two, not four and one.
    lines = math.ceil(len(plot.panels) / across)
    across = math.ceil(len(plot.panels) / lines)
    panel_width = (room - gap * (across - 1)) / across
    panel_height = HEADING + row * len(plot.names)
    marks: list[Html] = []
    for number, panel in enumerate(plot.panels):
        line, column = divmod(number, across)
        top = TOP + line * (panel_height + BOTTOM)
        start = left + column * (panel_width + gap)
        frame = chart.PlotFrame(
            start, top + HEADING, start + panel_width, top + panel_height
        )
        if column == 0:
            marks += _draw_names(plot, frame, longest)
        marks += plot_panel(plot, panel, frame)
    return (width, TOP + lines * (panel_height + BOTTOM)), marks


def plot_panel(
    plot: ForestPlot, panel: ForestPanel, frame: chart.PlotFrame
) -> Iterator[Html]:
    """Draw one panel: its heading, its axis, and a point with its interval in each row."""
    ends = [end for pair in panel.intervals if pair for end in pair]
    marked = [] if plot.line is None else [plot.line]
    numbers = [value for value in (*panel.values, *ends, *marked) if value == value]
    x = frame.x_scale(*chart.pad_range(numbers or [0.0, 1.0], 0.04))
    middle = (frame.left + frame.right) / 2
    most = int((frame.right - frame.left) / chart.LETTER)
    heading = shorten_text(panel.heading, most)
    yield chart.draw_text(middle, frame.top - 7, heading, "name", "middle")
    ticks = max(4, int((frame.right - frame.left) / 42))
    height = (frame.bottom - frame.top) / len(plot.names)
    yield from chart.draw_x_axis(x, frame.bottom, frame.top, most=ticks)
    for value in marked:
        yield chart.draw_line(x(value), frame.top, x(value), frame.bottom, "axis")
    for at in range(1, len(plot.clusters)):
        if plot.clusters[at] != plot.clusters[at - 1]:
            y = frame.top + at * height
            yield chart.draw_line(frame.left, y, frame.right, y, "axis")
    kind = chart.name_series(0)
    rows = zip(plot.names, panel.values, panel.intervals, strict=True)
    for row, (name, value, interval) in enumerate(rows):
        if value != value:
            continue
        y = frame.top + (row + 0.5) * height
        hint = f"{name}: {panel.heading} {value:.4g}"
        if interval:
            low, high = x(interval[0]), x(interval[1])
            yield chart.draw_line(low, y, high, y, f"error {kind}")
            for end in (low, high):
                yield chart.draw_line(end, y - 3, end, y + 3, f"error {kind}")
            hint += f" [{interval[0]:.4g}, {interval[1]:.4g}]"
        yield chart.draw_dot(x(value), y, 3.4, f"point {kind}", hint)


def _draw_names(
    plot: ForestPlot, frame: chart.PlotFrame, longest: int
) -> Iterator[Html]:
    height = (frame.bottom - frame.top) / len(plot.names)
    for row, name in enumerate(plot.names):
        y = frame.top + (row + 0.5) * height + 4
        yield chart.draw_row_name(frame.left - 8, y, name, longest)


def _describe_forest(plot: ForestPlot) -> str:
    panels = []
    for panel in plot.panels:
        rows = zip(plot.names, panel.values, panel.intervals, strict=True)
        figures = [
            f"{name} {value:.3g}"
            + (f" ({interval[0]:.3g} to {interval[1]:.3g})" if interval else "")
            for name, value, interval in rows
            if value == value
        ]
        panels.append(f"{panel.heading}: {', '.join(figures)}")
    return f"{plot.caption}. {'; '.join(panels)}."
