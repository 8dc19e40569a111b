"""Results and alignments as a notebook and the Python prompt show them."""

from dataclasses import replace

from metra.report.html.markup import Html, mark_safe, tag
from metra.report.html.tables import convert_table
from metra.report.table import Style
from metra.report.terminal import escape_controls, explain_best_marks, render_table
from metra.report.writers.alignments import render_alignment
from metra.report.writers.headings import list_signatures
from metra.report.writers.results import build_tables, describe_results
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
    tables, words = _build_short_tables(results), describe_results(results)
    lines = [*words.remarks, *explain_best_marks(tables), *words.notes]
    lines += _list_levels(results)
    blocks = (map(escape_controls, each) for each in (words.headlines, lines))
    above, below = map("\n".join, blocks)
    laid_out = [render_table(table, Style()) for table in tables]
    return "\n\n".join([*filter(None, [above]), *laid_out, below])


def render_html(results: Results) -> Html:
    """Write the scores of systems as HTML in the colours of the notebook."""
    words = describe_results(results)
    notes = [*words.notes, *_list_levels(results)]
    signatures = [
        tag("li", tag("code", each, style="overflow-wrap:anywhere"))
        for each in list_signatures(results)
    ]
    folded = tag("summary", tag("small", "Signatures")), tag("ul", signatures)
    return tag(
        "div",
        tag("style", mark_safe(_STYLE)),
        [tag("div", each) for each in words.headlines],
        [convert_table(each) for each in _build_short_tables(results)],
        [tag("div", remark) for remark in words.remarks],
        [tag("div", tag("small", note)) for note in notes],
        tag("details", *folded),
        class_="metra",
        style="overflow-x:auto",
    )


def _build_short_tables(results: Results) -> list[Table]:
    """Lay out the systems, however many documents, segments and groups there are."""
    systems = []
    for entry in results.systems:
        scores = {
            spec: score._replace(documents=None, segments=None)
            for spec, score in entry.scores.items()
        }
        systems.append(entry._replace(scores=scores))
    return build_tables(replace(results, systems=systems, groups=None), Style())


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
