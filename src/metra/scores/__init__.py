"""Formats of scores and judgements: two records for all of them, one module a format.

`registry.read_scores` reads a file of scores in any format. The score of a judgement depends
on its protocol: readers of judgements take a function that checks answers, and writers
take judgements with their scores, both from `metra.campaign`.

appraise: Appraise's export of direct assessments and error spans, and its batches
columns: names and numbers of the columns of score tables
judgement: the record of a judgement with its scores, and texts of other campaigns
judgement_jsonl: judgements as JSON lines, every field of every revision
long_table: tables with a line for each value, matrices, JSON lines, a spreadsheet
model_scores: output of metrics: `metra score`, COMET, MetricX, WMT 2025, a column
mqm: tables of MQM errors, Marot's among them, and the weights of errors
mt_metrics_eval: score and rating files of mt-metrics-eval with their texts
pearmut: Pearmut's campaigns and results
registry: the formats and their recognition, `read_scores` and `read_spans`
scale: values that map to 0 and to 100
selection: which rows of a table count, and the words that say so
spans: the record of marked errors and tags, and its arrays for statistics
table: the table of scores
views: scores as arrays for statistics: panels, ratings, comparisons, documents
"""
