"""What measures noted, for the terminal: a line for each thing, the most frequent first."""

from collections.abc import Iterator, Sequence

from metra.detail import Finding
from metra.report.headings import short_names
from metra.report.layout import Style, ordered
from metra.report.table import BOLD, DIM, printable, width
from metra.report.table import styled as colored
from metra.results import Results

MOST = 20
SEGMENTS = 8


def blocks(results: Results, style: Style) -> Iterator[str]:
    """Lay out the findings, a block for each system and measure."""
    named = short_names(results.specs)
    for system in ordered(results, style):
        for spec, score in system.scores.items():
            if score.details is not None:
                title = colored(printable(f"{system.name}, {named[spec]}"), BOLD, style)
                yield "\n".join([title, *_lines(score.details, style)])


def _lines(findings: Sequence[Finding], style: Style) -> list[str]:
    if not findings:
        return ["nothing to note"]
    names = list(dict.fromkeys(name for entry in findings for name in entry.about))
    table = [["count", "what", "words", *names, "segments"]]
    for entry in findings[:MOST]:
        about = [entry.about.get(name, "") for name in names]
        numbers = list(map(str, dict.fromkeys(entry.segments)))
        more = ["…"] if len(numbers) > SEGMENTS else []
        segments = ", ".join([*numbers[:SEGMENTS], *more])
        table.append([str(entry.count), entry.note, entry.text, *about, segments])
    cells = [[printable(cell) for cell in row] for row in table]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = [_line(row, widths) for row in cells]
    lines[0] = colored(lines[0], DIM, style)
    left = len(findings) - MOST
    if left > 0:
        lines.append(colored(f"and {left} more: --format json has all", DIM, style))
    return lines


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        " " * (size - width(cell)) + cell
        if not at
        else cell + " " * (size - width(cell))
        for at, (cell, size) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
