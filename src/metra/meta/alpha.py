"""Krippendorff's alpha: one minus observed over expected disagreement.

Krippendorff 2011, Computing Krippendorff's alpha-reliability. Units need two values or
more; anything else may be missing. The squares of differences, and so the interval scale,
need only sums. The ordinal distance of two values is the distance of their middle ranks
among all values, so that the ordinal scale is the interval scale of ranks.

A coefficient is a set of additive columns for each unit and a way to turn their totals
into the value; a resample of units is then a weighting of the columns.
"""

from collections.abc import Callable

import numpy as np

from metra.errors import OptionError
from metra.meta.arrays import Array, Codes
from metra.meta.ratings import Ratings

SCALES = ("nominal", "ordinal", "interval", "ratio")
#: Up to so many different values are taken for categories.
MOST_CATEGORIES = 256
#: Up to so many different values the ratio scale compares each with each.
MOST_RATIOS = 20_000

Columns = tuple[Array, Callable[[Array], Array]]


def alpha(ratings: Ratings, scale: str = "interval") -> float:
    """Give alpha; NaN where fewer than two values are paired or all are equal.

    >>> from metra.meta.ratings import ratings_of
    >>> round(alpha(ratings_of([[1, 2, 3], [1, 2, 4]])), 4)
    0.878
    """
    paired = ratings.pairable()
    if scale == "ordinal":
        return float(ordinal_draws(paired, np.ones((1, len(paired.units))))[0])
    if scale == "ratio" and len(paired.levels[0]) > MOST_CATEGORIES:
        return _many_ratios(paired)
    rows, aggregate = columns(paired, scale)
    return float(aggregate(rows.sum(0)))


def columns(paired: Ratings, scale: str) -> Columns:
    """Give the additive columns of each unit and how totals become alpha."""
    if scale == "interval":
        return _squares(paired, paired.value - paired.value.mean()), _by_moments
    if scale not in SCALES or scale == "ordinal":
        msg = f"No columns of the scale {scale!r}; expected nominal, interval or ratio."
        raise OptionError(msg)
    values, codes = paired.levels
    counts = category_counts(paired, codes, len(values))
    distance = _ratio_distance(values, values)
    if scale == "nominal":
        distance = 1.0 - np.eye(len(values))
    size = paired.counts.astype(np.float64)
    # Not by BLAS, whose last digits depend on its threads.
    apart = np.einsum("uk,uk->u", np.einsum("uc,ck->uk", counts, distance), counts)
    rows = np.column_stack([size, apart / np.maximum(size - 1, 1), counts])

    def aggregate(totals: Array) -> Array:
        margins = totals[..., 2:]
        expected = np.einsum("...c,ck,...k->...", margins, distance, margins)
        return _one_minus(totals[..., 1], expected / np.maximum(totals[..., 0] - 1, 1))

    return rows, aggregate


def ordinal_draws(paired: Ratings, weights: Array) -> Array:
    """Alpha of ranks for each weighting of the units: (draws, units) to draws.

    Ranks are among the values that were drawn, so each draw ranks anew.
    """
    values, codes = paired.levels
    found = np.empty(len(weights))
    for at, weight in enumerate(weights):
        margins = np.bincount(codes, weight[paired.unit], len(values))
        ranks = np.cumsum(margins) - margins / 2
        ranks -= (ranks * margins).sum() / max(margins.sum(), 1)
        squares = _squares(paired, ranks[codes])
        found[at] = _by_moments(np.einsum("u,uk->k", weight, squares))
    return found


def category_counts(ratings: Ratings, codes: Codes, categories: int) -> Array:
    """Count for each unit how many judges chose each category."""
    cells = ratings.unit * categories + codes
    size = len(ratings.units) * categories
    return np.bincount(cells, minlength=size).reshape(-1, categories).astype(np.float64)


def _squares(paired: Ratings, values: Array) -> Array:
    count = len(paired.units)
    size = paired.counts.astype(np.float64)
    total = np.bincount(paired.unit, values, count)
    mean = total / np.maximum(size, 1)
    within = np.bincount(paired.unit, (values - mean[paired.unit]) ** 2, count)
    square = np.bincount(paired.unit, values**2, count)
    apart = 2 * size * within / np.maximum(size - 1, 1)
    return np.column_stack([size, apart, total, square])


def _by_moments(totals: Array) -> Array:
    size, apart, total, square = np.moveaxis(totals, -1, 0)
    n = np.maximum(size, 1)
    spread = 2 * n * (square - total**2 / n)
    # What is left of equal values after rounding is no spread.
    spread = np.where(spread > 1e-12 * n * np.maximum(square, 1e-300), spread, 0.0)
    return _one_minus(apart, spread / np.maximum(size - 1, 1))


def _one_minus(observed: Array, expected: Array) -> Array:
    """1 - D_o / D_e, both times the number of values."""
    there = expected > 0
    share = np.divide(
        observed, expected, out=np.full(np.shape(expected), np.nan), where=there
    )
    return np.asarray(1.0 - share)


def _ratio_distance(a: Array, b: Array) -> Array:
    """((a - b) / (a + b))², and nothing between two zeros."""
    total = a[:, None] + b[None]
    gap = a[:, None] - b[None]
    share = np.divide(gap, total, out=np.zeros(gap.shape), where=total != 0)
    return np.asarray(share**2)


def _many_ratios(paired: Ratings) -> float:
    values, codes = paired.levels
    if len(values) > MOST_RATIOS:
        return float("nan")
    margins = np.bincount(codes).astype(np.float64)
    expected = sum(
        float(
            np.einsum(
                "c,ck,k->",
                margins[at : at + 500],
                _ratio_distance(values[at : at + 500], values),
                margins,
            )
        )
        for at in range(0, len(values), 500)
    )
    observed = 0.0
    size = paired.counts
    starts = np.concatenate([[0], np.cumsum(size)[:-1]])
    for m in np.unique(size).tolist():
        places = starts[size == m][:, None] + np.arange(m)
        each = paired.value[places]
        for i in range(m):
            total = each + each[:, i : i + 1]
            gap = each - each[:, i : i + 1]
            share = np.divide(gap, total, out=np.zeros(gap.shape), where=total != 0)
            observed += float((share**2).sum()) / (m - 1)
    return float(
        _one_minus(np.array(observed), np.array(expected / max(len(paired) - 1, 1)))
    )
