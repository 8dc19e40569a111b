"""Totals of weighted rows, for many rows of weights and many samples at once.

Sums of floating-point numbers depend on the order of adding, and the order inside a matrix
product on the library, the machine and the threads. So rows are first rounded to a grid on
which every possible sum is exact. Counts lie on it already; other statistics move by less
than one part in 10¹⁰ of the largest, even with a hundred thousand rows.
"""

from collections.abc import Sequence

import numpy as np

from metra.infer.draws import Weights
from metra.pool import Array

#: Matrices of more numbers than this together are not copied into one.
MOST_STACKED = 4_000_000

#: How many weights are made floating-point numbers at a time.
STEP = 1_000_000


class Weighing:
    """Matrices of rows that share their weights."""

    def __init__(self, matrices: Sequence[Array]) -> None:
        self._rows = [on_grid(rows) for rows in matrices]
        self._ends = np.cumsum([rows.shape[1] for rows in matrices])
        #: The plain sums of all rows, exact.
        self.totals = [rows.sum(0) for rows in self._rows]
        if sum(rows.size for rows in self._rows) <= MOST_STACKED:
            # One product of wide matrices is some times quicker than many of narrow ones.
            self._rows = [np.concatenate(self._rows, axis=1)]

    def weighted(self, weights: Weights) -> list[Array]:
        """Give each matrix's totals under each row of weights: (trials, columns)."""
        trials, count = weights.shape
        sums = [np.zeros((trials, rows.shape[1])) for rows in self._rows]
        step = max(1, STEP // trials)
        for start in range(0, count, step):
            part = weights[:, start : start + step].astype(np.float64)
            for total, rows in zip(sums, self._rows, strict=True):
                total += part @ rows[start : start + step]
        if len(sums) == len(self._ends):
            return sums
        parts = np.split(sums[0], self._ends[:-1], axis=1)
        return [np.ascontiguousarray(part) for part in parts]


def on_grid(rows: Array) -> Array:
    """Round each column so that sums of as many of its numbers are exact in any order.

    >>> on_grid(np.array([[3.0], [0.1]])).tolist()
    [[3.0], [0.09999999999999964]]
    """
    whole = rows == np.rint(rows)
    if whole.all() or not np.isfinite(rows).all():
        return rows
    largest = np.abs(rows).max(0, initial=0)
    _, exponent = np.frexp(len(rows) * largest)
    bits = 53 - exponent
    return np.ldexp(np.rint(np.ldexp(rows, bits)), -bits)
