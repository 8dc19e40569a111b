"""Small pictures by our own hand: SVG that takes its colours from the page's style."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metra.insight.distributions import round_step
from metra.report.grid import LETTER, cut
from metra.report.html.markup import Html, tag
from metra.report.table import width

WIDTH = 340
AXIS = 22
#: Room for numbers that stand over the ends of an axis.
OVERHANG = 14


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places: a straight line."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Give the place of a value; what lies outside stands at the end."""
        share = (
            (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        )
        return self.start + (self.stop - self.start) * min(1.0, max(0.0, share))


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Choose round numbers within a range, a few of them.

    >>> ticks(0, 100), ticks(21.3, 24.9)
    ([0, 20, 40, 60, 80, 100], [22, 23, 24])
    """
    if not low < high:
        return [low]
    step = round_step(high - low, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    found = [round(at * step, 10) for at in range(first, last + 1)]
    return [int(value) if value == int(value) else value for value in found]


def svg(wide: float, tall: float, label: str, *children: Html | list[Html]) -> Html:
    """Frame a picture; the label says in words what it shows."""
    return tag(
        "svg",
        *children,
        class_="chart",
        role="img",
        aria_label=label,
        viewBox=f"0 0 {wide:g} {tall:g}",
        width=f"{wide:g}",
        height=f"{tall:g}",
    )


def across(scale: Scale, y: float, top: float, name: str = "") -> list[Html]:
    """Draw the axis that goes across, its ticks up to `top`, and its name below."""
    marks = []
    for value in ticks(scale.low, scale.high):
        x = scale(value)
        marks.append(line(x, top, x, y, "rule"))
        marks.append(text(x, y + 14, f"{value:g}", "tick", "middle"))
    marks.append(line(scale.start, y, scale.stop, y, "axis"))
    if name:
        middle = (scale.start + scale.stop) / 2
        marks.append(text(middle, y + 30, name, "name", "middle"))
    return marks


def upwards(scale: Scale, x: float, right: float, name: str = "") -> list[Html]:
    """Draw the axis that goes up, its ticks out to `right`, and its name beside it."""
    marks = []
    for value in ticks(scale.low, scale.high):
        y = scale(value)
        marks.append(line(x, y, right, y, "rule"))
        marks.append(text(x - 6, y + 4, f"{value:g}", "tick", "end"))
    marks.append(line(x, scale.start, x, scale.stop, "axis"))
    if name:
        middle = (scale.start + scale.stop) / 2
        turned = f"rotate(-90 12 {middle:g})"
        marks.append(text(12, middle, name, "name", "middle", transform=turned))
    return marks


def text(x: float, y: float, words: str, kind: str, anchor: str, **more: str) -> Html:
    """Write some words."""
    return tag("text", words, x=x, y=y, class_=kind, text_anchor=anchor, **more)


def names_width(names: Sequence[str], most: int = 16) -> float:
    """Give the room that names take beside a picture."""
    return max(width(cut(name, most)) for name in names) * LETTER + 8


def row_name(x: float, y: float, name: str, most: int = 16) -> Html:
    """Write a name to the left of its row, in full as a hint."""
    full = tag("title", name)
    return tag(
        "text", cut(name, most), full, x=x, y=y, class_="label", text_anchor="end"
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Html:
    """Draw a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def rect(
    x: float,
    y: float,
    wide: float,
    tall: float,
    kind: str,
    hint: str = "",
    **more: float,
) -> Html:
    """Draw a rectangle, with a hint for the pointer."""
    inside = tag("title", hint) if hint else None
    return tag("rect", inside, x=x, y=y, width=wide, height=tall, class_=kind, **more)


def dot(
    x: float, y: float, radius: float, kind: str, hint: str = "", **more: float
) -> Html:
    """Draw a dot, with a hint for the pointer."""
    inside = tag("title", hint) if hint else None
    return tag("circle", inside, cx=x, cy=y, r=radius, class_=kind, **more)


def around(values: Sequence[float], share: float = 0.06) -> tuple[float, float]:
    """Give a range that holds all values with a little room on both sides."""
    low, high = min(values), max(values)
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def fit_marks(
    band: Sequence[tuple[float, float, float]],
    ends: Sequence[tuple[float, float]],
    x: Scale,
    y: Scale,
) -> list[Html]:
    """Draw a fitted line and the band that holds it."""
    marks = []
    if band:
        upper = [f"{x(at):g},{y(high):g}" for at, _, high in band]
        lower = [f"{x(at):g},{y(low):g}" for at, low, _ in band]
        marks.append(
            tag("polygon", points=" ".join([*upper, *lower[::-1]]), class_="band")
        )
    (a, b), (c, d) = ends
    marks.append(line(x(a), y(b), x(c), y(d), "fit"))
    return marks
