"""Findings of meta-evaluation as text, TSV, JSON, Markdown or LaTeX."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from metra import __version__
from metra.meta.findings import Figure, FigureTable, Findings
from metra.report import terminal, text_writers
from metra.report.layout import Cell, Sheet, Style, number

FORMATS = ("table", "json", "tsv", "markdown", "latex")


def render(findings: Findings, form: str, style: Style) -> str:
    """Write the findings in one of the formats, without a final newline."""
    return _RENDERERS[form](findings, style)


def _table(findings: Findings, style: Style) -> str:
    blocks = [terminal.block(_sheet(each, style), style) for each in findings.tables]
    notes = [*findings.notes, findings.signature]
    blocks.append(
        "\n".join(terminal.styled(note, terminal.DIM, style) for note in notes)
    )
    return "\n\n".join(blocks)


def _markdown(findings: Findings, style: Style) -> str:
    blocks = [
        text_writers.markdown_block(_sheet(each, style)) for each in findings.tables
    ]
    notes = [f"- {note}" for note in findings.notes] + [f"- `{findings.signature}`"]
    return "\n\n".join([*blocks, "\n".join(notes)])


def _latex(findings: Findings, style: Style) -> str:
    notes = [f"% {note}" for note in [*findings.notes, findings.signature]]
    blocks = [text_writers.latex_block(_sheet(each, style)) for each in findings.tables]
    return "\n\n".join(["\n".join(notes), *blocks])


def _tsv(findings: Findings, _: Style) -> str:
    lines = [["table", "row", "column", "value", "low", "high", "signature"]]
    for each in findings.tables:
        for name, headings, figures in _in_full(each):
            for heading, figure in zip(headings, figures, strict=True):
                if each.names and figure.value == "":
                    continue  # only one half of such a table is filled
                low, high = map(repr, figure.interval) if figure.interval else ("", "")
                value = _plain(figure)
                lines.append(
                    [each.name, name, heading, value, low, high, findings.signature]
                )
    return "\n".join("\t".join(map(_clean, line)) for line in lines)


def _json(findings: Findings, _: Style) -> str:
    data = {
        "metra": __version__,
        "schema": 1,
        "signature": findings.signature,
        "notes": list(findings.notes),
        "tables": {each.name: _rows(each) for each in findings.tables},
        **findings.data,
    }
    return json.dumps(_finite(data), ensure_ascii=False, indent=1)


_RENDERERS = {
    "table": _table,
    "json": _json,
    "tsv": _tsv,
    "markdown": _markdown,
    "latex": _latex,
}


def _sheet(each: FigureTable, style: Style) -> Sheet:
    rows = [
        (name, [_cell(figure, style) for figure in figures])
        for name, figures in each.rows
    ]
    return Sheet(each.corner, each.headings, rows, each.title)


def _cell(figure: Figure, style: Style) -> Cell:
    if figure.value is None:
        return Cell("–")
    if isinstance(figure.value, str):
        return Cell(figure.value)
    digits = style.digits if figure.digits is None else figure.digits
    interval = ""
    if figure.interval:
        low, high = figure.interval
        interval = f"[{number(low, digits)}, {number(high, digits)}]"
    # Adding zero takes the sign from a zero that has one.
    return Cell(number(figure.value + 0.0, digits), interval, figure.best)


def _rows(each: FigureTable) -> list[dict[str, Any]]:
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
        for name, headings, figures in _in_full(each)
    ]


def _in_full(
    each: FigureTable,
) -> Iterator[tuple[str, Sequence[str], Sequence[Figure]]]:
    """Rows with their names and headings, written out where paper has numbers only."""
    for at, (name, figures) in enumerate(each.rows):
        if each.names:
            yield each.names[at], each.names, figures
        else:
            yield name, each.headings, figures


def _finite(data: Any) -> Any:
    """Put null where JSON has no number."""
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data


def _plain(figure: Figure) -> str:
    if figure.value is None:
        return ""
    return figure.value if isinstance(figure.value, str) else repr(figure.value)


def _clean(cell: str) -> str:
    return cell.replace("\t", " ").replace("\n", " ").replace("\r", " ")
