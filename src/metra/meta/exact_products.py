"""Products of whole-number weights with values, the same to the last digit everywhere.

Sums of floating-point numbers depend on the order of adding, and the order inside a matrix
product on the library, the machine and the threads. So values are taken apart into two
numbers on grids on which every possible sum is exact: whatever the order, nothing is
rounded but the grid's own last place, some 2⁻⁷⁰ of the largest value.
"""

import numpy as np
from numpy.typing import NDArray

from metra.meta.arrays import Array


def weighted(weights: Array, values: Array) -> Array:
    """Matrix product of whole numbers (draws × n) with values (n × columns), or one column.

    >>> weighted(np.array([[1.0, 1, -1]]), np.array([[0.1], [0.2], [0.3]])).tolist()
    [[2.7755575615628914e-17]]
    """
    return Values(values).weighted(weights)


class Values:
    """Values that are weighted again and again: n × columns, or one column."""

    def __init__(self, values: Array) -> None:
        self._values = values
        self._whole = bool((values == np.rint(values)).all())
        self._parts: dict[int, tuple[Array, Array]] = {}

    def weighted(self, weights: Array) -> Array:
        """Sums of the values under each row of whole-number weights."""
        if self._whole:
            return np.asarray(weights @ self._values)
        most = float(np.abs(weights).sum(-1).max(initial=0.0))
        coarse, fine = self._apart(int(np.frexp(most)[1]))
        return np.asarray(weights @ coarse + weights @ fine)

    def _apart(self, room: int) -> tuple[Array, Array]:
        """Coarse and fine parts whose sums stay exact with weights below 2^room."""
        if room not in self._parts:
            _, exponent = np.frexp(np.abs(self._values).max(0, initial=0.0))
            bits = 53 - room - exponent
            coarse = _rounded(self._values, bits)
            fine = _rounded(self._values - coarse, bits + 53 - room)
            self._parts[room] = coarse, fine
        return self._parts[room]


def _rounded(values: Array, bits: NDArray[np.int32]) -> Array:
    """Round to multiples of 2^-bits."""
    if np.abs(bits).max(initial=0) < 1000:
        # Powers of two change no digit, and multiplying is quicker than ldexp.
        scale = np.ldexp(1.0, bits)
        return np.asarray(np.rint(values * scale) / scale)
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, bits)), -bits))
