"""Two judges' values of the same things, each point moved a little to show how many there are."""

from dataclasses import dataclass

import numpy as np

from metra.meta.arrays import Array
from metra.report.svg import Frame, padded, page, text

WIDTH, HEIGHT = 520.0, 540.0
LEFT, TOP, RIGHT, BOTTOM = 72.0, 58.0, 24.0, 56.0


@dataclass(frozen=True, slots=True)
class Jitter:
    """What is drawn: pairs of values, and how far a point may be moved either way."""

    title: str
    caption: str
    across: str
    down: str
    a: Array
    b: Array
    skew: float = 0.2
    seed: int = 12345


def render(plot: Jitter) -> str:
    """Draw the points on one scale both ways, with a line where the judges would agree."""
    ends = [*plot.a.tolist(), *plot.b.tolist()]
    low, high = padded([min(ends) - plot.skew, max(ends) + plot.skew])
    frame = Frame(
        LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, (low, high), (low, high)
    )
    moved = np.random.default_rng(plot.seed).uniform(
        -plot.skew, plot.skew, (2, len(plot.a))
    )
    opacity = max(0.25, min(0.85, 60 / max(len(plot.a), 1)))
    points = [
        f'<circle style="fill: var(--c0); fill-opacity: {opacity:.2g}" '
        f'cx="{frame.x(x + dx):g}" cy="{frame.y(y + dy):g}" r="3">'
        f"<title>{x:g}, {y:g}</title></circle>"
        for x, y, dx, dy in zip(
            plot.a.tolist(), plot.b.tolist(), *moved.tolist(), strict=True
        )
    ]
    body = [
        f'<text class="title" x="16" y="24">{text(plot.title)}</text>',
        f'<text class="faint" x="16" y="44">{text(plot.caption)}</text>',
        *frame.axes(plot.across, plot.down),
        f'<path class="edge" style="stroke-dasharray: 4 4" d="M{frame.x(low):g} '
        f'{frame.y(low):g}L{frame.x(high):g} {frame.y(high):g}"/>',
        *points,
    ]
    described = (
        f"{plot.down} against {plot.across}, {len(plot.a)} points moved by up to "
        f"{plot.skew:g} to show how many there are. {plot.caption}."
    )
    return page(plot.title, described, (WIDTH, HEIGHT), body)
