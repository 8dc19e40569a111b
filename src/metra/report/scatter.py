"""Frequency polygons of salience as a picture: one SVG file, light and dark.

A scatter plot of systems or pairs: named points, a line with its band, some hollow.
"""

from collections.abc import Iterator
from html import escape

from metra.analysis.word_stability import (
    WEIGHTS,
    FrequencyPolygon,
    StabilityResult,
    WordSet,
)
from metra.meta.scatter import ScatterPoints
from metra.report.chart import (
    COLOURS,
    LETTER,
    PlotFrame,
    escape_xml,
    pad_range,
    render_svg,
)

WIDTH, PANEL = 640, 250
LEFT, RIGHT, TOP, GAP = 56, 20, 64, 66
LINE = 20

STYLE = """
.metra-polygons { --paper: #fff; --ink: #1f2328; --faint: #59636e; --rule: #e6e8eb;
  --both: #00796b; --only: #b93815 }
@media (prefers-color-scheme: dark) { .metra-polygons { --paper: #0d1117; --ink: #e6edf3;
  --faint: #9198a1; --rule: #262c36; --both: #4db6ac; --only: #fb923c } }
.metra-polygons text { font: 12px system-ui, "Segoe UI", "Noto Sans", sans-serif;
  fill: var(--ink) }
.metra-polygons .title { font-size: 14px; font-weight: 600 }
.metra-polygons .faint { fill: var(--faint) }
.metra-polygons .paper { fill: var(--paper) }
.metra-polygons .rule { stroke: var(--rule); fill: none }
.metra-polygons .axis { stroke: var(--faint); fill: none }
.metra-polygons .line { fill: none; stroke-width: 2 }
.metra-polygons .both { stroke: var(--both) }
.metra-polygons .only { stroke: var(--only) }
.metra-polygons circle.both { fill: var(--both) }
.metra-polygons circle.only { fill: var(--only) }
.metra-polygons .second { stroke-dasharray: 5 3 }
"""


def draw_polygons(found: StabilityResult) -> str:
    """Draw how each set's words spread over classes of tf.idf, and below of S."""
    legend = list(_draw_legend(found))
    top = TOP + LINE * len(found.sets)
    height = top + len(WEIGHTS) * (PANEL + GAP)
    first, second = map(escape, found.references)
    title = f"Salience of words that {first} and {second} share, and do not"
    panels = [
        line
        for at, weight in enumerate(WEIGHTS)
        for line in _draw_panel(found, weight, top + at * (PANEL + GAP))
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="metra-polygons" role="img" '
            f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            'style="max-width: 100%; height: auto">',
            f"<title>{title}</title>",
            f"<desc>{_describe_polygons(found)}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
            f'<text class="title" x="16" y="28">{title}</text>',
            *legend,
            *panels,
            "</svg>",
        ]
    )


def _draw_legend(found: StabilityResult) -> Iterator[str]:
    for at, entry in enumerate(found.sets):
        y = 50 + LINE * at
        yield f'<path class="{_build_class_names(entry, at)}" d="M16 {y - 4}H48"/>'
        yield f'<circle class="{_choose_color(entry)}" cx="32" cy="{y - 4}" r="2.5"/>'
        tokens = f"{entry.tokens:,} words"
        yield f'<text x="56" y="{y}">{escape(entry.name)}, {tokens}</text>'


def _draw_panel(found: StabilityResult, weight: str, top: int) -> Iterator[str]:
    polygons = [entry.polygons[weight] for entry in found.sets]
    bounds = polygons[0].bounds
    low, high = bounds[0], bounds[-1]
    most = max(max(polygon.shares) for polygon in polygons)
    step = next(
        s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if most / s <= 6 or s == 0.5
    )
    ceiling = (int(most / step) + 1) * step
    ground = top + PANEL

    def x(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(share: float) -> float:
        return ground - share / ceiling * PANEL

    for at in range(round(ceiling / step) + 1):
        share = at * step
        yield f'<path class="rule" d="M{LEFT} {y(share):.1f}H{WIDTH - RIGHT}"/>'
        yield (
            f'<text class="faint" x="{LEFT - 8}" y="{y(share) + 4:.1f}" '
            f'text-anchor="end">{100 * share:.0f} %</text>'
        )
    for value in range(round(low), int(high) + 1):
        if low <= value <= high:
            yield (
                f'<text class="faint" x="{x(value):.1f}" y="{ground + 18}" '
                f'text-anchor="middle">{value}</text>'
            )
            yield f'<path class="axis" d="M{x(value):.1f} {ground}v4"/>'
    yield f'<path class="axis" d="M{LEFT} {ground}H{WIDTH - RIGHT}"/>'
    yield (
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{ground + 36}" '
        f'text-anchor="middle">{_describe_axis(weight, polygons)}</text>'
    )
    for at, (entry, polygon) in enumerate(zip(found.sets, polygons, strict=True)):
        points = [
            (x((bounds[place] + bounds[place + 1]) / 2), y(share))
            for place, share in enumerate(polygon.shares)
        ]
        path = "L".join(f"{left:.1f} {height:.1f}" for left, height in points)
        yield f'<path class="{_build_class_names(entry, at)}" d="M{path}"/>'
        for (left, height), share, place in zip(
            points, polygon.shares, range(len(points)), strict=True
        ):
            yield (
                f'<circle class="{_choose_color(entry)}" cx="{left:.1f}" cy="{height:.1f}" '
                f'r="2.5"><title>{escape(entry.name)}: {weight} {bounds[place]:g} to '
                f"{bounds[place + 1]:g}, {100 * share:.1f} %</title></circle>"
            )


def _describe_axis(weight: str, polygons: list[FrequencyPolygon]) -> str:
    if not any(polygon.without for polygon in polygons):
        return f"{weight} of the word in its document"
    shares = sorted(100 * polygon.without for polygon in polygons)
    return (
        f"{weight} of the word in its document "
        f"({shares[0]:.0f} to {shares[-1]:.0f} % of the words have none)"
    )


def _build_class_names(entry: WordSet, at: int) -> str:
    return f"line {_choose_color(entry)}{' second' if at % 2 else ''}"


def _choose_color(entry: WordSet) -> str:
    return "both" if entry.common else "only"


def _describe_polygons(found: StabilityResult) -> str:
    parts = []
    for entry in found.sets:
        means = ", ".join(f"mean {w} {entry.means[w]:.2f}" for w in WEIGHTS)
        parts.append(f"{escape(entry.name)}: {entry.tokens:,} words, {means}.")
    return " ".join(parts)


SCATTER_WIDTH, HEIGHT = 640.0, 470.0
SCATTER_LEFT, SCATTER_TOP, SCATTER_RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0


def draw_scatter(cloud: ScatterPoints) -> str:
    """Draw the points; names keep out of each other's way as far as there is room."""
    ends = [
        end
        for _, low, high in (cloud.fit.band if cloud.fit else ())
        for end in (low, high)
    ]
    spread = pad_range(cloud.y, 0.12)
    # A wild band must not press the points together.
    y_range = (
        max(min([*ends, spread[0]]), 2 * spread[0] - spread[1]),
        min(max([*ends, spread[1]]), 2 * spread[1] - spread[0]),
    )
    kinds = sorted(set(filter(None, cloud.classes)))
    height = HEIGHT + (22 if kinds else 0)
    frame = PlotFrame(
        SCATTER_LEFT,
        SCATTER_TOP,
        SCATTER_WIDTH - SCATTER_LEFT - SCATTER_RIGHT,
        HEIGHT - SCATTER_TOP - BOTTOM,
        pad_range(cloud.x),
        y_range,
    )
    body = [
        f'<text class="title" x="16" y="24">{escape_xml(cloud.title)}</text>',
        f'<text class="faint" x="16" y="44">{escape_xml(cloud.caption)}</text>',
        *frame.axes(cloud.across, cloud.down),
        *_draw_line(cloud, frame),
        *_draw_points(cloud, frame, kinds),
        *_draw_names(cloud, frame),
        *_draw_scatter_legend(kinds, height),
    ]
    return render_svg(
        cloud.title, _describe_scatter(cloud), (SCATTER_WIDTH, height), body
    )


def _draw_line(cloud: ScatterPoints, frame: PlotFrame) -> Iterator[str]:
    if cloud.fit is None:
        return
    low, high = frame.y_range

    def inside(value: float) -> float:
        return min(max(value, low), high)

    if cloud.fit.band:
        upper = [f"{frame.x(x):g},{frame.y(inside(b)):g}" for x, _, b in cloud.fit.band]
        lower = [f"{frame.x(x):g},{frame.y(inside(a)):g}" for x, a, _ in cloud.fit.band]
        points = " ".join([*upper, *reversed(lower)])
        yield f'<polygon class="band" style="fill: var(--c0)" points="{points}"/>'
    ends = min(cloud.x), max(cloud.x)
    places = [
        f"{frame.x(x):g} {frame.y(inside(cloud.fit.slope * x + cloud.fit.intercept)):g}"
        for x in ends
    ]
    yield f'<path class="line" style="stroke: var(--c0)" d="M{places[0]}L{places[1]}"/>'


def _draw_points(
    cloud: ScatterPoints, frame: PlotFrame, kinds: list[str]
) -> Iterator[str]:
    for name, x, y, kind, far in zip(
        cloud.names, cloud.x, cloud.y, cloud.classes, cloud.outliers, strict=True
    ):
        colour = f"var(--c{(kinds.index(kind) + 1 if kind else 0) % COLOURS})"
        about = f"{name}: {cloud.across} {x:g}, {cloud.down} {y:g}"
        about += f", {cloud.hollow}" if far else ""
        style = f"stroke: {colour}" if far else f"fill: {colour}"
        shape = ' class="hollow"' if far else ""
        yield (
            f'<circle{shape} style="{style}" cx="{frame.x(x):g}" cy="{frame.y(y):g}" r="4.5">'
            f"<title>{escape_xml(about)}</title></circle>"
        )


def _draw_names(cloud: ScatterPoints, frame: PlotFrame) -> Iterator[str]:
    """Write each name beside its point where nothing stands yet; else not at all."""
    taken = [
        (frame.x(x) - 5, frame.y(y) - 5, frame.x(x) + 5, frame.y(y) + 5)
        for x, y in zip(cloud.x, cloud.y, strict=True)
    ]
    right = frame.left + frame.width
    for name, x, y, far in zip(
        cloud.names, cloud.x, cloud.y, cloud.outliers, strict=True
    ):
        if not (cloud.all_named or far):
            continue
        px, py = frame.x(x), frame.y(y)
        long = len(name) * LETTER * 0.98
        for dx, dy in (
            (8, 4),
            (-8 - long, 4),
            (-long / 2, -9),
            (-long / 2, 17),
            (8, -8),
            (8, 16),
            (-8 - long, -8),
            (-8 - long, 16),
        ):
            box = px + dx, py + dy - 9, px + dx + long, py + dy + 2
            if box[0] < frame.left or box[2] > right:
                continue
            if any(_has_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            yield (
                f'<text class="faint small" x="{px + dx:g}" '
                f'y="{py + dy:g}">{escape_xml(name)}</text>'
            )
            break


def _has_overlap(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _draw_scatter_legend(kinds: list[str], height: float) -> Iterator[str]:
    x = 16.0
    for at, kind in enumerate(kinds, 1):
        yield (
            f'<circle style="fill: var(--c{at % COLOURS})" cx="{x + 5:g}" '
            f'cy="{height - 14:g}" r="4.5"/>'
        )
        yield f'<text x="{x + 15:g}" y="{height - 10:g}">{escape_xml(kind)}</text>'
        x += 15 + len(kind) * LETTER + 18


def _describe_scatter(cloud: ScatterPoints) -> str:
    points = "; ".join(
        f"{name} {x:g}, {y:g}{f' ({cloud.hollow})' if far else ''}"
        for name, x, y, far in zip(
            cloud.names, cloud.x, cloud.y, cloud.outliers, strict=True
        )
    )
    return (
        f"{cloud.down} against {cloud.across} of {len(cloud.names)} {cloud.points}, "
        f"{cloud.caption}. {points}."
    )
