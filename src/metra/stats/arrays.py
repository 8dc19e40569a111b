"""Names for the kinds of arrays, and arithmetic that respects missing values."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


def divide(
    above: ArrayLike,
    below: ArrayLike,
    where: Mask | None = None,
    *,
    fill: float = float("nan"),
) -> Array:
    """Return the quotient where `where` holds, and `fill` elsewhere.

    Where nothing is said, it is where the divisor is above zero.

    >>> divide([1.0, 2.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    above, below = np.broadcast_arrays(above, below)
    defined = below > 0 if where is None else where
    return np.divide(above, below, out=np.full(below.shape, fill), where=defined)


def drop_nan(value: float) -> float | None:
    """Return a figure, or None for what is not a number."""
    return value if value == value else None


def row_means(values: Array) -> Array:
    """Mean of each row over its finite cells; NaN where there are none."""
    there = np.isfinite(values)
    total = np.where(there, values, 0.0).sum(1)
    return divide(total, there.sum(1))


def pair_gaps(values: Array) -> Array:
    """Differences of each two rows, the upper minus the lower: (n, …) to (pairs, …)."""
    first, second = np.triu_indices(len(values), 1)
    return values[first] - values[second]


def round_values(values: ArrayLike) -> list[float | int | None]:
    """Round to three digits: whole numbers as such, and None for what is not finite.

    >>> round_values([0.0005, 2.9999, float("nan")])
    [0.001, 3, None]
    """
    exact = np.asarray(values, np.float64)
    exact = np.where(np.isfinite(exact), exact, np.nan)
    thousandths = exact * 1000
    near = np.rint(thousandths) / 1000
    rounded: list[float | int | None] = near.tolist()
    # In the middle between two, the rounding of the product must not decide.
    for at in np.flatnonzero(np.abs(thousandths % 1 - 0.5) < 1e-6).tolist():
        rounded[at] = near[at] = round(float(exact[at]), 3)
    for at in np.flatnonzero(near == np.rint(near)).tolist():
        rounded[at] = int(near[at])
    for at in np.flatnonzero(np.isnan(near)).tolist():
        rounded[at] = None
    return rounded
