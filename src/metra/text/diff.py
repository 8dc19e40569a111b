"""How two texts differ word by word: edits, the words that go and come, common words.

Edits are counted by the kernel of the word error rate. Common words are a longest common
subsequence by Myers 1986, "An O(ND) difference algorithm and its variations"; texts that
differ in too many places are first cut at words that occur once in both, and what is found
then need not be the longest.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra._core import Hits, Tokens, edit_rows, edit_runs
from metra.text.words import join_words

# How many words may be deleted or inserted before the texts are cut first, and how many
# steps may be taken in all: some tenths of a second.
MOST_EDITS = 800
MOST_STEPS = 1_000_000

Sort: TypeAlias = Literal["same", "gone", "new"]
#: Which words of each output equal which words of its reference.
WordMatches: TypeAlias = Hits


class DiffPiece(NamedTuple):
    """Words that both texts have, or only the first (gone), or only the second (new)."""

    sort: Sort
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
    return count_edit_kinds(hits)[:, :3].sum(1)


def compare_words(
    outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> WordMatches:
    """Compare lists of words, each output with the reference in the same place."""
    return Hits(Tokens(outputs), [Tokens(references)])


#: Which of equally short alignments is taken: ours (fixed) or rapidfuzz's.
Order: TypeAlias = Literal["fixed", "rapidfuzz"]


def count_edit_kinds(hits: WordMatches, order: Order = "fixed") -> NDArray[np.float64]:
    """Count substitutions, insertions, deletions, hits and reference words.

    >>> hits = compare_words([["a", "b"]], [["b", "a"]])
    >>> count_edit_kinds(hits).tolist(), count_edit_kinds(hits, "rapidfuzz").tolist()
    ([[2.0, 0.0, 0.0, 0.0, 2.0]], [[0.0, 1.0, 1.0, 1.0, 2.0]])
    """
    return edit_rows(hits, order, "best")


def list_edit_runs(
    hits: WordMatches, order: Order = "fixed"
) -> list[list[tuple[str, int, int, int, int]]]:
    """List neighbouring words with the same edit: H, S, I or D, and both ranges of words.

    The reference's range comes first.

    >>> list_edit_runs(compare_words([["a", "x", "c", "d"]], [["a", "b", "c"]]))
    [[('H', 0, 1, 0, 1), ('S', 1, 2, 1, 2), ('H', 2, 3, 2, 3), ('I', 3, 3, 3, 4)]]
    """
    return edit_runs(hits, order)


def compute_edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the fewest words to substitute, add or delete.

    >>> compute_edit_distance("a b c".split(), "a x c d".split())
    2
    """
    return int(count_edits([(one, other)])[0])


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
    """Pair the places of the common words, and say whether there cannot be more of them.

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
    return [(left[i], right[j]) for i, j in sorted(pairs)], exact


def count_common_words(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    Bits of one number stand for the words of the first text (Hyyrö 2004, "Bit-parallel LCS
    length computation revisited").

    >>> count_common_words("a b c d".split(), "b x d a".split())
    2
    """
    places: dict[str, int] = {}
    for place, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << place
    every = (1 << len(one)) - 1
    # A bit is 0 where the common subsequence with the words so far grows.
    flat = every
    for word in other:
        if equal := places.get(word, 0):
            matched = flat & equal
            flat = (flat + matched | flat - matched) & every
    return len(one) - flat.bit_count()


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


def _pair_words(
    one: Sequence[str], other: Sequence[str]
) -> tuple[list[tuple[int, int]], bool]:
    pairs: list[tuple[int, int]] = []
    exact = True
    steps = MOST_STEPS
    waiting = [(0, len(one), 0, len(other))]
    while waiting:
        i, i_end, j, j_end = waiting.pop()
        while i < i_end and j < j_end and one[i] == other[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        while i < i_end and j < j_end and one[i_end - 1] == other[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
            pairs.append((i_end, j_end))
        if i == i_end or j == j_end:
            continue
        most = min(MOST_EDITS, int(steps**0.5))
        inner, edits = _find_shortest_edit(one[i:i_end], other[j:j_end], most)
        steps -= edits * edits
        if inner is not None:
            pairs.extend((i + x, j + y) for x, y in inner)
            continue
        exact = False
        anchors = _pair_unique_words(one[i:i_end], other[j:j_end])
        if not anchors or not steps:
            continue
        edges = [(-1, -1), *anchors, (i_end - i, j_end - j)]
        for (x, y), (x_next, y_next) in pairwise(edges):
            waiting.append((i + x + 1, i + x_next, j + y + 1, j + y_next))
        pairs.extend((i + x, j + y) for x, y in anchors)
    return pairs, exact


def _find_shortest_edit(
    one: Sequence[str], other: Sequence[str], most: int
) -> tuple[list[tuple[int, int]] | None, int]:
    """Find the shortest way of deletions and insertions, or none of up to `most` steps."""
    rows, columns = len(one), len(other)
    most = min(most, rows + columns)
    # furthest[middle + k] is how far one gets in `one` on the diagonal x - y = k.
    middle = most + 1
    furthest = [0] * (2 * middle + 1)
    history: list[list[int]] = []
    for edits in range(most + 1):
        history.append(furthest[middle - edits - 1 : middle + edits + 2])
        for k in range(-edits, edits + 1, 2):
            diagonal = middle + k
            before, after = furthest[diagonal - 1], furthest[diagonal + 1]
            x = after if k == -edits or (k != edits and before < after) else before + 1
            y = x - k
            while x < rows and y < columns and one[x] == other[y]:
                x += 1
                y += 1
            furthest[diagonal] = x
            if x >= rows and y >= columns:
                return _trace_back(history, rows, columns), edits
    return None, most


def _trace_back(
    history: Sequence[Sequence[int]], x: int, y: int
) -> list[tuple[int, int]]:
    """Walk back along the furthest points: the places of the words that are kept."""
    pairs = []
    for edits in range(len(history) - 1, -1, -1):
        furthest, diagonal = history[edits], x - y + edits + 1
        before, after = furthest[diagonal - 1], furthest[diagonal + 1]
        down = diagonal == 1 or (diagonal != 2 * edits + 1 and before < after)
        x_before = after if down else before
        y_before = x_before - (x - y + 1 if down else x - y - 1)
        if not edits:
            x_before = y_before = 0
        while x > x_before and y > y_before:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = x_before, y_before
    return pairs


def _pair_unique_words(
    one: Sequence[str], other: Sequence[str]
) -> list[tuple[int, int]]:
    """Pair words that occur once in both texts, as many as stand in the same order."""
    count, other_count = Counter(one), Counter(other)
    places = {word: y for y, word in enumerate(other) if other_count[word] == 1}
    pairs = [
        (x, places[word])
        for x, word in enumerate(one)
        if count[word] == 1 and word in places
    ]
    return [pairs[index] for index in find_increasing([y for _, y in pairs])]
