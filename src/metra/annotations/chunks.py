"""Noun phrases and verb phrases of a parsed sentence, told from its parts of speech."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from metra.annotations.conllu import Word

# One letter a part of speech of Universal Dependencies, so that phrases are patterns.
LETTERS = {
    "NOUN": "n",
    "PROPN": "n",
    "PRON": "p",
    "DET": "d",
    "NUM": "m",
    "ADJ": "a",
    "ADV": "r",
    "VERB": "v",
    "AUX": "x",
    "PART": "t",
}

# Noun phrase: nouns with what stands before them and adjectives after them, or a pronoun.
# Verb phrase: a verb with its auxiliaries, particles and the adverbs before it; a copula.
CHUNKS = {
    "NP": re.compile(r"d*(?:r*a|m)*n+(?:r*a)*|p"),
    "VP": re.compile(r"[xtr]*v|x+"),
}


class Span(NamedTuple):
    """The words from `start` to `stop`, counted from 0."""

    start: int
    stop: int


def chunks(words: Sequence[Word], kind: str) -> Iterator[Span]:
    """Find the phrases of a kind, NP or VP, from left to right."""
    letters = "".join(LETTERS.get(word.upos, "-") for word in words)
    return (Span(*found.span()) for found in CHUNKS[kind].finditer(letters))
