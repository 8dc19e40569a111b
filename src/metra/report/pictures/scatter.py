"""A scatter plot of systems or pairs: named points, a line with its band, some hollow."""

from collections.abc import Iterator, Sequence

from metra.meta.scatter import ScatterPoints
from metra.report.chart import (
    AxisScale,
    choose_color,
    draw_axes,
    draw_band,
    draw_dot,
    draw_line,
    draw_text,
    measure_text,
    pad_range,
    render_chart,
)
from metra.report.html.markup import Html

WIDTH, HEIGHT = 640.0, 470.0
LEFT, TOP, RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0
#: The height of the legend, where points have classes.
LEGEND = 22


def draw_scatter(cloud: ScatterPoints) -> str:
    """Draw the points; names keep out of each other's way as far as there is room."""
    ends = [
        end
        for _, low, high in (cloud.fit.band if cloud.fit else ())
        for end in (low, high)
    ]
    spread = pad_range(cloud.y, 0.12)
    # A wild band must not press the points together.
    lowest = max(min([*ends, spread[0]]), 2 * spread[0] - spread[1])
    highest = min(max([*ends, spread[1]]), 2 * spread[1] - spread[0])
    classes = sorted(set(filter(None, cloud.classes)))
    height = HEIGHT + (LEGEND if classes else 0)
    x = AxisScale(*pad_range(cloud.x), LEFT, WIDTH - RIGHT)
    y = AxisScale(lowest, highest, HEIGHT - BOTTOM, TOP)
    marks = [
        *draw_axes(x, y, cloud.across, cloud.down),
        *_draw_fit(cloud, x, y),
        *_draw_points(cloud, x, y, classes),
        *_draw_names(cloud, x, y),
        *_draw_legend(classes, height),
    ]
    description = _describe_scatter(cloud)
    return render_chart(cloud.title, cloud.caption, description, (WIDTH, height), marks)


def _draw_fit(cloud: ScatterPoints, x: AxisScale, y: AxisScale) -> Iterator[Html]:
    if cloud.fit is None:
        return
    color = choose_color(0)
    yield from draw_band(cloud.fit.band, x, y, style=f"fill: {color}")
    first, last = min(cloud.x), max(cloud.x)
    start, stop = (cloud.fit.slope * end + cloud.fit.intercept for end in (first, last))
    stroke = f"stroke: {color}"
    yield draw_line(x(first), y(start), x(last), y(stop), "line", style=stroke)


def _draw_points(
    cloud: ScatterPoints, x: AxisScale, y: AxisScale, classes: Sequence[str]
) -> Iterator[Html]:
    for name, across, down, kind, outlier in zip(
        cloud.names, cloud.x, cloud.y, cloud.classes, cloud.outliers, strict=True
    ):
        color = choose_color(classes.index(kind) + 1 if kind else 0)
        hint = f"{name}: {cloud.across} {across:g}, {cloud.down} {down:g}"
        hint += f", {cloud.hollow}" if outlier else ""
        style = f"stroke: {color}" if outlier else f"fill: {color}"
        shape = "hollow" if outlier else None
        yield draw_dot(x(across), y(down), 4.5, shape, hint, style=style)


def _draw_names(cloud: ScatterPoints, x: AxisScale, y: AxisScale) -> Iterator[Html]:
    """Draw each name beside its point where nothing stands yet; else not at all."""
    places = [(x(a), y(b)) for a, b in zip(cloud.x, cloud.y, strict=True)]
    taken = [(left - 5, top - 5, left + 5, top + 5) for left, top in places]
    for name, (left, top), outlier in zip(
        cloud.names, places, cloud.outliers, strict=True
    ):
        if not (cloud.all_named or outlier):
            continue
        # Small letters are a little narrower.
        wide = measure_text(name) * 0.95
        for dx, dy in (
            (8, 4),
            (-8 - wide, 4),
            (-wide / 2, -9),
            (-wide / 2, 17),
            (8, -8),
            (8, 16),
            (-8 - wide, -8),
            (-8 - wide, 16),
        ):
            box = left + dx, top + dy - 9, left + dx + wide, top + dy + 2
            if box[0] < x.start or box[2] > x.stop:
                continue
            if any(_has_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            yield draw_text(left + dx, top + dy, name, "faint small")
            break


def _has_overlap(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _draw_legend(classes: Sequence[str], height: float) -> Iterator[Html]:
    x = 16.0
    for number, name in enumerate(classes, 1):
        fill = f"fill: {choose_color(number)}"
        yield draw_dot(x + 5, height - 14, 4.5, style=fill)
        yield draw_text(x + 15, height - 10, name)
        x += 15 + measure_text(name) + 18


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
