"""Two judges' values of the same things, one against the other."""

from metra.meta.judge_pictures import JudgePlot
from metra.report.svg import Frame, padded, page, text

WIDTH, HEIGHT = 520.0, 540.0
LEFT, TOP, RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0


def render(plot: JudgePlot) -> str:
    """Draw the points on one scale both ways, with a line where the judges would agree."""
    low, high = padded([end for point in plot.moved for end in point])
    frame = Frame(
        LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, (low, high), (low, high)
    )
    opacity = max(0.25, min(0.85, 60 / len(plot.given)))
    points = [
        f'<circle style="fill: var(--c0); fill-opacity: {opacity:.2g}" '
        f'cx="{frame.x(x):g}" cy="{frame.y(y):g}" r="3">'
        f"<title>{a:g}, {b:g}</title></circle>"
        for (a, b), (x, y) in zip(plot.given, plot.moved, strict=True)
    ]
    body = [
        f'<text class="title" x="16" y="24">{text(plot.title)}</text>',
        f'<text class="faint" x="16" y="44">{text(plot.caption)}</text>',
        *frame.axes(plot.across, plot.down),
        f'<path class="edge" style="stroke-dasharray: 4 4" d="M{frame.x(low):g} '
        f'{frame.y(low):g}L{frame.x(high):g} {frame.y(high):g}"/>',
        *points,
    ]
    described = f"{plot.down} against {plot.across}, {plot.caption}."
    return page(plot.title, described, (WIDTH, HEIGHT), body)
