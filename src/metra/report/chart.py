"""The chart kit: palette, ticks, scales, axes and marks that all pictures are drawn with.

Pictures in a page take their colours from the page's style sheet (`make_svg`). Pictures that
are files of their own bring a style for both themes along (`render_svg`, `render_chart`).
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metra.report.html.markup import Html, mark_safe, tag
from metra.report.terminal import measure_width, shorten_text
from metra.stats.arrays import choose_round_step

#: Colours by name: for light and for dark pages.
PALETTE = {
    "paper": ("#fff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "faint": ("#59636e", "#9198a1"),
    "rule": ("#e6e8eb", "#262c36"),
    "edge": ("#8c959f", "#6e7681"),
    "c0": ("#00796b", "#4db6ac"),
    "c1": ("#b93815", "#fb923c"),
    "c2": ("#3b5bdb", "#91a7ff"),
    "c3": ("#8a6100", "#e3b341"),
    "c4": ("#9c36b5", "#d0a2f7"),
    "c5": ("#2b8a3e", "#69db7c"),
}
#: How many colours there are for series before they repeat.
COLOURS = 6

_RULES = """
& .title { font-size: 14px; font-weight: 600 }
& .tick, & .faint { fill: var(--faint) }
& .small { font-size: 10.5px }
& .rule { stroke: var(--rule) }
& .axis { stroke: var(--edge) }
& .baseline { stroke: var(--edge); stroke-dasharray: 4 4 }
& .bar, & .judged { fill: var(--c0) }
& .heat { fill: var(--c0) }
& .heat.negative { fill: var(--c1) }
& .frame { fill: none; stroke: var(--c1); stroke-width: 2 }
& .cell { font-size: 11px }
& .curve, & .fit { fill: none; stroke: currentColor; stroke-width: 2 }
& .dashed { stroke-dasharray: 6 4 }
& .point, & .end { fill: currentColor }
& .hollow { fill: var(--paper); stroke: currentColor; stroke-width: 1.8 }
& .band { fill: currentColor; fill-opacity: .13 }
""" + "".join(
    f"& .series-{number} {{ color: var(--c{number}) }}\n" for number in range(COLOURS)
)

#: The width of a picture in a page, and the room below it for an axis without a name.
WIDTH = 340
AXIS = 22
#: Room for numbers that stand over the ends of an axis.
OVERHANG = 14
#: The width of a letter of a label, and how many letters a label may have.
LETTER = 6.8
LONGEST = 16
_MARGIN = 16


def make_style(name: str, rules: str) -> str:
    """Write the palette of both themes, and rules in which & stands for the picture."""
    themes = [
        "; ".join(f"--{key}: {colours[theme]}" for key, colours in PALETTE.items())
        for theme in (0, 1)
    ]
    base = (
        f"& {{ {themes[0]} }}\n"
        f"@media (prefers-color-scheme: dark) {{ & {{ {themes[1]} }} }}\n"
        '& text { font: 12px system-ui, "Segoe UI", "Noto Sans", sans-serif; '
        "fill: var(--ink); white-space: pre }\n"
        "& .paper { fill: var(--paper) }"
    )
    return f"\n{base}{rules}".replace("&", f".{name}")


_STYLE = make_style("metra-chart", _RULES)


def render_chart(
    title: str,
    caption: str,
    description: str,
    size: tuple[float, float],
    marks: Iterable[Html],
) -> str:
    """Write a chart as a file of its own, with its title and caption above."""
    heading = draw_text(_MARGIN, 24, title, "title")
    below = draw_text(_MARGIN, 44, caption, "faint")
    marks = [heading, below, *marks]
    return render_svg("metra-chart", title, description, size, marks, style=_STYLE)


def render_svg(
    name: str,
    title: str,
    description: str,
    size: tuple[float, float],
    marks: Iterable[str],
    *,
    style: str,
    fit: bool = True,
) -> str:
    """Write a picture that needs nothing else and can be read aloud.

    `style` is empty in a page that brings it; `fit` shrinks the picture to the page.
    """
    width, height = (f"{side:.0f}" for side in size)
    children = [
        "",
        tag("title", title),
        tag("desc", description),
        *([tag("style", mark_safe(style))] if style else []),
        tag("rect", class_="paper", width=width, height=height),
        *marks,
        "",
    ]
    return tag(
        "svg",
        mark_safe("\n".join(children)),
        xmlns="http://www.w3.org/2000/svg",
        class_=name,
        role="img",
        aria_label=title,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        style="max-width: 100%; height: auto" if fit else None,
    )


def make_svg(
    wide: float, tall: float, label: str, *children: Html | list[Html]
) -> Html:
    """Make a picture for a page that brings the style; the label says what it shows."""
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


class PlotFrame(NamedTuple):
    """Where a plot with two axes stands in its picture."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def ticks(self) -> int:
        """Return how many steps an axis may have."""
        return 7 if self.right - self.left > 400 else 5

    def x_scale(self, low: float, high: float) -> "AxisScale":
        """Return the scale across."""
        return AxisScale(low, high, self.left, self.right)

    def y_scale(self, low: float, high: float) -> "AxisScale":
        """Return the scale up."""
        return AxisScale(low, high, self.bottom, self.top)


#: The frame of a plot in a page, and the height of its picture.
PAGE_FRAME = PlotFrame(52.0, 8.0, 322.0, 278.0)
PAGE_HEIGHT = 316.0


class AxisScale(NamedTuple):
    """A linear map from values to places on the page."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Return the place of a value; what lies outside stands at the end."""
        low, high, start, stop = self
        share = (value - low) / (high - low) if high > low else 0.5
        return round(start + (stop - start) * min(1.0, max(0.0, share)), 2)


def pad_range(values: Sequence[float], share: float = 0.06) -> tuple[float, float]:
    """Return the range of values with some room at both ends."""
    low, high = min(values), max(values)
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def choose_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Choose round numbers within a range, `most` steps at the most.

    >>> choose_ticks(0, 100), choose_ticks(21.3, 24.9)
    ([0, 20, 40, 60, 80, 100], [22, 23, 24])
    """
    if not low < high:
        return [low]
    step = choose_round_step(high - low, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [round(at * step, 10) for at in range(first, last + 1)]
    return [int(value) if value == int(value) else value for value in values]


def format_tick(value: float) -> str:
    """Write a number of a scale."""
    return f"{value:g}".replace("-", "−")


def draw_axes(
    x: AxisScale, y: AxisScale, across: str, down: str, *, most: int = 5
) -> list[Html]:
    """Draw the axes of a plot, with their names."""
    return [
        *draw_x_axis(x, y.start, y.stop, across, most=most),
        *draw_y_axis(y, x.start, x.stop, down, most=most),
    ]


def draw_x_axis(
    scale: AxisScale, y: float, top: float, name: str = "", *, most: int = 5
) -> list[Html]:
    """Draw the axis that goes across, its rules up to `top`, and its name below."""
    marks = []
    for value in choose_ticks(scale.low, scale.high, most):
        x = scale(value)
        marks.append(draw_line(x, top, x, y, "rule"))
        marks.append(draw_text(x, y + 15, format_tick(value), "tick", "middle"))
    marks.append(draw_line(scale.start, y, scale.stop, y, "axis"))
    if name:
        middle = (scale.start + scale.stop) / 2
        marks.append(draw_text(middle, y + 32, name, "name", "middle"))
    return marks


def draw_y_axis(
    scale: AxisScale,
    x: float,
    right: float,
    name: str = "",
    *,
    most: int = 5,
    unit: str = "",
) -> list[Html]:
    """Draw the axis that goes up, its rules out to `right`, and its name beside it."""
    marks = []
    for value in choose_ticks(scale.low, scale.high, most):
        y = scale(value)
        marks.append(draw_line(x, y, right, y, "rule"))
        number = f"{format_tick(value)}{unit}"
        marks.append(draw_text(x - 6, y + 4, number, "tick", "end"))
    marks.append(draw_line(x, scale.start, x, scale.stop, "axis"))
    if name:
        middle = (scale.start + scale.stop) / 2
        turned = f"rotate(-90 12 {middle:g})"
        marks.append(draw_text(12, middle, name, "name", "middle", transform=turned))
    return marks


def draw_band(
    band: Sequence[tuple[float, float, float]], x: AxisScale, y: AxisScale, kind: str
) -> list[Html]:
    """Draw the area between a lower and an upper curve, given as x, low, high."""
    if not band:
        return []
    upper = [f"{x(at):g},{y(high):g}" for at, _, high in band]
    lower = [f"{x(at):g},{y(low):g}" for at, low, _ in band]
    points = " ".join([*upper, *reversed(lower)])
    return [tag("polygon", points=points, class_=f"band {kind}")]


def draw_text(
    x: float,
    y: float,
    words: str,
    kind: str | None = None,
    anchor: str | None = None,
    **more: str,
) -> Html:
    """Draw words."""
    return tag("text", words, x=x, y=y, class_=kind, text_anchor=anchor, **more)


def draw_row_name(x: float, y: float, name: str, most: int = LONGEST) -> Html:
    """Draw a name to the left of its row, in full as a hint."""
    words = shorten_text(name, most), tag("title", name)
    return tag("text", *words, x=x, y=y, class_="label", text_anchor="end")


def draw_line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Html:
    """Draw a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def draw_path(path: str, kind: str) -> Html:
    """Draw a path."""
    return tag("path", class_=kind, d=path)


def draw_rect(
    x: float,
    y: float,
    width: float,
    height: float,
    kind: str | None = None,
    hint: str = "",
    **more: float | str,
) -> Html:
    """Draw a rectangle, with a hint for the pointer."""
    title = tag("title", hint) if hint else None
    place = {"x": x, "y": y, "width": width, "height": height}
    return tag("rect", title, **place, class_=kind, **more)


def draw_dot(
    x: float,
    y: float,
    radius: float,
    kind: str | None = None,
    hint: str = "",
    **more: float | str,
) -> Html:
    """Draw a dot, with a hint for the pointer."""
    title = tag("title", hint) if hint else None
    return tag("circle", title, cx=x, cy=y, r=radius, class_=kind, **more)


def name_series(number: int) -> str:
    """Return the class of a series, which has its colour."""
    return f"series-{number % COLOURS}"


def measure_text(text: str) -> float:
    """Return about how wide a label is."""
    return measure_width(text) * LETTER


def measure_names(names: Sequence[str], most: int = LONGEST) -> float:
    """Return the room that names take beside a picture."""
    return max(measure_text(shorten_text(name, most)) for name in names) + 8
