"""Markdown tables, the best score of each column in bold."""

from metra.report.layout import Cell, Sheet, Style, footing, sheets, signatures
from metra.results import Results


def render(results: Results, style: Style) -> str:
    """Write tables that read well as text and as a page."""
    blocks = [block(sheet) for sheet in sheets(results, style)]
    notes = "\n".join(f"- `{signature}`" for signature in signatures(results))
    return "\n\n".join([*blocks, f"{footing(results)}\n\n{notes}"])


def block(sheet: Sheet) -> str:
    """Write one sheet."""
    lines = [
        _row([sheet.corner, *map(_escaped, sheet.headings)]),
        _row([":--", *("--:" for _ in sheet.headings)]),
        *(_row([_escaped(name), *map(_cell, cells)]) for name, cells in sheet.rows),
    ]
    if sheet.title:
        lines = [f"**{_escaped(sheet.title)}**", "", *lines]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    score = f"**{cell.score}**" if cell.best else cell.score
    return f"{score} {cell.interval}".rstrip()


def _escaped(text: str) -> str:
    for character in "\\`*_{}[]<>#|":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ").replace("\r", " ")
