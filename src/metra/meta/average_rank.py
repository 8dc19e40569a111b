"""Ranking by average ranks, and how much two rankings agree.

Rajman and Hartley 2002: systems are ranked on every document, their ranks are averaged,
and the averages are ranked. Rank 1 is the best; equals share the mean of their ranks.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Ranking(NamedTuple):
    """The systems' average ranks over the documents, and their ranks by these."""

    averages: Array
    ranks: Array


class Agreement(NamedTuple):
    """How far a ranking is from the one it should be; shares are in percent."""

    distance: float
    similarity: float
    precision: float
    recall: float


def mid_ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> Array:
    """Rank scores, the best first; equal scores share the mean of their ranks.

    >>> mid_ranks([3, 5, 3, 1]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    worse = values[..., None, :] > values[..., :, None]
    if not higher_is_better:
        worse = values[..., None, :] < values[..., :, None]
    equal = values[..., None, :] == values[..., :, None]
    return worse.sum(-1) + (equal.sum(-1) + 1) / 2


def average_rank_ranking(
    scores: ArrayLike, *, higher_is_better: bool = True
) -> Ranking:
    """Rank systems by the average of their ranks on each document.

    `scores` has a row for each document and a column for each system.

    >>> average_rank_ranking([[9, 5, 1], [7, 8, 2]]).ranks.tolist()
    [1.5, 1.5, 3.0]
    """
    ranks = mid_ranks(scores, higher_is_better=higher_is_better)
    # Ranks are halves, so their sums are exact and equal averages are found equal.
    sums = ranks.sum(0)
    return Ranking(sums / len(ranks), mid_ranks(sums, higher_is_better=False))


def agreement(ranks: Sequence[float], expected: Sequence[float]) -> Agreement:
    """Compare a ranking with the one that is expected, pair by pair.

    The distance is 1 for each pair in the opposite order and 1/2 for each pair that is
    tied in exactly one ranking; similarity is 1 - distance / pairs. Precision is the
    share of the pairs that `ranks` orders that are ordered as expected; recall the share
    of the pairs that are expected to be ordered.

    >>> agreement([1, 2, 3.5, 3.5], [1, 2, 3, 4]).distance
    0.5
    """
    if len(ranks) != len(expected):
        msg = f"{len(ranks)} and {len(expected)} systems are ranked; expected the same."
        raise ValueError(msg)
    pairs = list(combinations(range(len(ranks)), 2))
    signs = [
        (np.sign(ranks[one] - ranks[other]), np.sign(expected[one] - expected[other]))
        for one, other in pairs
    ]
    opposite = sum(found * wanted < 0 for found, wanted in signs)
    half_tied = sum((found == 0) != (wanted == 0) for found, wanted in signs)
    agreeing = sum(found * wanted > 0 for found, wanted in signs)
    distance = float(opposite + half_tied / 2)
    return Agreement(
        distance=distance,
        similarity=100 * (1 - distance / len(pairs)) if pairs else 100.0,
        precision=_share(agreeing, sum(found != 0 for found, _ in signs)),
        recall=_share(agreeing, sum(wanted != 0 for _, wanted in signs)),
    )


def _share(part: int, whole: int) -> float:
    return float(100 * part / whole) if whole else 100.0
