"""Protocols: how people are asked, and every kind of question.

answers: parts of answers, checked one by one, and undefined scores
chips: a correction word by word
gaps: words of a text that readers supply
kind: what every kind of question can do
questions: answers in words: questions, templates, and verdicts on answers
rating_protocols: protocols in which judges rate, mark or compare outputs
ratings: points of a scale, scores beside judged outputs, ranks and choices
record: a protocol and its steps
registry: all protocols and kinds by their names
spans: errors, names and terms marked in a text, and names that were missed
task_protocols: protocols in which judges do something with a text
timed: reading and correcting a whole text, with the time that it takes
"""
