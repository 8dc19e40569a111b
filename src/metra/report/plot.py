"""What a grid of output and references shows, whatever it is drawn with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metra.alignment import AlignedSegment, Alignment, Link
from metra.errors import CorpusError
from metra.report.layout import counted, number

#: More words than this on a side make a picture that nobody can read.
MOST_WORDS = 600

#: Links that stand for equal words, and links that do not count, by kind.
EQUAL = frozenset({"run", "hit", "exact"})
LEFT_OUT = frozenset({"capped run"})


@dataclass(frozen=True, slots=True)
class Block:
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
class Panel:
    """One reference's columns: their words, and where they begin."""

    reference: int
    first: int
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Plot:
    """Output words down, the words of all references across, and what is linked."""

    rows: Sequence[str]
    panels: Sequence[Panel]
    blocks: Sequence[Block]
    #: Cells of equal words that no link pairs.
    other_hits: Sequence[tuple[int, int]]
    several_references: bool
    #: Every kind of link that the measure knows.
    known_kinds: Sequence[str]

    @property
    def columns(self) -> list[str]:
        """The words of all references, one reference after the other."""
        return [word for panel in self.panels for word in panel.words]

    def name(self, panel: Panel) -> str:
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


def plot(segment: AlignedSegment) -> Plot:
    """Lay out a segment's alignments side by side."""
    # Measures that hold an output against one of its references align it with all of them.
    chosen = [alignment for alignment in segment.alignments if alignment.chosen]
    alignments = chosen or segment.alignments
    rows = alignments[0].hyp
    columns = sum(len(alignment.ref) for alignment in alignments)
    if max(len(rows), columns) > MOST_WORDS:
        msg = (
            f"Segment {segment.number} has {counted(len(rows), 'output word')} and "
            f"{counted(columns, 'reference word')}; a grid shows up to {MOST_WORDS} a side."
        )
        raise CorpusError(msg)
    panels: list[Panel] = []
    blocks: list[Block] = []
    first = 0
    for alignment in alignments:
        panels.append(Panel(alignment.reference, first, alignment.ref))
        blocks.extend(_blocks(alignment, first))
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
    return Plot(rows, panels, blocks, hits, several, alignments[0].kinds)


def title(segment: AlignedSegment) -> str:
    """Say what the grid is of."""
    return f"{segment.system}, segment {segment.number}, {segment.spec}"


def facts(segment: AlignedSegment) -> str:
    """State the score and the numbers behind it."""
    parts = [f"{name} {_shown(value)}" for name, value in segment.parts.items()]
    return "; ".join([f"score {number(segment.score, 2)}", *parts])


def sentence(block: Block, plot: Plot) -> str:
    """Describe a block in words, for those who cannot see it."""
    panel = next(
        panel for panel in reversed(plot.panels) if panel.first <= block.column
    )
    start = block.column - panel.first
    return (
        f"{block.kind}: {block.words} (output {_places(block.row, block.height)}, "
        f"{plot.name(panel)}{',' if plot.several_references else ''} "
        f"{_places(start, block.width)})"
    )


def _blocks(alignment: Alignment, first: int) -> Iterator[Block]:
    """Make blocks of links that have both sides, neighbours of one kind made one."""
    made: list[Link] = []
    for link in sorted(alignment.links, key=lambda link: (link.hyp, link.ref)):
        if link.hyp.start == link.hyp.stop or link.ref.start == link.ref.stop:
            continue
        if made and _goes_on(made[-1], link):
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
        yield Block(
            link.kind,
            link.hyp.start,
            first + link.ref.start,
            len(hyp),
            len(ref),
            words,
        )


def _goes_on(before: Link, link: Link) -> bool:
    return (
        before.kind == link.kind
        and link.kind in EQUAL
        and (before.hyp.stop, before.ref.stop) == (link.hyp.start, link.ref.start)
    )


def _places(start: int, length: int) -> str:
    return f"{start + 1}" if length == 1 else f"{start + 1}–{start + length}"


def _shown(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else number(value, 2)
