"""Meta-evaluation: how far a metric, or a judge, can be trusted.

One module a question; `arrays` asks them of plain arrays, systems × segments, with NaN for
what is missing.
"""
