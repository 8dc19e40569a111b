"""BLEU of one segment a call, as rerankers and reward models ask for it."""

from functools import partial

from agree import close, same_segments
from inputs import Corpus
from peers import SACREBLEU
from record import Race
from sacrebleu.metrics import BLEU

import metra


def ours(corpus: Corpus) -> list[float]:
    sentence = metra.metric("bleu").sentence
    pairs = zip(corpus.hyps, corpus.refs_per_segment, strict=True)
    return [sentence(hyp, refs) for hyp, refs in pairs]


def theirs(corpus: Corpus) -> list[float]:
    sentence_score = BLEU(effective_order=True).sentence_score
    pairs = zip(corpus.hyps, corpus.refs_per_segment, strict=True)
    return [sentence_score(hyp, refs).score for hyp, refs in pairs]


def agree(corpus: Corpus) -> None:
    same_segments(corpus, theirs(corpus), ours(corpus), close)


_sentence = partial(Race, peer=SACREBLEU, theirs=theirs, ours=ours, agree=agree)

TASKS = [
    _sentence(task="sentence BLEU, a call each", text=("english", 3_000), goal=50),
    _sentence(
        task="sentence BLEU, two references", text=("two references", 500), rounds=3
    ),
]
