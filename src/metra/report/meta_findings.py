"""Findings of meta-evaluation as text, TSV, JSON, Markdown or LaTeX."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from metra import __version__
from metra.meta.findings import FigureTable, MetaReport, TableValue
from metra.report import terminal, text_writers
from metra.report.layout import ReportTable, Style, TableCell, format_score

FORMATS = ("table", "json", "tsv", "markdown", "latex")


def render(findings: MetaReport, form: str, style: Style) -> str:
    """Write the findings in one of the formats, without a final newline."""
    return _RENDERERS[form](findings, style)


def _render_table(findings: MetaReport, style: Style) -> str:
    blocks = [
        terminal.render_table(_build_table(each, style), style)
        for each in findings.tables
    ]
    notes = [*findings.notes, findings.signature]
    blocks.append(
        "\n".join(terminal.style_text(note, terminal.DIM, style) for note in notes)
    )
    return "\n\n".join(blocks)


def _render_markdown(findings: MetaReport, style: Style) -> str:
    blocks = [
        text_writers.render_markdown_table(_build_table(each, style))
        for each in findings.tables
    ]
    notes = [f"- {note}" for note in findings.notes] + [f"- `{findings.signature}`"]
    return "\n\n".join([*blocks, "\n".join(notes)])


def _render_latex(findings: MetaReport, style: Style) -> str:
    notes = [f"% {note}" for note in [*findings.notes, findings.signature]]
    blocks = [
        text_writers.render_latex_table(_build_table(each, style))
        for each in findings.tables
    ]
    return "\n\n".join(["\n".join(notes), *blocks])


def _render_tsv(findings: MetaReport, _: Style) -> str:
    lines = [["table", "row", "column", "value", "low", "high", "signature"]]
    for each in findings.tables:
        for name, headings, figures in _expand_rows(each):
            for heading, figure in zip(headings, figures, strict=True):
                if each.names and figure.value == "":
                    continue  # only one half of such a table is filled
                low, high = map(repr, figure.interval) if figure.interval else ("", "")
                value = _format_figure(figure)
                lines.append(
                    [each.name, name, heading, value, low, high, findings.signature]
                )
    return "\n".join("\t".join(map(_clean_cell, line)) for line in lines)


def _render_json(findings: MetaReport, _: Style) -> str:
    data = {
        "metra": __version__,
        "schema": 1,
        "signature": findings.signature,
        "notes": list(findings.notes),
        "tables": {each.name: _build_rows(each) for each in findings.tables},
        **findings.data,
    }
    return json.dumps(_replace_nonfinite(data), ensure_ascii=False, indent=1)


_RENDERERS = {
    "table": _render_table,
    "json": _render_json,
    "tsv": _render_tsv,
    "markdown": _render_markdown,
    "latex": _render_latex,
}


def _build_table(each: FigureTable, style: Style) -> ReportTable:
    rows = [
        (name, [_build_cell(figure, style) for figure in figures])
        for name, figures in each.rows
    ]
    return ReportTable(each.corner, each.headings, rows, each.title)


def _build_cell(figure: TableValue, style: Style) -> TableCell:
    if figure.value is None:
        return TableCell("–")
    if isinstance(figure.value, str):
        return TableCell(figure.value)
    digits = style.digits if figure.digits is None else figure.digits
    interval = ""
    if figure.interval:
        low, high = figure.interval
        interval = f"[{format_score(low, digits)}, {format_score(high, digits)}]"
    # Adding zero takes the sign from a zero that has one.
    return TableCell(format_score(figure.value + 0.0, digits), interval, figure.best)


def _build_rows(each: FigureTable) -> list[dict[str, Any]]:
    return [
        {each.corner: name}
        | {
            heading: (
                {"value": figure.value, "interval": list(figure.interval)}
                if figure.interval
                else figure.value
            )
            for heading, figure in zip(headings, figures, strict=True)
            if not (each.names and figure.value == "")
        }
        for name, headings, figures in _expand_rows(each)
    ]


def _expand_rows(
    each: FigureTable,
) -> Iterator[tuple[str, Sequence[str], Sequence[TableValue]]]:
    """Rows with their names and headings, written out where paper has numbers only."""
    for at, (name, figures) in enumerate(each.rows):
        if each.names:
            yield each.names[at], each.names, figures
        else:
            yield name, each.headings, figures


def _replace_nonfinite(data: Any) -> Any:
    """Put null where JSON has no number."""
    if isinstance(data, dict):
        return {str(key): _replace_nonfinite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_replace_nonfinite(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data


def _format_figure(figure: TableValue) -> str:
    if figure.value is None:
        return ""
    return figure.value if isinstance(figure.value, str) else repr(figure.value)


def _clean_cell(cell: str) -> str:
    return cell.replace("\t", " ").replace("\n", " ").replace("\r", " ")
