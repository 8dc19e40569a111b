"""Kappas and Gwet's coefficients: agreement beyond what chance would give.

Cohen 1960 and 1968 (two judges, with weights), Fleiss 1971 (several), Gwet 2008 and 2014
(AC1, AC2). Weights go by the distance of the values, not by their place in a list, so that
a value that nobody chose changes nothing.
"""

import numpy as np

from metra.meta.alpha import Columns, category_counts
from metra.meta.arrays import Array
from metra.meta.ratings import Ratings


def cohen(a: Array, b: Array, weights: str = "none") -> float:
    """Cohen's kappa of two judges' values; NaN where chance would agree everywhere.

    >>> round(cohen(np.array([1.0, 1, 2, 2]), np.array([1.0, 2, 2, 2])), 3)
    0.5
    """
    if not len(a):
        return float("nan")
    if weights == "none":
        observed = float((a != b).mean())
        values, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
        p = np.bincount(codes[: len(a)], minlength=len(values)) / len(a)
        q = np.bincount(codes[len(a) :], minlength=len(values)) / len(b)
        expected = 1.0 - float((p * q).sum())
        if (p > 0).sum() == 1 and (q > 0).sum() == 1 and observed == 0:
            expected = 0.0
    elif weights == "linear":
        observed = float(np.abs(a - b).mean())
        expected = _mean_gap(a, b)
    else:
        observed = float(((a - b) ** 2).mean())
        expected = float(a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    return 1.0 - observed / expected if expected > 0 else float("nan")


def fleiss_columns(paired: Ratings) -> Columns:
    """Fleiss' kappa: mean agreement within units against the pooled categories.

    Units may have different numbers of judges, two at least.
    """
    counts = _counts(paired)
    size = paired.counts.astype(np.float64)
    agreement = (counts * (counts - 1)).sum(1) / (size * (size - 1))
    rows = np.column_stack([np.ones(len(size)), agreement, counts])

    def aggregate(totals: Array) -> Array:
        margins = totals[..., 2:]
        shares = margins / np.maximum(margins.sum(-1, keepdims=True), 1)
        return _beyond(totals[..., 1] / totals[..., 0], (shares**2).sum(-1))

    return rows, aggregate


def gwet_columns(ratings: Ratings, *, quadratic: bool = False) -> Columns:
    """Gwet's AC1, or AC2 with quadratic weights; units with one judge count for chance."""
    values = ratings.levels[0]
    counts = _counts(ratings)
    size = ratings.counts.astype(np.float64)
    weights = np.eye(len(values))
    if quadratic and len(values) > 1:
        gap = (values[:, None] - values[None]) / (values[-1] - values[0])
        weights = 1.0 - gap**2
    paired = size >= 2
    near = np.einsum("uc,ck->uk", counts, weights)
    shared = (counts * (near - 1)).sum(1)
    agreement = np.divide(
        shared, size * (size - 1), out=np.zeros(len(size)), where=paired
    )
    judged = size > 0
    shares = np.divide(
        counts, size[:, None], out=np.zeros(counts.shape), where=judged[:, None]
    )
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


def _counts(ratings: Ratings) -> Array:
    values, codes = ratings.levels
    return category_counts(ratings, codes, len(values))


def _beyond(observed: Array, expected: Array) -> Array:
    """(p_o - p_e) / (1 - p_e); NaN where chance agrees everywhere."""
    room = 1.0 - expected
    return np.divide(
        observed - expected,
        room,
        out=np.full(np.shape(room), np.nan),
        where=room > 1e-12,
    )


def _mean_gap(a: Array, b: Array) -> float:
    """Mean of |x - y| over all x of a and y of b, by sorting."""
    ordered = np.sort(b)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    below = np.searchsorted(ordered, a)
    gaps = a * below - sums[below] + (sums[-1] - sums[below]) - a * (len(b) - below)
    return float(gaps.sum()) / (len(a) * len(b))
