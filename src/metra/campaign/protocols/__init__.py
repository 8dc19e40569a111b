"""Protocols: how people are asked, one module for each kind of question.

answers: parts of answers, checked one by one, and undefined scores
chips: a correction word by word
edit: a whole text corrected, with time, keys and edits
gaps: words of a text that readers supply
kind: what every kind of question can do
marks: error spans and what they cost
missed: names that were not found in an output
near: a score beside the nearest judged outputs
orders: ranks of several outputs
questions: questions about a text
rating_protocols: protocols in which judges rate, mark or compare outputs
reading: reading time, silently or aloud
record: a protocol and its steps
registry: all protocols and kinds by their names
scales: a rating between two ends
tags: spans that are names or terms, tagged and reconciled
task_protocols: protocols in which judges do something with a text
template: slots filled from a text
verdict: whether an answer of somebody else will do
"""
