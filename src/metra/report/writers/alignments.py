"""Alignments as text: reference above output, under each pair its kind."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from metra.errors import format_count
from metra.metrics.alignment import Alignment, Link
from metra.report import terminal
from metra.report.table import Style
from metra.report.writers.headings import order_systems
from metra.scoring.results import Results

# Kinds of links that are not of equal words: the mark below, and the colour.
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


def render_alignments(results: Results, style: Style) -> Iterator[str]:
    """Lay out every alignment in the results, a block for each segment and reference."""
    for system in order_systems(results, style):
        for spec, score in system.scores.items():
            for number, alignments in (score.alignments or {}).items():
                name = terminal.escape_controls(system.name)
                title = f"{name}, segment {number}, {spec}"
                head = [terminal.style_text(title, terminal.BOLD, style)]
                for alignment in alignments:
                    head.append(_format_heading(alignment, results.references))
                    yield "\n".join([*head, *_format_alignment(alignment, style)])
                    head = []


def render_alignment(alignment: Alignment) -> str:
    """Lay out one alignment by itself."""
    heading = _format_heading(alignment, None)
    return "\n".join([heading, *_format_alignment(alignment, Style())])


class _AlignmentCell(NamedTuple):
    """A reference word, the output word and the mark below; their colour and width."""

    texts: tuple[str, str, str]
    color: str
    width: int


def _format_heading(alignment: Alignment, references: int | None) -> str:
    """Count the links by kind; say which reference it is if there are several or unknown."""
    counts = ", ".join(
        format_count(count, NOUNS.get(kind, kind))
        for kind, count in alignment.counts.items()
    )
    places = [link.ref for link in alignment.links]
    if places != sorted(places):
        counts += "; reference words in the output's order"
    if references == 1:
        return counts
    of = f" of {references}" if references else ""
    chosen = ", chosen" if alignment.chosen else ""
    return f"reference {alignment.reference + 1}{of}{chosen}: {counts}"


def _format_alignment(alignment: Alignment, style: Style) -> Iterator[str]:
    room = max(style.width or 80, NARROWEST) - len(LABELS[0])
    gap = " " if alignment.unit == "word" else ""
    links = alignment.links
    cells = [
        cell for link in links for cell in _build_link_cells(alignment, link, room)
    ]
    if not cells:
        yield "both sides are empty"
    for at, row in enumerate(_split_rows(cells, room, len(gap))):
        if at:
            yield ""
        for kind, label in enumerate(LABELS):
            texts = (_pad_alignment_cell(cell, kind, style) for cell in row)
            line = f"{label}{gap.join(texts)}".rstrip()
            if line:
                yield line


def _build_link_cells(
    alignment: Alignment, link: Link, room: int
) -> Iterator[_AlignmentCell]:
    """Make a link's cell, or several where a word is too long for a line."""
    hyp, ref = alignment.words(link)
    mark, color = MARKS.get(link.kind, ("", ""))
    upper, lower = (terminal.make_visible(" ".join(words)) for words in (ref, hyp))
    if not hyp:
        lower = "*" * terminal.measure_width(upper)
    elif not ref:
        upper = "*" * terminal.measure_width(lower)
    columns = terminal.split_text(upper, room), terminal.split_text(lower, room), [mark]
    for texts in zip_longest(*columns, fillvalue=""):
        yield _AlignmentCell(texts, color, max(map(terminal.measure_width, texts)))


def _split_rows(
    cells: Sequence[_AlignmentCell], room: int, gap: int
) -> Iterator[Sequence[_AlignmentCell]]:
    start = used = 0
    for at, cell in enumerate(cells):
        if at > start and used + gap + cell.width > room:
            yield cells[start:at]
            start, used = at, 0
        used += cell.width + (gap if at > start else 0)
    if cells:
        yield cells[start:]


def _pad_alignment_cell(cell: _AlignmentCell, kind: int, style: Style) -> str:
    text = cell.texts[kind]
    blanks = " " * (cell.width - terminal.measure_width(text))
    return terminal.style_text(terminal.isolate_text(text), cell.color, style) + blanks
