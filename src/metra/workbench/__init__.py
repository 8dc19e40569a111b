"""The workbench: test sets and runs scored in the background, and their leaderboards.

imports: texts of files as a test set with runs; metrics that may be computed
latest: values that took long to compute, kept in memory
leaderboard: the runs of a test set compared by their stored statistics; titles of runs
people: judgements of campaigns about a test set, beside the metrics
run_scores: runs scored, as a job
worker: jobs done one after the other, by any number of threads and processes
"""
