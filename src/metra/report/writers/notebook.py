"""Results and alignments as a notebook and the Python prompt show them."""

from dataclasses import replace

from metra.report.html.markup import Html, escape_text, mark_safe, tag
from metra.report.table import Style, format_rows
from metra.report.terminal import escape_controls, render_table
from metra.report.writers.alignments import render_alignment, render_alignment_html
from metra.report.writers.headings import list_signatures
from metra.report.writers.results import build_notes, build_remarks, build_tables
from metra.scoring.results import Results
from metra.scoring.table import Table

# Keeps the numbers of a column below each other where the others have a mark.
_NO_MARK = tag("span", " ▲", style="visibility:hidden")


def render_text(results: Results) -> str:
    """Lay out the scores of systems, without documents and segments."""
    style = Style()
    tables = [
        render_table(table, style) for table in _build_short_tables(results, style)
    ]
    lines = [*build_remarks(results), *build_notes(results), *_list_levels(results)]
    return "\n\n".join([*tables, "\n".join(map(escape_controls, lines))])


def render_html(results: Results) -> Html:
    """Write the scores of systems as HTML in the colours of the notebook."""
    style = Style()
    tables = [
        render_html_table(each, style) for each in _build_short_tables(results, style)
    ]
    remarks = [tag("div", remark) for remark in build_remarks(results)]
    notes = [*build_notes(results), *_list_levels(results)]
    signatures = [
        tag("li", tag("code", each, style="overflow-wrap:anywhere"))
        for each in list_signatures(results)
    ]
    return tag(
        "div",
        tables,
        remarks,
        [tag("div", tag("small", note)) for note in notes],
        tag(
            "details", tag("summary", tag("small", "Signatures")), tag("ul", signatures)
        ),
        style="overflow-x:auto",
    )


def render_html_table(table: Table, style: Style) -> Html:
    """Write a table as HTML that takes its colours from the page around it."""
    sides = [f"text-align:{column.align}" for column in table.columns]
    heads = [
        tag("th", column.title, scope="col", style=side)
        for column, side in zip(table.columns, sides, strict=True)
    ]
    rows = []
    texts = format_rows(table, style, escape_text, "<b>{}</b>", _shrink_text)
    for row in zip(table.rows, texts, strict=True):
        cells = [
            tag(
                "td",
                mark_safe(text),
                _NO_MARK if cell.suffix == "  " else None,
                style=side,
            )
            for cell, text, side in zip(*row, sides, strict=True)
        ]
        rows.append(tag("tr", cells))
    return tag(
        "table",
        tag("caption", table.caption) if table.caption else None,
        tag("thead", tag("tr", heads)),
        tag("tbody", rows),
        style="font-variant-numeric:tabular-nums;white-space:nowrap",
    )


def _shrink_text(text: str) -> str:
    return tag("small", text)


def _build_short_tables(results: Results, style: Style) -> list[Table]:
    """Lay out the systems, however many documents, segments and groups there are."""
    systems = [
        replace(
            entry,
            scores={
                spec: replace(score, documents=None, segments=None)
                for spec, score in entry.scores.items()
            },
        )
        for entry in results.systems
    ]
    return build_tables(replace(results, systems=systems, groups=None), style)


def _list_levels(results: Results) -> list[str]:
    """Say which further scores there are, and how to get them."""
    calls = [f"to_pandas({level!r})" for level in results.levels[1:]]
    return [f"more: {', '.join(calls)}"] if calls else []


#: The function that writes each record, by its class and what shows it.
WRITERS = {
    ("Results", "text"): render_text,
    ("Results", "html"): render_html,
    ("Alignment", "text"): render_alignment,
    ("Alignment", "html"): render_alignment_html,
}
