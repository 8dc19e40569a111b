"""The chart kit: palette, ticks, scales, axes and marks that all pictures are drawn with.

Pictures in a page take their colours from the page's style sheet (`make_svg`). Pictures in
files of their own bring a style for both themes along (`render_svg`, `render_chart`).
"""

import math
from collections.abc import Iterable, Sequence
from importlib import resources
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
#: Dashes of lines and shapes of points, which tell series apart in grey print too. Pages
#: leave lines solid: there, a dashed line is one that stands apart.
DASHES = ("", "9 3", "2 3", "9 3 2 3", "5 2", "14 3 2 3 2 3")
SHAPES = {
    "square": "-.88,-.88 .88,-.88 .88,.88 -.88,.88",
    "triangle": "0,-1.15 1.1,.85 -1.1,.85",
    "diamond": "0,-1.25 1.1,0 0,1.25 -1.1,0",
    "wedge": "0,1.15 1.1,-.85 -1.1,-.85",
    "hourglass": "-.95,-1.05 .95,-1.05 -.95,1.05 .95,1.05",
}

_SERIES_RULES = "".join(
    f"& .series-{number} {{ color: var(--c{number}) }}\n"
    + (f"& .line-{number} {{ stroke-dasharray: {DASHES[number]} }}\n" if number else "")
    for number in range(COLOURS)
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
PRINT_FONT = '"Liberation Sans", Arial, Helvetica, sans-serif'
SCREEN_FONT = 'system-ui, "Segoe UI", "Noto Sans", sans-serif'
#: The height of letters in the units that pictures are drawn in.
FONT_UNITS = 12.0
#: Where a chart begins that leaves out its title and caption.
_BELOW_HEADING = 40.0


POINTS_PER_MM = 72 / 25.4
_PRINTED_POINTS = 8.0


def convert_width(millimetres: float | None) -> float | None:
    """Return a width in print in the units of pictures; None for one on a screen."""
    if millimetres is None:
        return None
    return millimetres * POINTS_PER_MM * FONT_UNITS / _PRINTED_POINTS


def make_style(name: str, rules: str) -> str:
    """Write the palette of both themes, and rules in which & stands for the picture."""
    themes = [
        "; ".join(f"--{key}: {colours[theme]}" for key, colours in PALETTE.items())
        for theme in (0, 1)
    ]
    base = (
        f"& {{ {themes[0]} }}\n"
        f"@media (prefers-color-scheme: dark) {{ & {{ {themes[1]} }} }}\n"
        f"& text {{ font: {FONT_UNITS:g}px {SCREEN_FONT}; "
        "fill: var(--ink); white-space: pre }\n"
        "& .paper { fill: var(--paper) }"
    )
    return f"\n{base}\n{rules}".replace("&", f".{name}")


def read_static_file(name: str) -> str:
    """Read a style or script of the report."""
    folder = resources.files("metra.report") / "html" / "static"
    return (folder / name).read_text(encoding="utf-8")


def render_chart(
    title: str,
    caption: str,
    description: str,
    size: tuple[float, float],
    marks: Iterable[Html],
    *,
    has_title: bool = True,
) -> str:
    """Write a chart as a file of its own; in print its title and caption are the text's.

    Marks leave room for a line of each; longer ones are broken, and the chart begins higher.
    """
    heading: list[Html] = []
    top = _BELOW_HEADING
    if has_title:
        room, y = size[0] - 2 * _MARGIN, 44.0
        for line in reversed(wrap_text(caption, room)):
            heading.append(draw_text(_MARGIN, y, line, "faint"))
            y -= 16
        y = min(y - 4, 24.0)
        for line in reversed(wrap_text(title, room / 1.2)):
            heading.append(draw_text(_MARGIN, y, line, "title"))
            y -= 18
        top = min(y + 18 - 24, 0.0)
    name, page = "metra-chart", (size[0], size[1] - top)
    drawn = [*reversed(heading), *marks]
    style = make_style("metra-chart", read_static_file("chart.css") + _SERIES_RULES)
    return render_svg(name, title, description, page, drawn, style=style, top=top)


def wrap_text(text: str, room: float) -> list[str]:
    """Break a text into lines of the width `room` at most."""
    from textwrap import wrap

    # Running text is narrower than names and numbers are.
    longest = max(int(room / 6.2), 12)
    # Most texts fit, and `wrap` takes its time.
    if text and len(text) <= longest and text.isprintable():
        return [text]
    return wrap(text, longest, break_long_words=False)


def render_svg(
    name: str,
    title: str,
    description: str,
    size: tuple[float, float],
    marks: Iterable[str],
    *,
    style: str,
    fit: bool = True,
    top: float = 0.0,
) -> str:
    """Write a picture that needs nothing else and can be read aloud.

    `style` is empty in a page that brings it; `fit` shrinks the picture to the page; `top`
    is where the picture begins.
    """
    width, height = (f"{side:.0f}" for side in size)
    whole = {"width": width, "height": height}
    children = [
        "",
        tag("title", title),
        tag("desc", description),
        *([tag("style", mark_safe(style))] if style else []),
        tag("rect", class_="paper", y=f"{top:g}" if top else None, **whole),
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
        viewBox=f"0 {top:g} {width} {height}",
        **whole,
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
    """The frame of a plot with two axes in its picture."""

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
    place = {"x": x, "y": y, "width": width, "height": height}
    return tag("rect", _make_hint(hint), **place, class_=kind, **more)


def draw_bar(
    scale: AxisScale, low: float, high: float, place: tuple[float, float], hint: str
) -> Html:
    """Draw a bar of a histogram between two values: `place` is its base and height."""
    base, tall = place
    wide = max(1.0, scale(high) - scale(low) - 1)
    return draw_rect(scale(low) + 0.5, base - tall, wide, tall, "bar", hint)


def draw_dot(
    x: float,
    y: float,
    radius: float,
    kind: str | None = None,
    hint: str = "",
    **more: float | str,
) -> Html:
    """Draw a dot, with a hint for the pointer."""
    return tag("circle", _make_hint(hint), cx=x, cy=y, r=radius, class_=kind, **more)


def draw_mark(
    x: float, y: float, radius: float, number: int, kind: str, hint: str = ""
) -> Html:
    """Draw a point of a series, whose number chooses the shape."""
    shape = SHAPES.get(choose_shape(number))
    if shape is None:
        return draw_dot(x, y, radius, kind, hint)
    corners = (map(float, corner.split(",")) for corner in shape.split())
    points = " ".join(
        f"{x + radius * right:.5g},{y + radius * down:.5g}" for right, down in corners
    )
    return tag("polygon", _make_hint(hint), class_=kind, points=points)


def _make_hint(hint: str) -> Html | None:
    return tag("title", hint) if hint else None


def choose_shape(number: int) -> str:
    """Choose the shape of a series' points; series of one colour have different ones."""
    return ("circle", *SHAPES)[(number + number // COLOURS) % COLOURS]


def name_series(number: int) -> str:
    """Return the class of a series, which has its colour."""
    return f"series-{number % COLOURS}"


def name_line(number: int) -> str:
    """Return the class of a series' line, which has its dashes; none for the first."""
    dashes = (number + number // COLOURS) % COLOURS
    return f"line-{dashes}" if dashes else ""


def measure_text(text: str) -> float:
    """Return about how wide a label is; capitals are a fifth wider than other letters."""
    return (measure_width(text) + 0.2 * sum(map(str.isupper, text))) * LETTER


def measure_names(names: Sequence[str], most: int = LONGEST) -> float:
    """Return the room that names take beside a picture."""
    return max(measure_text(shorten_text(name, most)) for name in names) + 8
