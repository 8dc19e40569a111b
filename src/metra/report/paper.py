"""Tables for a paper: LaTeX with booktabs, Markdown, HTML and Excel workbooks.

In all of them bold is the best score of a column and nothing else; marks of significance
stand behind the number.
"""

import io
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.errors import MissingResourceError, missing_package
from metra.report.html.markup import Html, join_markup, mark_safe, tag
from metra.report.table import (
    Style,
    escape_latex,
    escape_markdown,
    format_cell,
    format_cell_interval,
    join_latex_row,
    render_markdown_table,
)
from metra.scoring.table import Cell, Column, Table

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook

_PACKAGES = "Needs \\usepackage{booktabs}."
_HTML_STYLE = """\
table { border-collapse: collapse; font-family: serif; }
caption { margin-bottom: .5em; text-align: left; }
th, td { padding: .2em .6em; text-align: right; }
th { font-weight: normal; }
th:first-child, td:first-child { text-align: left; }
table { border-top: 2px solid; border-bottom: 2px solid; }
tbody { border-top: 1px solid; }
th[colspan] { border-bottom: 1px solid; text-align: center; }
.interval, .notes { font-size: smaller; }
.notes code { overflow-wrap: anywhere; }
"""
#: Characters that the name of a sheet must not have.
_SHEET = re.compile(r"[\[\]:*?/\\\x00-\x1f']")
#: The same workbook for the same results: it carries this date, as files in archives do.
_DAY = datetime(1980, 1, 1, tzinfo=UTC)


class PaperTable(NamedTuple):
    """A table with what stands around it."""

    table: Table
    label: str
    #: What bold, brackets and marks mean.
    notes: Sequence[str]
    #: Each metric's name in print, and its signature.
    signatures: Sequence[tuple[str, str]]


def render_paper_latex(paper: PaperTable, style: Style) -> str:
    """Write a float with a booktabs tabular, the notes below it in a smaller size."""
    table = paper.table
    pairs = [_needs_two_columns(table, at) for at in range(len(table.columns))]
    aligned = "".join(
        "l" if column.align == "left" else "r@{}l" if is_pair else "r"
        for column, is_pair in zip(table.columns, pairs, strict=True)
    )
    notes = [
        *map(escape_latex, paper.notes),
        *(f"{escape_latex(name)}: {_quote_latex(s)}" for name, s in paper.signatures),
    ]
    return "\n".join(
        [
            f"% {_PACKAGES}",
            r"\begin{table}[t]",
            r"\centering",
            rf"\caption{{{escape_latex(table.caption)}}}",
            rf"\label{{{_clean_label(paper.label)}}}",
            rf"\begin{{tabular}}{{{aligned}}}",
            r"\toprule",
            *_format_latex_heads(table, pairs),
            r"\midrule",
            *(_format_latex_row(row, table, pairs, style) for row in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
            " \\\\\n".join(notes),
            r"\end{minipage}",
            r"\end{table}",
        ]
    )


def render_paper_markdown(paper: PaperTable, style: Style) -> str:
    """Write the table with its caption above and its notes below."""
    signed = [f"- {escape_markdown(name)}: `{s}`" for name, s in paper.signatures]
    blocks = [
        render_markdown_table(paper.table, style),
        *map(escape_markdown, paper.notes),
        "\n".join(signed),
    ]
    return "\n\n".join(filter(None, blocks))


def render_paper_html(papers: Sequence[PaperTable], style: Style) -> str:
    """Write a page of tables that can be opened, or copied into another page."""
    title = papers[0].table.caption
    body = [_build_html_table(paper, style) for paper in papers]
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


def render_workbook(
    papers: Sequence[PaperTable],
    style: Style,
    plain: Sequence[tuple[str, Sequence[Sequence[object]]]] = (),
) -> bytes:
    """Return an Excel workbook: a sheet for each table, then plain ones of name and rows.

    Numbers are numbers in full; how many digits are seen, and marks behind them, are
    formats of the cells.
    """
    xlsxwriter = import_xlsxwriter()
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"created": _DAY.replace(tzinfo=None)})
    names: set[str] = set()
    for number, paper in enumerate(papers):
        name = paper.table.caption if number else "Scores"
        _fill_sheet(book, _name_sheet(name, names), paper, style)
    for name, rows in plain:
        sheet = book.add_worksheet(_name_sheet(name, names))
        for at, row in enumerate(rows):
            for place, value in enumerate(row):
                _write_value(sheet, at, place, value)
    book.close()
    return file.getvalue()


def import_xlsxwriter() -> Any:
    """Import XlsxWriter, or say how it is installed."""
    try:
        import xlsxwriter
    except ImportError:
        msg = missing_package("The format xlsx", "XlsxWriter", "xlsx")
        raise MissingResourceError(msg) from None
    return xlsxwriter


def _needs_two_columns(table: Table, at: int) -> bool:
    """Whether something stands behind a column's numbers, which have to line up."""
    return any(row[at].marks or row[at].interval for row in table.rows)


def _format_latex_heads(table: Table, pairs: Sequence[bool]) -> Iterator[str]:
    """Write the headings, and above them those of groups of columns with their rules."""
    if any(column.group for column in table.columns):
        heads: list[str] = []
        rules: list[str] = []
        place = 1
        columns = zip(table.columns, pairs, strict=True)
        for group, members in groupby(columns, key=lambda pair: pair[0].group):
            width = sum(1 + is_pair for _, is_pair in members)
            if group:
                text = escape_latex(group)
                heads.append(rf"\multicolumn{{{width}}}{{c}}{{{text}}}")
                rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
            else:
                heads.append(" & " * (width - 1))
            place += width
        yield rf"{' & '.join(heads)} \\"
        yield " ".join(rules)
    titles = []
    for column, is_pair in zip(table.columns, pairs, strict=True):
        title = escape_latex(column.title)
        titles.append(rf"\multicolumn{{2}}{{c}}{{{title}}}" if is_pair else title)
    yield rf"{' & '.join(titles)} \\"


def _format_latex_row(
    row: Sequence[Cell], table: Table, pairs: Sequence[bool], style: Style
) -> str:
    texts = []
    for cell, column, is_pair in zip(row, table.columns, pairs, strict=True):
        text = escape_latex(format_cell(cell, column, style))
        texts.append(rf"\textbf{{{text}}}" if cell.best else text)
        if is_pair:
            # Raised, so that they are not read as part of the number.
            marks = rf"\textsuperscript{{{escape_latex(cell.marks)}}}"
            interval = escape_latex(format_cell_interval(cell, column, style))
            behind = [marks] if cell.marks else []
            behind += [rf"{{\small\ {interval}}}"] if interval else []
            texts.append("".join(behind))
    return join_latex_row(texts)


def _quote_latex(signature: str) -> str:
    """Set a signature in typewriter type, with line breaks between its parts."""
    parts = r"\textbar\allowbreak ".join(map(escape_latex, signature.split("|")))
    return rf"\texttt{{{parts}}}"


def _clean_label(label: str) -> str:
    return re.sub(r"[\\{}%#~^&$\s]+", "-", label)


def _build_html_table(paper: PaperTable, style: Style) -> Html:
    table = paper.table
    heads = []
    if any(column.group for column in table.columns):
        titles = []
        for group, members in groupby(table.columns, key=lambda column: column.group):
            count = len(list(members))
            if group:
                titles.append(tag("th", group, colspan=count, scope="colgroup"))
            else:
                titles += [tag("td")] * count
        heads.append(tag("tr", *titles))
    titles = [tag("th", column.title, scope="col") for column in table.columns]
    heads.append(tag("tr", *titles))
    rows = []
    for name, *cells in table.rows:
        header = tag("th", format_cell(name, table.columns[0], style), scope="row")
        columns = table.columns[1:]
        pairs = zip(cells, columns, strict=True)
        rows.append(tag("tr", header, *(_build_html_cell(*p, style) for p in pairs)))
    notes = [
        *map(join_markup, paper.notes),
        *(join_markup(f"{name}: ", tag("code", s)) for name, s in paper.signatures),
    ]
    lines = [join_markup(note, tag("br"), "\n") for note in notes]
    return join_markup(
        tag(
            "table",
            tag("caption", table.caption),
            "\n",
            tag("thead", *_break_lines(heads)),
            "\n",
            tag("tbody", *_break_lines(rows)),
            id=paper.label,
        ),
        "\n",
        tag("p", *lines, class_="notes") if lines else None,
        "\n",
    )


def _break_lines(rows: Sequence[Html]) -> list[Html]:
    return [join_markup("\n", row) for row in rows]


def _build_html_cell(cell: Cell, column: Column, style: Style) -> Html:
    text = format_cell(cell, column, style)
    interval = format_cell_interval(cell, column, style)
    return tag(
        "td",
        tag("b", text) if cell.best else text,
        tag("sup", cell.marks) if cell.marks else None,
        [" ", tag("span", interval, class_="interval")] if interval else None,
    )


def _fill_sheet(book: "Workbook", name: str, paper: PaperTable, style: Style) -> None:
    """Write the caption, the headings, the rows and the notes."""
    table = paper.table
    sheet = book.add_worksheet(name)
    bold = book.add_format({"bold": True})
    centre = book.add_format({"align": "center", "bottom": 1})
    sheet.write_string(0, 0, table.caption, bold)
    top, place = 2, 0
    if any(column.group for column in table.columns):
        for group, members in groupby(table.columns, key=lambda column: column.group):
            count = len(list(members))
            if group and count > 1:
                sheet.merge_range(top, place, top, place + count - 1, group, centre)
            elif group:
                sheet.write_string(top, place, group, centre)
            place += count
        top += 1
    for place, column in enumerate(table.columns):
        look = book.add_format({"align": column.align, "bottom": 1})
        sheet.write_string(top, place, column.title, look)
    for at, row in enumerate(table.rows, top + 1):
        for place, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
            _write_cell(book, sheet, (at, place), cell, column, style)
    signed = [f"{metric}: {signature}" for metric, signature in paper.signatures]
    below = top + len(table.rows) + 2
    for at, note in enumerate([*paper.notes, *signed], below):
        sheet.write_string(at, 0, note)
    longest = max(len(str(row[0].value)) for row in table.rows)
    sheet.set_column(0, 0, min(max(longest, 10), 40))


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
        sheet.write_string(*place, format_cell(cell, column, style))
        return
    digits = column.digits
    if digits is None:
        digits = style.digits + column.more_digits
    digits = digits if cell.digits is None else cell.digits
    shape = f"0.{'0' * digits}" if digits else "0"
    interval = format_cell_interval(cell, column, style)
    behind = cell.marks + (f" {interval}" if interval else "")
    if behind:
        shape += f'"{behind}"'
    look = {"num_format": shape, "align": "right", "bold": cell.best}
    sheet.write_number(*place, value, book.add_format(look))


def _write_value(sheet: Any, at: int, place: int, value: object) -> None:
    """Write a finite number as one, and text as text, never as a formula."""
    if isinstance(value, int | float) and value - value == 0:
        sheet.write_number(at, place, value)
    elif value is not None and value == value:
        sheet.write_string(at, place, str(value))


def _name_sheet(wanted: str, names: set[str]) -> str:
    """Name a sheet as Excel allows: 31 characters, and no name twice."""
    short = _SHEET.sub(" ", wanted).strip()[:28] or "Sheet"
    name, number = short, 1
    while name.lower() in names:
        number += 1
        name = f"{short[:27]} {number}"
    names.add(name.lower())
    return name
