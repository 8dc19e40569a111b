"""Words and n-grams that come again: in loops, within a segment, in the whole output."""

from collections.abc import Sequence

import numpy as np

from metra.insight.vocabulary import Ids

#: The n-grams whose repetition within a segment is counted.
ORDER = 4
#: The longest phrase that is looked for in loops, and the fewest words a loop has.
LONGEST = 10
LOOP = 6
#: Words among which different ones are counted.
WINDOW = 100


def repeated_ngrams(words: Sequence[str]) -> tuple[int, int]:
    """Count the n-grams that have stood in the segment before, and all n-grams.

    Welleck et al. 2020, "Neural text generation with unlikelihood training", ICLR, divide
    the one by the other (seq-rep-4).
    """
    total = len(words) - ORDER + 1
    if total <= 1:
        return 0, max(total, 0)
    different = set(zip(*(words[at:] for at in range(ORDER)), strict=False))
    return total - len(different), total


def loops(words: Sequence[str]) -> bool:
    """Whether a phrase of up to ten words comes three times in a row, in six words or more.

    >>> loops("so on and on and on and on".split()), loops("on and on".split())
    (True, False)
    """
    if len(words) < LOOP or len(set(words)) > len(words) - LOOP // 2:
        return False
    for period in range(1, min(LONGEST, len(words) // 3) + 1):
        needed = max(2 * period, LOOP - period)
        run = 0
        for word, before in zip(words[period:], words, strict=False):
            run = run + 1 if word == before else 0
            if run >= needed:
                return True
    return False


def type_token_ratio(ids: Ids) -> float | None:
    """Average the share of different words over all windows of a hundred words.

    So texts of different lengths can be compared; a shorter text is one window. Covington
    and McFall 2010, "Cutting the Gordian knot: the moving-average type-token ratio".
    """
    size = len(ids)
    if not size:
        return None
    window = min(WINDOW, size)
    order = np.argsort(ids, kind="stable")
    previous = np.full(size, -1)
    same = ids[order[1:]] == ids[order[:-1]]
    previous[order[1:][same]] = order[:-1][same]
    # A word is the first of its kind in the windows that begin after its last use.
    places = np.arange(size)
    first = np.maximum(previous + 1, np.maximum(places - window + 1, 0))
    last = np.minimum(places, size - window)
    firsts = np.maximum(last - first + 1, 0).sum()
    return float(firsts / ((size - window + 1) * window))
