"""Differences of two texts word by word: edits, removed and added words, common words.

Edits are counted by the kernel of the word error rate. Common words are a longest common
subsequence, with bits of one number for the words of the first text (Hyyrö 2004,
"Bit-parallel LCS length computation revisited"); very long texts are first cut in halves,
and the result then need not be the longest.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metra._core import Hits, Tokens, edit_alignments, edit_rows
from metra.text.words import join_words

__all__ = ["Hits", "edit_rows"]

#: Bits of the table of common words, 128 MB; longer texts are cut in halves first.
MOST_BITS = 1 << 30


class DiffPiece(NamedTuple):
    """Words that both texts have, or only the first (gone), or only the second (new)."""

    sort: Literal["same", "gone", "new"]
    text: str


def count_edits(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
) -> NDArray[np.float64]:
    """Count the fewest words to substitute, add or delete between the texts of each pair.

    >>> count_edits([("a b c".split(), "a x c d".split()), ([], ["a"])]).tolist()
    [2.0, 1.0]
    """
    listed = list(pairs)
    hits = compare_words([one for one, _ in listed], [other for _, other in listed])
    return edit_rows(hits, "fixed", "best")[:, :3].sum(1)


def compare_words(
    outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> Hits:
    """Compare lists of words, each output with the reference in the same place."""
    return Hits(Tokens(outputs), [Tokens(references)])


def list_edit_runs(
    hits: Hits, order: Literal["fixed", "rapidfuzz"] = "fixed"
) -> list[list[tuple[str, int, int, int, int]]]:
    """List neighbouring words with the same edit: H, S, I or D, and both ranges of words.

    The reference's range comes first. Of equally short alignments, `order` takes ours or
    that of rapidfuzz.

    >>> list_edit_runs(compare_words([["a", "x", "c", "d"]], [["a", "b", "c"]]))
    [[('H', 0, 1, 0, 1), ('S', 1, 2, 1, 2), ('H', 2, 3, 2, 3), ('I', 3, 3, 3, 4)]]
    """
    return [
        _join_steps(edit_alignments(hits, index, order, "best")[1][0])
        for index in range(len(hits))
    ]


def _join_steps(steps: str) -> list[tuple[str, int, int, int, int]]:
    runs = []
    ref = hyp = 0
    for letter, same in groupby(steps):
        words = len(list(same))
        ref_end = ref if letter == "I" else ref + words
        hyp_end = hyp if letter == "D" else hyp + words
        runs.append((letter, ref, ref_end, hyp, hyp_end))
        ref, hyp = ref_end, hyp_end
    return runs


def compute_difference(one: Sequence[str], other: Sequence[str]) -> list[DiffPiece]:
    """List the words that stay, go and come along a shortest way; what goes comes first.

    >>> for piece in compute_difference("a b c".split(), "a x c".split()): print(*piece)
    same a
    gone b
    new x
    same c
    """
    # Words that only the reference of an alignment has are deletions: those that go.
    (runs,) = list_edit_runs(compare_words([other], [one]))
    pieces: list[DiffPiece] = []
    for is_same, group in groupby(runs, key=lambda run: run[0] == "H"):
        edits = list(group)
        gone = one[edits[0][1] : edits[-1][2]]
        new = other[edits[0][3] : edits[-1][4]]
        if gone:
            pieces.append(DiffPiece("same" if is_same else "gone", join_words(gone)))
        if new and not is_same:
            pieces.append(DiffPiece("new", join_words(new)))
    return pieces


def pair_common_words(
    one: Sequence[str], other: Sequence[str]
) -> tuple[list[tuple[int, int]], bool]:
    """Pair the places of the common words; return True beside them if none could be more.

    >>> pair_common_words("a b c d".split(), "b x d".split())
    ([(1, 0), (3, 2)], True)
    """
    # A word that the other text lacks is in no pair.
    in_one, in_other = set(one), set(other)
    left = [place for place, word in enumerate(one) if word in in_other]
    right = [place for place, word in enumerate(other) if word in in_one]
    pairs, exact = _pair_words(
        [one[place] for place in left], [other[place] for place in right]
    )
    return [(left[i], right[j]) for i, j in pairs], exact


def count_common_words(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    >>> count_common_words("a b c d".split(), "b x d a".split())
    2
    """
    [last] = deque(_iterate_rows(one, other), maxlen=1)
    return len(one) - last.bit_count()


def _iterate_rows(one: Sequence[str], other: Sequence[str]) -> Iterator[int]:
    """Yield the rows of the table of common lengths: before each word of `other`, and last.

    Bits of a row stand for the words of `one`: a bit is 0 where the longest common
    subsequence grows.
    """
    places: dict[str, int] = {}
    for place, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << place
    row = every = (1 << len(one)) - 1
    yield row
    for word in other:
        if equal := places.get(word, 0):
            matched = row & equal
            row = (row + matched | row - matched) & every
        yield row


def _pair_words(
    one: Sequence[str], other: Sequence[str]
) -> tuple[list[tuple[int, int]], bool]:
    if len(one) * len(other) > MOST_BITS:
        middle, other_middle = len(one) // 2, len(other) // 2
        first, _ = _pair_words(one[:middle], other[:other_middle])
        second, _ = _pair_words(one[middle:], other[other_middle:])
        return [*first, *((middle + i, other_middle + j) for i, j in second)], False
    start = count_equal_start(one, other)
    pairs = [(at, at) for at in range(start)]
    # From the ends of both texts, so that the walk back goes from their beginnings.
    rows = list(_iterate_rows(one[start:][::-1], other[start:][::-1]))
    i, j = len(one) - start, len(other) - start
    while i and j:
        if rows[j] >> (i - 1) & 1:
            i -= 1
            continue
        j -= 1
        # The subsequence grows here, with this word or with one before it.
        if rows[j] >> (i - 1) & 1:
            i -= 1
            pairs.append((len(one) - 1 - i, len(other) - 1 - j))
    return pairs, True


def count_equal_start(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Count equal words at the start of both texts."""
    unequal = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(unequal, min(len(one), len(other)))


def find_increasing(values: Sequence[int]) -> list[int]:
    """Find the places of a longest increasing subsequence.

    >>> find_increasing([3, 0, 1, 4, 2])
    [1, 2, 4]
    """
    ends: list[int] = []  # the smallest last value of a subsequence of each length
    places: list[int] = []  # where that value stands
    previous: list[int] = []  # for each value, the place of the one before it
    for place, value in enumerate(values):
        length = bisect_left(ends, value)
        previous.append(places[length - 1] if length else -1)
        ends[length : length + 1] = [value]
        places[length : length + 1] = [place]
    chain = []
    place = places[-1] if places else -1
    while place >= 0:
        chain.append(place)
        place = previous[place]
    return chain[::-1]
