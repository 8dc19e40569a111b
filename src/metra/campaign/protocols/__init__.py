"""Protocols: how people are asked, and every kind of question.

effort: reading and correcting: its time and changed words; fastest reading, keys, pauses
kind: the interface of all kinds; parts of answers, checked; scores from error rates, undefined
questions: answers in words: questions, gaps (every 8th word), templates, verdicts on answers
ratings: points of a scale, scores beside judged outputs (0 to 10), ranks and choices
record: a protocol and its steps; usual seconds
registry: protocols (texts/protocols.toml), kinds of questions, options and their ranges
spans: errors marked in a text and their costs (worst at 25), names, terms, missed names
"""
