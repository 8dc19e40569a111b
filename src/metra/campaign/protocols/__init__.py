"""Protocols: how people are asked, and every kind of question.

chips: a correction word by word
kind: what every kind of question can do, and parts of answers, checked one by one
questions: answers in words: questions, gaps, templates, and verdicts on answers
ratings: points of a scale, scores beside judged outputs, ranks and choices
record: a protocol and its steps
registry: all protocols and kinds by their names, and options of protocols
spans: errors, names and terms marked in a text, and names that were missed
timed: reading and correcting a whole text, with the time that it takes
"""
