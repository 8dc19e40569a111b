"""Corpus BLEU: strings in, score out, one thread."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import bleuscore
from agree import same_score, same_segments
from inputs import Corpus
from peers import BLEUSCORE, SACREBLEU
from record import Race
from sacrebleu.metrics import BLEU

import metra


def ours(corpus: Corpus, spec: str = "bleu") -> float:
    return metra.score(corpus.hyps, corpus.refs, spec).score


def sacrebleus(corpus: Corpus, **options: Any) -> float:
    return BLEU(**options).corpus_score(corpus.hyps, corpus.refs).score


def bleuscores(corpus: Corpus) -> float:
    found = bleuscore.compute(corpus.refs_per_segment, corpus.hyps)
    return 100 * found["bleu"]


def agree_with_sacrebleu(
    corpus: Corpus, spec: str = "bleu", whole: bool = True, **options: Any
) -> None:
    """Compare the statistics of every segment and, where time allows, the score."""
    same_segments(corpus, _their_rows(corpus, **options), _our_rows(corpus, spec))
    if whole:
        same_score(corpus, sacrebleus(corpus, **options), ours(corpus, spec))


def agree_with_bleuscore(corpus: Corpus) -> None:
    """Compare the scores: bleuscore gives no statistics, and does not smooth."""
    same_score(corpus, bleuscores(corpus), ours(corpus, "bleu:smooth=none"))


def _their_rows(corpus: Corpus, **options: Any) -> Iterator[list[float]]:
    """Read sacreBLEU's statistics, in slices because it keeps all n-grams of a call."""
    metric = BLEU(**options)
    for at in range(0, len(corpus), 1000):
        hyps = corpus.hyps[at : at + 1000]
        refs = [ref[at : at + 1000] for ref in corpus.refs]
        for hyp_len, ref_len, *counts in metric._extract_corpus_statistics(hyps, refs):
            yield [*counts, hyp_len, ref_len]


def _our_rows(corpus: Corpus, spec: str) -> Iterator[list[float]]:
    rows = metra.score(corpus.hyps, corpus.refs, spec).rows
    return (row.tolist() for row in rows)


def _variant(
    task: str, text: str, count: int, spec: str = "bleu", **options: Any
) -> Race:
    """Race without a goal: other texts and tokenisers than the usual."""
    ours_: Callable[[Corpus], float] = partial(ours, spec=spec)
    return Race(
        task=task,
        text=(text, count),
        peer=SACREBLEU,
        theirs=partial(sacrebleus, **options),
        ours=ours_,
        agree=partial(agree_with_sacrebleu, spec=spec, **options),
        rounds=3,
    )


def _against_bleuscore(count: int, *, quick: bool) -> Race:
    return Race(
        task="corpus BLEU",
        text=("english", count),
        peer=BLEUSCORE,
        theirs=bleuscores,
        ours=partial(ours, spec="bleu:smooth=none"),
        agree=agree_with_bleuscore,
        goal=12,
        quick=quick,
    )


TASKS = [
    Race(
        task="corpus BLEU",
        text=("english", 3_000),
        peer=SACREBLEU,
        theirs=sacrebleus,
        ours=ours,
        agree=agree_with_sacrebleu,
        goal=80,
    ),
    Race(
        task="corpus BLEU",
        text=("english", 100_000),
        peer=SACREBLEU,
        theirs=sacrebleus,
        ours=ours,
        agree=partial(agree_with_sacrebleu, whole=False),
        goal=80,
        quick=False,
    ),
    _against_bleuscore(3_000, quick=True),
    _against_bleuscore(100_000, quick=False),
    _variant("corpus BLEU, two references", "two references", 1_000),
    _variant("corpus BLEU, German", "german", 1_000),
    _variant("corpus BLEU, Hebrew", "hebrew", 1_000),
    _variant("corpus BLEU, paragraphs", "paragraphs", 300),
    _variant("corpus BLEU, identical", "identical", 1_000),
    _variant("corpus BLEU, empty lines", "empty lines", 1_000),
    _variant(
        "corpus BLEU, lower case", "english", 1_000, "bleu:case=lower", lowercase=True
    ),
    _variant(
        "corpus BLEU, tok intl", "english", 1_000, "bleu:tok=intl", tokenize="intl"
    ),
    _variant("corpus BLEU, tok zh", "chinese", 1_000, "bleu:tok=zh", tokenize="zh"),
    _variant(
        "corpus BLEU, tok char", "chinese", 1_000, "bleu:tok=char", tokenize="char"
    ),
    _variant(
        "corpus BLEU, tok none", "english", 1_000, "bleu:tok=none", tokenize="none"
    ),
]
