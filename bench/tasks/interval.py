"""A bootstrap interval of corpus BLEU, 1,000 resamples, statistics included."""

from agree import same_score
from inputs import Corpus
from peers import SACREBLEU
from record import DisagreementError, Race
from sacrebleu.metrics import BLEU

import metra

TRIALS = 1_000


def ours(corpus: Corpus) -> tuple[float, float]:
    return _interval(metra.score(corpus.hyps, corpus.refs, "bleu"))


def theirs(corpus: Corpus) -> BLEU:
    return BLEU().corpus_score(corpus.hyps, corpus.refs, n_bootstrap=TRIALS)


def agree(corpus: Corpus) -> None:
    """Compare the scores to the last digit; the draws differ, so intervals only roughly."""
    found = theirs(corpus)
    result = metra.score(corpus.hyps, corpus.refs, "bleu")
    same_score(corpus, found.score, result.score)
    low, high = _interval(result)
    if abs((high - low) / (2 * found._ci) - 1) > 0.2:
        raise DisagreementError(corpus, None, f"± {found._ci}", f"± {(high - low) / 2}")


def _interval(result: metra.Result) -> tuple[float, float]:
    found = result.interval(trials=TRIALS)
    return found or (result.score, result.score)


TASKS = [
    Race(
        task="BLEU with interval",
        text=("english", 3_000),
        peer=SACREBLEU,
        theirs=theirs,
        ours=ours,
        agree=agree,
        goal=20,
        rounds=3,
    ),
    # sacreBLEU gathers all resamples at once: some 6 GB and half a minute, so once only.
    Race(
        task="BLEU with interval",
        text=("english", 100_000),
        peer=SACREBLEU,
        theirs=theirs,
        ours=ours,
        agree=agree,
        goal=20,
        rounds=1,
        quick=False,
    ),
]
