"""Several tests at once: Holm's correction, and clusters of systems that differ."""

from collections.abc import Callable, Sequence
from typing import TypeVar

System = TypeVar("System")


def holm(p_values: Sequence[float | None]) -> list[float | None]:
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
