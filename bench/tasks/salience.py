"""LTV beside BLEU: the weights are counted and looked up in the same time, nearly."""

from functools import partial

from inputs import Corpus
from peers import OWN_BLEU
from record import Race

import metra

#: Segments of a document: a text of 500 words.
LENGTH = 20


def bleu(corpus: Corpus) -> float:
    return metra.score(corpus.hyps, corpus.refs, "bleu").score


def ltv(corpus: Corpus, spec: str) -> float:
    documents = [f"text {at // LENGTH}" for at in range(len(corpus))]
    return metra.score(corpus.hyps, corpus.refs, spec, documents=documents).score


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
