"""Arrays that meta-evaluation passes around: names for their kinds, and means of rows."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


def row_means(values: Array) -> Array:
    """Mean of each row over its finite cells; NaN where there are none."""
    there = np.isfinite(values)
    count = there.sum(1)
    total = np.where(there, values, 0.0).sum(1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
