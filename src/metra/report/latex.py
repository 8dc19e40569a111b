"""LaTeX tables for booktabs, the best score of each column in bold."""

from metra.report.layout import Cell, Sheet, Style, footing, sheets, signatures
from metra.results import Results

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "\n": " ",
        "\r": " ",
    }
)


def render(results: Results, style: Style) -> str:
    """Write tabulars, with what was scored and the signatures as comments."""
    notes = [footing(results), *signatures(results)]
    comments = "\n".join(f"% {note}" for note in notes)
    return "\n\n".join([comments, *(block(sheet) for sheet in sheets(results, style))])


def block(sheet: Sheet) -> str:
    """Write one sheet."""
    heads = " & ".join([sheet.corner, *map(_escaped, sheet.headings)])
    body = [
        " & ".join([_escaped(name), *map(_cell, cells)]) + r" \\"
        for name, cells in sheet.rows
    ]
    title = [f"% {sheet.title}"] if sheet.title else []
    return "\n".join(
        [
            *title,
            rf"\begin{{tabular}}{{l{'r' * len(sheet.headings)}}}",
            r"\toprule",
            rf"{heads} \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _cell(cell: Cell) -> str:
    score = rf"\textbf{{{cell.score}}}" if cell.best else cell.score
    interval = rf" {{\small {cell.interval}}}" if cell.interval else ""
    return score + interval


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)
