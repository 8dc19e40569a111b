"""The cost of a segment does not depend on how many there are; a second thread helps."""

import os
from functools import partial

from agree import same_segments
from inputs import Corpus, corpus
from peers import ONE_THREAD
from record import Limit, Race
from timing import by_turns

import metra


def cost_ratios(small: int, large: int) -> list[float]:
    """Time a segment of the large corpus takes for each that one of the small takes."""
    calls = [partial(_score, corpus("english", count)) for count in (small, large)]
    less, more = by_turns(calls, rounds=5, clock="cpu", enough=0.2)
    return [(b / large) / (a / small) for a, b in zip(less, more, strict=True)]


def _score(text: Corpus) -> metra.Result:
    result = metra.score(text.hyps, text.refs, "bleu")
    result.score  # noqa: B018, computed when first asked for
    return result


def with_threads(text: Corpus, threads: int) -> metra.Result:
    before = os.environ["METRA_THREADS"]
    os.environ["METRA_THREADS"] = str(threads)
    try:
        return _score(text)
    finally:
        os.environ["METRA_THREADS"] = before


def agree(text: Corpus) -> None:
    """Any number of threads gives the same bits."""
    alone = with_threads(text, 1).rows.tolist()
    for threads in (2, 5):
        same_segments(text, alone, with_threads(text, threads).rows.tolist())


def _flat(small: int, large: int, what: str) -> Limit:
    return Limit(
        task=f"cost of a segment, {what}",
        measure=partial(cost_ratios, small, large),
        unit="ratio",
        least=0.8,
        most=1.25,
        quick=False,
    )


TASKS = [
    Race(
        task="corpus BLEU, two threads",
        text=("english", 100_000),
        peer=ONE_THREAD,
        theirs=partial(with_threads, threads=1),
        ours=partial(with_threads, threads=2),
        agree=agree,
        goal=1.3,
        clock="wall",
        rounds=9,
        quick=False,
    ),
    _flat(3_000, 100_000, "100k to 3k"),
    _flat(100_000, 1_000_000, "1M to 100k"),
]
