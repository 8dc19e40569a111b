"""Markdown tables, the best score of each column in bold."""

from metra.report.layout import Cell, Sheet, Style, notes, remarks, sheets, signatures
from metra.results import Results


def render(results: Results, style: Style) -> str:
    """Write tables that read well as text and as a page."""
    blocks = [block(sheet) for sheet in sheets(results, style)]
    blocks += [*map(escaped, remarks(results)), *notes(results)]
    signed = "\n".join(f"- `{signature}`" for signature in signatures(results))
    return "\n\n".join([*blocks, signed])


def block(sheet: Sheet) -> str:
    """Write a sheet as a table."""
    lines = [
        _row(list(map(escaped, [sheet.corner, *sheet.headings]))),
        _row([":--", *("--:" for _ in sheet.headings)]),
        *(_row([escaped(name), *map(_cell, cells)]) for name, cells in sheet.rows),
    ]
    if sheet.title:
        lines = [f"**{escaped(sheet.title)}**", "", *lines]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = escaped(cell.score)
    score = f"**{text}**" if cell.best or cell.tone else text
    return f"{score} {cell.interval}".strip()


def escaped(text: str) -> str:
    """Keep what is written from being read as Markdown."""
    for character in "\\`*_{}[]<>#|":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ").replace("\r", " ")
