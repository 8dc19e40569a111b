"""A scatter plot of systems or pairs: named points, a line with its band, some hollow."""

from collections.abc import Iterator, Sequence

from metra.meta.charts import ScatterPoints
from metra.report import chart
from metra.report.html.markup import Html
from metra.report.terminal import shorten_text

WIDTH, HEIGHT = 640.0, 470.0
LEFT, TOP, RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0
#: The height of a line of the legend, where points have classes.
LEGEND = 22
LONGEST = 32


def draw_scatter(
    cloud: ScatterPoints, layout: chart.PictureLayout = chart.SCREEN
) -> str:
    """Draw a scatter plot as a file of its own, with a legend of the points' classes."""
    width = layout.choose_width(WIDTH)
    left, bottom = layout.choose_room(LEFT, 52), layout.choose_room(BOTTOM, 40)
    height = min(HEIGHT, TOP + bottom + 0.56 * width)
    frame = chart.PlotFrame(left, TOP, width - RIGHT, height - bottom)
    legend, below = _draw_legend(_list_classes(cloud), width, height)
    marks = [*plot_points(cloud, frame), *legend]
    size = width, height + below
    description = _describe_scatter(cloud)
    return chart.render_chart(
        cloud.title, cloud.caption, description, size, marks, layout
    )


def plot_points(
    cloud: ScatterPoints, frame: chart.PlotFrame, *, longest: int = LONGEST
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
    return [*marks, *_draw_points(cloud, x, y), *_draw_names(cloud, x, y, longest)]


def _list_classes(cloud: ScatterPoints) -> list[str]:
    return sorted(set(filter(None, cloud.classes)))


def _draw_points(
    cloud: ScatterPoints, x: chart.AxisScale, y: chart.AxisScale
) -> Iterator[Html]:
    classes = ["", *_list_classes(cloud)]
    for name, across, down, kind, outlier in zip(
        cloud.names, cloud.x, cloud.y, cloud.classes, cloud.outliers, strict=True
    ):
        hint = f"{name}: {cloud.across} {across:g}, {cloud.down} {down:g}"
        hint += f", {cloud.hollow}" if outlier else ""
        shape = "hollow" if outlier else "point"
        number = classes.index(kind)
        look = f"{shape} {chart.name_series(number)}"
        yield chart.draw_mark(x(across), y(down), 4.5, number, look, hint)


def _draw_names(
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
            if inside and not any(_has_overlap(box, other) for other in taken):
                taken.append(box)
                yield chart.draw_text(left + dx, top + dy, name, "tick")
                break


def _has_overlap(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _draw_legend(
    classes: Sequence[str], width: float, top: float
) -> tuple[list[Html], float]:
    """Draw the classes in as many lines as they need, and return the lines' height."""
    marks, x, y = [], 16.0, top + LEGEND - 14
    for number, name in enumerate(classes, 1):
        room = 15 + chart.measure_text(name) + 18
        if x > 16 and x + room > width:
            x, y = 16.0, y + LEGEND
        look = f"point {chart.name_series(number)}"
        marks.append(chart.draw_mark(x + 5, y, 4.5, number, look))
        marks.append(chart.draw_text(x + 15, y + 4, name))
        x += room
    return marks, y + 14 - top if classes else 0.0


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
