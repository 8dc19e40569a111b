"""Results as text for people and programs: one module per kind of result.

headings: names of metrics and systems above and beside tables
results: scores in every format, and the table of formats
paper: tables for a paper as LaTeX, Markdown and Excel, and a paragraph on methods
comparison: differences between systems as tables and in words
gate: checks against a baseline as text, Markdown, JSON, JUnit and annotations
notebook: scores as a notebook and the Python prompt show them
details: what metrics noted, and what quality models consist of
alignments: aligned words of output and reference for the terminal
analysis: n-grams, buckets, changed segments and profiles of systems
meta: answers of meta-evaluation in every format
exercise: the tables of a collective exercise
ranking: rankings by average ranks, and retrieval runs
segmentation: outputs segmented like their references, with unsure places
testsets: test sets of this machine, and what they hold
salience: salience lists and studies of two translations
"""
