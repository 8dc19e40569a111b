"""From results to tables, pictures and pages. Nothing is computed here.

table: tables as Markdown, LaTeX, tab-separated values and JSON; numbers as text
terminal: tables, words and running text for a terminal
writers: one module per kind of result, in every format
chart: the chart kit: palette, ticks, scales, axes and marks
pictures: one function per picture
study: everything about some systems' outputs that the report shows
html: the report as one HTML page
"""

#: Formats of tables; `metra.report.writers.results.WRITERS` has the functions.
FORMATS = ("table", "json", "tsv", "markdown", "latex")
