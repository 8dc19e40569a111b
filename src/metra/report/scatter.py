"""A scatter plot of systems or pairs: named points, a line with its band, some hollow."""

from collections.abc import Iterator

from metra.meta.scattering import Cloud
from metra.report.svg import COLOURS, LETTER, Frame, padded, page, text

WIDTH, HEIGHT = 640.0, 470.0
LEFT, TOP, RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0


def render(cloud: Cloud) -> str:
    """Draw the points; names keep out of each other's way as far as there is room."""
    ends = [
        end
        for _, low, high in (cloud.fit.band if cloud.fit else ())
        for end in (low, high)
    ]
    spread = padded(cloud.y, 0.12)
    # A wild band must not press the points together.
    y_range = (
        max(min([*ends, spread[0]]), 2 * spread[0] - spread[1]),
        min(max([*ends, spread[1]]), 2 * spread[1] - spread[0]),
    )
    kinds = sorted(set(filter(None, cloud.classes)))
    height = HEIGHT + (22 if kinds else 0)
    frame = Frame(
        LEFT,
        TOP,
        WIDTH - LEFT - RIGHT,
        HEIGHT - TOP - BOTTOM,
        padded(cloud.x),
        y_range,
    )
    body = [
        f'<text class="title" x="16" y="24">{text(cloud.title)}</text>',
        f'<text class="faint" x="16" y="44">{text(cloud.caption)}</text>',
        *frame.axes(cloud.across, cloud.down),
        *_line(cloud, frame),
        *_points(cloud, frame, kinds),
        *_names(cloud, frame),
        *_legend(kinds, height),
    ]
    return page(cloud.title, _described(cloud), (WIDTH, height), body)


def _line(cloud: Cloud, frame: Frame) -> Iterator[str]:
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


def _points(cloud: Cloud, frame: Frame, kinds: list[str]) -> Iterator[str]:
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
            f"<title>{text(about)}</title></circle>"
        )


def _names(cloud: Cloud, frame: Frame) -> Iterator[str]:
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
            if any(_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            yield (
                f'<text class="faint small" x="{px + dx:g}" y="{py + dy:g}">{text(name)}</text>'
            )
            break


def _overlap(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _legend(kinds: list[str], height: float) -> Iterator[str]:
    x = 16.0
    for at, kind in enumerate(kinds, 1):
        yield (
            f'<circle style="fill: var(--c{at % COLOURS})" cx="{x + 5:g}" '
            f'cy="{height - 14:g}" r="4.5"/>'
        )
        yield f'<text x="{x + 15:g}" y="{height - 10:g}">{text(kind)}</text>'
        x += 15 + len(kind) * LETTER + 18


def _described(cloud: Cloud) -> str:
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
