"""Plots with two axes: curves, scatter plots, histograms, two judges' values, salience."""

import math
from collections.abc import Iterator
from itertools import pairwise

from metra.analysis.word_stability import WEIGHTS, StabilityResult
from metra.meta.charts import CurvePlot, Histogram, JudgePlot, ScatterPoints
from metra.report import chart
from metra.report.html.markup import Html
from metra.report.terminal import shorten_text

TOP, RIGHT, LEFT, BOTTOM = 58.0, 24.0, 72.0, 56.0
#: The room below labels of a curve's axis.
LABELS = 62.0
#: Letters of a label below the axis, and of a name at the end of a line or beside a point.
LONGEST_LABEL, LONGEST_NAME, LONGEST_POINT = 14, 24, 32
#: The least distance of names at the lines' ends.
DISTANCE = 13.0


def _arrange_plot(
    millimetres: float | None, width: float, share: float, tallest: float = math.inf
) -> tuple[tuple[float, float], chart.PlotFrame]:
    """Return the size of a picture and the frame of its plot, `share` as high as wide."""
    width = chart.convert_width(millimetres) or width
    height = min(tallest, TOP + BOTTOM + share * width)
    frame = chart.PlotFrame(LEFT, TOP, width - RIGHT, height - BOTTOM)
    return (width, height), frame


def draw_curves(curves: CurvePlot, width: float | None = None) -> str:
    """Draw curves as a file of its own, on a screen wider where there are many labels.

    With a `width`, in millimetres, a picture of this file is for print.
    """
    longest, units = LONGEST_NAME, chart.convert_width(width)
    if units is not None:
        longest = max(8, min(longest, int(0.32 * units / chart.LETTER)))
    names = measure_curve_names(curves, longest)
    across = units or max(640, LEFT + names + len(curves.labels) * 34)
    height = min(440.0, TOP + LABELS + 0.55 * across)
    height = max(height, TOP + LABELS + DISTANCE * len(curves.series))
    frame = chart.PlotFrame(LEFT, TOP, across - names, height - LABELS)
    marks = plot_curves(curves, frame, longest=longest)
    texts, size = (
        (curves.title, curves.caption, _describe_curves(curves)),
        (across, height),
    )
    return chart.render_chart(*texts, size, marks, has_title=width is None)


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
    for number, (name, line) in enumerate(curves.series.items()):
        kind = _choose_colour(curves, number, name)
        ends = curves.bands.get(name, ())
        band = [(at, low, high) for at, (low, high) in enumerate(ends)]
        yield from chart.draw_band(band, x, y, kind)
        # A line that stands apart is dashed in its own way.
        dashes = "" if name in curves.colours else chart.name_line(number)
        dashes = "dashed" if name in curves.dashed else dashes
        line_kind = f"curve {kind} {dashes}".strip()
        # Series with error bars stand beside each other.
        middle = (len(curves.series) - 1) / 2
        shift = 0.05 * (number - middle) if curves.errors else 0.0
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
                spot = x(at + shift), y(value), 2.8, number
                yield chart.draw_mark(*spot, f"point {kind}", hint)


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
    for place, (_, number, name) in zip(places, ends, strict=True):
        colour = _choose_colour(curves, number, name)
        spot = x.stop + 10, place, 2.8, number
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


def _choose_colour(curves: CurvePlot, number: int, name: str) -> str:
    """Choose the class of a series, which has its colour."""
    return chart.name_series(curves.colours.get(name, number))


def draw_scatter(cloud: ScatterPoints, width: float | None = None) -> str:
    """Draw a scatter plot as a file of its own."""
    size, frame = _arrange_plot(width, 640, 0.56, 470)
    marks = plot_points(cloud, frame)
    texts = cloud.title, cloud.caption, _describe_scatter(cloud)
    return chart.render_chart(*texts, size, marks, has_title=width is None)


def plot_points(
    cloud: ScatterPoints, frame: chart.PlotFrame, *, longest: int = LONGEST_POINT
) -> list[Html]:
    """Draw the points; names keep out of each other's way as far as there is room."""
    band = cloud.fit.band if cloud.fit else ()
    ends = [end for _, low, high in band for end in (low, high)]
    spread = chart.pad_range(cloud.y, 0.12)
    # A wild band must not press the points together.
    lowest = max(min([*ends, spread[0]]), 2 * spread[0] - spread[1])
    highest = min(max([*ends, spread[1]]), 2 * spread[1] - spread[0])
    x, y = frame.x_scale(*chart.pad_range(cloud.x)), frame.y_scale(lowest, highest)
    marks = chart.draw_axes(x, y, cloud.across, cloud.down, most=frame.ticks)
    if cloud.fit is not None:
        first, last = min(cloud.x), max(cloud.x)
        start, stop = (
            cloud.fit.slope * end + cloud.fit.intercept for end in (first, last)
        )
        kind = chart.name_series(0)
        marks += chart.draw_band(band, x, y, kind)
        marks.append(
            chart.draw_line(x(first), y(start), x(last), y(stop), f"fit {kind}")
        )
    return [
        *marks,
        *_draw_points(cloud, x, y),
        *_draw_point_names(cloud, x, y, longest),
    ]


def _draw_points(
    cloud: ScatterPoints, x: chart.AxisScale, y: chart.AxisScale
) -> Iterator[Html]:
    for name, across, down, outlier in zip(
        cloud.names, cloud.x, cloud.y, cloud.outliers, strict=True
    ):
        hint = f"{name}: {cloud.across} {across:g}, {cloud.down} {down:g}"
        hint += f", {cloud.hollow}" if outlier else ""
        shape = "hollow" if outlier else "point"
        look = f"{shape} {chart.name_series(0)}"
        yield chart.draw_mark(x(across), y(down), 4.5, 0, look, hint)


def _draw_point_names(
    cloud: ScatterPoints, x: chart.AxisScale, y: chart.AxisScale, longest: int
) -> Iterator[Html]:
    """Draw each name beside its point where nothing stands yet; else not at all."""
    places = [(x(a), y(b)) for a, b in zip(cloud.x, cloud.y, strict=True)]
    taken = [(left - 5, top - 5, left + 5, top + 5) for left, top in places]
    for full_name, (left, top), outlier in zip(
        cloud.names, places, cloud.outliers, strict=True
    ):
        if not (cloud.all_named or outlier):
            continue
        name = shorten_text(full_name, longest)
        wide = chart.measure_text(name)
        beside = -8 - wide
        above = [(-wide / 2, -9), (-wide / 2, 17)]
        corners = [(8, -8), (8, 16), (beside, -8), (beside, 16)]
        for dx, dy in [(8, 4), (beside, 4), *above, *corners]:
            box = left + dx, top + dy - 9, left + dx + wide, top + dy + 2
            inside = x.start <= box[0] and box[2] <= x.stop + chart.OVERHANG
            if inside and not any(
                box[0] < other[2]
                and other[0] < box[2]
                and box[1] < other[3]
                and other[1] < box[3]
                for other in taken
            ):
                taken.append(box)
                yield chart.draw_text(left + dx, top + dy, name, "tick")
                break


def _describe_scatter(cloud: ScatterPoints) -> str:
    points = "; ".join(
        f"{name} {x:g}, {y:g}{f' ({cloud.hollow})' if outlier else ''}"
        for name, x, y, outlier in zip(
            cloud.names, cloud.x, cloud.y, cloud.outliers, strict=True
        )
    )
    return (
        f"{cloud.down} against {cloud.across} of {len(cloud.names)} {cloud.points}, "
        f"{cloud.caption}. {points}."
    )


def draw_histogram(plot: Histogram, width: float | None = None) -> str:
    """Draw a histogram as a file of its own."""
    size, frame = _arrange_plot(width, 620, 0.5, 380)
    shares = zip(plot.bars, _compute_shares(plot), strict=True)
    bars = "; ".join(f"{label} {share:.1f} %" for (label, _), share in shares)
    texts = plot.title, plot.caption, f"{plot.across}: {bars}."
    marks = plot_histogram(plot, frame)
    return chart.render_chart(*texts, size, marks, has_title=width is None)


def plot_histogram(plot: Histogram, frame: chart.PlotFrame) -> list[Html]:
    """Draw the bars with their shares above; all of them together are 100 %."""
    total = sum(count for _, count in plot.bars)
    shares = _compute_shares(plot)
    x = frame.x_scale(-0.6, len(shares) - 0.4)
    y = frame.y_scale(0.0, max(shares, default=1.0) * 1.12 or 1.0)
    marks = [
        *chart.draw_y_axis(y, x.start, x.stop, most=frame.ticks, unit=" %"),
        chart.draw_line(x.start, y.start, x.stop, y.start, "axis"),
    ]
    step = (x.stop - x.start) / (len(shares) + 0.2)
    wide = step * 0.78
    widest = max((chart.measure_text(label) for label, _ in plot.bars), default=0.0)
    every = 1 + int((widest + 4) / step)
    for at, ((label, count), share) in enumerate(zip(plot.bars, shares, strict=True)):
        middle, top = x(at), y(share)
        hint = f"{label}: {count:,} of {total:,} ({share:.1f} %)"
        marks.append(
            chart.draw_rect(middle - wide / 2, top, wide, y.start - top, "bar", hint)
        )
        if wide > chart.measure_text("100"):
            marks.append(
                chart.draw_text(middle, top - 5, f"{share:.0f}", "cell", "middle")
            )
        if at % every == 0:
            marks.append(chart.draw_text(middle, y.start + 15, label, "tick", "middle"))
    center = (x.start + x.stop) / 2
    marks.append(chart.draw_text(center, y.start + 32, plot.across, "name", "middle"))
    return marks


def _compute_shares(plot: Histogram) -> list[float]:
    total = max(sum(count for _, count in plot.bars), 1)
    return [100 * count / total for _, count in plot.bars]


def draw_judge_plot(plot: JudgePlot, width: float | None = None) -> str:
    """Draw two judges' values as a file of its own; both axes are equally long."""
    (across, height), frame = _arrange_plot(width, 520, 1)
    extra = LEFT + RIGHT
    frame = frame._replace(bottom=frame.bottom - extra)
    described = f"{plot.down} against {plot.across}, {plot.caption}."
    texts, size = (plot.title, plot.caption, described), (across, height - extra)
    marks = plot_judges(plot, frame)
    return chart.render_chart(*texts, size, marks, has_title=width is None)


def plot_judges(plot: JudgePlot, frame: chart.PlotFrame) -> list[Html]:
    """Draw the points on one scale both ways, with a line where the judges would agree."""
    low, high = chart.pad_range([end for point in plot.moved for end in point])
    x, y = frame.x_scale(low, high), frame.y_scale(low, high)
    opacity = max(0.3, min(0.85, 60 / len(plot.given)))
    marks = chart.draw_axes(x, y, plot.across, plot.down, most=frame.ticks)
    marks.append(chart.draw_line(x(low), y(low), x(high), y(high), "baseline"))
    for (first, second), (across, down) in zip(plot.given, plot.moved, strict=True):
        hint = f"{first:g}, {second:g}"
        marks.append(
            chart.draw_dot(x(across), y(down), 3, "judged", hint, fill_opacity=opacity)
        )
    return marks


#: The height of a panel of polygons, the distance of panels, and where they begin.
_PANEL, _GAP, _START = 250.0, 66.0, 56.0


def draw_polygons(study: StabilityResult, width: float | None = None) -> str:
    """Draw how each set's words spread over classes of tf.idf, and below of S.

    With a `width`, in millimetres, the picture is for print.
    """
    first, second = study.references
    title = f"Salience of words that {first} and {second} share and do not share"
    without = sorted(100 * entry.polygons["S"].without for entry in study.sets)
    caption = f"{without[0]:.0f} to {without[-1]:.0f} % of the words have no S"
    described = [
        f"{entry.name}: {entry.tokens:,} words, "
        f"{', '.join(f'mean {w} {entry.means[w]:.2f}' for w in WEIGHTS)}."
        for entry in study.sets
    ]
    curves = [_build_polygons(study, weight) for weight in WEIGHTS]
    marks: list[Html] = []
    across = chart.convert_width(width) or 640.0
    longest = max(8, min(LONGEST_NAME, int(0.32 * across / chart.LETTER)))
    for number, plot in enumerate(curves):
        top = TOP + number * (_PANEL + _GAP)
        right = across - measure_curve_names(plot, longest)
        frame = chart.PlotFrame(_START, top, right, top + _PANEL)
        marks += plot_curves(plot, frame, longest=longest)
    texts, size = (title, caption, " ".join(described)), len(curves) * (_PANEL + _GAP)
    page = across, TOP + size
    return chart.render_chart(*texts, page, marks, has_title=width is None)


def _build_polygons(study: StabilityResult, weight: str) -> CurvePlot:
    """Build a line for each set: one colour for common words, dashed for the second list."""
    polygons = {entry.name: entry.polygons[weight] for entry in study.sets}
    bounds = study.sets[0].polygons[weight].bounds
    return CurvePlot(
        "",
        "",
        f"{weight} of the word in its document",
        "% of words",
        [f"{(low + high) / 2:g}" for low, high in pairwise(bounds)],
        {name: [100 * share for share in one.shares] for name, one in polygons.items()},
        dashed=list(polygons)[1::2],
        colours={entry.name: 0 if entry.common else 1 for entry in study.sets},
    )
