"""What a grid of output and references shows, whatever it is drawn with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metra.errors import CorpusError, format_count
from metra.metrics.alignment import AlignedSegment, Alignment, Link
from metra.report.table import format_score

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
    """Output words down, the words of all references across, and what is linked."""

    rows: Sequence[str]
    panels: Sequence[ReferencePanel]
    blocks: Sequence[LinkBlock]
    #: Cells of equal words that no link pairs.
    other_hits: Sequence[tuple[int, int]]
    several_references: bool
    #: Every kind of link that the metric knows.
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
        """The kinds of blocks that there are, in the metric's order."""
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
    parts = [f"{name} {_format_number(value)}" for name, value in segment.parts.items()]
    return "; ".join([f"score {format_score(segment.score, 2)}", *parts])


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


def _format_number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else format_score(value, 2)
