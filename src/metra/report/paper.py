"""Tables for a paper: LaTeX with booktabs, Markdown and Excel workbooks.

In all of them bold is the best score of a column and nothing else; marks of significance
stand behind the number.
"""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.formats.workbook import create_workbook
from metra.report.table import (
    Style,
    choose_digits,
    escape_latex,
    escape_markdown,
    format_cell,
    format_cell_interval,
    format_latex_tabular,
    guard_latex_line,
    list_groups,
    render_markdown_table,
)
from metra.scoring.table import Cell, Column, Table

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook

#: The width of a column of a paper in points (77 mm): a wider table is set over both.
COLUMN_WIDTH = 219
#: What a digit in small print and the gap between two columns take of it.
_CHARACTER, _COLUMN_GAP = 4.6, 12
#: What pdfLaTeX has no letters for: all but Latin, and signs that are written as commands.
_OTHER_SCRIPTS = re.compile(r"[^\x00-\u017f\u2010-\u2026\u2190-\u25ff\u2264]")
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
    """Write floats with booktabs tabulars, their notes below."""
    return "\n\n".join(_render_latex(paper, style) for paper in papers)


def _render_latex(paper: PaperTable, style: Style) -> str:
    """Write a float over one column or both, in small print, smaller where it is too wide.

    Its notes are as wide as the table, but not too narrow to read.
    """
    table = paper.table
    width = _estimate_width(table, style)
    notes = [
        *map(escape_latex, paper.notes),
        *(f"{escape_latex(name)}: {_quote_latex(s)}" for name, s in paper.signatures),
    ]
    below = [
        r"\par\smallskip",
        r"\ifdim\wd0<18em \wd0=18em\fi \ifdim\wd0>\linewidth \wd0=\linewidth\fi",
        r"\begin{minipage}{\wd0}\footnotesize\raggedright",
        " \\\\\n".join(map(guard_latex_line, notes)),
        r"\end{minipage}",
    ]
    float_name = "table*" if width > COLUMN_WIDTH else "table"
    lines = [
        rf"\begin{{{float_name}}}[t]",
        r"\centering",
        rf"\caption{{{escape_latex(table.caption)}}}",
        rf"\label{{{_clean_label(paper.label)}}}",
        r"\smallskip",
        r"\sbox0{\small",
        *format_latex_tabular(table, style),
        r"}\ifdim\wd0>\linewidth \resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
        *(below if notes else []),
        rf"\end{{{float_name}}}",
    ]
    comments = ["% Needs \\usepackage{booktabs,graphicx}."]
    if _OTHER_SCRIPTS.search("\n".join(lines)):
        comments.append(
            "% Needs XeLaTeX or LuaLaTeX, with a font that has these scripts."
        )
    return "\n".join([*comments, *lines])


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


def render_paper_markdown(papers: Sequence[PaperTable], style: Style) -> str:
    """Write each table with its caption above and its notes below."""
    blocks: list[str] = []
    for paper in papers:
        signed = [f"- {escape_markdown(name)}: `{s}`" for name, s in paper.signatures]
        blocks.append(render_markdown_table(paper.table, style))
        blocks += map(escape_markdown, paper.notes)
        blocks.append("\n".join(signed))
    return "\n\n".join(filter(None, blocks))


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


def _clean_label(label: str) -> str:
    return re.sub(r"[\\{}%#~^&$\s]+", "-", label)


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
