"""Answers of meta-evaluation as text, JSON, TSV, CSV, Markdown or LaTeX."""

import csv
import io
import math
from collections.abc import Callable, Iterator
from typing import Any

from metra.formats.table import escape_formula
from metra.meta.findings import MetaReport
from metra.report.table import (
    Style,
    format_latex_comments,
    list_rows,
    render_markdown_table,
    render_tsv,
)
from metra.report.terminal import DIM, explain_best_marks, render_table, style_text
from metra.scoring.json import convert_record, render_json
from metra.scoring.table import Cell

#: Columns of TSV and CSV: a line for every cell, numbers in full.
COLUMNS = ("table", "row", "column", "value", "low", "high", "signature")


def render(report: MetaReport, form: str, style: Style) -> str:
    """Write the report in one of the formats, without a final newline."""
    return WRITERS[form](report, style)


def render_report_terminal(report: MetaReport, style: Style) -> str:
    """Lay out the tables for a terminal, the notes and the signature below."""
    blocks = [render_table(table, style) for table in report.tables]
    legend = report.remarks or explain_best_marks(report.tables)
    notes = [*legend, *report.selection_notes, *report.notes, *report.glossary]
    notes.append(report.signature)
    below = "\n".join(style_text(note, DIM, style) for note in filter(None, notes))
    return "\n\n".join(filter(None, [*blocks, below]))


def render_report_json(report: MetaReport, _: Style) -> str:
    """Write every table as a list of rows, numbers in full."""
    tables = {
        table.name: [
            {table.columns[0].heading: name}
            | {heading: _convert_cell(cell) for heading, cell in cells}
            for name, cells in list_rows(table)
        ]
        for table in report.tables
    }
    data = {
        "signature": report.signature,
        "selection": report.selection,
        "notes": list(report.notes),
        "tables": tables,
    }
    data |= report.data
    # JSON has no number for what is infinite.
    return render_json(convert_record(data, lambda n: n if math.isfinite(n) else None))


def render_report_csv(report: MetaReport, _: Style) -> str:
    """Write one long table with commas; no name begins like a formula."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for *names, value, low, high, signature in _list_lines(report):
        rows.writerow([*map(escape_formula, names), value, low, high, signature])
    return out.getvalue().removesuffix("\n")


def render_report_markdown(report: MetaReport, style: Style) -> str:
    """Write the tables in Markdown, the notes and the signature as a list."""
    blocks = [render_markdown_table(table, style) for table in report.tables]
    notes = [*report.remarks, *report.selection_notes, *report.notes, *report.glossary]
    notes.append(f"`{report.signature}`")
    return "\n\n".join([*blocks, "\n".join(f"- {note}" for note in notes)])


def render_report_latex(report: MetaReport, style: Style) -> str:
    """Write floats, their remarks below; notes and signature are comments above."""
    from metra.report.writers.paper import PaperTable, render_paper_latex

    lines = [*report.selection_notes, *report.notes, *report.signature.split("\n")]
    comments = format_latex_comments(lines)
    papers = [
        PaperTable(table, f"tab:{table.name}", report.remarks)
        for table in report.tables
    ]
    return f"{comments}\n{render_paper_latex(papers, style)}"


WRITERS: dict[str, Callable[[MetaReport, Style], str]] = {
    "table": render_report_terminal,
    "json": render_report_json,
    "tsv": lambda report, _: render_tsv([COLUMNS, *_list_lines(report)]),
    "csv": render_report_csv,
    "markdown": render_report_markdown,
    "latex": render_report_latex,
}


def _list_lines(report: MetaReport) -> Iterator[tuple[str, ...]]:
    for table in report.tables:
        for name, cells in list_rows(table):
            for heading, cell in cells:
                low, high = map(repr, cell.interval) if cell.interval else ("", "")
                value = "" if cell.value is None else cell.value
                text = value if isinstance(value, str) else repr(value)
                yield table.name, name, heading, text, low, high, report.signature
                if cell.marks:
                    mark = f"{heading} rank", cell.marks, "", ""
                    yield table.name, name, *mark, report.signature


def _convert_cell(cell: Cell) -> Any:
    if cell.interval:
        return {"value": cell.value, "interval": list(cell.interval)}
    return cell.value
