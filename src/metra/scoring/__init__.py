"""One scoring pipeline: every metric's statistics, counted once, added up exactly, scored.

A corpus in memory or in files, and tables on this machine, Dask or Spark, are counted by the
same functions of chunks and give the same digits.

totals: totals of chunks by group, system and metric, and their scores
statistics: one pass through a corpus that counts all metrics
evaluate: scores of systems, documents, segments and groups, with intervals
memory: texts in memory, scored by one metric or by several
guards: warnings about texts that look like a mistake
accumulator: scores of texts that come in batches, merged across processes
compare: significance tests of systems against a baseline or each other
baseline: saved statistics, and later outputs checked against them
pairwise: scores of all pairs of candidates and references
alignments: word alignments of segments, and details that metrics noted
scorers: metrics as scorers for meta-evaluation
files: corpora in files
read: what one file holds, in memory: segments, a test set, or results
tables: tables in Parquet files, scored on any engine
plan: which columns of a table are scored by which metrics
table_totals: totals and scores of batches of a table, as tables that add up
executors: the engines that score tables
results: the records of scores and comparisons
json: results and other records as JSON documents
table: the table record that analyses and questions return
"""
