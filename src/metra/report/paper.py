"""Tables for a paper: LaTeX with booktabs, Markdown, HTML and Excel workbooks.

In all of them bold is the best score of a column and nothing else; marks of significance
stand behind the number.
"""

import io
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.formats.workbook import create_workbook
from metra.report.html.markup import Html, join_markup, mark_safe, tag
from metra.report.table import (
    LatexTable,
    Style,
    choose_digits,
    escape_latex,
    escape_markdown,
    format_cell,
    format_cell_interval,
    format_latex_tabular,
    guard_latex_line,
    lay_out_latex,
    list_groups,
    render_markdown_table,
)
from metra.scoring.table import Cell, Column, Table

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook

#: A table of more rows does not fit on a page, and so cannot be a float.
MOST_ROWS = 45
#: The width of a column of a paper and of its page in points (77 and 160 mm): a wider table
#: is set over both columns, and a still wider one is set tighter.
COLUMN_WIDTH, PAGE_WIDTH = 219, 455
#: What a digit in small print and the gap between two columns take of it.
_CHARACTER, _COLUMN_GAP = 4.6, 12
#: What pdfLaTeX has no letters for: all but Latin, and signs that are written as commands.
_OTHER_SCRIPTS = re.compile(r"[^\x00-\u017f\u2010-\u2026\u2190-\u25ff\u2264]")
_HTML_STYLE = """\
:root { color-scheme: light dark; }
table { border-collapse: collapse; border-bottom: 2px solid; border-top: 2px solid;
  font-family: serif; margin-top: 2em; }
caption { margin-bottom: .5em; text-align: left; }
th, td { padding: .2em .6em; vertical-align: baseline; }
sup { line-height: 0; }
th { font-weight: normal; }
tbody { border-top: 1px solid; }
th[colspan] { border-bottom: 1px solid; }
.notes { font-size: smaller; max-width: 60em; }
.notes code { overflow-wrap: anywhere; }
"""
# What keeps the numbers of a column below each other where others have a mark.
_HIDDEN = "visibility:hidden"
_NO_MARK = tag("span", " ▲", style=_HIDDEN)
#: Characters that the name of a sheet must not have.
_SHEET = re.compile(r"[\[\]:*?/\\\x00-\x1f']")


class PaperTable(NamedTuple):
    """A table with what stands around it."""

    table: Table
    label: str
    #: What bold, brackets and marks mean.
    notes: Sequence[str] = ()
    #: Each metric's name in print, and its signature.
    signatures: Sequence[tuple[str, str]] = ()


def render_paper_latex(papers: Sequence[PaperTable], style: Style) -> str:
    """Write floats with booktabs tabulars, their notes below; long tables over pages."""
    return "\n\n".join(_render_latex(paper, style) for paper in papers)


def _render_latex(paper: PaperTable, style: Style) -> str:
    table = paper.table
    width = _estimate_width(table, style)
    parts = lay_out_latex(table, style, stacked=width > PAGE_WIDTH)
    notes = [
        *map(escape_latex, paper.notes),
        *(f"{escape_latex(name)}: {_quote_latex(s)}" for name, s in paper.signatures),
    ]
    is_long = len(table.rows) > MOST_ROWS
    in_float = partial(_format_latex_float, width=width)
    lines = (_format_latex_pages if is_long else in_float)(
        rf"\caption{{{escape_latex(table.caption)}}}",
        rf"\label{{{_clean_label(paper.label)}}}",
        parts,
        " \\\\\n".join(map(guard_latex_line, notes)),
    )
    packages = "booktabs," + ("longtable" if is_long else "graphicx")
    comments = [f"% Needs \\usepackage{{{packages}}}."]
    if is_long:
        comments.append(
            "% On pages of two columns: between \\onecolumn and \\twocolumn."
        )
    if _OTHER_SCRIPTS.search("\n".join([*lines, *notes])):
        comments.append(
            "% Needs XeLaTeX or LuaLaTeX, with a font that has these scripts."
        )
    return "\n".join([*comments, *lines])


def _format_latex_float(
    caption: str, label: str, parts: LatexTable, notes: str, *, width: float
) -> list[str]:
    """Write a float over one column or both, in small print, smaller where it is too wide.

    Its notes are as wide as the table, but not too narrow to read.
    """
    float_name = "table*" if width > COLUMN_WIDTH else "table"
    size = r"\small"
    if width > PAGE_WIDTH:
        size = r"\footnotesize\setlength{\tabcolsep}{3pt}%"
    below = [
        r"\par\smallskip",
        r"\ifdim\wd0<18em \wd0=18em\fi \ifdim\wd0>\linewidth \wd0=\linewidth\fi",
        r"\begin{minipage}{\wd0}\footnotesize\raggedright",
        notes,
        r"\end{minipage}",
    ]
    return [
        rf"\begin{{{float_name}}}[t]",
        r"\centering",
        caption,
        label,
        r"\smallskip",
        rf"\sbox0{{{size}",
        *format_latex_tabular(parts),
        r"}\ifdim\wd0>\linewidth \resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
        *(below if notes else []),
        rf"\end{{{float_name}}}",
    ]


def _estimate_width(table: Table, style: Style) -> float:
    """Estimate the width in print, in points, from the number of characters."""
    width = 0.0
    for at, column in enumerate(table.columns):
        texts = [column.heading]
        texts += [
            format_cell(row[at], column, style)
            + row[at].marks
            + format_cell_interval(row[at], column, style)
            for row in table.rows
        ]
        width += _COLUMN_GAP + _CHARACTER * max(map(len, texts))
    return width


def _format_latex_pages(
    caption: str, label: str, parts: LatexTable, notes: str
) -> list[str]:
    """Write a table that goes on over pages, with its headings on each."""
    below = [r"{\footnotesize\raggedright\noindent", rf"{notes}\par}}"] if notes else []
    heads = [r"\toprule", *parts.heads, r"\midrule"]
    return [
        rf"\begin{{longtable}}{{{parts.columns}}}",
        caption,
        rf"{label} \\",
        *heads,
        r"\endfirsthead",
        *heads,
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *parts.rows,
        r"\end{longtable}",
        *below,
    ]


def render_paper_markdown(papers: Sequence[PaperTable], style: Style) -> str:
    """Write each table with its caption above and its notes below."""
    blocks: list[str] = []
    for paper in papers:
        signed = [f"- {escape_markdown(name)}: `{s}`" for name, s in paper.signatures]
        blocks.append(render_markdown_table(paper.table, style))
        blocks += map(escape_markdown, paper.notes)
        blocks.append("\n".join(signed))
    return "\n\n".join(filter(None, blocks))


def render_paper_html(papers: Sequence[PaperTable], style: Style) -> str:
    """Write a page of tables that can be opened, or copied into another page."""
    title = papers[0].table.caption
    body = [_build_html_paper(paper, style) for paper in papers]
    page = tag(
        "html",
        "\n",
        tag("meta", charset="utf-8"),
        tag("title", title),
        tag("style", mark_safe(f"\n{_HTML_STYLE}")),
        "\n",
        *body,
        lang="en",
    )
    return f"<!doctype html>\n{page}"


def render_workbook(papers: Sequence[PaperTable], style: Style) -> bytes:
    """Return an Excel workbook with a sheet for each table.

    Numbers are numbers in full; how many digits are seen, and marks behind them, are
    formats of the cells.
    """
    file = io.BytesIO()
    book = create_workbook(file, in_memory=True)
    names: set[str] = set()
    for paper in papers:
        wanted = paper.table.name or paper.table.caption
        _fill_sheet(book, _name_sheet(wanted, names), paper, style)
    book.close()
    return file.getvalue()


def _quote_latex(signature: str) -> str:
    """Set a signature in typewriter type, with line breaks between its parts."""
    parts = r"|\allowbreak ".join(map(escape_latex, signature.split("|")))
    return rf"\texttt{{{parts}}}"


def _quote_html(signature: str) -> Html:
    first, *parts = signature.split("|")
    return tag("code", first, *([tag("wbr"), f"|{part}"] for part in parts))


def _clean_label(label: str) -> str:
    return re.sub(r"[\\{}%#~^&$\s]+", "-", label)


def _build_html_paper(paper: PaperTable, style: Style) -> Html:
    notes = [
        *map(join_markup, paper.notes),
        *(join_markup(f"{name}: ", _quote_html(s)) for name, s in paper.signatures),
    ]
    lines = [join_markup(note, tag("br"), "\n") for note in notes]
    return join_markup(
        build_html_table(paper.table, style, paper.label),
        "\n",
        tag("p", *lines, class_="notes") if lines else None,
        "\n",
    )


def build_html_table(table: Table, style: Style, label: str | None = None) -> Html:
    """Write a table as HTML that takes its colours from the page around it."""
    heads = []
    groups = list_groups(table)
    if len(groups) > 1:
        titles = [
            tag("th", title, colspan=len(columns), scope="colgroup")
            if title
            else tag("td", colspan=len(columns))
            for title, columns in groups
        ]
        heads.append(tag("tr", *titles))
    sides = [f"text-align:{column.align}" for column in table.columns]
    titles = [
        tag("th", column.title, scope="col", style=side)
        for column, side in zip(table.columns, sides, strict=True)
    ]
    heads.append(tag("tr", *titles))
    widest = [
        max((row[at].marks for row in table.rows), key=len, default="")
        for at in range(len(table.columns))
    ]
    rows = []
    for name, *cells in table.rows:
        heading = format_cell(name, table.columns[0], style)
        header = tag("th", heading, scope="row", style=f"{sides[0]};font-weight:normal")
        columns = zip(cells, table.columns[1:], widest[1:], strict=True)
        rows.append(tag("tr", header, *(_build_html_cell(*c, style) for c in columns)))
    return tag(
        "table",
        tag("caption", table.caption) if table.caption else None,
        "\n",
        tag("thead", *_break_lines(heads)),
        "\n",
        tag("tbody", *_break_lines(rows)),
        id=label,
        style="font-variant-numeric:tabular-nums;white-space:nowrap",
    )


def _break_lines(rows: Sequence[Html]) -> list[Html]:
    return [join_markup("\n", row) for row in rows]


def _build_html_cell(cell: Cell, column: Column, widest: str, style: Style) -> Html:
    """Make a cell; one without marks leaves the room that the widest of the column take."""
    unused = widest[len(cell.marks) :]
    text = format_cell(cell, column, style)
    interval = format_cell_interval(cell, column, style)
    return tag(
        "td",
        tag("b", text) if cell.best else text,
        tag("sup", cell.marks) if cell.marks else None,
        tag("sup", unused, style=_HIDDEN) if unused else None,
        _NO_MARK if cell.suffix == "  " else None,
        [" ", tag("small", interval)] if interval else None,
        style=f"text-align:{column.align}",
    )


def _fill_sheet(book: "Workbook", name: str, paper: PaperTable, style: Style) -> None:
    """Write the caption, the headings, the rows and the notes."""
    table = paper.table
    sheet = book.add_worksheet(name)
    centre = book.add_format({"align": "center", "bottom": 1})
    sheet.write_string(0, 0, table.caption)
    top = 2
    groups = list_groups(table)
    if len(groups) > 1:
        for title, columns in groups:
            if title and len(columns) > 1:
                sheet.merge_range(top, columns[0], top, columns[-1], title, centre)
            elif title:
                sheet.write_string(top, columns[0], title, centre)
        top += 1
    for place, column in enumerate(table.columns):
        look = book.add_format({"align": column.align, "bottom": 1})
        sheet.write_string(top, place, column.title, look)
        shown = [_format_sheet_cell(row[place], column, style) for row in table.rows]
        widest = max(map(len, [column.title, *shown]))
        sheet.set_column(place, place, min(max(10, widest + 1), 40))
    for at, row in enumerate(table.rows, top + 1):
        for place, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
            _write_cell(book, sheet, (at, place), cell, column, style)
    signed = [f"{metric}: {signature}" for metric, signature in paper.signatures]
    for at, note in enumerate([*paper.notes, *signed], top + len(table.rows) + 2):
        sheet.write_string(at, 0, note)


def _format_sheet_cell(cell: Cell, column: Column, style: Style) -> str:
    interval = format_cell_interval(cell, column, style)
    return f"{format_cell(cell, column, style)}{cell.marks} {interval}".rstrip()


def _write_cell(
    book: "Workbook",
    sheet: Any,
    place: tuple[int, int],
    cell: Cell,
    column: Column,
    style: Style,
) -> None:
    """Write a number as a number, its digits, marks and interval as its format."""
    value = cell.value
    if isinstance(value, str) or value is None or value - value != 0:
        look = book.add_format({"align": column.align})
        sheet.write_string(*place, format_cell(cell, column, style), look)
        return
    digits = choose_digits(cell, column, style)
    shape = f"0.{'0' * digits}" if digits else "0"
    interval = format_cell_interval(cell, column, style)
    behind = cell.marks + (f" {interval}" if interval else "")
    if behind:
        shape += f'"{behind}"'
    if cell.signed:
        shape = f"+{shape};−{shape};{shape}"
    if column.p_values:
        shape = '[<0.00005]"<0.0001";0.0000'
    look = book.add_format({"num_format": shape, "align": "right", "bold": cell.best})
    sheet.write_number(*place, value, look)


def _name_sheet(wanted: str, names: set[str]) -> str:
    """Name a sheet as Excel allows: 31 characters, and no name twice."""
    short = _SHEET.sub(" ", wanted).strip()[:28] or "Sheet"
    name, number = short, 1
    while name.lower() in names:
        number += 1
        name = f"{short[:27]} {number}"
    names.add(name.lower())
    return name
