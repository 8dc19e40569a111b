"""Several tests at once: corrections of p-values, rank ranges, clusters and letters.

A matrix of p-values is in falling order of score: `p[i, j]` is the p-value that i is no
better than j.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from metra.stats.arrays import Array, Mask

T = TypeVar("T")


def holm(p_values: Sequence[float | None] | Array) -> Array:
    """Correct p-values so that the chance of any false alarm among them stays below alpha.

    The smallest of m is multiplied by m, the next by m − 1, and so on, never falling below
    the one before (Holm 1979, Scandinavian Journal of Statistics 6). NaN, or None, is no
    test and counts for nothing.

    >>> holm([0.04, 0.01, None, 0.03]).tolist()
    [0.06, 0.03, nan, 0.06]
    """
    return _correct(
        p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1))
    )


def benjamini_hochberg(p_values: Sequence[float | None] | Array) -> Array:
    """Correct p-values so that of all alarms, about a share of alpha is false.

    The smallest of m is multiplied by m, the next by m / 2, and so on, never rising above
    the one after (Benjamini and Hochberg 1995, JRSS B 57). NaN, or None, is no test.
    """

    def adjust(p: Array) -> Array:
        falling = (p * len(p) / np.arange(1, len(p) + 1))[::-1]
        return np.minimum.accumulate(falling)[::-1]

    return _correct(p_values, adjust)


def _correct(
    p_values: Sequence[float | None] | Array, adjust: Callable[[Array], Array]
) -> Array:
    """Correct the finite p-values, in rising order, to 1 at most."""
    p = np.asarray(p_values, np.float64)
    corrected = np.full(p.shape, np.nan)
    flat = p[np.isfinite(p)]
    order = np.argsort(flat, kind="stable")
    adjusted = np.empty(len(flat))
    adjusted[order] = np.minimum(adjust(flat[order]), 1.0)
    corrected[np.isfinite(p)] = adjusted
    return corrected


def correct_pairs(p: Array, correction: Callable[[Array], Array]) -> Array:
    """Correct the p-values of each against those after it."""
    pairs = np.triu_indices(len(p), 1)
    corrected = p.copy()
    corrected[pairs] = correction(p[pairs])
    return corrected


def split_all(differ: Mask) -> list[int]:
    """Begin a cluster wherever all above differ from all below.

    So systems of two clusters always differ, while two of one cluster may: a chain of
    small differences holds them together.

    >>> split_all(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool))
    [1, 2, 2]
    """
    return _number([bool(differ[:at, at:].all()) for at in range(len(differ))])


def part_ranking(
    ranked: Sequence[T], differ: Sequence[Sequence[bool]]
) -> list[list[T]]:
    """Part a ranking, best first, wherever all above differ from all below."""
    numbers = split_all(np.array(differ, bool).reshape(len(ranked), len(ranked)))
    parts: list[list[T]] = [[] for _ in range(max(numbers, default=0))]
    for system, number in zip(ranked, numbers, strict=True):
        parts[number - 1].append(system)
    return parts


def group_similar(different: Sequence[Sequence[bool]] | Mask) -> list[list[int]]:
    """Group systems so that two are in one group exactly if they do not differ.

    This is a compact letter display, with a group for each letter: a system may be in
    several groups. No group could have another member or be left out. `different` is
    symmetric, in the order of the ranking.
    """
    size = len(different)
    differ = np.array(different, bool).reshape(size, size)
    #: How many groups each pair is in.
    counts = np.zeros((size, size), int)
    groups = []
    for first in range(size):
        # In a ranking, all between a system and the farthest that is like it are like both.
        for last in range(size - 1, first - 1, -1):
            if differ[first, last] or counts[first, last]:
                continue
            members = list(dict.fromkeys([first, last]))
            for other in range(size):
                if other not in members and not differ[other, members].any():
                    members.append(other)
            groups.append(sorted(members))
            counts[np.ix_(members, members)] += 1
    for group in groups[::-1]:
        pairs = np.ix_(group, group)
        if (counts[pairs] > 1).all():
            groups.remove(group)
            counts[pairs] -= 1
    return sorted(groups)


def clusters_greedy(p: Array, alpha: float) -> list[int]:
    """Rule of mt-metrics-eval: a new cluster where a member of the last one is better."""
    begins, start = [], 0
    for at in range(len(p)):
        begins.append(bool((p[start:at, at] <= alpha).any()))
        start = at if begins[-1] else start
    return _number(begins)


def clusters_neighbours(p: Array, alpha: float) -> list[int]:
    """Rule of WMT 2025: a new cluster where a system beats the next one."""
    return _number([bool(at and p[at - 1, at] < alpha) for at in range(len(p))])


def clusters_by_range(ranges: list[tuple[int, int]]) -> list[int]:
    """End a cluster where no rank range reaches across."""
    return _number(
        [
            all(bottom < rank for _, bottom in ranges[: rank - 1])
            and all(top >= rank for top, _ in ranges[rank - 1 :])
            for rank in range(1, len(ranges) + 1)
        ]
    )


def rank_ranges(p: Array, alpha: float = 0.05) -> list[tuple[int, int]]:
    """Return the places that significantly better and worse systems leave to each.

    All ranges hold at once if the p-values are corrected by Holm's method (Mohamad,
    Goeman and van Zwet 2022).
    """
    better = np.triu(p < alpha, 1)
    worst = len(p) - better.sum(1)
    return list(zip((1 + better.sum(0)).tolist(), worst.tolist(), strict=True))


def walk_ranks(p: Array, alpha: float) -> list[tuple[int, int]]:
    """Rule of WMT 2024 and 2025: go up and down to the first significant difference."""
    size, ranges = len(p), []
    for at in range(size):
        top = bottom = at
        while top > 0 and not p[top - 1, at] < alpha:
            top -= 1
        while bottom < size - 1 and not p[at, bottom + 1] < alpha:
            bottom += 1
        ranges.append((top + 1, bottom + 1))
    return ranges


def _number(begins: list[bool]) -> list[int]:
    """Number clusters from 1; the first always begins one."""
    return [1 + sum(begins[1 : at + 1]) for at in range(len(begins))]


#: Rules that part a ranking into clusters of what cannot be told apart, by name: the cluster
#: of each, from 1, by p-values and the level of significance.
CLUSTER_RULES: dict[str, Callable[[Array, float], list[int]]] = {
    "wmt": lambda p, alpha: split_all(p < alpha),
    "greedy": clusters_greedy,
    "neighbours": clusters_neighbours,
    "range": lambda p, alpha: clusters_by_range(walk_ranks(p, alpha)),
}
