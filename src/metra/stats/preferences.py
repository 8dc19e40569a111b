"""Strengths of systems by their wins (Bradley and Terry) and by orders (Plackett and Luce).

The chance of a tie is in proportion to the geometric mean of two strengths (Davidson 1970,
JASA 65), so that wins plus half of the ties decide. The likelihood has one maximum, which is
finite if no part of the systems wins every comparison with the rest (Ford 1957);
`find_bounds` finds infinite strengths. Orders with ties follow Efron (1977, JASA 72), who
averages over the possible orders of tied systems.
"""

from collections.abc import Callable

import numpy as np

from metra.stats.arrays import Array, Mask, divide

#: So little for the solver that a strength of infinity ends somewhere; figures do not show it.
_RIDGE = 1e-5
#: The largest step of a strength, and the smallest that counts.
_LONGEST, _SHORTEST = 2.0, 1e-6


def fit_wins(wins: Array, draws: Array) -> tuple[Array, Array, Array]:
    """Fit strengths to wins of the row and ties: draws × systems × systems each.

    Returns logarithms of strengths (0 without a comparison), the expected share of wins
    against the others, a tie counting half, and the chance of a tie of equal systems.
    """
    met = wins + wins.swapaxes(1, 2) + draws
    points = (wins - wins.swapaxes(1, 2)).sum(2) / 2
    tied = draws.sum((1, 2)) / 2
    size = wins.shape[1]

    def find_parts(x: Array) -> tuple[Array, Array, Array, Array]:
        half = (x[:, :-1, None] - x[:, None, :-1]) / 2
        tie = np.exp(x[:, -1])[:, None, None]
        below = 2 * np.cosh(half) + tie
        return half, tie, below, met / below

    def slope(x: Array) -> tuple[Array, Array]:
        half, tie, below, weight = find_parts(x)
        steep, flat = weight * np.sinh(half), weight * np.cosh(half)
        gradient = np.empty_like(x)
        gradient[:, :-1] = points - steep.sum(2)
        gradient[:, -1] = tied - (tie * weight).sum((1, 2)) / 2
        curve = np.zeros((*x.shape, size + 1))
        curve[:, :-1, :-1] = -(2 * weight + tie * flat) / (2 * below)
        curve[:, -1, :-1] = curve[:, :-1, -1] = -(tie * steep / below).sum(2)
        places = np.arange(size)
        curve[:, places, places] -= curve[:, :-1, :-1].sum(2)
        curve[:, -1, -1] = (tie * flat / below).sum((1, 2))
        return gradient, curve

    x = _climb(slope, np.zeros((len(wins), size + 1)))
    half, tie, below, _ = find_parts(x)
    share = (np.exp(half) + tie / 2) / below * ~np.eye(size, dtype=bool)
    return x[:, :-1], share.sum(2) / max(size - 1, 1), 1 / (1 + 2 / np.exp(x[:, -1]))


def fit_orders(values: Array, weights: Array) -> Array:
    """Fit strengths to orders, each counted so often: draws × orders to draws × systems.

    `values` is orders × systems, higher is better, NaN where missing.
    """
    # An order is a choice of the best of all, then of the best of those left, and so on.
    orders, choices = list[int](), list[Array]()
    for number, row in enumerate(values):
        left = np.isfinite(row).astype(np.float64)
        for value in sorted({*row[left > 0].tolist()}, reverse=True):
            tied = row == value
            count = int(tied.sum())
            choices += [left - tied * (taken / count) for taken in range(count)]
            orders += [number] * count
            left = left * ~tied
    kinds_of, kinds = np.unique(np.array(choices), axis=0, return_inverse=True)
    counts = np.array([np.bincount(kinds, each[orders]) for each in weights])
    chosen = weights @ np.isfinite(values)

    def slope(x: Array) -> tuple[Array, Array]:
        strengths = np.exp(x - x.max(1, keepdims=True))
        shares = kinds_of * strengths[:, None]
        shares /= shares.sum(2, keepdims=True)
        expected = counts[..., None] * shares
        curve = -(expected.swapaxes(1, 2) @ shares)
        places = np.arange(x.shape[1])
        curve[:, places, places] += expected.sum(1)
        return chosen - expected.sum(1), curve

    return _climb(slope, np.zeros(chosen.shape))


def find_bounds(won: Mask) -> Array:
    """Return 0 for systems with a finite strength, else inf or -inf, NaN if unknown.

    `won` is draws × systems × systems: if the row ever won against the column, or tied.
    Strengths are finite within the largest group in which each system is above each other,
    perhaps through wins over third ones. Systems beyond the group are always better or
    always worse, or NaN if their comparisons do not place them.
    """
    size = won.shape[1]
    reach = (won | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(size.bit_length()):
        reach = np.minimum(reach @ reach, 1)
    above = reach > 0
    below = above.swapaxes(1, 2)
    mutual = above & below
    ways = np.minimum(above.sum(2), below.sum(2))
    at = np.arange(len(won)), (mutual.sum(2) * (size + 1) + ways).argmax(1)
    is_finite, reaches, is_reached = mutual[at], below[at], above[at]
    # Without a system that both wins and loses there is no middle.
    apart = (ways[at] == 1) & (size > 1)
    is_finite[apart] = False
    reaches[apart], is_reached[apart] = above[apart].sum(2) > 1, below[apart].sum(2) > 1
    bounds = np.where(reaches, np.inf, -np.inf)
    bounds[reaches == is_reached] = np.nan
    return np.where(is_finite, 0.0, bounds)


def bound_strengths(strengths: Array, bounds: Array) -> Array:
    """Centre strengths on the finite ones, and put in infinite and unknown ones."""
    is_finite = bounds == 0
    total = np.where(is_finite, strengths, 0.0).sum(1)
    middle = divide(total, is_finite.sum(1), fill=0.0)
    return np.where(is_finite, strengths - middle[:, None], bounds)


def _climb(slope: Callable[[Array], tuple[Array, Array]], x: Array) -> Array:
    """Find the maximum by Newton's method; `slope` gives the gradient and minus its own."""
    for _ in range(100):
        gradient, curve = slope(x)
        places = np.arange(x.shape[1])
        curve[:, places, places] += _RIDGE
        step = np.linalg.solve(curve, (gradient - _RIDGE * x)[..., None])[..., 0]
        size = np.abs(step).max(1, keepdims=True)
        x = x + step * np.minimum(1, _LONGEST / np.maximum(size, _LONGEST))
        if size.max() < _SHORTEST:
            break
    return x
