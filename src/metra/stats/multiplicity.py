"""Clusters of what cannot be told apart, by two rules that differ; say which was used.

Several tests at once: Holm's correction, and clusters of systems that differ.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from metra.stats.arrays import Array


def clusters_wmt(p: Array, alpha: float = 0.05) -> list[int]:
    """Rule of WMT's rankings: a cluster ends where all above beat all below.

    `p[i, j]` is the p-value that i is better than j, in falling order of score.

    >>> clusters_wmt(np.array([[1, 0.01, 0.01], [1, 1, 0.2], [1, 1, 1]]))
    [1, 2, 2]
    """
    size = len(p)
    found, cluster = [], 1
    for at in range(size):
        if at and (p[:at, at:] < alpha).all():
            cluster += 1
        found.append(cluster)
    return found


def clusters_greedy(p: Array, alpha: float = 0.05) -> list[int]:
    """Rule of mt-metrics-eval: a new cluster where a member of the last one is better.

    >>> clusters_greedy(np.array([[1, 0.5, 0.01], [1, 1, 0.2], [1, 1, 1]]))
    [1, 1, 2]
    """
    found: list[int] = []
    cluster, start = 1, 0
    for at in range(len(p)):
        if (p[start:at, at] <= alpha).any():
            cluster, start = cluster + 1, at
        found.append(cluster)
    return found


def clusters_neighbours(p: Array, alpha: float = 0.05) -> list[int]:
    """Rule of WMT 2025: a new cluster where a system beats the next one.

    >>> clusters_neighbours(np.array([[1, 0.5, 0.5], [1, 1, 0.01], [1, 1, 1]]))
    [1, 1, 2]
    """
    found, cluster = [], 1
    for at in range(len(p)):
        if at and p[at - 1, at] < alpha:
            cluster += 1
        found.append(cluster)
    return found


def holm(p: Array) -> Array:
    """Adjust p-values for how many there are (Holm 1979); NaN stays out of it.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    there: NDArray[np.bool_] = np.isfinite(p)
    flat = p[there]
    order = np.argsort(flat, kind="stable")
    factors = np.arange(len(flat), 0, -1)
    adjusted = np.minimum(np.maximum.accumulate(flat[order] * factors), 1.0)
    found = np.full(p.shape, np.nan)
    back = np.empty(len(flat))
    back[order] = adjusted
    found[there] = back
    return found


System = TypeVar("System")


def holm_several(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p-values so that the chance of any false alarm among them stays below alpha.

    The smallest of m is multiplied by m, the next by m − 1, and so on, never falling below
    the one before (Holm 1979, Scandinavian Journal of Statistics 6). Where there is no
    p-value there was no test; it counts for nothing.

    >>> holm([0.04, 0.01, None, 0.03])
    [0.06, 0.03, None, 0.06]
    """
    tested = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for before, (p, at) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - before)))
        corrected[at] = highest
    return corrected


def clusters(
    ranked: Sequence[System], differ: Callable[[System, System], bool]
) -> list[list[System]]:
    """Part a ranking, best first, wherever all above differ from all below.

    So systems of two clusters always differ, while two of one cluster may: a chain of
    small differences holds them together.

    >>> clusters("abcd", lambda one, two: "d" in one + two or one + two == "ac")
    [['a', 'b', 'c'], ['d']]
    """
    found: list[list[System]] = []
    for at, system in enumerate(ranked):
        if all(differ(one, two) for one in ranked[:at] for two in ranked[at:]):
            found.append([system])
        else:
            found[-1].append(system)
    return found
