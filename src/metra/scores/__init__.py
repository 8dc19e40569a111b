"""Formats of scores and judgements: two records for all of them, one module a format.

`registry.read_scores` reads a file of scores in any format. The score of a judgement depends
on its protocol: readers of judgements take a function that checks answers, and writers
take judgements with their scores, both from `metra.campaign`.

alignment: tables that number the same segments differently, joined by texts or numbers
appraise: Appraise's export of direct assessments and error spans, and its batches; line types
columns: headings that score tables use, words for kinds of items, the largest number
faults: rows of totals, impossible values, mixed scales, repeated numbers of segments
judgement: the record of a judgement with its scores; reasons for no score; skipped outputs
judgement_jsonl: judgements as JSON lines, every field of every revision, and their checks
long_table: tables with a line for each value, matrices, JSON lines, a spreadsheet; columns
model_scores: output of metrics: `metra score`, COMET, MetricX, WMT 2025, a column; directions
    of known metrics (lower is better for TER)
mqm: tables of MQM errors, Marot's among them, and the weights of errors
mt_metrics_eval: score and rating files of mt-metrics-eval with their texts
pearmut: Pearmut's campaigns and results; its longest pause
registry: the formats with their headings and recognition, `read_scores` and `read_spans`
scale: values that map to 0 and to 100
selection: the rows of a table that count, and the words for them; flagged judges
spans: the record of marked errors and tags, neutral severities, and arrays for statistics
table: the table of scores; kinds of items and those that count; names of language pairs
views: scores as arrays for statistics: panels, ratings, comparisons, documents
"""
