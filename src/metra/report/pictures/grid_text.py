"""The bitext grid for a terminal and for notebooks: a sign per cell, words on both sides."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from metra.errors import CorpusError
from metra.metrics.alignment import AlignedSegment
from metra.metrics.record import Metric
from metra.metrics.registry import metric as make_metric
from metra.report import terminal
from metra.report.pictures import grid as svg_grid
from metra.report.pictures.grid import (
    EQUAL,
    LEFT_OUT,
    GridPlot,
    build_plot,
    describe_block,
    format_scores,
    format_title,
)
from metra.report.table import Style
from metra.scoring.alignments import align_segment

#: How many columns a word may take beside its row, and how many lines above its column.
LONGEST = 16
#: How many columns a cell takes: a sign and a blank, or one wide letter.
CELL = 2
NARROWEST = 5 * CELL

MATCHED, KEPT_OUT, OTHER = "■", "□", "·"
GREEN = "\x1b[1;32m"


def render(segment: AlignedSegment, style: Style) -> str:
    """Draw the grid, in as many bands of columns as the width asks for, and list its blocks."""
    grid = build_plot(segment)
    signs = _assign_signs(grid)
    title = terminal.make_visible(format_title(segment))
    title = terminal.style_text(title, terminal.BOLD, style)
    lines = [title, format_scores(segment)]
    if not grid.rows or not grid.columns:
        lines += ["", "One side has no words."]
        return "\n".join(lines)
    left = max(terminal.measure_width(_format_label(word)) for word in grid.rows)
    room = max((style.width or 80) - left - len(" │ "), NARROWEST)
    cells = _build_cells(grid, signs, style)
    for band in _split_bands(grid, room):
        lines += ["", *_draw_band(grid, band, cells, left)]
    lines.append("")
    legend = [f"{sign} {kind}" for kind, sign in signs.items()]
    if grid.other_hits:
        legend.append(f"{OTHER} equal words without a match")
    lines.append("   ".join(legend))
    lines += [
        f"  {terminal.isolate_text(terminal.make_visible(describe_block(block, grid)))}"
        for block in grid.blocks
    ]
    return "\n".join(lines)


def _assign_signs(grid: GridPlot) -> dict[str, str]:
    """Give each kind of block its sign: a square if words are equal, else a letter.

    A letter is the same on all grids of a metric, whichever kinds one of them has.
    """
    signs: dict[str, str] = {}
    for kind in grid.known_kinds:
        if kind in EQUAL:
            signs[kind] = MATCHED
        elif kind in LEFT_OUT:
            signs[kind] = KEPT_OUT
        else:
            taken = set(signs.values())
            letters = [letter for letter in kind.upper() if letter not in taken]
            signs[kind] = letters[0] if letters else "?"
    return {kind: signs[kind] for kind in grid.kinds}


def _build_cells(
    grid: GridPlot, signs: Mapping[str, str], style: Style
) -> dict[tuple[int, int], str]:
    """Write the sign of each cell with a link or equal words."""
    signs_by_cell = {
        cell: terminal.style_text(OTHER, terminal.DIM, style)
        for cell in grid.other_hits
    }
    for block in grid.blocks:
        sign = signs[block.kind]
        code = {MATCHED: GREEN, KEPT_OUT: terminal.DIM}.get(sign, terminal.YELLOW)
        cells = list(block.cells) or [
            (row, column)
            for row in range(block.row, block.row + block.height)
            for column in range(block.column, block.column + block.width)
        ]
        signs_by_cell |= dict.fromkeys(cells, terminal.style_text(sign, code, style))
    return signs_by_cell


def _split_bands(grid: GridPlot, room: int) -> Iterator[range]:
    """Cut the columns into bands that fit; a barrier between references takes a cell too."""
    starts = {panel.first for panel in grid.panels[1:]}
    first = used = 0
    for column in range(len(grid.columns)):
        size = CELL * (2 if column in starts and column > first else 1)
        if used + size > room:
            yield range(first, column)
            first, used = column, CELL
        else:
            used += size
    yield range(first, len(grid.columns))


def _draw_band(
    grid: GridPlot, band: range, cells: Mapping[tuple[int, int], str], left: int
) -> Iterator[str]:
    """Write some columns: their words from top to bottom, then a line for each row."""
    starts = {panel.first for panel in grid.panels[1:]} - {band.start}
    blank = " " * left

    def line(texts: Sequence[str], barrier: str) -> str:
        return "".join(
            f"{barrier if column in starts else ''}{text}"
            for column, text in zip(band, texts, strict=True)
        ).rstrip()

    names = ", ".join(_name_band(grid, band))
    yield f"{blank}   {names}"
    for letters in _write_upright([grid.columns[column] for column in band]):
        yield f"{blank}   {line(letters, '  ')}".rstrip()
    rule = "─" * CELL
    yield f"{blank} ┌─{line([rule] * len(band), rule)}"
    for row, word in enumerate(grid.rows):
        texts = [_pad_cell(cells.get((row, column), " ")) for column in band]
        label = _format_label(word)
        before = " " * (left - terminal.measure_width(label))
        words = terminal.isolate_text(label)
        yield f"{before}{words} │ {line(texts, '│ ')}".rstrip()


def _name_band(grid: GridPlot, band: range) -> Iterator[str]:
    """Say which words of which reference a band shows."""
    for panel in grid.panels:
        size = len(panel.words)
        first = max(band.start - panel.first, 0)
        last = min(band.stop - panel.first, size)
        if first < last:
            part = "" if last - first == size else f", words {first + 1}–{last}"
            yield f"{grid.name(panel)}{part}"


def _write_upright(words: Sequence[str]) -> Iterator[list[str]]:
    """Write words from top to bottom side by side, so that their last letters are level."""
    columns = [_split_letters(word)[::-1] for word in words]
    for line in reversed([*zip_longest(*columns, fillvalue=" ")]):
        yield [_pad_cell(letter) for letter in line]


def _split_letters(word: str) -> list[str]:
    """Cut a word into letters, each with the marks on it; cut a long one short."""
    letters: list[str] = []
    for letter in terminal.make_visible(word):
        if letters and not terminal.measure_width(letter):
            letters[-1] += letter
        else:
            letters.append(letter)
    return letters if len(letters) <= LONGEST else [*letters[: LONGEST - 1], "⋮"]


def _format_label(word: str) -> str:
    return terminal.shorten_text(terminal.make_visible(word), LONGEST)


def _pad_cell(text: str) -> str:
    """Fill a cell; a text with colour codes in it is one sign wide."""
    size = 1 if terminal.PLAIN in text else terminal.measure_width(text)
    return text + " " * (CELL - size)


def grid(hyp: str, refs: Sequence[str], metric: str | Metric = "gtm:e=2") -> "Grid":
    """Show which words of an output a metric matches with which of its references.

    >>> print(str(grid("b c x d a", ["a b c d"])).split("\\n")[0])
    output, segment 1, gtm:e=2
    """
    if isinstance(refs, str):
        msg = "refs is one string; expected the list of the segment's references."
        raise CorpusError(msg)
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    spec = metric if isinstance(metric, str) else metric.name
    return Grid(align_segment(hyp, refs, chosen, system="output", number=1, spec=spec))


@dataclass(frozen=True, slots=True, repr=False)
class Grid:
    """A segment to look at: as text when printed, as a picture in a notebook."""

    segment: AlignedSegment

    def svg(self) -> str:
        """Draw the grid as an SVG file."""
        return svg_grid.render(self.segment)

    def __repr__(self) -> str:
        return render(self.segment, Style())

    def _repr_svg_(self) -> str:
        return self.svg()
