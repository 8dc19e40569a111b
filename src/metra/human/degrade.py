"""Spoilt copies: outputs with a stretch of words from elsewhere, to see who reads.

As for direct assessment, Graham et al. 2013, LAW: the longer the text, the longer the stretch.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def degraded(
    text: str, donors: Sequence[str], *, rng: "np.random.Generator"
) -> str | None:
    """Put a stretch of another text in; None if that changes nothing."""
    gap = " " if " " in text or any(" " in donor for donor in donors) else ""
    words = _words(text, gap)
    count = stretch(len(words))
    start = int(rng.integers(0, max(1, len(words) - count + 1)))
    for at in rng.permutation(len(donors)):
        other = _words(donors[at], gap)
        first = int(rng.integers(0, max(1, len(other) - count + 1)))
        strange = other[first : first + count]
        spoilt = gap.join([*words[:start], *strange, *words[start + count :]])
        if spoilt.split() != text.split():
            return spoilt
    return None


def stretch(words: int) -> int:
    """How many words to replace, by the length of the text.

    >>> [stretch(words) for words in (0, 3, 5, 8, 15, 20, 40)]
    [1, 1, 2, 3, 4, 5, 10]
    """
    for longest, count in ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if words <= longest:
            return count
    return words // 4


def _words(text: str, gap: str) -> list[str]:
    return text.split(gap) if gap and text else list(text)
