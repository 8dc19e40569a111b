"""From results to tables, pictures and pages. Nothing is computed here.

`metra.report(evalset, outputs, "report.html")` writes the page about some outputs.
This file has the names of formats and the metrics of a report.

table: tables as Markdown, LaTeX, tab-separated values and JSON; numbers as text, escapes
terminal: tables, words and running text for a terminal: widths, colours, the longest line
writers: one module per kind of result, in every format
chart: the chart kit: palette, ticks, scales, axes, marks, fonts and sizes of letters
pictures: one function per picture
picture_file: pictures as SVG, PDF and PNG (300 dpi), in the size of a column or page
campaign_files: a campaign as files: the formats of exports, figures, and all with a codebook
study: everything about some systems' outputs that the report shows; the most documents, n-grams
html: the report as one HTML page
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

#: Formats of tables; `metra.report.writers.results.WRITERS` has the functions.
FORMATS = ("table", "json", "tsv", "markdown", "latex")
#: Formats of tables that are ready for a paper, of `metra score` and `metra compare`.
PAPER_FORMATS = ("markdown", "latex", "xlsx")
RESULT_FORMATS = (*FORMATS, "xlsx")


class _CallableReport(ModuleType):
    """The package itself, which can be called: `metra.report(…)`."""

    def __call__(self, *arguments: Any, **options: Any) -> "Path":
        from metra.report.html.page import write_report

        return write_report(*arguments, **options)


sys.modules[__name__].__class__ = _CallableReport
