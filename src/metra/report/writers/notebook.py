"""Results and alignments as a notebook and the Python prompt show them."""

from dataclasses import replace

from metra.report.html.markup import Html, mark_safe, tag
from metra.report.html.tables import convert_table
from metra.report.table import Style
from metra.report.terminal import escape_controls, explain_best_marks, render_table
from metra.report.writers.alignments import render_alignment
from metra.report.writers.headings import list_signatures
from metra.report.writers.results import (
    build_headlines,
    build_notes,
    build_remarks,
    build_tables,
)
from metra.scoring.results import Results
from metra.scoring.table import Table

#: Keeps names left, numbers below each other and words for screen readers out of sight.
_STYLE = """\
.metra th[scope=row] { text-align: left; font-weight: normal }
.metra .num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.metra .unseen { position: absolute; width: 1px; height: 1px; clip-path: inset(50%) }
"""


def render_text(results: Results) -> str:
    """Lay out the scores of systems, without documents and segments."""
    style = Style()
    short_tables = _build_short_tables(results, style)
    tables = [render_table(table, style) for table in short_tables]
    lines = [*build_remarks(results), *explain_best_marks(short_tables)]
    lines += [*build_notes(results), *_list_levels(results)]
    blocks = (map(escape_controls, each) for each in (build_headlines(results), lines))
    above, below = map("\n".join, blocks)
    return "\n\n".join([*filter(None, [above]), *tables, below])


def render_html(results: Results) -> Html:
    """Write the scores of systems as HTML in the colours of the notebook."""
    tables = [convert_table(each) for each in _build_short_tables(results, Style())]
    headlines = [tag("div", each) for each in build_headlines(results)]
    remarks = [tag("div", remark) for remark in build_remarks(results)]
    notes = [*build_notes(results), *_list_levels(results)]
    signatures = [
        tag("li", tag("code", each, style="overflow-wrap:anywhere"))
        for each in list_signatures(results)
    ]
    return tag(
        "div",
        tag("style", mark_safe(_STYLE)),
        headlines,
        tables,
        remarks,
        [tag("div", tag("small", note)) for note in notes],
        tag(
            "details", tag("summary", tag("small", "Signatures")), tag("ul", signatures)
        ),
        class_="metra",
        style="overflow-x:auto",
    )


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
}
