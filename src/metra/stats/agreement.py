"""Coefficients of agreement between judges: alpha, kappas, intraclass correlations.

Most are a set of additive columns, a row for each unit, and a function that turns the
totals of the columns into the value: a resample of units is then a weighting of the rows.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from metra import _core
from metra.errors import UnknownNameError, no_such
from metra.stats.arrays import Array, Codes, divide
from metra.stats.ratings import Ratings

#: Up to so many different values are taken for categories.
MOST_CATEGORIES = 256
#: The scales of values that alpha knows.
SCALES = ("nominal", "ordinal", "interval", "ratio")
ONE_WAY = ("ICC(1,1)", "ICC(1,k)")
TWO_WAY = ("ICC(2,1)", "ICC(2,k)", "ICC(3,1)", "ICC(3,k)")

Columns: TypeAlias = tuple[Array, Callable[[Array], Array]]


def alpha(ratings: Ratings, scale: str = "interval") -> float:
    """Return Krippendorff's alpha: one minus observed over expected disagreement.

    Krippendorff 2011, Computing Krippendorff's alpha-reliability. Units need two values or
    more. NaN where fewer than two values are paired or all are equal, and on the ratio
    scale if there are more than `MOST_CATEGORIES` different values.

    >>> from metra.stats.ratings import convert_matrix
    >>> round(alpha(convert_matrix([[1, 2, 3], [1, 2, 4]])), 4)
    0.878
    """
    if scale not in SCALES:
        raise UnknownNameError(no_such("scale", scale, SCALES))
    paired = ratings.pairable()
    if scale == "ordinal":
        return float(ordinal_draws(paired, np.ones((1, len(paired.units))))[0])
    if scale == "ratio" and len(paired.levels[0]) > MOST_CATEGORIES:
        return float("nan")
    columns = {"nominal": nominal_columns, "interval": interval_columns}
    rows, aggregate = columns.get(scale, ratio_columns)(paired)
    return float(aggregate(rows.sum(0)))


def interval_columns(paired: Ratings) -> Columns:
    """Return the columns of alpha with squared differences, which need only sums."""
    values = paired.value - paired.value.mean()
    count = len(paired.units)
    size = paired.counts.astype(np.float64)
    total = np.bincount(paired.unit, values, count)
    mean = total / np.maximum(size, 1)
    within = np.bincount(paired.unit, (values - mean[paired.unit]) ** 2, count)
    square = np.bincount(paired.unit, values**2, count)
    apart = 2 * size * within / np.maximum(size - 1, 1)
    return np.column_stack([size, apart, total, square]), compute_interval_alpha


def nominal_columns(paired: Ratings) -> Columns:
    """Return the columns of alpha in which all different values are as far apart."""
    return _distance_columns(paired, 1.0 - np.eye(len(paired.levels[0])))


def ratio_columns(paired: Ratings) -> Columns:
    """Return the columns of alpha with differences as shares of the values' sum."""
    a, b = paired.levels[0][:, None], paired.levels[0]
    # Two zeros are equal.
    shares = divide(a - b, a + b, a + b != 0, fill=0.0)
    return _distance_columns(paired, shares**2)


def ordinal_draws(paired: Ratings, weights: Array, drawn: Codes | None = None) -> Array:
    """Return alpha of ranks for each weighting of the units: (draws, weights) to draws.

    The ordinal distance of two values is the distance of their middle ranks among all
    values, so that the ordinal scale is the interval scale of ranks. Ranks are among the
    values that were drawn, so each draw ranks anew. `drawn` says with which weight each
    unit counts; without it, each has its own.
    """
    values, codes = paired.levels
    which = np.arange(len(paired.units)) if drawn is None else drawn
    ends = np.concatenate([[0], np.cumsum(paired.counts)])
    sums = _core.rank_sums(weights, which, ends, codes, len(values))
    return compute_interval_alpha(sums)


def _distance_columns(paired: Ratings, distance: Array) -> Columns:
    counts = _category_counts(paired)
    size = paired.counts.astype(np.float64)
    # Not by BLAS, whose last digits depend on its threads.
    apart = np.einsum("uk,uk->u", np.einsum("uc,ck->uk", counts, distance), counts)
    rows = np.column_stack([size, apart / np.maximum(size - 1, 1), counts])

    def aggregate(totals: Array) -> Array:
        margins = totals[..., 2:]
        expected = np.einsum("...c,ck,...k->...", margins, distance, margins)
        expected /= np.maximum(totals[..., 0] - 1, 1)
        return np.asarray(1.0 - divide(totals[..., 1], expected))

    return rows, aggregate


def _category_counts(ratings: Ratings) -> Array:
    """Count for each unit how many judges chose each value."""
    values, codes = ratings.levels
    cells = ratings.unit * len(values) + codes
    counts = np.bincount(cells, minlength=len(ratings.units) * len(values))
    return counts.reshape(-1, len(values)).astype(np.float64)


def compute_interval_alpha(totals: Array) -> Array:
    """Return alpha of each row of totals: values, their differences, sum and squares.

    A unit of m values adds m, 2 m SS / (m - 1), where SS is the sum of the squared
    differences from its mean, the sum of its values and the sum of their squares.
    """
    size, apart, total, square = np.moveaxis(totals, -1, 0)
    n = np.maximum(size, 1)
    spread = 2 * n * (square - total**2 / n)
    # What is left of equal values after rounding is no spread.
    spread = np.where(spread > 1e-12 * n * np.maximum(square, 1e-300), spread, 0.0)
    return np.asarray(1.0 - divide(apart, spread / np.maximum(size - 1, 1)))


def fleiss_columns(paired: Ratings) -> Columns:
    """Return the columns of Fleiss' kappa: agreement in units against pooled categories.

    Units may have different numbers of judges, two at least.
    """
    counts = _category_counts(paired)
    size = paired.counts.astype(np.float64)
    agreement = (counts * (counts - 1)).sum(1) / (size * (size - 1))
    rows = np.column_stack([np.ones(len(size)), agreement, counts])

    def aggregate(totals: Array) -> Array:
        margins = totals[..., 2:]
        shares = margins / np.maximum(margins.sum(-1, keepdims=True), 1)
        return _beyond(totals[..., 1] / totals[..., 0], (shares**2).sum(-1))

    return rows, aggregate


def comparison_columns(ratings: Ratings) -> Columns:
    """Return the columns of the kappa that WMT has of comparisons (Bojar et al. 2013).

    Agreement is of all pairs of judges who compared the same two outputs. Chance is that of
    drawing a tie, or a win of either, twice; how often outputs tie is seen in all
    comparisons, and which of two stands first means nothing.
    """
    count = len(ratings.units)
    size = ratings.counts.astype(np.float64)
    kinds = [np.bincount(ratings.unit, ratings.value == at, count) for at in (-1, 0, 1)]
    equal = sum(kind * (kind - 1.0) for kind in kinds)
    rows = np.column_stack([size * (size - 1), equal, size, kinds[1]])

    def aggregate(totals: Array) -> Array:
        pairs, equal, judged, tied = np.moveaxis(totals, -1, 0)
        ties = divide(tied, judged)
        return _beyond(divide(equal, pairs), ties**2 + (1 - ties) ** 2 / 2)

    return rows, aggregate


def gwet_columns(ratings: Ratings, *, quadratic: bool = False) -> Columns:
    """Return the columns of Gwet's AC1, or with quadratic weights AC2.

    Units with one judge count for what chance gives.
    """
    values = ratings.levels[0]
    counts = _category_counts(ratings)
    size = ratings.counts.astype(np.float64)
    weights = np.eye(len(values))
    if quadratic and len(values) > 1:
        gap = (values[:, None] - values[None]) / (values[-1] - values[0])
        weights = 1.0 - gap**2
    paired = size >= 2
    near = np.einsum("uc,ck->uk", counts, weights)
    shared = (counts * (near - 1)).sum(1)
    agreement = divide(shared, size * (size - 1), paired, fill=0.0)
    judged = size > 0
    shares = divide(counts, size[:, None], judged[:, None], fill=0.0)
    rows = np.column_stack([paired, agreement, judged, shares]).astype(np.float64)
    categories = len(values)

    def aggregate(totals: Array) -> Array:
        observed = totals[..., 1] / np.maximum(totals[..., 0], 1)
        pi = totals[..., 3:] / np.maximum(totals[..., 2:3], 1)
        if categories < 2:
            return np.full(observed.shape, np.nan)
        chance = weights.sum() / (categories * (categories - 1))
        return _beyond(observed, chance * (pi * (1 - pi)).sum(-1))

    return rows, aggregate


def _beyond(observed: Array, expected: Array) -> Array:
    """(p_o - p_e) / (1 - p_e); NaN where chance agrees everywhere."""
    room = 1.0 - expected
    return divide(observed - expected, room, room > 1e-12)


def one_way_columns(paired: Ratings) -> Columns:
    """Return the columns of ICC(1,1) and ICC(1,k); units may have different numbers of judges.

    With unequal numbers, k is the usual mean (N - Σm²/N) / (units - 1).
    """
    size = paired.counts.astype(np.float64)
    value = paired.value - paired.value.mean()
    total = np.bincount(paired.unit, value, len(size))
    square = np.bincount(paired.unit, value**2, len(size))
    columns = [np.ones(len(size)), size, size**2, total, square, total**2 / size]

    def aggregate(totals: Array) -> Array:
        units, n, squares, grand, square, within = np.moveaxis(totals, -1, 0)
        between = _over(within - grand**2 / n, units - 1)
        residual = _over(square - within, n - units)
        k = _over(n - squares / n, units - 1)
        wholes = between + (k - 1) * residual, between
        return np.stack([_over(between - residual, w) for w in wholes], axis=-1)

    return np.column_stack(columns), aggregate


def two_way_columns(complete: Ratings) -> Columns:
    """Return the columns of ICC(2,1) to (3,k), of units that every judge judged."""
    grid = complete.dense()
    judges = len(grid)
    grid = grid - grid.mean()
    total = grid.sum(0)
    rows = [np.ones(len(total)), (grid**2).sum(0), total**2 / judges, grid.T]

    def aggregate(totals: Array) -> Array:
        units, square, by_unit = (totals[..., column] for column in range(3))
        by_judge = totals[..., 3:]
        grand = by_judge.sum(-1) ** 2 / (units * judges)
        columns = (by_judge**2).sum(-1) / units - grand
        rows_ss = by_unit - grand
        between = _over(rows_ss, units - 1)
        judge = columns / (judges - 1)
        error = _over(square - grand - rows_ss - columns, (units - 1) * (judges - 1))
        spread = judges * _over(judge - error, units)
        wholes = [
            between + (judges - 1) * error + spread,
            between + spread / judges,
            between + (judges - 1) * error,
            between,
        ]
        return np.stack([_over(between - error, w) for w in wholes], axis=-1)

    return np.column_stack(rows), aggregate


def complete_units(ratings: Ratings) -> Ratings:
    """Keep the units that every judge judged."""
    return ratings.of_units(np.flatnonzero(ratings.counts == len(ratings.judges)))


def _over(part: Array, whole: Array) -> Array:
    return divide(part, whole, np.abs(whole) > 1e-300)
