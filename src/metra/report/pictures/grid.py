"""The bitext grid, and its picture: output words down, reference words across."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from metra.errors import CorpusError, format_count
from metra.metrics.alignment import AlignedSegment, Alignment, Link
from metra.report import chart
from metra.report.html.bundle import read_file
from metra.report.html.markup import Html, join_markup, tag
from metra.report.table import format_score
from metra.report.terminal import shorten_text

#: More words than this on a side make a picture that nobody can read.
MOST_WORDS = 600

#: Links that stand for equal words, and links that do not count, by kind.
EQUAL = frozenset({"run", "hit", "exact"})
LEFT_OUT = frozenset({"capped run"})
PAIRED = EQUAL | LEFT_OUT


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
    def cells(self) -> list[tuple[int, int]]:
        """The cells that pair words one to one; none where a phrase stands for another."""
        if self.kind in PAIRED or self.height == self.width == 1:
            return [(self.row + at, self.column + at) for at in range(self.height)]
        return []


@dataclass(frozen=True, slots=True)
class ReferencePanel:
    """One reference's columns: their words, and where they begin."""

    reference: int
    first: int
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class GridPlot:
    """Output words down, the words of all references across, and the links."""

    rows: Sequence[str]
    panels: Sequence[ReferencePanel]
    blocks: Sequence[LinkBlock]
    #: Cells of equal words that no link pairs.
    other_hits: Sequence[tuple[int, int]]
    several_references: bool
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
    def kinds(self) -> list[str]:
        """The kinds of the blocks, in the metric's order."""
        drawn = {block.kind for block in self.blocks}
        return [kind for kind in self.known_kinds if kind in drawn]


def build_plot(segment: AlignedSegment) -> GridPlot:
    """Lay out a segment's alignments side by side."""
    # Metrics that compare an output with one of its references align it with all of them.
    chosen = [alignment for alignment in segment.alignments if alignment.chosen]
    alignments = chosen or segment.alignments
    rows = alignments[0].hyp
    columns = sum(len(alignment.ref) for alignment in alignments)
    if max(len(rows), columns) > MOST_WORDS:
        msg = (
            f"Segment {segment.number} has {format_count(len(rows), 'output word')} "
            f"and {format_count(columns, 'reference word')}; a grid shows at most "
            f"{MOST_WORDS} words per side."
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
    places: dict[str, list[int]] = {}
    for column, word in enumerate(word for each in alignments for word in each.ref):
        places.setdefault(word, []).append(column)
    hits = [
        (row, column)
        for row, word in enumerate(rows)
        for column in places.get(word, ())
        if (row, column) not in paired
    ]
    blocks.sort(key=lambda block: (-block.height, block.row, block.column))
    several = len(segment.alignments) > 1
    return GridPlot(rows, panels, blocks, hits, several, alignments[0].kinds)


def format_title(segment: AlignedSegment) -> str:
    """Say what the grid is of."""
    return f"{segment.system}, segment {segment.number}, {segment.spec}"


def format_scores(segment: AlignedSegment) -> str:
    """State the score and the numbers behind it."""
    digits = {name: 0 if v == int(v) else 2 for name, v in segment.parts.items()}
    numbers = [f"{n} {format_score(v, digits[n])}" for n, v in segment.parts.items()]
    return "; ".join([f"score {format_score(segment.score, 2)}", *numbers])


def describe_block(block: LinkBlock, plot: GridPlot) -> str:
    """Describe a block in words, for screen readers and terminals."""
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
    merged: list[Link] = []
    for link in sorted(alignment.links, key=lambda link: (link.hyp, link.ref)):
        if link.hyp.start == link.hyp.stop or link.ref.start == link.ref.stop:
            continue
        last = merged[-1] if merged else link
        ends = last.hyp.stop, last.ref.stop
        if (
            last.kind == link.kind
            and link.kind in EQUAL
            and ends == (link.hyp.start, link.ref.start)
        ):
            merged[-1] = Link(
                link.kind,
                last.hyp._replace(stop=link.hyp.stop),
                last.ref._replace(stop=link.ref.stop),
            )
        else:
            merged.append(link)
    for link in merged:
        hyp, ref = alignment.words(link)
        words = " ".join(hyp) if hyp == ref else f"{' '.join(hyp)} = {' '.join(ref)}"
        place = link.hyp.start, first + link.ref.start
        yield LinkBlock(link.kind, *place, len(hyp), len(ref), words)


def _format_range(start: int, length: int) -> str:
    return f"{start + 1}" if length == 1 else f"{start + 1}–{start + length}"


CELL = 16
FONT = 12
GAP = 6
MARGIN = 16
NARROWEST = 440
WIDE = 800
LINE = 18
#: What stands below the output's words.
OUTPUT = "output"
#: Signs of kinds of links that would else look alike, from their middle: a triangle, a
#: diamond, a square. All others are circles.
SHAPES = {
    "stem": "m0 -4.5l4.5 8h-9z",
    "synonym": "m0 -5l5 5l-5 5l-5 -5z",
    "paraphrase": "m-3.5 -3.5h7v7h-7z",
}
#: The slope of the labels above the columns: 60 degrees.
RISE, RUN = 0.87, 0.5


@cache
def make_grid_style() -> str:
    """Return the style of grids, in a page or in a file of their own."""
    return chart.make_style("metra-grid", read_file("kit/explorer/grid.css"))


class _GridPage(NamedTuple):
    """The places of rows and columns on the page."""

    plot: GridPlot
    left: float
    width: float
    #: The left side of each column and the upper side of each row; the last is one further.
    x: Sequence[float]
    y: Sequence[float]


def render(segment: AlignedSegment, style: str | None = None) -> str:
    """Draw which words are equal and which are linked; a page brings the style itself."""
    style = make_grid_style() if style is None else style
    plot = build_plot(segment)
    title, scores = format_title(segment), format_scores(segment)
    hints = [describe_block(block, plot) for block in plot.blocks]
    columns = plot.columns
    left = MARGIN + GAP + _measure_longest([*plot.rows, OUTPUT])
    across = len(columns) * CELL + (len(plot.panels) - 1) * CELL / 2
    above = _measure_longest(columns)
    width = max(left + across + RUN * above + MARGIN, NARROWEST)
    lines: list[tuple[str, str | None]]
    room = width - 2 * MARGIN
    lines = [(line, "title") for line in chart.wrap_text(title, room / 1.2)]
    lines += [(line, None) for line in chart.wrap_text(scores, room)]
    top = MARGIN + LINE * len(lines) + GAP + RISE * above + GAP
    # A barrier between two references is half a cell wide.
    starts = [panel.first for panel in plot.panels]
    x = [
        left + column * CELL + (bisect_right(starts, column) - 1) * CELL / 2
        for column in range(len(columns) + 1)
    ]
    y = [top + row * CELL for row in range(len(plot.rows) + 1)]
    page = _GridPage(plot, left, width, x, y)
    legend, height = _draw_legend(page)
    marks = [
        *(
            chart.draw_text(MARGIN, MARGIN + FONT + LINE * number, line, kind)
            for number, (line, kind) in enumerate(lines)
        ),
        *_draw_labels(page),
        *_draw_rules(page),
        *_draw_links(page, hints),
        *legend,
    ]
    return chart.render_svg(
        "metra-grid",
        title,
        _describe_grid(plot, scores, hints),
        (width, height),
        marks,
        style=style,
        # A wide one keeps its size: made to fit, it would not grow when the reader zooms in.
        fit=bool(style) and width <= WIDE,
    )


def _draw_labels(page: _GridPage) -> Iterator[Html]:
    """Draw the words; those that nothing is linked to stand back."""
    plot, right = page.plot, page.left - GAP
    rows: set[int] = set()
    columns: set[int] = set()
    for block in plot.blocks:
        rows.update(range(block.row, block.row + block.height))
        columns.update(range(block.column, block.column + block.width))
    for row, (word, top) in enumerate(zip(plot.rows, page.y, strict=False)):
        label, kind = _make_label(word)[0], None if row in rows else "faint"
        yield chart.draw_text(right, top + CELL / 2 + 4, label, kind, "end")
    y = page.y[0] - GAP
    for column, (word, left) in enumerate(zip(plot.columns, page.x, strict=False)):
        x = left + CELL / 2 + 3
        label, kind = _make_label(word)[0], None if column in columns else "faint"
        turned = f"rotate(-60 {x:g} {y:g})"
        yield chart.draw_text(x, y, label, kind, transform=turned)
    below = page.y[-1] + LINE
    for panel in plot.panels:
        yield chart.draw_text(page.x[panel.first], below, plot.name(panel), "faint")
    yield chart.draw_text(right, below, OUTPUT, "faint", "end")


@lru_cache(maxsize=10_000)
def _make_label(word: str) -> tuple[Html, float]:
    """Write a word, a long one cut, with all of it as a hint; and return its width."""
    short = shorten_text(word, chart.LONGEST)
    hint = tag("title", word) if short != word else None
    return join_markup(short, hint), chart.measure_text(short)


def _draw_rules(page: _GridPage) -> Iterator[Html]:
    top, bottom = page.y[0], page.y[-1]
    for panel in page.plot.panels:
        size = len(panel.words)
        left, right = page.x[panel.first], page.x[panel.first] + size * CELL
        start, stop = f"M{left:g} ", f"H{right:g}"
        down = f" {top:g}V{bottom:g}"
        across = [f"{start}{y:g}{stop}" for y in page.y[1:-1]]
        upright = [f"M{left + at * CELL:g}{down}" for at in range(1, size)]
        tens = across[9::10] + upright[9::10]
        del across[9::10], upright[9::10]
        for kind, path in (("rules", across + upright), ("tens", tens)):
            if path:
                yield chart.draw_path("".join(path), kind)
        yield chart.draw_rect(left, top, right - left, bottom - top, "frame")
        if panel is not page.plot.panels[-1]:
            yield chart.draw_rect(
                right + CELL / 8, top, CELL / 4, bottom - top, "barrier"
            )


def _draw_links(page: _GridPage, hints: Sequence[str]) -> Iterator[Html]:
    """Draw equal words without a link, then the blocks of linked words."""
    x = [left + CELL / 2 for left in page.x]
    y = [top + CELL / 2 for top in page.y]
    # In one path, for there may be hundreds.
    hits = page.plot.other_hits
    dots = "".join(f"M{x[column]:g} {y[row]:g}h0" for row, column in hits)
    if dots:
        yield chart.draw_path(dots, "hit")
    for block, hint in zip(page.plot.blocks, hints, strict=True):
        kind = _format_class(block.kind)
        left, top = page.x[block.column], page.y[block.row]
        wide, tall = block.width * CELL, block.height * CELL
        place = left + 0.5, top + 0.5, wide - 1, tall - 1
        yield chart.draw_rect(*place, kind, hint, rx=3)
        for row, column in block.cells:
            yield _draw_sign(kind, x[column], y[row])
        if not block.cells:
            yield _draw_sign(kind, left + wide / 2, top + tall / 2)


def _draw_sign(kind: str, x: float, y: float) -> Html:
    """Draw what tells a kind from the others without colours."""
    if kind in SHAPES:
        return chart.draw_path(f"M{x:g} {y:g}{SHAPES[kind]}", kind)
    return chart.draw_dot(x, y, 4, kind)


def _draw_legend(page: _GridPage) -> tuple[list[Html], float]:
    """Explain the signs that occur, and return how high the page is then."""
    entries = [(_format_class(kind), kind) for kind in page.plot.kinds]
    if page.plot.other_hits:
        entries.append(("hit", "equal words without a match"))
    x, y = float(MARGIN), page.y[-1] + 2 * LINE + GAP
    marks: list[Html] = []
    for kind, text in entries:
        room = CELL + GAP + chart.measure_text(text) + 3 * GAP
        if x > MARGIN and x + room > page.width:
            x, y = MARGIN, y + LINE
        middle = x + CELL / 2, y - 5
        if kind == "hit":
            marks.append(chart.draw_path("M{:g} {:g}h0".format(*middle), "hit"))
        else:
            place = x + 0.5, y - 12.5, CELL - 1, CELL - 1
            marks.append(chart.draw_rect(*place, kind, rx=3))
            marks.append(_draw_sign(kind, *middle))
        marks.append(chart.draw_text(x + CELL + GAP, y, text))
        x += room
    return marks, y + MARGIN


def _format_class(kind: str) -> str:
    if kind in EQUAL:
        return "equal"
    if kind in LEFT_OUT:
        return "left-out"
    return kind if kind in SHAPES else "linked"


def _describe_grid(plot: GridPlot, scores: str, hints: Sequence[str]) -> str:
    """Put the whole picture into words."""
    links = " ".join(["Linked, longest first:", *(f"{hint};" for hint in hints)])
    return (
        f"Grid of {format_count(len(plot.rows), 'output word')} (rows) and "
        f"{format_count(len(plot.columns), 'word')} of "
        f"{format_count(len(plot.panels), 'reference')} (columns); {scores}. "
        f"{links if hints else 'No words are linked.'}"
    )


def _measure_longest(words: Sequence[str]) -> float:
    return max((_make_label(word)[1] for word in words), default=0.0)
