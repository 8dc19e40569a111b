"""Percentages that are undefined where there is nothing to count."""

import numpy as np

from metra.measure import Array


def share(some: Array, of: Array) -> Array:
    """Percentage of something in something; NaN of nothing.

    >>> share(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([25., nan])
    """
    there = of > 0
    return np.where(there, 100 * some / np.where(there, of, 1), np.nan)
