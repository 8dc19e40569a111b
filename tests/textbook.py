"""Textbook algorithms that several tests hold kernels against."""

from collections import Counter
from collections.abc import Hashable, Sequence


def count_ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of so many words."""
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def fill_edit_table(
    one: Sequence[Hashable], other: Sequence[Hashable]
) -> list[list[int]]:
    """Return the edit distance of every two beginnings."""
    rows = [list(range(len(other) + 1))]
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            kept = rows[-1][j - 1] + (left != right)
            row.append(min(kept, rows[-1][j] + 1, row[j - 1] + 1))
        rows.append(row)
    return rows


def compute_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the edit distance of two sequences."""
    return fill_edit_table(one, other)[-1][-1]


def count_common(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence."""
    above = [0] * (len(other) + 1)
    for left in one:
        row = [0]
        for at, right in enumerate(other):
            longer = max(above[at + 1], row[at])
            row.append(above[at] + 1 if left == right else longer)
        above = row
    return above[-1]
