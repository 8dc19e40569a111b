"""LaTeX tables for booktabs, the best score of each column in bold."""

from metra.report.layout import Cell, Sheet, Style, notes, remarks, sheets, signatures
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
        "−": "$-$",
        "▲": r"$\blacktriangle$",
        "▼": r"$\blacktriangledown$",
        "△": r"$\vartriangle$",
        "▽": r"$\triangledown$",
        "<": "$<$",
        "\n": " ",
        "\r": " ",
    }
)


def render(results: Results, style: Style) -> str:
    """Write tabulars, with what was scored and the signatures as comments."""
    lines = [*remarks(results), *notes(results), *signatures(results)]
    if results.terms is not None:
        lines.append(r"The triangles need \usepackage{amssymb}.")
    comments = "\n".join(f"% {' '.join(line.split())}" for line in lines)
    return "\n\n".join([comments, *(block(sheet) for sheet in sheets(results, style))])


def block(sheet: Sheet) -> str:
    """Write a sheet as a tabular."""
    heads = " & ".join(map(_escaped, [sheet.corner, *sheet.headings]))
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
    text = _escaped(cell.score)
    score = rf"\textbf{{{text}}}" if cell.best or cell.tone else text
    interval = rf" {{\small {_escaped(cell.interval)}}}" if cell.interval else ""
    return (score + interval).strip()


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)
