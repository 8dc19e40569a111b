"""Intraclass correlations: the share of variance that is the units' own.

Shrout and Fleiss 1979, Psychological Bulletin 86: one-way (1), two-way with judges drawn
at random (2, agreement) or fixed (3, consistency), of one judge or of the mean of k.
"""

import numpy as np

from metra.meta.alpha import Columns
from metra.meta.arrays import Array
from metra.meta.ratings import Ratings

ONE_WAY = ("ICC(1,1)", "ICC(1,k)")
TWO_WAY = ("ICC(2,1)", "ICC(2,k)", "ICC(3,1)", "ICC(3,k)")


def one_way_columns(paired: Ratings) -> Columns:
    """ICC(1,1) and ICC(1,k); units may have different numbers of judges.

    With unequal numbers, k is the usual mean (N - Σm²/N) / (units - 1).
    """
    size = paired.counts.astype(np.float64)
    value = paired.value - paired.value.mean()
    total = np.bincount(paired.unit, value, len(size))
    square = np.bincount(paired.unit, value**2, len(size))
    rows = np.column_stack(
        [np.ones(len(size)), size, size**2, total, square, total**2 / size]
    )

    def aggregate(totals: Array) -> Array:
        units, n, squares, grand, square, within = np.moveaxis(totals, -1, 0)
        between = _over(within - grand**2 / n, units - 1)
        residual = _over(square - within, n - units)
        k = _over(n - squares / n, units - 1)
        return np.stack(
            [
                _over(between - residual, between + (k - 1) * residual),
                _over(between - residual, between),
            ],
            axis=-1,
        )

    return rows, aggregate


def two_way_columns(complete: Ratings) -> Columns:
    """ICC(2,1), (2,k), (3,1) and (3,k) of units that every judge judged."""
    grid = complete.dense()
    judges, _ = grid.shape
    grid = grid - grid.mean()
    total = grid.sum(0)
    rows = np.column_stack(
        [np.ones(len(total)), (grid**2).sum(0), total**2 / judges, grid.T]
    )

    def aggregate(totals: Array) -> Array:
        units, square, by_unit = (totals[..., at] for at in range(3))
        by_judge = totals[..., 3:]
        grand = by_judge.sum(-1) ** 2 / (units * judges)
        columns = (by_judge**2).sum(-1) / units - grand
        rows_ss = by_unit - grand
        between = _over(rows_ss, units - 1)
        judge = columns / (judges - 1)
        error = _over(square - grand - rows_ss - columns, (units - 1) * (judges - 1))
        k = judges
        spread = k * _over(judge - error, units)
        return np.stack(
            [
                _over(between - error, between + (k - 1) * error + spread),
                _over(between - error, between + spread / k),
                _over(between - error, between + (k - 1) * error),
                _over(between - error, between),
            ],
            axis=-1,
        )

    return rows, aggregate


def complete_units(ratings: Ratings) -> Ratings:
    """Keep the units that every judge judged."""
    return ratings.of_units(np.flatnonzero(ratings.counts == len(ratings.judges)))


def _over(part: Array, whole: Array) -> Array:
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(
        part, whole, out=np.full(part.shape, np.nan), where=np.abs(whole) > 1e-300
    )
