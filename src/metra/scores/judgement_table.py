"""Judgements of one question, as reports take them: one scorer, higher values the better.

Of several questions the last one is read, because the first ones lead to it; between 0 and
100 where the file says so.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metra.errors import FormatError, UnknownNameError, no_such
from metra.formats.stream import format_path
from metra.scores.columns import ALIASES
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT
from metra.scores.table import Scorer, Scores
from metra.stats.direction import HIGHER


def read_question(path: str, question: str | None = None) -> Scores:
    """Read the judgements of segments that count, of a file in any format.

    Where less is better, as with the costs of MQM, scores are turned round by their sign.
    """
    return select_question(DEFAULT.select(read_scores(path)), path, question)


def select_question(scores: Scores, path: str, question: str | None = None) -> Scores:
    """Keep people's judgements of segments by one question, higher values the better.

    `path` is for messages.
    """
    place = format_path(path)
    # Values such as standard scores are of a kind but not called after it.
    human = [scorer for scorer in scores.scorers if scorer.human]
    people = [each.name for each in human if each.name == each.kind]
    people = people or [each.name for each in human]
    # A table whose only scores have no name has judgements.
    people = people or [name for name in scores.names if name in ALIASES["value"]]
    if not people:
        names = ", ".join(scores.names)
        problem = f"{place} has scores of {names}, but no human judgements"
        msg = f"{problem}; expected human scores, such as da or mqm."
        raise FormatError(msg)
    name = choose_question(people, question)
    selected = scores.keep_lines(np.isin(scores.item, scores.segments))
    selected = selected.only(scorers=[name])
    if not len(selected):
        problem = f"{place} has only system or document judgements"
        msg = f"{problem}; expected segment judgements."
        raise FormatError(msg)
    for segment, *_ in selected.items:
        is_number = segment.isascii() and segment.isdecimal()
        if not is_number or not 0 < int(segment) < 10**15:
            expected = "expected its number, counted from 1 through the whole test set"
            msg = f"{place} calls a segment {segment!r}; {expected}."
            raise FormatError(msg)
    [scorer] = selected.scorers
    in_hundred = len(selected.hundred) and np.isfinite(selected.hundred).all()
    oriented = scorer.direction.orient(selected.value)
    title = "" if name in ALIASES["value"] else name
    return replace(
        selected,
        scorers=(Scorer(title, scorer.kind or "human", HIGHER),),
        value=selected.hundred if in_hundred else oriented,
    )


def choose_question(questions: Sequence[str], wanted: str | None) -> str:
    """Return the wanted question, or the last."""
    if wanted is not None and wanted not in questions:
        raise UnknownNameError(no_such("question", wanted, questions))
    return questions[-1] if wanted is None else wanted
