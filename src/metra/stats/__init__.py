"""Statistics over arrays: totals, resampling, tests, correlation, agreement, ranking."""
