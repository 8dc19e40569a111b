"""More text from little: seeded changes of words, the same on every machine."""

from collections.abc import Sequence
from random import Random


def perturbed(text: str, other: str, rng: Random, *, share: float = 0.15) -> str:
    """Drop, swap, double or replace some words, with words of `other` as replacements.

    Text without blanks is changed letter by letter. Only `rng.random` is used, whose
    numbers are the same in every version of Python.
    """
    if not text:
        return text
    apart = " " if " " in text else ""
    words = text.split(" ") if apart else list(text)
    spare: Sequence[str] = other.split(" ") if apart else other
    for _ in range(1 + int(share * len(words) * rng.random())):
        at = int(rng.random() * len(words))
        kind = int(rng.random() * 4)
        if kind == 0 and len(words) > 1:
            del words[at]
        elif kind == 1 and at + 1 < len(words):
            words[at], words[at + 1] = words[at + 1], words[at]
        elif kind == 2:
            words.insert(at, words[at])
        elif spare:
            words[at] = spare[int(rng.random() * len(spare))]
    return apart.join(words)


def shuffled(count: int, rng: Random) -> list[int]:
    """Give the numbers below `count` in a random order."""
    return sorted(range(count), key=[rng.random() for _ in range(count)].__getitem__)
