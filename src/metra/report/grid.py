"""The bitext grid as a picture: one SVG file that needs nothing else, light and dark."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from metra.metrics.alignment import AlignedSegment
from metra.report.chart import (
    EQUAL,
    LEFT_OUT,
    NAME_LETTER,
    GridPlot,
    LinkBlock,
    build_plot,
    describe_block,
    format_scores,
    format_title,
    shorten_word,
)
from metra.report.chart import escape_xml as _text
from metra.report.table import format_count
from metra.report.terminal import measure_width

CELL = 16
FONT = 12
#: The width of a letter of the labels and of the title, and how many a label may have.
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

STYLE = """
.metra-grid { --paper: #fff; --ink: #1f2328; --faint: #59636e; --rule: #e6e8eb;
  --edge: #8c959f; --mark: #00796b; --other: #b93815; --stem: #0a58ca;
  --synonym: #7a3fd1; --paraphrase: #a3196b }
@media (prefers-color-scheme: dark) { .metra-grid { --paper: #0d1117; --ink: #e6edf3;
  --faint: #9198a1; --rule: #262c36; --edge: #6e7681; --mark: #4db6ac; --other: #fb923c;
  --stem: #79b0ff; --synonym: #c3a6ff; --paraphrase: #ff8fc6 } }
.metra-grid text { font: 12px system-ui, "Segoe UI", "Noto Sans", sans-serif; fill: var(--ink);
  unicode-bidi: plaintext; white-space: pre }
.metra-grid .title { font-size: 14px; font-weight: 600 }
.metra-grid .faint { fill: var(--faint) }
.metra-grid .paper { fill: var(--paper) }
.metra-grid .rules { stroke: var(--rule); fill: none }
.metra-grid .tens { stroke: var(--edge); stroke-opacity: .45; fill: none }
.metra-grid .frame { stroke: var(--edge); fill: none }
.metra-grid .barrier { fill: var(--edge) }
.metra-grid .hit { fill: var(--edge) }
.metra-grid .equal { fill: var(--mark); stroke: var(--mark) }
.metra-grid .left-out { fill: var(--paper); stroke: var(--faint); stroke-dasharray: 3 2 }
.metra-grid .linked { fill: var(--other); stroke: var(--other); stroke-dasharray: 6 2 }
.metra-grid .stem { fill: var(--stem); stroke: var(--stem) }
.metra-grid .synonym { fill: var(--synonym); stroke: var(--synonym) }
.metra-grid .paraphrase { fill: var(--paraphrase); stroke: var(--paraphrase) }
.metra-grid rect { stroke-width: 1.5 }
.metra-grid rect.equal, .metra-grid rect.linked, .metra-grid rect.stem,
.metra-grid rect.synonym, .metra-grid rect.paraphrase { fill-opacity: .16 }
.metra-grid rect.left-out { fill: var(--edge); fill-opacity: .12; stroke-width: 1.2 }
.metra-grid circle.left-out, .metra-grid circle.linked { fill: var(--paper);
  stroke-width: 1.5; stroke-dasharray: none }
"""


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
    """Draw what is equal and what is linked, output words down, reference words across."""
    return _draw_grid(segment, [f"<style>{STYLE}</style>"])


def render_inline(segment: AlignedSegment) -> str:
    """Draw the same for a page that brings the style itself."""
    return _draw_grid(segment, [])


def _draw_grid(segment: AlignedSegment, style: Sequence[str]) -> str:
    shown = build_plot(segment)
    heading = format_title(segment)
    columns = shown.columns
    left = MARGIN + GAP + _measure_longest([*shown.rows, OUTPUT])
    across = len(columns) * CELL + (len(shown.panels) - 1) * CELL / 2
    above = _measure_longest(columns)
    size = max(left + across + RUN * above + MARGIN, NARROWEST)
    headed = _wrap_text(heading, size, TITLE_LETTER)
    # A name and its number stay on one line.
    numbers = format_scores(segment).replace(" ", "\N{NO-BREAK SPACE}")
    numbers = numbers.replace(";\N{NO-BREAK SPACE}", "; ")
    stated = _wrap_text(numbers, size, NAME_LETTER)
    top = MARGIN + LINE * (len(headed) + len(stated)) + GAP + RISE * above + GAP
    page = _GridPage(shown, left, top, size)
    body = [
        *_draw_header(headed, stated),
        *_draw_labels(page),
        *_draw_rules(page),
        *_draw_hits(page),
        *(line for block in shown.blocks for line in _draw_block(block, page)),
    ]
    legend, height = _draw_legend(page)
    # A wide one keeps its size: made to fit, it would not grow when the reader zooms in.
    fits = style and size <= WIDE
    fitting = ' style="max-width: 100%; height: auto"' if fits else ""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="metra-grid" role="img" '
            f'aria-label="{_text(heading)}" viewBox="0 0 {size:.0f} {height:.0f}" '
            f'width="{size:.0f}" height="{height:.0f}"{fitting}>',
            f"<title>{_text(heading)}</title>",
            f"<desc>{_text(_describe_grid(segment, shown))}</desc>",
            *style,
            f'<rect class="paper" width="{size:.0f}" height="{height:.0f}"/>',
            *body,
            *legend,
            "</svg>",
        ]
    )


def _draw_header(headed: Sequence[str], stated: Sequence[str]) -> Iterator[str]:
    y = MARGIN + FONT
    for line in headed:
        yield f'<text class="title" x="{MARGIN}" y="{y}">{_text(line)}</text>'
        y += LINE
    for line in stated:
        yield f'<text x="{MARGIN}" y="{y}">{_text(line)}</text>'
        y += LINE


def _draw_labels(page: _GridPage) -> Iterator[str]:
    """Write the words; those that nothing is linked to stand back."""
    rows, columns = page.plot.linked_rows, page.plot.linked_columns
    for row, word in enumerate(page.plot.rows):
        yield _draw_label(
            word,
            page.left - GAP,
            page.y(row) + CELL / 2 + 4,
            'text-anchor="end"',
            row in rows,
        )
    for column, word in enumerate(page.plot.columns):
        x, y = page.x(column) + CELL / 2 + 3, page.top - GAP
        turned = f'transform="rotate(-60 {x:g} {y:g})"'
        yield _draw_label(word, x, y, turned, column in columns)
    for panel in page.plot.panels:
        x = page.x(panel.first)
        name = page.plot.name(panel)
        yield f'<text class="faint" x="{x:g}" y="{page.bottom + LINE:g}">{name}</text>'
    x = page.left - GAP
    yield (
        f'<text class="faint" x="{x:g}" y="{page.bottom + LINE:g}" '
        f'text-anchor="end">{OUTPUT}</text>'
    )


def _draw_label(word: str, x: float, y: float, more: str, linked: bool) -> str:
    shade = "" if linked else ' class="faint"'
    short = shorten_word(word)
    full = f"<title>{_text(word)}</title>" if short != word else ""
    return f'<text x="{x:g}" y="{y:g}" {more}{shade}>{_text(short)}{full}</text>'


def _draw_rules(page: _GridPage) -> Iterator[str]:
    rows = len(page.plot.rows)
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
                yield f'<path class="{kind}" d="{"".join(path)}"/>'
        yield (
            f'<rect class="frame" x="{left:g}" y="{page.top:g}" '
            f'width="{right - left:g}" height="{page.bottom - page.top:g}"/>'
        )
        if panel is not page.plot.panels[-1]:
            yield (
                f'<rect class="barrier" x="{right + CELL / 8:g}" y="{page.top:g}" '
                f'width="{CELL / 4:g}" height="{page.bottom - page.top:g}"/>'
            )


def _draw_hits(page: _GridPage) -> Iterator[str]:
    for row, column in page.plot.other_hits:
        yield _draw_sign("hit", page.x(column) + CELL / 2, page.y(row) + CELL / 2)


def _draw_block(block: LinkBlock, page: _GridPage) -> Iterator[str]:
    kind = _format_class(block.kind)
    x, y = page.x(block.column), page.y(block.row)
    yield (
        f'<rect class="{kind}" x="{x + 0.5:g}" y="{y + 0.5:g}" rx="3" '
        f'width="{block.width * CELL - 1:g}" height="{block.height * CELL - 1:g}">'
        f"<title>{_text(describe_block(block, page.plot))}</title></rect>"
    )
    pairs = [
        (page.x(column) + CELL / 2, page.y(row) + CELL / 2)
        for row, column in block.cells
    ]
    middle = x + block.width * CELL / 2, y + block.height * CELL / 2
    yield from (_draw_sign(kind, *place) for place in pairs or [middle])


def _draw_sign(kind: str, x: float, y: float) -> str:
    """Draw what tells a kind from the others for those who see no colours."""
    if kind in SHAPES:
        return f'<path class="{kind}" d="M{x:g} {y:g}{SHAPES[kind]}"/>'
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{2 if kind == "hit" else 4}"/>'


def _draw_legend(page: _GridPage) -> tuple[list[str], float]:
    """Explain the signs that occur, and say how high the page is then."""
    entries = [(_format_class(kind), kind) for kind in page.plot.kinds]
    if page.plot.other_hits:
        entries.append(("hit", "equal words that are not matched"))
    x, y = float(MARGIN), page.bottom + 2 * LINE + GAP
    lines = []
    for kind, text in entries:
        room = CELL + GAP + measure_width(text) * NAME_LETTER + 3 * GAP
        if x > MARGIN and x + room > page.width:
            x, y = MARGIN, y + LINE
        if kind != "hit":
            lines.append(
                f'<rect class="{kind}" x="{x + 0.5:g}" y="{y - 12.5:g}" rx="3" '
                f'width="{CELL - 1}" height="{CELL - 1}"/>'
            )
        lines.append(_draw_sign(kind, x + CELL / 2, y - 5))
        lines.append(f'<text x="{x + CELL + GAP:g}" y="{y:g}">{_text(text)}</text>')
        x += room
    return lines, y + MARGIN


def _format_class(kind: str) -> str:
    if kind in EQUAL:
        return "equal"
    if kind in LEFT_OUT:
        return "left-out"
    return kind if kind in SHAPES else "linked"


def _describe_grid(segment: AlignedSegment, shown: GridPlot) -> str:
    """Put the whole picture into words."""
    parts = [
        f"A grid of {format_count(len(shown.rows), 'output word')} down and "
        f"{format_count(len(shown.columns), 'word')} of "
        f"{format_count(len(shown.panels), 'reference')} across; {format_scores(segment)}."
    ]
    if shown.blocks:
        parts.append("Linked, longest first:")
        parts.extend(f"{describe_block(block, shown)};" for block in shown.blocks)
    else:
        parts.append("Nothing is linked.")
    return " ".join(parts)


def _wrap_text(text: str, size: float, letter: float) -> list[str]:
    return wrap(text, max(20, int((size - 2 * MARGIN) / letter))) or [""]


def _measure_longest(words: Sequence[str]) -> float:
    return (
        max((measure_width(shorten_word(word)) for word in words), default=0)
        * NAME_LETTER
    )
