"""One pass over a corpus: statistics, totals, scores, intervals and comparisons."""
