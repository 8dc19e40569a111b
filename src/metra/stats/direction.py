"""Directions of scores: higher is better, lower is better, or closest to a target."""

import math
from typing import NamedTuple, TypeVar

from metra.stats.totals import Array

Values = TypeVar("Values", float, Array)


class Direction(NamedTuple):
    """The best value; infinity if higher is always better, or lower.

    >>> import numpy as np
    >>> [Direction(100.0).orient(np.array([107.0, 114.0, 80.0])).tolist(), LOWER.arrow]
    [[-7.0, -14.0, -20.0], '↓']
    """

    best: float = math.inf

    @property
    def target(self) -> float | None:
        """The best value; None if there is none because higher or lower is always better."""
        return self.best if math.isfinite(self.best) else None

    @property
    def higher_is_better(self) -> bool | None:
        """True or False, or None if the value closest to the target is best."""
        return None if math.isfinite(self.best) else self.best > 0

    @property
    def arrow(self) -> str:
        """Sign beside the name of a metric: ↑, ↓, or → with the target."""
        if self.target is not None:
            return f"→{self.target:g}"
        return "↑" if self.best > 0 else "↓"

    @property
    def words(self) -> str:
        """Phrase for notes and captions, such as "higher is better"."""
        if self.target is not None:
            return f"closest to {self.target:g} is best"
        return "higher is better" if self.best > 0 else "lower is better"

    @property
    def text(self) -> str:
        """Text of the direction in tables: true, false or target=NUMBER."""
        if self.target is not None:
            return f"target={self.target:g}"
        return "true" if self.best > 0 else "false"

    def orient(self, values: Values) -> Values:
        """Return values for which higher is better: a number, or an array of numbers."""
        if self.target is not None:
            return -abs(values - self.target)
        return values if self.best > 0 else -values


HIGHER = Direction()
LOWER = Direction(-math.inf)


def find_direction(
    higher_is_better: bool | None, target: float | None = None
) -> Direction:
    """Return the direction that two values of a JSON document describe."""
    if target is not None:
        return Direction(target)
    return HIGHER if higher_is_better else LOWER
