"""The table for the terminal: aligned, the best in bold, what was scored underneath."""

from collections.abc import Sequence
from unicodedata import category, east_asian_width

from metra.report.layout import Cell, Sheet, Style, notes, remarks, sheets, signatures
from metra.results import Results

BOLD = "\x1b[1m"
DIM = "\x1b[2m"
PLAIN = "\x1b[0m"
TONES = {"good": "\x1b[32m", "bad": "\x1b[31m"}


def render(results: Results, style: Style) -> str:
    """Lay out the results for a terminal."""
    blocks = [block(sheet, style) for sheet in sheets(results, style)]
    said = "\n".join(printable(line) for line in remarks(results))
    small = [*notes(results), *signatures(results)]
    below = "\n".join(styled(note, DIM, style) for note in small)
    blocks.extend(filter(None, [said, below]))
    if any(score.alignments for score in results.systems[0].scores.values()):
        from metra.report import alignment

        blocks.extend(alignment.blocks(results, style))
    if any(score.details is not None for score in results.systems[0].scores.values()):
        from metra.report import details

        blocks.extend(details.blocks(results, style))
    return "\n\n".join(blocks)


def block(sheet: Sheet, style: Style) -> str:
    """Lay out a sheet, in parts one below the other where it is too wide."""
    left = max(width(name) for name in [sheet.corner, *map(_name, sheet.rows)])
    columns = list(zip(*(cells for _, cells in sheet.rows), strict=True))
    marked = any(cell.best for column in columns for cell in column)
    layouts = [
        _Column(printable(title), column, marked)
        for title, column in zip(sheet.headings, columns, strict=True)
    ]
    parts = [
        _part(sheet, left, layouts[first:last], first, style)
        for first, last in _fitting(layouts, left, style.width)
    ]
    if sheet.title:
        parts[0] = f"{styled(printable(sheet.title), BOLD, style)}\n{parts[0]}"
    return "\n\n".join(parts)


def _fitting(
    layouts: Sequence["_Column"], left: int, most: int | None
) -> list[tuple[int, int]]:
    """Part the columns into runs that fit the screen, at least one column in each."""
    runs = []
    first = taken = 0
    for at, column in enumerate(layouts):
        taken += 2 + column.width
        if most is not None and at > first and left + taken > most:
            runs.append((first, at))
            first, taken = at, 2 + column.width
    return [*runs, (first, len(layouts))]


def _part(
    sheet: Sheet, left: int, layouts: Sequence["_Column"], first: int, style: Style
) -> str:
    heads = "  ".join(_padded_left(column.heading, column.width) for column in layouts)
    lines = [styled(f"{_padded(sheet.corner, left)}  {heads}".rstrip(), BOLD, style)]
    rule = "─" * (left + sum(2 + column.width for column in layouts))
    lines.append(styled(rule, DIM, style))
    for row in sheet.rows:
        cells = row[1][first : first + len(layouts)]
        shown = [
            column.cell(cell, style)
            for column, cell in zip(layouts, cells, strict=True)
        ]
        lines.append(f"{_padded(_name(row), left)}  {'  '.join(shown)}".rstrip())
    return "\n".join(lines)


def _name(row: tuple[str, Sequence[Cell]]) -> str:
    return printable(row[0])


class _Column:
    """How wide a column's scores and intervals are."""

    def __init__(self, heading: str, cells: tuple[Cell, ...], marked: bool) -> None:
        self.heading = heading
        self._score = max(width(cell.score) for cell in cells)
        self._interval = max(len(cell.interval) for cell in cells)
        self._mark = marked
        self._gap = " " if self._score and self._interval else ""
        natural = self._score + marked + len(self._gap) + self._interval
        self.width = max(natural, width(heading))

    def cell(self, cell: Cell, style: Style) -> str:
        """Align a score, its mark and its interval under the heading's right end."""
        mark = ("*" if cell.best else " ") if self._mark else ""
        score = cell.score.rjust(self._score)
        blanks = self.width - self._score - len(mark)
        interval = ""
        if self._interval:
            interval = self._gap + cell.interval.rjust(self._interval)
            blanks -= len(interval)
        code = (BOLD if cell.best else "") + TONES.get(cell.tone, "")
        text = styled(score + mark, code, style) if code else score + mark
        return " " * blanks + text + styled(interval, DIM, style)


def printable(text: str) -> str:
    """Keep control characters, which could rewrite the terminal, from reaching it."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def width(text: str) -> int:
    """Count the columns that a text takes in a terminal."""
    return sum(
        0 if _has_no_width(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text
    )


def _has_no_width(c: str) -> bool:
    """Whether it is a mark on another character, a sign for programs, or part of a Hangul."""
    return category(c) in ("Mn", "Me", "Cf") or "\u1160" <= c <= "\u11ff"


def _padded(text: str, size: int) -> str:
    return text + " " * (size - width(text))


def _padded_left(text: str, size: int) -> str:
    return " " * (size - width(text)) + text


def styled(text: str, code: str, style: Style) -> str:
    """Set a text in bold or in colour, where there are colours."""
    return f"{code}{text}{PLAIN}" if style.color and text else text
