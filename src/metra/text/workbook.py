"""Words as the ISLE workbook counts them for minimal correction."""

from itertools import pairwise
from unicodedata import category

BETWEEN_LETTERS = "'’‐-"
BETWEEN_DIGITS = ".,:"


def cut(segment: str) -> list[str]:
    """Cut at white space, with every punctuation mark a token of its own.

    Apostrophes and hyphens between letters or digits, and points, commas and colons
    between digits, are spelling and stay in their word.

    >>> cut("He said (twice): don't pay 1.50!")
    ['He', 'said', '(', 'twice', ')', ':', "don't", 'pay', '1.50', '!']
    """
    tokens: list[str] = []
    for word in segment.split():
        if word.isalnum():
            tokens.append(word)
        else:
            tokens += _pieces(word)
    return tokens


def _pieces(word: str) -> list[str]:
    edges = [0]
    for at, sign in enumerate(word):
        if category(sign).startswith("P") and not _spelling(word, at):
            edges += [at, at + 1]
    return [
        word[start:stop]
        for start, stop in pairwise([*edges, len(word)])
        if start < stop
    ]


def _spelling(word: str, at: int) -> bool:
    """Whether the mark stands inside a word or a number."""
    sides = word[max(at - 1, 0) : at] + word[at + 1 : at + 2]
    if len(sides) < 2:
        return False
    return (word[at] in BETWEEN_LETTERS and sides.isalnum()) or (
        word[at] in BETWEEN_DIGITS and sides.isdigit()
    )
