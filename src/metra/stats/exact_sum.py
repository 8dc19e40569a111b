"""Sums that are the same digit for digit, whatever order and parts they are added in.

Adding fractions rounds, so that a sum depends on which were added first. Here each statistic
is cut into three parts, multiples of 2⁻¹⁰, of 2⁻³⁴ and of 2⁻⁵⁸. Sums of such parts are exact
in float64, so plain addition may happen in any order, on any machine, by any engine. This
holds for up to 2³⁰ segments; whole numbers stay exact up to 2⁵³.
"""

import numpy as np

from metra.stats.totals import Array

_GRIDS = (2.0**10, 2.0**34, 2.0**58)
PARTS = len(_GRIDS)


def split_parts(rows: Array) -> Array:
    """Cut statistics into parts that add up exactly: (segments, k) -> (segments, 3k)."""
    parts = []
    rest = rows
    for grid in _GRIDS:
        part = np.rint(rest * grid) / grid
        parts.append(part)
        with np.errstate(invalid="ignore"):
            # What is not finite is so in the first part; nothing is left of it.
            rest = np.where(np.isfinite(rest), rest - part, 0.0)
    return np.concatenate(parts, axis=-1)


def join_parts(sums: Array) -> Array:
    """Give the sums of the statistics from the sums of their parts: (..., 3k) -> (..., k)."""
    large, middle, small = np.split(np.asarray(sums), PARTS, axis=-1)
    return large + (middle + small)


def sums_by_group(rows: Array, places: "np.ndarray | None", groups: int) -> Array:
    """Add up the parts of rows that are at the same place: (groups, 3k)."""
    whole = bool((np.rint(rows) == rows).all())
    parts = rows if whole else split_parts(rows)
    if places is None:
        sums = parts.sum(0, keepdims=True)
    else:
        columns = [np.bincount(places, column, groups) for column in parts.T]
        sums = np.stack(columns, axis=1)
    if whole:
        # Whole numbers have no small parts.
        rest = np.zeros((len(sums), (PARTS - 1) * rows.shape[1]))
        sums = np.concatenate([sums, rest], axis=1)
    return sums
