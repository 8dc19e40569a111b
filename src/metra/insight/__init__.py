"""What lies behind the scores: what changed, where, and what each system is like.

Everything here is computed from texts, segment scores and rows of statistics, and is given
as plain frozen records; nothing is laid out or printed. `findings.find` answers all
questions at once.
"""
