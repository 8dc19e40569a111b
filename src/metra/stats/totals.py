"""Totals: every question about scores is a choice of rows to add up.

The sums do not depend on how the rows were cut into chunks: they are taken over blocks
of a fixed number of segments, in order, whatever arrives at a time.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# numpy is loaded where arrays are made: a system's score alone needs none.
if TYPE_CHECKING:
    Array: TypeAlias = NDArray[np.float64]
else:
    Array = Any

BLOCK = 1024


class Total:
    """A sum that grows by rows and gives the same digits for any chunk size."""

    def __init__(self, width: int) -> None:
        import numpy as np

        self._sum = np.zeros(width)
        self._rest = np.empty((0, width))

    def add(self, rows: Array) -> None:
        """Add the statistics of the next segments."""
        import numpy as np

        if len(self._rest):
            rows = np.concatenate([self._rest, rows])
        whole = len(rows) - len(rows) % BLOCK
        for start in range(0, whole, BLOCK):
            self._sum += rows[start : start + BLOCK].sum(0)
        self._rest = rows[whole:]

    def value(self) -> Array:
        """Give the sum of all rows so far."""
        return self._sum + self._rest.sum(0)


class BlockTotal:
    """The same sum, from the sums of whole blocks as plain numbers."""

    def __init__(self, width: int) -> None:
        self._sum = [0.0] * width

    def add(self, blocks: Sequence[Sequence[float]]) -> None:
        """Add the sums of the next blocks; only the last one of all may be of fewer rows."""
        for block in blocks:
            self._sum = [a + b for a, b in zip(self._sum, block, strict=True)]

    def value(self) -> list[float]:
        """Give the sum of all blocks so far."""
        return self._sum


def sum_rows(rows: Array) -> Array:
    """Add up all rows.

    >>> import numpy as np
    >>> sum_rows(np.ones((3, 2))).tolist()
    [3.0, 3.0]
    """
    adding = Total(rows.shape[1])
    adding.add(rows)
    return adding.value()


def sum_by_group(rows: Array, labels: Sequence[Any]) -> tuple[list[Any], Array]:
    """Add up rows of the same label; groups come in order of first appearance.

    >>> import numpy as np
    >>> names, totals = sum_by_group(np.eye(3), ["b", "a", "b"])
    >>> names, totals.tolist()
    (['b', 'a'], [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    """
    import numpy as np

    index = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    places = np.fromiter((index[label] for label in labels), np.intp, len(labels))
    columns = [np.bincount(places, column, len(index)) for column in rows.T]
    return list(index), np.stack(columns, axis=1)


def leave_one_out(rows: Array) -> Array:
    """Give the totals without each row in turn, for the jackknife."""
    return sum_rows(rows) - rows
