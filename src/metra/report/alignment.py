"""Alignments for the terminal: reference above output, under each pair what it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from metra.alignment import Alignment, Link
from metra.report.glyphs import isolated, pieces, shown, told_apart
from metra.report.layout import Style, counted, ordered
from metra.report.table import BOLD, PLAIN, printable, width
from metra.results import Results

# Kinds of links that are not of equal words: what stands below, and the colour.
MARKS = {
    "substitution": ("S", "\x1b[33m"),
    "insertion": ("I", "\x1b[32m"),
    "deletion": ("D", "\x1b[31m"),
    "stem": ("stem", "\x1b[36m"),
    "synonym": ("syn", "\x1b[35m"),
    "paraphrase": ("para", "\x1b[34m"),
}
# Kinds whose name is no noun.
NOUNS = {"exact": "exact link"}
LABELS = ("REF  ", "HYP  ", "     ")
NARROWEST = 20


def blocks(results: Results, style: Style) -> Iterator[str]:
    """Lay out every alignment in the results, a block for each segment and reference."""
    for system in ordered(results, style):
        for spec, score in system.scores.items():
            for number, alignments in (score.alignments or {}).items():
                title = f"{printable(system.name)}, segment {number}, {spec}"
                for at, alignment in enumerate(alignments):
                    head = [] if at else [_colored(title, BOLD, style)]
                    head.append(_heading(alignment, results.references))
                    yield "\n".join([*head, *_lines(alignment, style)])


@dataclass(frozen=True, slots=True)
class _Cell:
    """What stands above each other: reference, output, mark; and their colour."""

    texts: tuple[str, str, str]
    color: str

    @property
    def width(self) -> int:
        return max(map(width, self.texts))


def _heading(alignment: Alignment, references: int) -> str:
    counts = ", ".join(
        counted(count, NOUNS.get(kind, kind))
        for kind, count in alignment.counts.items()
    )
    places = [link.ref for link in alignment.links]
    if places != sorted(places):
        counts += "; reference words in the output's order"
    if references == 1:
        return counts
    chosen = ", chosen" if alignment.chosen else ""
    return f"reference {alignment.reference + 1} of {references}{chosen}: {counts}"


def _lines(alignment: Alignment, style: Style) -> Iterator[str]:
    room = max(style.width or 80, NARROWEST) - len(LABELS[0])
    gap = " " if alignment.unit == "word" else ""
    cells = [cell for link in alignment.links for cell in _cells(alignment, link, room)]
    if not cells:
        yield "both sides are empty"
    for at, row in enumerate(_rows(cells, room, len(gap))):
        if at:
            yield ""
        for kind, label in enumerate(LABELS):
            texts = (_padded(cell, kind, style) for cell in row)
            line = f"{label}{gap.join(texts)}".rstrip()
            if line:
                yield line


def _cells(alignment: Alignment, link: Link, room: int) -> Iterator[_Cell]:
    """Make a link's cell, or several where a word is too long for a line."""
    hyp, ref = alignment.words(link)
    mark, color = MARKS.get(link.kind, ("", ""))
    upper, lower = " ".join(ref), " ".join(hyp)
    if upper == lower:
        upper = lower = shown(upper)
    elif ref and hyp:
        upper, lower = told_apart(upper, lower)
    elif ref:
        upper = shown(upper)
        lower = "*" * width(upper)
    else:
        lower = shown(lower)
        upper = "*" * width(lower)
    columns = pieces(upper, room), pieces(lower, room), [mark]
    for texts in zip_longest(*columns, fillvalue=""):
        yield _Cell(texts, color)


def _rows(cells: Sequence[_Cell], room: int, gap: int) -> Iterator[Sequence[_Cell]]:
    start = used = 0
    for at, cell in enumerate(cells):
        if at > start and used + gap + cell.width > room:
            yield cells[start:at]
            start, used = at, 0
        used += cell.width + (gap if at > start else 0)
    if cells:
        yield cells[start:]


def _padded(cell: _Cell, kind: int, style: Style) -> str:
    text = cell.texts[kind]
    blanks = " " * (cell.width - width(text))
    return (_colored(isolated(text), cell.color, style) if text else "") + blanks


def _colored(text: str, code: str, style: Style) -> str:
    return f"{code}{text}{PLAIN}" if style.color and code else text
