"""What every exchange of scores between two metrics has in common."""

from typing import Literal, Protocol, TypeAlias

import numpy as np

from metra.meta.arrays import Array

#: What changes sides: single cells, whole systems, or whole segments.
Swap: TypeAlias = Literal["both", "sys", "input"]


def moving(swap: Swap, systems: int, segments: int) -> tuple[int, int]:
    """What is drawn for: systems × segments, 1 where all of them change sides together."""
    shapes = {"both": (systems, segments), "sys": (systems, 1), "input": (1, segments)}
    return shapes[swap]


class Swapped(Protocol):
    """The coefficients of two metrics after each exchange between them."""

    def __call__(self, a: int, b: int) -> tuple[Array, Array]:
        """Give both, draws each."""


def standard(values: Array) -> Array:
    """Give each metric (first axis) mean 0 and standard deviation 1 over what is there."""
    axes = tuple(range(1, values.ndim))
    mean = np.nanmean(values, axes, keepdims=True)
    spread = np.nanstd(values, axes, keepdims=True)
    return (values - mean) / np.where(spread > 0, spread, 1.0)
