"""From results to something to look at or to read by program. Nothing is computed here."""

#: Formats of tables; `metra.report.writers.results.WRITERS` has the functions.
FORMATS = ("table", "json", "tsv", "markdown", "latex")
