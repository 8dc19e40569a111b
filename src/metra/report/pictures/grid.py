"""The bitext grid as a picture: output words down, reference words across."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from metra.metrics.alignment import AlignedSegment
from metra.report.chart import (
    LETTER,
    LONGEST,
    draw_dot,
    draw_path,
    draw_rect,
    draw_text,
    make_style,
    measure_text,
    render_svg,
)
from metra.report.html.markup import Html, tag
from metra.report.pictures.grid_plot import (
    EQUAL,
    LEFT_OUT,
    GridPlot,
    LinkBlock,
    build_plot,
    describe_block,
    format_scores,
    format_title,
)
from metra.report.table import format_count
from metra.report.terminal import shorten_text

CELL = 16
FONT = 12
#: The width of a letter of the title.
TITLE_LETTER = 8.6
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

STYLE = make_style(
    "metra-grid",
    """
& text { unicode-bidi: plaintext }
& .title { font-size: 14px; font-weight: 600 }
& .faint { fill: var(--faint) }
& .rules { stroke: var(--rule); fill: none }
& .tens { stroke: var(--edge); stroke-opacity: .45; fill: none }
& .frame { stroke: var(--edge); fill: none }
& .barrier { fill: var(--edge) }
& .hit { fill: none; stroke: var(--edge); stroke-width: 4; stroke-linecap: round }
& .equal { fill: var(--c0); stroke: var(--c0) }
& .left-out { fill: var(--paper); stroke: var(--faint); stroke-dasharray: 3 2 }
& .linked { fill: var(--c1); stroke: var(--c1); stroke-dasharray: 6 2 }
& .stem { fill: var(--c2); stroke: var(--c2) }
& .synonym { fill: var(--c4); stroke: var(--c4) }
& .paraphrase { fill: var(--c3); stroke: var(--c3) }
& rect { stroke-width: 1.5 }
& rect.equal, & rect.linked, & rect.stem,
& rect.synonym, & rect.paraphrase { fill-opacity: .16 }
& rect.left-out { fill: var(--edge); fill-opacity: .12; stroke-width: 1.2 }
& circle.left-out, & circle.linked { fill: var(--paper);
  stroke-width: 1.5; stroke-dasharray: none }
""",
)


@dataclass(frozen=True, slots=True)
class _GridPage:
    """Where things stand on the page."""

    plot: GridPlot
    left: float
    top: float
    width: float

    def x(self, column: int) -> float:
        """The left side of a column; a barrier is half a cell wide."""
        before = sum(panel.first <= column for panel in self.plot.panels) - 1
        return self.left + column * CELL + before * CELL / 2

    def y(self, row: int) -> float:
        """The upper side of a row."""
        return self.top + row * CELL

    @property
    def bottom(self) -> float:
        """The lower side of the grid."""
        return self.y(len(self.plot.rows))


def render(segment: AlignedSegment) -> str:
    """Draw which words are equal and which are linked, as a file of its own."""
    return _draw_grid(segment, STYLE)


def render_inline(segment: AlignedSegment) -> str:
    """Draw the same for a page that brings the style itself."""
    return _draw_grid(segment, "")


def _draw_grid(segment: AlignedSegment, style: str) -> str:
    plot = build_plot(segment)
    title = format_title(segment)
    columns = plot.columns
    left = MARGIN + GAP + _measure_longest([*plot.rows, OUTPUT])
    across = len(columns) * CELL + (len(plot.panels) - 1) * CELL / 2
    above = _measure_longest(columns)
    width = max(left + across + RUN * above + MARGIN, NARROWEST)
    title_lines = _wrap_text(title, width, TITLE_LETTER)
    # A name and its number stay on one line.
    numbers = format_scores(segment).replace(" ", "\N{NO-BREAK SPACE}")
    numbers = numbers.replace(";\N{NO-BREAK SPACE}", "; ")
    score_lines = _wrap_text(numbers, width, LETTER)
    lines = len(title_lines) + len(score_lines)
    top = MARGIN + LINE * lines + GAP + RISE * above + GAP
    page = _GridPage(plot, left, top, width)
    legend, height = _draw_legend(page)
    marks = [
        *_draw_header(title_lines, score_lines),
        *_draw_labels(page),
        *_draw_rules(page),
        *_draw_hits(page),
        *(mark for block in plot.blocks for mark in _draw_block(block, page)),
        *legend,
    ]
    return render_svg(
        "metra-grid",
        title,
        _describe_grid(segment, plot),
        (width, height),
        marks,
        style=style,
        # A wide one keeps its size: made to fit, it would not grow when the reader zooms in.
        fit=bool(style) and width <= WIDE,
    )


def _draw_header(
    title_lines: Sequence[str], score_lines: Sequence[str]
) -> Iterator[Html]:
    lines = [(line, "title") for line in title_lines]
    lines += [(line, "") for line in score_lines]
    for number, (line, kind) in enumerate(lines):
        y = MARGIN + FONT + LINE * number
        yield draw_text(MARGIN, y, line, kind or None)


def _draw_labels(page: _GridPage) -> Iterator[Html]:
    """Draw the words; those that nothing is linked to stand back."""
    rows, columns = page.plot.linked_rows, page.plot.linked_columns
    right = page.left - GAP
    for row, word in enumerate(page.plot.rows):
        y = page.y(row) + CELL / 2 + 4
        yield _draw_word(word, right, y, row in rows, text_anchor="end")
    for column, word in enumerate(page.plot.columns):
        x, y = page.x(column) + CELL / 2 + 3, page.top - GAP
        turned = f"rotate(-60 {x:g} {y:g})"
        yield _draw_word(word, x, y, column in columns, transform=turned)
    below = page.bottom + LINE
    for panel in page.plot.panels:
        yield draw_text(page.x(panel.first), below, page.plot.name(panel), "faint")
    yield draw_text(right, below, OUTPUT, "faint", "end")


def _draw_word(word: str, x: float, y: float, linked: bool, **more: str) -> Html:
    short = shorten_text(word, LONGEST)
    full = tag("title", word) if short != word else None
    kind = None if linked else "faint"
    return tag("text", short, full, x=x, y=y, class_=kind, **more)


def _draw_rules(page: _GridPage) -> Iterator[Html]:
    rows = len(page.plot.rows)
    tall = page.bottom - page.top
    for panel in page.plot.panels:
        size = len(panel.words)
        left, right = page.x(panel.first), page.x(panel.first) + size * CELL
        lines: dict[str, list[str]] = {"rules": [], "tens": []}
        for row in range(1, rows):
            kind = "rules" if row % 10 else "tens"
            lines[kind].append(f"M{left:g} {page.y(row):g}H{right:g}")
        for column in range(1, size):
            kind = "rules" if column % 10 else "tens"
            x = left + column * CELL
            lines[kind].append(f"M{x:g} {page.top:g}V{page.bottom:g}")
        for kind, path in lines.items():
            if path:
                yield draw_path("".join(path), kind)
        yield draw_rect(left, page.top, right - left, tall, "frame")
        if panel is not page.plot.panels[-1]:
            yield draw_rect(right + CELL / 8, page.top, CELL / 4, tall, "barrier")


def _draw_hits(page: _GridPage) -> Iterator[Html]:
    places = [
        (page.x(column) + CELL / 2, page.y(row) + CELL / 2)
        for row, column in page.plot.other_hits
    ]
    if places:
        yield _draw_small_dots(places)


def _draw_small_dots(places: Sequence[tuple[float, float]]) -> Html:
    """Draw dots in one path, for there may be hundreds."""
    return draw_path("".join(f"M{x:g} {y:g}h0" for x, y in places), "hit")


def _draw_block(block: LinkBlock, page: _GridPage) -> Iterator[Html]:
    kind = _format_class(block.kind)
    x, y = page.x(block.column), page.y(block.row)
    wide, tall = block.width * CELL, block.height * CELL
    hint = describe_block(block, page.plot)
    yield draw_rect(x + 0.5, y + 0.5, wide - 1, tall - 1, kind, hint, rx=3)
    pairs = [
        (page.x(column) + CELL / 2, page.y(row) + CELL / 2)
        for row, column in block.cells
    ]
    middle = x + wide / 2, y + tall / 2
    yield from (_draw_sign(kind, *place) for place in pairs or [middle])


def _draw_sign(kind: str, x: float, y: float) -> Html:
    """Draw what tells a kind from the others without colours."""
    if kind in SHAPES:
        return draw_path(f"M{x:g} {y:g}{SHAPES[kind]}", kind)
    return draw_dot(x, y, 4, kind)


def _draw_legend(page: _GridPage) -> tuple[list[Html], float]:
    """Explain the signs that occur, and return how high the page is then."""
    entries = [(_format_class(kind), kind) for kind in page.plot.kinds]
    if page.plot.other_hits:
        entries.append(("hit", "equal words that are not matched"))
    x, y = float(MARGIN), page.bottom + 2 * LINE + GAP
    marks = []
    for kind, text in entries:
        room = CELL + GAP + measure_text(text) + 3 * GAP
        if x > MARGIN and x + room > page.width:
            x, y = MARGIN, y + LINE
        middle = x + CELL / 2, y - 5
        if kind == "hit":
            marks.append(_draw_small_dots([middle]))
        else:
            marks.append(draw_rect(x + 0.5, y - 12.5, CELL - 1, CELL - 1, kind, rx=3))
            marks.append(_draw_sign(kind, *middle))
        marks.append(draw_text(x + CELL + GAP, y, text))
        x += room
    return marks, y + MARGIN


def _format_class(kind: str) -> str:
    if kind in EQUAL:
        return "equal"
    if kind in LEFT_OUT:
        return "left-out"
    return kind if kind in SHAPES else "linked"


def _describe_grid(segment: AlignedSegment, plot: GridPlot) -> str:
    """Put the whole picture into words."""
    parts = [
        f"A grid of {format_count(len(plot.rows), 'output word')} down and "
        f"{format_count(len(plot.columns), 'word')} of "
        f"{format_count(len(plot.panels), 'reference')} across; {format_scores(segment)}."
    ]
    if plot.blocks:
        parts.append("Linked, longest first:")
        parts.extend(f"{describe_block(block, plot)};" for block in plot.blocks)
    else:
        parts.append("Nothing is linked.")
    return " ".join(parts)


def _wrap_text(text: str, size: float, letter: float) -> list[str]:
    return wrap(text, max(20, int((size - 2 * MARGIN) / letter))) or [""]


def _measure_longest(words: Sequence[str]) -> float:
    return max(
        (measure_text(shorten_text(word, LONGEST)) for word in words), default=0.0
    )
