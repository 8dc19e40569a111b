"""Changes that turn an output into its correction: counted exactly, or inferred from texts.

The counts are the ISLE workbook's (Dabbadie et al. 2002): words added, deleted,
substituted and moved. A phrase of four words, moved after one of them was deleted, is
one deletion and three moves.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from metra.text.diff import count_equal_start, find_increasing

# Beyond this the best substitutions are not searched for among all.
MOST_STATES = 200

Change = Literal["none", "inflection", "substitution"]


class EditCounts(NamedTuple):
    """Numbers of added, deleted, substituted and moved words."""

    insertions: int
    deletions: int
    substitutions: int
    moves: int

    @property
    def total(self) -> int:
        """All changes."""
        return sum(self)


class CorrectedWord(NamedTuple):
    """A word of the corrected text, as an editor that watched it being made knows it.

    `origin` is the position of the output's word that it is, or that it stands for; None
    if it was added.
    """

    origin: int | None
    change: Change = "none"


def count_changes(words: int, corrected: Sequence[CorrectedWord]) -> EditCounts:
    """Count the changes of an output of so many words from what became of each.

    Changes of inflection alone are not counted. A word that was both substituted and
    moved counts in both.

    >>> added, kept = CorrectedWord(None), CorrectedWord(3, "inflection")
    >>> corrected = [CorrectedWord(2), CorrectedWord(0, "substitution"), added, kept]
    >>> count_changes(4, corrected)
    EditCounts(insertions=1, deletions=1, substitutions=1, moves=1)
    """
    origins = [chip.origin for chip in corrected if chip.origin is not None]
    return EditCounts(
        insertions=len(corrected) - len(origins),
        deletions=words - len(origins),
        substitutions=sum(chip.change == "substitution" for chip in corrected),
        moves=len(origins) - len(find_increasing(origins)),
    )


def infer_changes(before: Sequence[Hashable], after: Sequence[Hashable]) -> EditCounts:
    """Infer the changes from the words before and after correction.

    As many words as possible are kept: each word as often as it stands on both sides. Of
    all ways to say which of them is which, the one with the fewest moves counts: then the
    unmoved words form a longest common subsequence. A word that goes and a word
    that comes between the same unmoved neighbours are a substitution; of the ways with the
    fewest moves, the one with the most substitutions, hence the fewest changes, counts.

    >>> infer_changes("in the end he did go often".split(), "he did often go in end".split())
    EditCounts(insertions=0, deletions=1, substitutions=0, moves=3)
    """
    # Equal words at the start and at the end stay, in some best way.
    start = count_equal_start(before, after)
    before, after = before[start:], after[start:]
    stop = count_equal_start(before[::-1], after[::-1])
    old, new = before[: len(before) - stop], after[: len(after) - stop]
    old_counts, new_counts = Counter(old), Counter(new)
    kept = (old_counts & new_counts).total()
    common, substitutions = _count_in_place(
        old, new, old_counts - new_counts, new_counts - old_counts
    )
    return EditCounts(
        insertions=len(new) - kept - substitutions,
        deletions=len(old) - kept - substitutions,
        substitutions=substitutions,
        moves=kept - common,
    )


def _count_in_place(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    surplus_old: Counter[Hashable],
    surplus_new: Counter[Hashable],
) -> tuple[int, int]:
    """Find the longest common subsequence with the most substitutions between its words.

    A word that also stands on the other side can be substituted only as often as it
    stands on its own side more often. The search minds that for no word at first, then
    for the words for which it turned out to matter; where these are too many, as in long
    texts of a few words in random order, it takes the substitutions it has, first come
    first.
    """
    before = build_common_lengths(old, new)
    after = [row[::-1] for row in build_common_lengths(old[::-1], new[::-1])[::-1]]
    longest = before[-1][-1]
    if not surplus_old or not surplus_new:
        return longest, 0
    best = [
        [one + other == longest for one, other in zip(*rows, strict=True)]
        for rows in zip(before, after, strict=True)
    ]
    grid = _Grid(old, new, before, best, surplus_old, surplus_new)
    allowed = surplus_old | surplus_new
    limits: dict[Hashable, int] = {}
    while True:
        pairs = _find_substitutions(grid, limits)
        used = Counter(word for pair in pairs for word in pair)
        broken = {word: allowed[word] for word in used if used[word] > allowed[word]}
        limits |= broken
        if not broken or math.prod(most + 1 for most in limits.values()) > MOST_STATES:
            break
    count = 0
    for pair in pairs:
        if all(allowed[word] for word in pair):
            allowed.subtract(pair)
            count += 1
    return longest, count


def build_common_lengths(
    old: Sequence[Hashable], new: Sequence[Hashable]
) -> list[list[int]]:
    """Give the length of the longest common subsequence of every two beginnings."""
    above = [0] * (len(new) + 1)
    rows = [above]
    for old_word in old:
        row = [0]
        for column, new_word in enumerate(new):
            row.append(
                above[column] + 1
                if old_word == new_word
                else max(above[column + 1], row[column])
            )
        rows.append(row)
        above = row
    return rows


class _Grid(NamedTuple):
    """Both texts, and which places between their words lie on a longest common path."""

    old: Sequence[Hashable]
    new: Sequence[Hashable]
    common: list[list[int]]
    best: list[list[bool]]
    surplus_old: Counter[Hashable]
    surplus_new: Counter[Hashable]


# How often each limited word was substituted on the way; then how many were, and which
# pairs, the last one first.
Trail: TypeAlias = "tuple[tuple[Hashable, Hashable], Trail] | None"
Ways: TypeAlias = dict[tuple[int, ...], tuple[int, Trail]]


def _find_substitutions(
    grid: _Grid, limits: dict[Hashable, int]
) -> list[tuple[Hashable, Hashable]]:
    """Walk along longest common paths; give the pairs of the one that replaces most."""
    start: Ways = {(0,) * len(limits): (0, None)}
    above: list[Ways] = []
    for row, best in enumerate(grid.best):
        here: list[Ways] = []
        for column, on_path in enumerate(best):
            ways: Ways = {} if row or column else start
            common = grid.common[row][column]
            if on_path and row and grid.common[row - 1][column] == common:
                ways = _merge_ways(ways, above[column])
            if on_path and column and grid.common[row][column - 1] == common:
                ways = _merge_ways(ways, here[column - 1])
            if on_path and row and column:
                diagonal = _step_diagonally(grid, row, column, above, limits)
                ways = _merge_ways(ways, diagonal)
            here.append(ways)
        above = here
    _, trail = max(above[-1].values(), key=lambda way: way[0])
    pairs: list[tuple[Hashable, Hashable]] = []
    while trail is not None:
        pair, trail = trail
        pairs.append(pair)
    return pairs


def _step_diagonally(
    grid: _Grid, row: int, column: int, above: list[Ways], limits: dict[Hashable, int]
) -> Ways:
    """Keep the next word of both texts, or substitute one for the other."""
    pair = grid.old[row - 1], grid.new[column - 1]
    grown = grid.common[row][column] - grid.common[row - 1][column - 1]
    if pair[0] == pair[1]:
        return above[column - 1] if grown else {}
    if grown or pair[0] not in grid.surplus_old or pair[1] not in grid.surplus_new:
        return {}
    ways: Ways = {}
    for state, (count, trail) in above[column - 1].items():
        after = tuple(
            used + (word in pair) for used, word in zip(state, limits, strict=True)
        )
        if all(used <= most for used, most in zip(after, limits.values(), strict=True)):
            ways[after] = (count + 1, (pair, trail))
    return ways


def _merge_ways(first: Ways, other: Ways) -> Ways:
    """Join ways to the same place; of two in the same state, the better one stays."""
    if not first:
        return other
    best = dict(first)
    for state, way in other.items():
        if state not in best or best[state][0] < way[0]:
            best[state] = way
    return best
