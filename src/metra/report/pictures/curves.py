"""Curves over choices in a row: one line per series, named at its end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metra.report.chart import (
    COLOURS,
    AxisScale,
    choose_color,
    draw_band,
    draw_dot,
    draw_line,
    draw_path,
    draw_text,
    draw_y_axis,
    measure_text,
    pad_range,
    render_chart,
    shorten_word,
)
from metra.report.html.markup import Html

HEIGHT = 440.0
LEFT, TOP, BOTTOM = 72.0, 58.0, 62.0
#: Letters of a label below the axis, and the least distance of names at the lines' ends.
LONGEST = 14
DISTANCE = 13.0


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """What is drawn: a value (or None) of each series at each label, perhaps with bands."""

    title: str
    caption: str
    across: str
    down: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    bands: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    #: Series that stand apart, such as people against people: drawn dashed.
    dashed: Sequence[str] = ()


def draw_curves(curves: CurvePlot) -> str:
    """Draw the lines; the names stand at the right, moved apart where they would meet."""
    count = len(curves.labels)
    right = 24 + max(map(measure_text, curves.series))
    width = max(640.0, LEFT + right + count * 34)
    values = [v for line in curves.series.values() for v in line if v is not None]
    values += [end for band in curves.bands.values() for pair in band for end in pair]
    x = AxisScale(-0.3, count - 0.7, LEFT, width - right)
    y = AxisScale(*pad_range(values or [0.0, 1.0]), HEIGHT - BOTTOM, TOP)
    marks = [
        *draw_y_axis(y, x.start, x.stop, curves.down, most=7),
        *_draw_labels(curves, x, y.start),
        *_draw_lines(curves, x, y),
        *_draw_names(curves, x, y),
    ]
    size = width, HEIGHT
    description = _describe_curves(curves)
    return render_chart(curves.title, curves.caption, description, size, marks)


def _draw_labels(curves: CurvePlot, x: AxisScale, bottom: float) -> Iterator[Html]:
    """Draw the axis across with as many labels as there is room for."""
    longest = max(map(measure_text, curves.labels))
    room = (x.stop - x.start) / max(len(curves.labels), 1)
    step = max(1, round(min(longest, measure_text("0" * 12)) / room + 0.4))
    for at, label in enumerate(curves.labels):
        if at % step == 0:
            text = shorten_word(label, LONGEST)
            yield draw_text(x(at), bottom + 16, text, "tick small", "middle")
    yield draw_line(x.start, bottom, x.stop, bottom, "axis")
    middle = (x.start + x.stop) / 2
    yield draw_text(middle, bottom + 37, curves.across, "name", "middle")


def _draw_lines(curves: CurvePlot, x: AxisScale, y: AxisScale) -> Iterator[Html]:
    for number, (name, line) in enumerate(curves.series.items()):
        color = choose_color(number)
        ends = curves.bands.get(name, ())
        band = [(at, low, high) for at, (low, high) in enumerate(ends)]
        yield from draw_band(band, x, y, style=f"fill: {color}")
        dash = "; stroke-dasharray: 2 4" if number >= COLOURS else ""
        dash = "; stroke-dasharray: 7 4" if name in curves.dashed else dash
        path, pen = "", "M"
        for at, value in enumerate(line):
            if value is None:
                pen = "M"
                continue
            path += f"{pen}{x(at):g} {y(value):g}"
            pen = "L"
        yield draw_path(path, "line", style=f"stroke: {color}{dash}")
        for at, value in enumerate(line):
            if value is not None:
                hint = f"{name}, {curves.labels[at]}: {value:.4g}"
                fill = f"fill: {color}"
                yield draw_dot(x(at), y(value), 2.8, hint=hint, style=fill)


def _draw_names(curves: CurvePlot, x: AxisScale, y: AxisScale) -> Iterator[Html]:
    ends = []
    for number, (name, line) in enumerate(curves.series.items()):
        last = next((value for value in reversed(line) if value is not None), None)
        if last is not None:
            ends.append((y(last), number, name))
    ends.sort()
    places = _spread_places([place for place, _, _ in ends], y.start)
    for place, (_, number, name) in zip(places, ends, strict=True):
        fill = f"fill: {choose_color(number)}"
        yield draw_text(x.stop + 7, place + 4, name, style=fill)


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
    lines = [
        f"{name}: "
        + ", ".join(
            f"{label} {value:.3g}"
            for label, value in zip(curves.labels, line, strict=True)
            if value is not None
        )
        for name, line in curves.series.items()
    ]
    return f"{curves.down} by {curves.across}. {'; '.join(lines)}."
