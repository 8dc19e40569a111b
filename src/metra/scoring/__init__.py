"""One scoring pipeline: every metric's statistics, counted once, added up exactly, scored.

A corpus in memory or in files, and tables on this machine, Dask or Spark, are counted by the
same functions of chunks and give the same digits.

totals: totals of chunks by group, system and metric, and their scores
statistics: one pass through a corpus that counts all metrics; chunk size, the most documents
evaluate: scores of systems, documents, segments and groups, with intervals, and the unit of
    resampling: documents from 20 on
memory: texts in memory, scored by one metric or by several; lines that guards may sample
guards: a visitor that samples lines and warns about texts that look like a mistake
guard_checks: the checks of samples, with all thresholds: equal, shifted, shuffled, copied,
    empty or tokenised texts, marks of tools, another language, a tokeniser that does not fit
contrast: checks for what lines of outputs have in common, and those of references lack
text_sample: samples of the texts of a corpus, and the scripts of their letters
accumulator: scores of texts that come in batches, merged across processes
compare: significance tests of systems against a baseline or each other; corrections, alpha
baseline: saved statistics, and later outputs checked against them; conditions of failure
pairwise: scores of all pairs of candidates and references
alignments: word alignments of segments, and details that metrics noted
scorers: metrics as scorers for meta-evaluation
files: corpora in files, and columns of scores in them
read: one file in memory: segments, or a test set with outputs
tables: tables in Parquet files, scored on any engine; the engines and their options
plan: columns of a table and the metrics that score them; metrics that a table cannot have
table_totals: totals and scores of batches of a table, as tables that add up
executors: the engines that score tables
results: the records of scores and comparisons
json: results and other records as JSON documents: the schema and the order of keys
table: the table record that analyses and questions return
"""
