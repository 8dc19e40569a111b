"""chrF and chrF++: strings in, score out, one thread."""

from functools import partial
from typing import Any

import fastchrf
from agree import close, same_score, same_segments
from inputs import Corpus
from peers import FASTCHRF, SACREBLEU
from record import Race
from sacrebleu.metrics import CHRF

import metra


def ours(corpus: Corpus, spec: str = "chrf") -> float:
    return metra.score(corpus.hyps, corpus.refs, spec).score


def sacrebleus(corpus: Corpus, **options: Any) -> float:
    return CHRF(**options).corpus_score(corpus.hyps, corpus.refs).score


def fastchrfs(corpus: Corpus) -> list[float]:
    hyps = [[hyp] for hyp in corpus.hyps]
    return [
        score for ((score,),) in fastchrf.pairwise_chrf(hyps, corpus.refs_per_segment)
    ]


def our_segments(corpus: Corpus) -> list[float]:
    return metra.score(corpus.hyps, corpus.refs, "chrf").segments.tolist()


def agree_with_sacrebleu(corpus: Corpus, spec: str = "chrf", **options: Any) -> None:
    same_score(corpus, sacrebleus(corpus, **options), ours(corpus, spec))


def agree_with_fastchrf(corpus: Corpus) -> None:
    same_segments(corpus, fastchrfs(corpus), our_segments(corpus), close)


def _race(
    task: str, text: str, count: int, goal: float, spec: str = "chrf", **options: Any
) -> Race:
    return Race(
        task=task,
        text=(text, count),
        peer=SACREBLEU,
        theirs=partial(sacrebleus, **options),
        ours=partial(ours, spec=spec),
        agree=partial(agree_with_sacrebleu, spec=spec, **options),
        goal=goal,
        rounds=3,
    )


TASKS = [
    _race("corpus chrF", "english", 3_000, 60),
    _race("corpus chrF++", "english", 3_000, 60, "chrf:word_order=2", word_order=2),
    _race("corpus chrF, German", "german", 500, 40),
    _race("corpus chrF, Chinese", "chinese", 1_000, 40),
    _race("corpus chrF, Hebrew", "hebrew", 1_000, 40),
    Race(
        task="chrF of segments",
        text=("english", 3_000),
        peer=FASTCHRF,
        theirs=fastchrfs,
        ours=our_segments,
        agree=agree_with_fastchrf,
        goal=20,
    ),
]
