"""The longest run of words that two texts have in common, in order, with gaps.

Myers 1986, "An O(ND) difference algorithm and its variations". Texts that differ in too
many places are first cut at words that occur once in both; that need not be the longest.

How one text differs from another, word by word.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from metra.text.words import join_words

# How many words may be deleted or inserted before the texts are cut first, and how many
# steps may be taken in all: some tenths of a second.
MOST_EDITS = 800
MOST_STEPS = 1_000_000


def pair_common_words(
    one: Sequence[str], other: Sequence[str]
) -> tuple[list[tuple[int, int]], bool]:
    """Pair the places of the common words, and say whether there cannot be more of them.

    >>> pair_common_words("a b c d".split(), "b x d".split())
    ([(1, 0), (3, 2)], True)
    """
    # A word that the other text lacks is in no pair.
    here, there = set(one), set(other)
    left = [at for at, word in enumerate(one) if word in there]
    right = [at for at, word in enumerate(other) if word in here]
    pairs, exact = _pair_words([one[at] for at in left], [other[at] for at in right])
    return [(left[i], right[j]) for i, j in sorted(pairs)], exact


def _pair_words(
    one: Sequence[str], other: Sequence[str]
) -> tuple[list[tuple[int, int]], bool]:
    found: list[tuple[int, int]] = []
    exact = True
    steps = MOST_STEPS
    waiting = [(0, len(one), 0, len(other))]
    while waiting:
        i, i_end, j, j_end = waiting.pop()
        while i < i_end and j < j_end and one[i] == other[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        while i < i_end and j < j_end and one[i_end - 1] == other[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
            found.append((i_end, j_end))
        if i == i_end or j == j_end:
            continue
        most = min(MOST_EDITS, int(steps**0.5))
        inner, edits = _find_shortest_edit(one[i:i_end], other[j:j_end], most)
        steps -= edits * edits
        if inner is not None:
            found.extend((i + x, j + y) for x, y in inner)
            continue
        exact = False
        anchors = _pair_unique_words(one[i:i_end], other[j:j_end])
        if not anchors or not steps:
            continue
        edges = [(-1, -1), *anchors, (i_end - i, j_end - j)]
        for (x, y), (x_next, y_next) in pairwise(edges):
            waiting.append((i + x + 1, i + x_next, j + y + 1, j + y_next))
        found.extend((i + x, j + y) for x, y in anchors)
    return found, exact


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
            at = middle + k
            before, after = furthest[at - 1], furthest[at + 1]
            x = after if k == -edits or (k != edits and before < after) else before + 1
            y = x - k
            while x < rows and y < columns and one[x] == other[y]:
                x += 1
                y += 1
            furthest[at] = x
            if x >= rows and y >= columns:
                return _trace_back(history, rows, columns), edits
    return None, most


def _trace_back(
    history: Sequence[Sequence[int]], x: int, y: int
) -> list[tuple[int, int]]:
    found = []
    for edits in range(len(history) - 1, -1, -1):
        furthest, at = history[edits], x - y + edits + 1
        before, after = furthest[at - 1], furthest[at + 1]
        down = at == 1 or (at != 2 * edits + 1 and before < after)
        x_before = after if down else before
        y_before = x_before - (x - y + 1 if down else x - y - 1)
        if not edits:
            x_before = y_before = 0
        while x > x_before and y > y_before:
            x, y = x - 1, y - 1
            found.append((x, y))
        x, y = x_before, y_before
    return found


def _pair_unique_words(
    one: Sequence[str], other: Sequence[str]
) -> list[tuple[int, int]]:
    """Pair words that occur once in both texts, as many as stand in the same order."""
    once, once_there = Counter(one), Counter(other)
    place = {word: at for at, word in enumerate(other) if once_there[word] == 1}
    pairs = [
        (at, place[word])
        for at, word in enumerate(one)
        if once[word] == 1 and word in place
    ]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, y) in enumerate(pairs):
        size = bisect_left(ends, y)
        before.append(last[size - 1] if size else -1)
        if size == len(ends):
            ends.append(y)
            last.append(index)
        else:
            ends[size], last[size] = y, index
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


Sort: TypeAlias = Literal["same", "gone", "new"]


class DiffPiece(NamedTuple):
    """Words that both texts have, or only the first (gone), or only the second (new)."""

    sort: Sort
    text: str


def compute_edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the fewest words to substitute, add or delete.

    >>> compute_edit_distance("a b c".split(), "a x c d".split())
    2
    """
    return _build_distance_table(one, other)[-1][-1]


def compute_difference(one: Sequence[str], other: Sequence[str]) -> list[DiffPiece]:
    """Tell along a shortest way which words go and which come.

    >>> compute_difference("a b c".split(), "a x c".split())
    [DiffPiece(sort='same', text='a'), DiffPiece(sort='gone', text='b'), \
Piece(sort='new', text='x'), DiffPiece(sort='same', text='c')]
    """
    rows = _build_distance_table(one, other)
    steps: list[tuple[Sort, str]] = []
    i, j = len(one), len(other)
    while i or j:
        here = rows[i][j]
        if i and j and one[i - 1] == other[j - 1] and rows[i - 1][j - 1] == here:
            i, j = i - 1, j - 1
            steps.append(("same", one[i]))
        elif i and j and rows[i - 1][j - 1] + 1 == here:
            i, j = i - 1, j - 1
            steps += [("new", other[j]), ("gone", one[i])]
        elif i and rows[i - 1][j] + 1 == here:
            i -= 1
            steps.append(("gone", one[i]))
        else:
            j -= 1
            steps.append(("new", other[j]))
    return _merge_steps(steps[::-1])


def _build_distance_table(one: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    rows = [list(range(len(other) + 1))]
    for i, here in enumerate(one, 1):
        above, row = rows[-1], [i]
        for j, there in enumerate(other, 1):
            row.append(
                min(above[j - 1] + (here != there), above[j] + 1, row[j - 1] + 1)
            )
        rows.append(row)
    return rows


def _merge_steps(steps: Sequence[tuple[Sort, str]]) -> list[DiffPiece]:
    """Bring neighbours together; within a change, what goes stands before what comes."""
    found: list[DiffPiece] = []
    gone: list[str] = []
    new: list[str] = []
    same: list[str] = []

    def close() -> None:
        if gone:
            found.append(DiffPiece("gone", join_words(gone)))
        if new:
            found.append(DiffPiece("new", join_words(new)))
        if same:
            found.append(DiffPiece("same", join_words(same)))
        for words in (gone, new, same):
            words.clear()

    was: Sort = "same"
    for sort, word in steps:
        if (sort == "same") != (was == "same"):
            close()
        {"same": same, "gone": gone, "new": new}[sort].append(word)
        was = sort
    close()
    return found
