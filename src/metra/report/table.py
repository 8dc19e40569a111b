"""Tables as Markdown, LaTeX and tab-separated values, and numbers as text.

The record is `metra.scoring.table.Table`; the terminal's writer is in `metra.report.terminal`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from metra.scoring.table import Cell, Column, Table

MISSING = "–"

_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
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
        ">": "$>$",
        "≤": r"$\leq$",
        "|": r"\textbar{}",
        "†": r"\dag{}",
        "‡": r"\ddag{}",
        "\n": " ",
        "\r": " ",
    }
    | {character: f"\\{character}" for character in "&%$#_{}"}
)
_MARKDOWN_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_{}[]<>#|"}
    | {"\n": " ", "\r": " "}
)
_TSV_ESCAPES = str.maketrans({"\t": " ", "\n": " ", "\r": " "})


class PaperOptions(NamedTuple):
    """Caption, label and further tables of a table for a paper."""

    #: What was scored, if None.
    caption: str | None = None
    #: LaTeX's label, or the id in HTML.
    label: str | None = None
    #: Whether a second table has the differences, their intervals and p-values.
    differences: bool = False


class Style(NamedTuple):
    """Choices of presentation."""

    digits: int = 2
    color: bool = False
    sort: bool = False
    width: int | None = None
    #: How much of each signature is shown: full, short or sacrebleu.
    signature: str = "full"
    #: Whether the parts of each score are shown.
    verbose: bool = False
    paper: PaperOptions = PaperOptions()


def render_markdown_table(table: Table, style: Style) -> str:
    """Write a table in Markdown, the best in bold."""
    lines = [f"**{escape_markdown(table.caption)}**", ""] if table.caption else []
    rows = [
        [
            escape_markdown(": ".join(filter(None, (c.group, c.title))))
            for c in table.columns
        ],
        [":--" if column.align == "left" else "--:" for column in table.columns],
        *(_format_markdown_row(row, table, style) for row in table.rows),
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def format_latex_tabular(table: Table, style: Style) -> list[str]:
    """Write the lines of a tabular, the best in bold; numbers line up below each other."""
    pairs = [
        column.align == "right"
        and any(row[at].marks or row[at].interval for row in table.rows)
        for at, column in enumerate(table.columns)
    ]
    widths = [1 + is_pair for is_pair in pairs]
    letters = [
        "r@{}l" if is_pair else column.align[0]
        for column, is_pair in zip(table.columns, pairs, strict=True)
    ]
    titles = [
        rf"\multicolumn{{2}}{{c}}{{{escape_latex(column.title)}}}"
        if is_pair
        else escape_latex(column.title)
        for column, is_pair in zip(table.columns, pairs, strict=True)
    ]
    rows = []
    for row in table.rows:
        texts = []
        for cell, column, is_pair in zip(row, table.columns, pairs, strict=True):
            both = _format_latex_cell(cell, column, style)
            texts += both if is_pair else ["".join(both)]
        rows.append(_join_latex_row(texts))
    return [
        rf"\begin{{tabular}}{{{''.join(letters)}}}",
        r"\toprule",
        *_format_latex_groups(table, widths),
        _join_latex_row(titles),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _format_latex_groups(table: Table, widths: Sequence[int]) -> Iterator[str]:
    """Write headings above groups of columns, if there are any, with their rules."""
    groups = list_groups(table)
    if len(groups) < 2:
        return
    heads: list[str] = []
    rules: list[str] = []
    place = 1
    for title, columns in groups:
        width = sum(widths[at] for at in columns)
        if title:
            heads.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(title)}}}")
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        else:
            heads.append(" & " * (width - 1))
        place += width
    yield _join_latex_row(heads)
    yield " ".join(rules)


def list_groups(table: Table) -> list[tuple[str, list[int]]]:
    """List groups of neighbouring columns by their heading, empty where there is none."""
    groups = groupby(enumerate(table.columns), key=lambda pair: pair[1].group)
    return [(title, [at for at, _ in columns]) for title, columns in groups]


def _format_latex_cell(cell: Cell, column: Column, style: Style) -> list[str]:
    """Write the value of a cell, and behind it its raised marks and its interval."""
    text = format_cell(cell, column, style)
    if not isinstance(cell.value, str):
        text = text.replace("-", "−")
    text = escape_latex(text)
    marks = rf"\textsuperscript{{{escape_latex(cell.marks)}}}" if cell.marks else ""
    interval = format_cell_interval(cell, column, style).replace("-", "−")
    interval = escape_latex(interval)
    small = rf"{{\footnotesize\ {interval}}}" if interval else ""
    return [rf"\textbf{{{text}}}" if cell.best else text, marks + small]


def _join_latex_row(cells: Sequence[str]) -> str:
    """Join the cells of a row."""
    return guard_latex_line(rf"{' & '.join(cells)} \\")


def guard_latex_line(line: str) -> str:
    """Keep the beginning of a line from being read as an option of the line before it."""
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def format_latex_comments(lines: Iterable[str]) -> str:
    """Write lines as comments of LaTeX."""
    return "\n".join(f"% {' '.join(line.split())}" for line in lines)


def list_rows(table: Table) -> Iterator[tuple[str, list[tuple[str, Cell]]]]:
    """List each row's name and its cells with their headings, as programs get them."""
    headings = [f"{c.group} {c.heading}".strip() for c in table.columns[1:]]
    for at, (first, *cells) in enumerate(table.rows):
        if table.names:
            # Only one half of such a matrix may be filled.
            named = zip(table.names, cells, strict=True)
            yield table.names[at], [pair for pair in named if pair[1].value != ""]
        else:
            yield str(first.value), list(zip(headings, cells, strict=True))


def render_tsv(lines: Iterable[Sequence[str]]) -> str:
    """Join cells by tabs; a name must not add a column or a line."""
    return "\n".join(
        "\t".join(cell.translate(_TSV_ESCAPES) for cell in line) for line in lines
    )


def format_cell(cell: Cell, column: Column, style: Style) -> str:
    """Write a cell's value, without its interval."""
    if cell.value is None:
        return MISSING
    text = cell.value
    if not isinstance(text, str):
        text = (
            format_p_value(text)
            if column.p_values
            else _format_number(text, cell, column, style)
        )
    return f"{cell.prefix}{text}{cell.suffix}"


def format_cell_interval(cell: Cell, column: Column, style: Style) -> str:
    """Write a cell's interval; an empty string if there is none."""
    if cell.interval is None:
        return ""
    low, high = (_format_number(end, cell, column, style) for end in cell.interval)
    return f"[{low}, {high}]"


def _format_number(value: float, cell: Cell, column: Column, style: Style) -> str:
    digits = choose_digits(cell, column, style)
    return (format_signed if cell.signed else format_score)(value, digits)


def choose_digits(cell: Cell, column: Column, style: Style) -> int:
    """Return the digits after the point: the cell's, the column's, or those of the style."""
    if cell.digits is not None:
        return cell.digits
    if column.digits is not None:
        return column.digits
    return style.digits + column.more_digits


def format_score(value: float, digits: int) -> str:
    """Write a score; a dash where there was nothing to score."""
    # Adding zero takes the sign from a zero that has one.
    return MISSING if value != value else f"{value + 0.0:.{digits}f}"


def format_signed(value: float, digits: int) -> str:
    """Write a difference with its sign."""
    text = f"{value:+.{digits}f}"
    return MISSING if value != value else text.replace("-", "−")


def format_p_value(p: float | None) -> str:
    """Write a p-value; a dash if there is none."""
    if p is None:
        return MISSING
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def escape_markdown(text: str) -> str:
    """Keep text from being read as Markdown."""
    return text.translate(_MARKDOWN_ESCAPES)


def escape_latex(text: str) -> str:
    """Keep text from being read as LaTeX."""
    return text.translate(_LATEX_ESCAPES)


def _format_markdown_row(row: Sequence[Cell], table: Table, style: Style) -> list[str]:
    texts = []
    for cell, column in zip(row, table.columns, strict=True):
        text = escape_markdown(format_cell(cell, column, style))
        text = f"**{text}**" if cell.best else text
        # Daggers are raised as they are.
        is_raised = cell.marks[:1].isalnum()
        text += f"<sup>{cell.marks}</sup>" if is_raised else cell.marks
        interval = format_cell_interval(cell, column, style)
        texts.append(f"{text} {interval}".strip())
    return texts
