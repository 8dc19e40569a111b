"""All pairs of 100 candidates and 100 references, as minimum Bayes risk decoding needs them.

Each segment of the corpus becomes a sentence with 100 candidates and 100 references, made
by changing its output. The peers do a sample of it, a share that is named below, and
their time is scaled up.
"""

from functools import lru_cache, partial
from itertools import product
from random import Random
from typing import Any

import fastchrf
from agree import close, same_segments
from expand import perturbed
from inputs import SEED, Corpus
from peers import FASTCHRF, SACREBLEU
from record import DisagreementError, Race
from sacrebleu.metrics import BLEU, CHRF

import metra

TEXTS = 100
#: Every how many-th candidate of a sentence sacreBLEU scores, against all references.
CANDIDATES_APART = 50
#: Every how many-th sentence fastchrf scores, all pairs of it.
SENTENCES_APART = 10


@lru_cache(maxsize=1)
def _variants(hyps: tuple[str, ...]) -> tuple[list[list[str]], list[list[str]]]:
    rng = Random(SEED)

    def variants(hyp: str) -> list[str]:
        return [
            perturbed(hyp, hyps[int(rng.random() * len(hyps))], rng, share=0.5)
            for _ in range(TEXTS)
        ]

    return [variants(hyp) for hyp in hyps], [variants(hyp) for hyp in hyps]


def texts(corpus: Corpus) -> tuple[list[list[str]], list[list[str]]]:
    return _variants(tuple(corpus.hyps))


def ours(corpus: Corpus, spec: str) -> list[Any]:
    return metra.pairwise(*texts(corpus), spec)


def sacrebleus(corpus: Corpus, metric: Any) -> list[list[float]]:
    """Score a sample of the pairs, sentence by sentence, each pair on its own."""
    return [
        [
            metric.sentence_score(hyp, [ref]).score
            for hyp, ref in product(hyps[::CANDIDATES_APART], refs)
        ]
        for hyps, refs in zip(*texts(corpus), strict=True)
    ]


def fastchrfs(corpus: Corpus) -> list[list[list[float]]]:
    hyps, refs = texts(corpus)
    return fastchrf.pairwise_chrf(hyps[::SENTENCES_APART], refs[::SENTENCES_APART])


def agree_with_sacrebleu(corpus: Corpus, spec: str, metric: Any) -> None:
    found = [
        matrix[::CANDIDATES_APART].ravel().tolist() for matrix in ours(corpus, spec)
    ]
    same_segments(corpus, sacrebleus(corpus, metric), found, _all_close)


def agree_with_fastchrf(corpus: Corpus) -> None:
    for at, (left, right) in enumerate(
        zip(fastchrfs(corpus), ours(corpus, "chrf")[::SENTENCES_APART], strict=True)
    ):
        for theirs, mine in zip(left, right.tolist(), strict=True):
            if not _all_close(theirs, mine):
                raise DisagreementError(corpus, at * SENTENCES_APART, theirs, mine)


def _all_close(left: list[float], right: list[float]) -> bool:
    return all(map(close, left, right))


def _against_sacrebleu(task: str, spec: str, metric: Any, goal: float) -> Race:
    return Race(
        task=task,
        text=("english", 100),
        peer=SACREBLEU,
        theirs=partial(sacrebleus, metric=metric),
        ours=partial(ours, spec=spec),
        agree=partial(agree_with_sacrebleu, spec=spec, metric=metric),
        goal=goal,
        rounds=3,
        peers_share=1 / CANDIDATES_APART,
    )


TASKS = [
    _against_sacrebleu(
        "BLEU of 100 × 100 pairs a sentence", "bleu", BLEU(effective_order=True), 200
    ),
    _against_sacrebleu("chrF of 100 × 100 pairs a sentence", "chrf", CHRF(), 300),
    _against_sacrebleu(
        "chrF++ of 100 × 100 pairs a sentence",
        "chrf:word_order=2",
        CHRF(word_order=2),
        300,
    ),
    Race(
        task="chrF of 100 × 100 pairs a sentence",
        text=("english", 100),
        peer=FASTCHRF,
        theirs=fastchrfs,
        ours=partial(ours, spec="chrf"),
        agree=agree_with_fastchrf,
        goal=20,
        rounds=3,
        peers_share=1 / SENTENCES_APART,
    ),
]
