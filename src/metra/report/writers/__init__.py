"""Results as text for people and programs: one module per kind of result.

headings: names of metrics, systems, tests and corrections above and beside tables
results: scores in every format, the columns of TSV, and the table of formats
paper: tables for a paper as LaTeX, Markdown and Excel, a paragraph on methods; column widths
comparison: differences between systems as tables and in words
gate: checks against a baseline as text, Markdown, JSON and annotations
notebook: scores as a notebook and the Python prompt show them
details: notes and parts of metrics, and parts of quality models; digits of each part
alignments: aligned words of output and reference for the terminal; letters of edits
analysis: n-grams, buckets, changed segments, profiles; segmented outputs (10 unsure places on
  the screen); retrieval runs
meta: answers of meta-evaluation in every format
exercise: the tables of a collective exercise
testsets: test sets of this machine, and their contents
salience: salience lists and studies of two translations
"""
