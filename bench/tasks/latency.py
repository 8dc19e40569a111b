"""One sentence a call, again and again: what a reward costs in a training loop."""

from functools import partial

from inputs import corpus
from record import Limit
from timing import by_turns

import metra

ROUNDS = 5
CALLS = 200


def microseconds(spec: str) -> list[float]:
    """Give the time of one call on the pair in the middle of a hundred by length."""
    text = corpus("english", 100)
    pairs = zip(text.hyps, text.refs_per_segment, strict=True)
    hyp, refs = sorted(pairs, key=lambda pair: len(pair[0]))[len(text) // 2]
    sentence = metra.metric(spec).sentence

    def calls() -> None:
        for _ in range(CALLS):
            sentence(hyp, refs)

    calls()
    (taken,) = by_turns([calls], rounds=ROUNDS, clock="cpu")
    return [seconds * 1e6 / CALLS for seconds in taken]


def _limit(name: str, spec: str, most: float) -> Limit:
    return Limit(
        task=f"a warm sentence, {name}",
        measure=partial(microseconds, spec),
        unit="µs",
        most=most,
    )


TASKS = [
    _limit("BLEU", "bleu", 5),
    _limit("chrF", "chrf", 8),
    _limit("TER", "ter", 60),
]
