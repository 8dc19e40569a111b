"""The report as one HTML file: a function for each section and for each picture.

page: the whole page: head, menu, sections, footer, and what may be executed on it
overview: the scores, who is best, and the differences from the baseline
explorer: the segments: the most changed as a table, all as JSON for the script
findings: marked errors, scores by bucket, n-grams that changed, profiles
relations: distributions of segment scores, metrics against metrics and against people
card: the page of one metric
exercise: the page of a collective exercise: evaluators, people and metrics
trust: how far metrics and people can be trusted, where there are judgements
tables: tables, figures and cells that the sections share
figures: charts that several pages share, with their data
markup: elements from plain functions, with everything escaped
"""
