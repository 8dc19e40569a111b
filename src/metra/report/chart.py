"""What a grid of output and references shows, whatever it is drawn with.

What our pictures share: safe text, the colours of both themes, frames and scales.
Small pictures by our own hand: SVG that takes its colours from the page's style.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from metra.analysis.distributions import choose_round_step
from metra.errors import CorpusError
from metra.metrics.alignment import AlignedSegment, Alignment, Link
from metra.report.html.markup import Html, tag
from metra.report.table import format_count, format_score
from metra.report.terminal import measure_width

#: More words than this on a side make a picture that nobody can read.
MOST_WORDS = 600

#: Links that stand for equal words, and links that do not count, by kind.
EQUAL = frozenset({"run", "hit", "exact"})
LEFT_OUT = frozenset({"capped run"})


@dataclass(frozen=True, slots=True)
class LinkBlock:
    """Linked words: a rectangle of the grid, from its upper left cell on."""

    kind: str
    row: int
    column: int
    height: int
    width: int
    words: str

    @property
    def cells(self) -> Iterator[tuple[int, int]]:
        """The cells that pair words one to one; none where a phrase stands for another."""
        if self.kind in EQUAL | LEFT_OUT or self.height == self.width == 1:
            for at in range(self.height):
                yield self.row + at, self.column + at


@dataclass(frozen=True, slots=True)
class ReferencePanel:
    """One reference's columns: their words, and where they begin."""

    reference: int
    first: int
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class GridPlot:
    """Output words down, the words of all references across, and what is linked."""

    rows: Sequence[str]
    panels: Sequence[ReferencePanel]
    blocks: Sequence[LinkBlock]
    #: Cells of equal words that no link pairs.
    other_hits: Sequence[tuple[int, int]]
    several_references: bool
    #: Every kind of link that the measure knows.
    known_kinds: Sequence[str]

    @property
    def columns(self) -> list[str]:
        """The words of all references, one reference after the other."""
        return [word for panel in self.panels for word in panel.words]

    def name(self, panel: ReferencePanel) -> str:
        """Name a panel's reference."""
        if not self.several_references:
            return "reference"
        return f"reference {panel.reference + 1}"

    @property
    def linked_rows(self) -> set[int]:
        """The rows that a block covers."""
        return {
            row
            for block in self.blocks
            for row in range(block.row, block.row + block.height)
        }

    @property
    def linked_columns(self) -> set[int]:
        """The columns that a block covers."""
        return {
            column
            for block in self.blocks
            for column in range(block.column, block.column + block.width)
        }

    @property
    def kinds(self) -> list[str]:
        """The kinds of blocks that there are, in the measure's order."""
        found = {block.kind for block in self.blocks}
        return [kind for kind in self.known_kinds if kind in found]


def build_plot(segment: AlignedSegment) -> GridPlot:
    """Lay out a segment's alignments side by side."""
    # Measures that hold an output against one of its references align it with all of them.
    chosen = [alignment for alignment in segment.alignments if alignment.chosen]
    alignments = chosen or segment.alignments
    rows = alignments[0].hyp
    columns = sum(len(alignment.ref) for alignment in alignments)
    if max(len(rows), columns) > MOST_WORDS:
        msg = (
            f"Segment {segment.number} has {format_count(len(rows), 'output word')} and "
            f"{format_count(columns, 'reference word')}; a grid shows up to "
            f"{MOST_WORDS} a side."
        )
        raise CorpusError(msg)
    panels: list[ReferencePanel] = []
    blocks: list[LinkBlock] = []
    first = 0
    for alignment in alignments:
        panels.append(ReferencePanel(alignment.reference, first, alignment.ref))
        blocks.extend(_build_blocks(alignment, first))
        first += len(alignment.ref)
    paired = {cell for block in blocks for cell in block.cells}
    hits = [
        (row, panel.first + at)
        for row, word in enumerate(rows)
        for panel in panels
        for at, other in enumerate(panel.words)
        if word == other and (row, panel.first + at) not in paired
    ]
    blocks.sort(key=lambda block: (-block.height, block.row, block.column))
    several = len(segment.alignments) > 1
    return GridPlot(rows, panels, blocks, hits, several, alignments[0].kinds)


def format_title(segment: AlignedSegment) -> str:
    """Say what the grid is of."""
    return f"{segment.system}, segment {segment.number}, {segment.spec}"


def format_scores(segment: AlignedSegment) -> str:
    """State the score and the numbers behind it."""
    parts = [f"{name} {_format_number(value)}" for name, value in segment.parts.items()]
    return "; ".join([f"score {format_score(segment.score, 2)}", *parts])


def describe_block(block: LinkBlock, plot: GridPlot) -> str:
    """Describe a block in words, for those who cannot see it."""
    panel = next(
        panel for panel in reversed(plot.panels) if panel.first <= block.column
    )
    start = block.column - panel.first
    return (
        f"{block.kind}: {block.words} (output {_format_range(block.row, block.height)}, "
        f"{plot.name(panel)}{',' if plot.several_references else ''} "
        f"{_format_range(start, block.width)})"
    )


def _build_blocks(alignment: Alignment, first: int) -> Iterator[LinkBlock]:
    """Make blocks of links that have both sides, neighbours of one kind made one."""
    made: list[Link] = []
    for link in sorted(alignment.links, key=lambda link: (link.hyp, link.ref)):
        if link.hyp.start == link.hyp.stop or link.ref.start == link.ref.stop:
            continue
        if made and _is_continuation(made[-1], link):
            last = made[-1]
            made[-1] = replace(
                last,
                hyp=last.hyp._replace(stop=link.hyp.stop),
                ref=last.ref._replace(stop=link.ref.stop),
            )
        else:
            made.append(link)
    for link in made:
        hyp, ref = alignment.words(link)
        words = " ".join(hyp) if hyp == ref else f"{' '.join(hyp)} = {' '.join(ref)}"
        yield LinkBlock(
            link.kind,
            link.hyp.start,
            first + link.ref.start,
            len(hyp),
            len(ref),
            words,
        )


def _is_continuation(before: Link, link: Link) -> bool:
    return (
        before.kind == link.kind
        and link.kind in EQUAL
        and (before.hyp.stop, before.ref.stop) == (link.hyp.start, link.ref.start)
    )


def _format_range(start: int, length: int) -> str:
    return f"{start + 1}" if length == 1 else f"{start + 1}–{start + length}"


def _format_number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else format_score(value, 2)


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

STYLE = """
.metra-chart { --paper: #fff; --ink: #1f2328; --faint: #59636e; --rule: #e6e8eb;
  --edge: #8c959f; --c0: #00796b; --c1: #b93815; --c2: #3b5bdb; --c3: #8a6100; --c4: #9c36b5;
  --c5: #2b8a3e; --low: #ffffff; --high: #00796b; --neg: #b93815 }
@media (prefers-color-scheme: dark) { .metra-chart { --paper: #0d1117; --ink: #e6edf3;
  --faint: #9198a1; --rule: #262c36; --edge: #6e7681; --c0: #4db6ac; --c1: #fb923c;
  --c2: #91a7ff; --c3: #e3b341; --c4: #d0a2f7; --c5: #69db7c; --low: #0d1117;
  --high: #4db6ac; --neg: #fb923c } }
.metra-chart text { font: 12px system-ui, "Segoe UI", "Noto Sans", sans-serif;
  fill: var(--ink); white-space: pre }
.metra-chart .title { font-size: 14px; font-weight: 600 }
.metra-chart .faint { fill: var(--faint) }
.metra-chart .small { font-size: 10.5px }
.metra-chart .paper { fill: var(--paper) }
.metra-chart .rule { stroke: var(--rule); fill: none }
.metra-chart .edge { stroke: var(--edge); fill: none }
.metra-chart .line { stroke-width: 2; fill: none }
.metra-chart .band { stroke: none; fill-opacity: .13 }
.metra-chart .hollow { fill: var(--paper); stroke-width: 1.8 }
"""

#: How many colours there are before they repeat.
COLOURS = 6
#: The width of a letter.
LETTER = 6.6


def escape_xml(raw: str) -> str:
    """Keep text from being read as markup; what XML has no place for becomes a sign."""
    return escape(_NOT_IN_XML.sub("\ufffd", raw))


def render_svg(
    title: str, described: str, size: tuple[float, float], body: Sequence[str]
) -> str:
    """Put a picture together: it needs nothing else, and can be read to those who listen."""
    width, height = size
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="metra-chart" role="img" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" style="max-width: 100%; height: auto">',
            f"<title>{escape_xml(title)}</title>",
            f"<desc>{escape_xml(described)}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
            *body,
            "</svg>",
        ]
    )


@dataclass(frozen=True, slots=True)
class PlotFrame:
    """Where a plot stands on the page, and which values its sides stand for."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        """Where a value stands across."""
        low, high = self.x_range
        return round(self.left + self.width * (value - low) / (high - low), 2)

    def y(self, value: float) -> float:
        """Where a value stands down; large values are above."""
        low, high = self.y_range
        return round(self.top + self.height * (high - value) / (high - low), 2)

    def axes(self, across: str, down: str) -> Iterator[str]:
        """Draw the frame with its scales and what they are of."""
        yield from self.rows()
        bottom = self.top + self.height
        for value in choose_ticks(*self.x_range):
            x = self.x(value)
            yield f'<path class="rule" d="M{x:g} {self.top:g}v{self.height:g}"/>'
            yield (
                f'<text class="faint" x="{x:g}" y="{bottom + 17:g}" '
                f'text-anchor="middle">{format_tick(value)}</text>'
            )
        yield from self.border(across, down)

    def rows(self) -> Iterator[str]:
        """Draw the scale at the left, with a rule for each of its numbers."""
        for value in choose_ticks(*self.y_range):
            y = self.y(value)
            yield f'<path class="rule" d="M{self.left:g} {y:g}h{self.width:g}"/>'
            yield (
                f'<text class="faint" x="{self.left - 7:g}" y="{y + 4:g}" '
                f'text-anchor="end">{format_tick(value)}</text>'
            )

    def border(self, across: str, down: str) -> Iterator[str]:
        """Draw the border, and say what the scales are of."""
        yield (
            f'<rect class="edge" x="{self.left:g}" y="{self.top:g}" '
            f'width="{self.width:g}" height="{self.height:g}"/>'
        )
        middle, below = self.left + self.width / 2, self.top + self.height + 37
        yield (
            f'<text x="{middle:g}" y="{below:g}" text-anchor="middle">'
            f"{escape_xml(across)}</text>"
        )
        x, y = self.left - 48, self.top + self.height / 2
        yield (
            f'<text x="{x:g}" y="{y:g}" text-anchor="middle" '
            f'transform="rotate(-90 {x:g} {y:g})">{escape_xml(down)}</text>'
        )


def pad_range(values: Sequence[float], share: float = 0.06) -> tuple[float, float]:
    """Give the range of values with some room at both ends."""
    low, high = min(values), max(values)
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def choose_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Choose round numbers within a range.

    >>> choose_ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    raw = (high - low) / most
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(at * step, 12) for at in range(first, last + 1)]


def format_tick(value: float) -> str:
    """Write a number of a scale."""
    return f"{value:g}".replace("-", "−")


WIDTH = 340
AXIS = 22
#: Room for numbers that stand over the ends of an axis.
OVERHANG = 14


@dataclass(frozen=True, slots=True)
class AxisScale:
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


def choose_chart_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Choose round numbers within a range, a few of them.

    >>> choose_ticks(0, 100), choose_ticks(21.3, 24.9)
    ([0, 20, 40, 60, 80, 100], [22, 23, 24])
    """
    if not low < high:
        return [low]
    step = choose_round_step(high - low, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    found = [round(at * step, 10) for at in range(first, last + 1)]
    return [int(value) if value == int(value) else value for value in found]


def make_svg(
    wide: float, tall: float, label: str, *children: Html | list[Html]
) -> Html:
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


def draw_x_axis(scale: AxisScale, y: float, top: float, name: str = "") -> list[Html]:
    """Draw the axis that goes across, its ticks up to `top`, and its name below."""
    marks = []
    for value in choose_chart_ticks(scale.low, scale.high):
        x = scale(value)
        marks.append(draw_line(x, top, x, y, "rule"))
        marks.append(draw_text(x, y + 14, f"{value:g}", "tick", "middle"))
    marks.append(draw_line(scale.start, y, scale.stop, y, "axis"))
    if name:
        middle = (scale.start + scale.stop) / 2
        marks.append(draw_text(middle, y + 30, name, "name", "middle"))
    return marks


def draw_y_axis(scale: AxisScale, x: float, right: float, name: str = "") -> list[Html]:
    """Draw the axis that goes up, its ticks out to `right`, and its name beside it."""
    marks = []
    for value in choose_chart_ticks(scale.low, scale.high):
        y = scale(value)
        marks.append(draw_line(x, y, right, y, "rule"))
        marks.append(draw_text(x - 6, y + 4, f"{value:g}", "tick", "end"))
    marks.append(draw_line(x, scale.start, x, scale.stop, "axis"))
    if name:
        middle = (scale.start + scale.stop) / 2
        turned = f"rotate(-90 12 {middle:g})"
        marks.append(draw_text(12, middle, name, "name", "middle", transform=turned))
    return marks


def draw_text(
    x: float, y: float, words: str, kind: str, anchor: str, **more: str
) -> Html:
    """Write some words."""
    return tag("text", words, x=x, y=y, class_=kind, text_anchor=anchor, **more)


def measure_names(names: Sequence[str], most: int = 16) -> float:
    """Give the room that names take beside a picture."""
    return (
        max(measure_width(shorten_word(name, most)) for name in names) * NAME_LETTER + 8
    )


def draw_row_name(x: float, y: float, name: str, most: int = 16) -> Html:
    """Write a name to the left of its row, in full as a hint."""
    full = tag("title", name)
    return tag(
        "text",
        shorten_word(name, most),
        full,
        x=x,
        y=y,
        class_="label",
        text_anchor="end",
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Html:
    """Draw a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def draw_rect(
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


def draw_dot(
    x: float, y: float, radius: float, kind: str, hint: str = "", **more: float
) -> Html:
    """Draw a dot, with a hint for the pointer."""
    inside = tag("title", hint) if hint else None
    return tag("circle", inside, cx=x, cy=y, r=radius, class_=kind, **more)


def pad_chart_range(
    values: Sequence[float], share: float = 0.06
) -> tuple[float, float]:
    """Give a range that holds all values with a little room on both sides."""
    low, high = min(values), max(values)
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def draw_fit(
    band: Sequence[tuple[float, float, float]],
    ends: Sequence[tuple[float, float]],
    x: AxisScale,
    y: AxisScale,
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
    marks.append(draw_line(x(a), y(b), x(c), y(d), "fit"))
    return marks


#: The width of a letter of a name, and how many a name may have.
NAME_LETTER = 6.8
LONGEST = 16


def shorten_word(word: str, longest: int = LONGEST) -> str:
    """Shorten a word that would push all others aside."""
    if measure_width(word) <= longest:
        return word
    kept = ""
    for letter in word:
        if measure_width(kept + letter) >= longest:
            break
        kept += letter
    return f"{kept}…"
