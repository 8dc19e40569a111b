"""Curves over choices in a row: one line per series, named at its end."""

import math
from collections.abc import Iterator

from metra.meta.charts import CurvePlot
from metra.report import chart
from metra.report.html.markup import Html
from metra.report.terminal import shorten_text

WIDTH, HEIGHT = 640.0, 440.0
LEFT, TOP, BOTTOM = 72.0, 58.0, 62.0
#: Letters of a label below the axis, and of a name at the end of a line.
LONGEST_LABEL = 14
LONGEST_NAME = 24
#: The least distance of names at the lines' ends.
DISTANCE = 13.0


def draw_curves(curves: CurvePlot, layout: chart.PictureLayout = chart.SCREEN) -> str:
    """Draw curves as a file of its own, on a screen wider where there are many labels."""
    longest = LONGEST_NAME
    if layout.units is not None:
        longest = max(8, min(longest, int(0.32 * layout.units / chart.LETTER)))
    names = measure_curve_names(curves, longest)
    width = layout.choose_width(max(WIDTH, LEFT + names + len(curves.labels) * 34))
    left, bottom = layout.choose_room(LEFT, 52), layout.choose_room(BOTTOM, 40)
    height = min(HEIGHT, TOP + bottom + 0.55 * width)
    height = max(height, TOP + bottom + DISTANCE * len(curves.series))
    frame = chart.PlotFrame(left, TOP, width - names, height - bottom)
    marks = plot_curves(curves, frame, longest=longest)
    size, title, caption = (width, height), curves.title, curves.caption
    description = _describe_curves(curves)
    return chart.render_chart(title, caption, description, size, marks, layout)


def measure_curve_names(curves: CurvePlot, longest: int) -> float:
    """Return the room that the names at the right of the frame take."""
    return chart.measure_names(list(curves.series), longest) + 22


def plot_curves(
    curves: CurvePlot, frame: chart.PlotFrame, *, longest: int = LONGEST_NAME
) -> list[Html]:
    """Draw the lines; the names stand at the right, moved apart where they would meet."""
    values = [v for line in curves.series.values() for v in line if v == v]
    values += [end for band in curves.bands.values() for pair in band for end in pair]
    values += [
        end for bars in curves.errors.values() for bar in bars for end in bar or ()
    ]
    x = frame.x_scale(-0.3, len(curves.labels) - 0.7)
    y = frame.y_scale(*chart.pad_range(values or [0.0, 1.0]))
    return [
        *chart.draw_y_axis(y, x.start, x.stop, curves.down, most=frame.ticks),
        *_draw_labels(curves, x, y.start),
        *_draw_lines(curves, x, y),
        *_draw_names(curves, x, y, longest),
    ]


def _draw_labels(
    curves: CurvePlot, x: chart.AxisScale, bottom: float
) -> Iterator[Html]:
    """Draw the axis across, with labels from the last on as far as there is room."""
    yield chart.draw_line(x.start, bottom, x.stop, bottom, "axis")
    middle = (x.start + x.stop) / 2
    yield chart.draw_text(middle, bottom + 32, curves.across, "name", "middle")
    free = math.inf
    for at, label in reversed(list(enumerate(curves.labels))):
        text = shorten_text(label, LONGEST_LABEL)
        half = chart.measure_text(text) / 2 + 2
        if x(at) + half <= free:
            yield chart.draw_text(x(at), bottom + 15, text, "tick", "middle")
            free = x(at) - half


def _draw_lines(
    curves: CurvePlot, x: chart.AxisScale, y: chart.AxisScale
) -> Iterator[Html]:
    for name, line in curves.series.items():
        kind = _choose_colour(curves, name)
        ends = curves.bands.get(name, ())
        band = [(at, low, high) for at, (low, high) in enumerate(ends)]
        yield from chart.draw_band(band, x, y, kind)
        line_kind = f"curve {kind} {_choose_line(curves, name)}".strip()
        shape = _choose_mark(curves, name)
        shift = _shift_series(curves, name)
        path, pen = "", "M"
        for at, value in enumerate(line):
            if value != value:
                pen = "M"
                continue
            path += f"{pen}{x(at + shift):g} {y(value):g}"
            pen = "L"
        yield chart.draw_path(path, line_kind)
        for at, bar in enumerate(curves.errors.get(name, ())):
            if bar:
                place, low, high = x(at + shift), y(bar[0]), y(bar[1])
                yield chart.draw_line(place, low, place, high, f"error {kind}")
        for at, value in enumerate(line):
            if value == value:
                hint = f"{name}, {curves.labels[at]}: {value:.4g}"
                place = x(at + shift)
                look = f"point {kind}"
                yield chart.draw_mark(place, y(value), 2.8, shape, look, hint)


def _draw_names(
    curves: CurvePlot, x: chart.AxisScale, y: chart.AxisScale, longest: int
) -> Iterator[Html]:
    ends = []
    for number, (name, line) in enumerate(curves.series.items()):
        last = next((value for value in reversed(line) if value == value), None)
        if last is not None:
            ends.append((y(last), number, name))
    ends.sort()
    places = _spread_places([place for place, _, _ in ends], y.start)
    for place, (_, _, name) in zip(places, ends, strict=True):
        colour = _choose_colour(curves, name)
        spot = x.stop + 10, place, 2.8, _choose_mark(curves, name)
        yield chart.draw_mark(*spot, f"point {colour}")
        shown = shorten_text(name, longest)
        yield chart.draw_text(x.stop + 17, place + 4, shown, f"end {colour}")


def _spread_places(places: list[float], bottom: float) -> list[float]:
    """Move places apart, downwards first, then upwards from the bottom."""
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + DISTANCE)
    if places and places[-1] > bottom:
        places[-1] = bottom
        for at in range(len(places) - 2, -1, -1):
            places[at] = min(places[at], places[at + 1] - DISTANCE)
    return places


def _describe_curves(curves: CurvePlot) -> str:
    lines = []
    for name, line in curves.series.items():
        pairs = zip(curves.labels, line, strict=True)
        values = [f"{label} {value:.3g}" for label, value in pairs if value == value]
        lines.append(f"{name}: {', '.join(values)}")
    return f"{curves.down} by {curves.across}. {'; '.join(lines)}."


def _choose_colour(curves: CurvePlot, name: str) -> str:
    """Choose the class of a series, which has its colour."""
    place = list(curves.series).index(name)
    return chart.name_series(curves.colours.get(name, place))


def _choose_mark(curves: CurvePlot, name: str) -> int:
    """Choose the number of a series' dashes and points: two of a colour differ."""
    return list(curves.series).index(name)


def _shift_series(curves: CurvePlot, name: str) -> float:
    """Return how far a series stands beside its labels, so that error bars do not meet."""
    if not curves.errors:
        return 0.0
    return 0.05 * (_choose_mark(curves, name) - (len(curves.series) - 1) / 2)


def _choose_line(curves: CurvePlot, name: str) -> str:
    """Choose the class of a line: one that stands apart is dashed in its own way."""
    if name in curves.dashed:
        return "dashed"
    return "" if name in curves.colours else chart.name_line(_choose_mark(curves, name))
