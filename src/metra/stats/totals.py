"""Exact sums of statistics: the same digits in whatever order and parts they are added.

Adding fractions rounds, so that a plain sum depends on which were added first. Here each
statistic is cut into three parts, multiples of 2⁻¹⁰, of 2⁻³⁴ and of 2⁻⁵⁸. Sums of such parts
are exact in float64, so plain addition may happen in any order, on any machine, by any
engine. This holds for up to 2³⁰ segments; whole numbers stay exact up to 2⁵³.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

# numpy is loaded where arrays are made: the BLEU of a system needs none.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
else:
    Array = Any

_GRIDS = (2.0**10, 2.0**34, 2.0**58)
PARTS = len(_GRIDS)

#: The exact sums of k statistics: 3k numbers, which are added one by one.
PartSums: TypeAlias = list[float]


def sum_parts(rows: Array) -> PartSums:
    """Sum the parts of all rows: (segments, k) -> 3k numbers."""
    if is_whole(rows):
        return split_whole(rows.sum(0).tolist())
    return split_parts(rows).sum(0).tolist()


def sum_parts_by_group(rows: Array, places: "NDArray[np.intp]", groups: int) -> Array:
    """Sum the parts of the rows of each group: (groups, 3k) numbers.

    `places` numbers each row's group.
    """
    import numpy as np

    whole = is_whole(rows)
    parts = rows if whole else split_parts(rows)
    sums = np.zeros((groups, PARTS * rows.shape[1]))
    for index, column in enumerate(parts.T):
        sums[:, index] = np.bincount(places, column, groups)
    return sums


def add_parts(sums: PartSums, more: PartSums) -> PartSums:
    """Add sums of parts, wherever they were counted."""
    return [a + b for a, b in zip(sums, more, strict=True)]


def join_parts(sums: PartSums) -> list[float]:
    """Give the sums of the statistics from the sums of their parts: 3k -> k numbers."""
    width = len(sums) // PARTS
    large, middle, small = sums[:width], sums[width:-width], sums[-width:]
    return [a + (b + c) for a, b, c in zip(large, middle, small, strict=True)]


def join_rows(sums: Array) -> Array:
    """Give the sums of the statistics of each group: (groups, 3k) -> (groups, k) numbers."""
    import numpy as np

    large, middle, small = np.split(sums, PARTS, axis=1)
    return large + (middle + small)


def split_whole(sums: Iterable[float]) -> PartSums:
    """Give sums of whole numbers as sums of parts: they have no small ones."""
    large = list(sums)
    return [*large, *([0.0] * (PARTS - 1) * len(large))]


def split_parts(rows: Array) -> Array:
    """Cut statistics into parts that add up exactly: (..., k) -> (..., 3k)."""
    import numpy as np

    parts = []
    rest = rows
    for grid in _GRIDS:
        part = np.rint(rest * grid) / grid
        parts.append(part)
        with np.errstate(invalid="ignore"):
            # What is not finite is so in the first part; nothing is left of it.
            rest = np.where(np.isfinite(rest), rest - part, 0.0)
    return np.concatenate(parts, axis=-1)


def is_whole(rows: Array) -> bool:
    """Return True if all statistics are whole numbers, whose plain sums are exact."""
    import numpy as np

    return bool((np.rint(rows) == rows).all())


def sum_rows(rows: Array) -> Array:
    """Add up all rows."""
    import numpy as np

    return np.array(join_parts(sum_parts(rows)))


def sum_by_group(rows: Array, labels: Sequence[Any]) -> tuple[tuple[Any, ...], Array]:
    """Add up rows of the same label; groups come in order of first appearance."""
    from metra.stats.arrays import number_names

    names, places = number_names(labels)
    return names, join_rows(sum_parts_by_group(rows, places, len(names)))
