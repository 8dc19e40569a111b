"""Judgements as a report takes them: the rows of one question that count."""

from metra.meta.people import choose_question, collect_people
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT


def read_question(path, question=None, segments=10_000):
    """Read the rows of a question; of several, the last."""
    scores = read_scores(path)
    name = choose_question(scores, question, path)
    systems = scores.systems
    people = collect_people(scores, DEFAULT, name, systems, segments=segments, seed=1)
    return people.scores
