"""LTV beside BLEU: three times the time must do for counting and looking words up."""

from functools import lru_cache, partial

from inputs import Corpus
from peers import OWN_BLEU
from record import Race

import metra

#: Segments of a document: a text of 500 words.
LENGTH = 20


def bleu(corpus: Corpus) -> float:
    return metra.score(corpus.hyps, corpus.refs, "bleu").score


def ltv(corpus: Corpus, spec: str) -> float:
    documents = texts(len(corpus))
    return metra.score(corpus.hyps, corpus.refs, spec, documents=documents).score


@lru_cache(maxsize=1)
def texts(segments: int) -> list[str]:
    """Name the document of each segment."""
    return [f"text {at // LENGTH}" for at in range(segments)]


def own_definition(_: Corpus) -> None:
    """Two measures: nothing to compare but the time. Tests compare ltv with its twin."""


TASKS = [
    Race(
        task=f"LTV, {spec}",
        text=("english", 100_000),
        peer=OWN_BLEU,
        theirs=bleu,
        ours=partial(ltv, spec=spec),
        agree=own_definition,
        goal=1 / 3,
        quick=False,
    )
    for spec in ("ltv", "ltv:weight=s,side=recall")
]
