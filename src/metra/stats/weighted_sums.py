"""Sums of weighted rows, the same to the last digit everywhere.

Sums of whole numbers are exact in any order, and so on any number of threads. Other
numbers are rounded, or taken apart, so that their sums are exact too.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metra.stats.arrays import Array

Weights: TypeAlias = NDArray[Any]

#: How many weights are made floating-point numbers at a time.
STEP = 1_000_000
#: A matrix with fewer rows that hold something, of so many, is summed over these alone.
SPARSE = 8
#: Matrices of more numbers than this together are not copied into one.
MOST_STACKED = 4_000_000


class StackedRows:
    """Matrices of rows that share their weights; one given twice is summed once."""

    def __init__(self, matrices: Sequence[Array]) -> None:
        distinct = {id(rows): rows for rows in matrices}
        numbers = {key: number for number, key in enumerate(distinct)}
        self._numbers = [numbers[id(rows)] for rows in matrices]
        rounded = [round_to_grid(rows) for rows in distinct.values()]
        sums = [rows.sum(0) for rows in rounded]
        #: The plain sums of all rows of each matrix, exact.
        self.totals = [sums[number] for number in self._numbers]
        narrow = [_shorten_floats(rows) for rows in rounded]
        self._widths = [rows.shape[1] for rows in narrow]
        #: Numbers of matrices of which most rows are zeros, the other rows, and these.
        self._sparse: list[tuple[int, NDArray[np.intp], NDArray[Any]]] = []
        for at, rows in enumerate(narrow):
            held = np.flatnonzero(rows.any(1))
            if SPARSE * len(held) < len(rows):
                self._sparse.append((at, held, rows[held]))
        dense = set(range(len(narrow))).difference(at for at, *_ in self._sparse)
        stacked = sum(rounded[at].size for at in dense) <= MOST_STACKED
        #: Numbers of matrices, and these side by side: one product of wide matrices is some
        #: times quicker than many of narrow ones.
        self._stacks: list[tuple[list[int], NDArray[Any]]] = []
        for kind in (np.float32, np.float64):
            alike = [at for at in sorted(dense) if narrow[at].dtype == kind]
            for group in [alike] if stacked and alike else [[at] for at in alike]:
                rows = narrow[group[0]]
                if len(group) > 1:
                    rows = np.concatenate([narrow[at] for at in group], axis=1)
                self._stacks.append((group, rows))

    def sum_weighted(self, weights: Weights) -> list[Array]:
        """Give each matrix's totals under each row of weights: (trials, columns)."""
        trials, count = weights.shape
        totals = [np.zeros((trials, rows.shape[1])) for _, rows in self._stacks]
        step = max(1, STEP // trials)
        for start in range(0, count, step):
            part = weights[:, start : start + step]
            parts = {rows.dtype: part.astype(rows.dtype) for _, rows in self._stacks}
            for total, (_, rows) in zip(totals, self._stacks, strict=True):
                total += parts[rows.dtype] @ rows[start : start + step]
        sums: dict[int, Array] = {}
        for (group, _), total in zip(self._stacks, totals, strict=True):
            ends = np.cumsum([self._widths[at] for at in group])[:-1]
            pieces = np.split(total, ends, axis=1)
            sums |= zip(group, map(np.ascontiguousarray, pieces), strict=True)
        for at, held, rows in self._sparse:
            summed = weights[:, held].astype(rows.dtype) @ rows
            sums[at] = summed.astype(np.float64, copy=False)
        return [sums[number] for number in self._numbers]


def _shorten_floats(rows: Array) -> NDArray[Any]:
    """Halve the size of numbers whose weighted sums stay exact, and twice as quick.

    The weights of a trial add up to no more than the number of rows.
    """
    whole = bool((rows == np.rint(rows)).all())
    if whole and len(rows) * np.abs(rows).max(initial=0) < 2**24:
        return rows.astype(np.float32)
    return rows


def round_to_grid(rows: Array) -> Array:
    """Round each column so that sums of as many of its numbers are exact in any order."""
    whole = rows == np.rint(rows)
    if whole.all() or not np.isfinite(rows).all():
        return rows
    largest = np.abs(rows).max(0, initial=0)
    _, exponent = np.frexp(len(rows) * largest)
    return round_to_bits(rows, 53 - exponent)


def round_to_bits(values: Array, bits: ArrayLike) -> Array:
    """Round to multiples of 2^-bits."""
    bits = np.asarray(bits)
    if np.abs(bits).max(initial=0) < 1000:
        # Powers of two change no digit, and multiplying is quicker than ldexp.
        scale = np.ldexp(1.0, bits)
        return np.asarray(np.rint(values * scale) / scale)
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, bits)), -bits))


def weigh_values(weights: Array, values: Array) -> Array:
    """Matrix product of whole numbers (draws × n) with values (n × columns), or one column."""
    return WeightedValues(values).sum_weighted(weights)


class WeightedValues:
    """Values for many weightings: n × columns, or one column."""

    def __init__(self, values: Array) -> None:
        self._values = values
        self._whole = bool((values == np.rint(values)).all())
        self._parts: dict[int, Array] = {}

    def sum_weighted(self, weights: Array) -> Array:
        """Sums of the values under each row of whole-number weights."""
        if self._whole:
            return np.asarray(weights @ self._values)
        most = float(np.abs(weights).sum(-1).max(initial=0.0))
        sums = weights @ self._apart(int(np.frexp(most)[1]))
        coarse, fine = np.split(sums, 2, axis=-1)
        return np.asarray(coarse + fine).reshape(
            weights.shape[:-1] + self._values.shape[1:]
        )

    def _apart(self, room: int) -> Array:
        """Coarse and fine parts whose sums stay exact with weights below 2^room.

        They stand side by side: one product of a wide matrix is quicker than two.
        """
        if room not in self._parts:
            _, exponent = np.frexp(np.abs(self._values).max(0, initial=0.0))
            bits = 53 - room - exponent
            coarse = round_to_bits(self._values, bits)
            fine = round_to_bits(self._values - coarse, bits + 53 - room)
            columns = [part.reshape(len(part), -1) for part in (coarse, fine)]
            self._parts[room] = np.concatenate(columns, axis=1)
        return self._parts[room]
