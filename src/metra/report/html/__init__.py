"""The report as one HTML file: a function for each section and for each picture.

`static` has styles (report.css, chart.css), the script that starts the page
(report.js) and explanations (reading.toml); other scripts and styles are those of `metra/kit`.

page: the whole page: head, menu, sections, footer, and its scripts, styles and security policy
overview: the scores, who is best, and the differences from the baseline; signs of verdicts
explorer: the segments as JSON for the script
findings: marked errors, scores by bucket, n-grams that changed, profiles; the most categories
relations: distributions of segment scores, metrics against metrics and against people
trust: how far metrics and people can be trusted, where there are judgements; their charts
tables: tables, figures and cells that the sections share; long names, missing numbers
bundle: modules of scripts joined into one
markup: elements from plain functions, with everything escaped; characters left out
"""
