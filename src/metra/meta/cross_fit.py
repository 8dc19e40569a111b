"""Tie thresholds without optimism: fitted to some segments, applied to others.

A threshold that is calibrated on the data it is measured on flatters the metric. So segments
are dealt into folds, and each fold is measured with the threshold that the other folds give.
Where a group is a segment, groups are dealt. Where groups hold many segments (a system's, or
all cells), each fold is a small test set of its own: a pair of values is compared only if
both are in the same fold, because the threshold has seen neither.
"""

from dataclasses import dataclass

import numpy as np

from metra.errors import OptionError
from metra.meta.arrays import Array, Codes
from metra.meta.calibration import MOST_PAIRS, calibrate, gold_pairs
from metra.meta.calibration_long import calibrate_long


def cross_fitted(g: Array, m: Array, *, folds: int, seed: int) -> Array:
    """A threshold for each group (groups × values), from the groups of the other folds.

    Groups without a pair belong to no fold's fitting, and get a threshold all the same.
    """
    there = np.isfinite(g) & np.isfinite(m)
    fold = _dealt(np.flatnonzero(there.sum(1) > 1), len(g), folds, seed)
    gold, metric = np.where(there, g, np.nan), np.where(there, m, np.nan)
    found = np.empty(len(g))
    for each in range(folds):
        rest = fold != each
        found[~rest] = calibrate(metric[rest], gold_pairs(gold[rest])).eps
    return found


@dataclass(frozen=True)
class HeldOut:
    """The groups of all folds, one after the other, and the threshold of each."""

    gold: Array
    metric: Array
    eps: Array


def held_out(g: Array, m: Array, *, folds: int, seed: int, pooled: bool) -> HeldOut:
    """Part systems × segments into folds: a group a system and fold, or `pooled`, a fold."""
    there = np.isfinite(g) & np.isfinite(m)
    fold = _dealt(np.flatnonzero(there.any(0)), g.shape[1], folds, seed)
    gold, metric = np.where(there, g, np.nan), np.where(there, m, np.nan)
    parts, limits = [], []
    for each in range(folds):
        inside = [np.where(fold == each, x, np.nan) for x in (gold, metric)]
        rest = [x[:, fold != each] for x in (gold, metric)]
        if pooled:
            inside, rest = ([x.reshape(1, -1) for x in both] for both in (inside, rest))
        parts.append(inside)
        limits.append(np.full(len(inside[0]), _eps(rest[0], rest[1])))
    golds, metrics = zip(*parts, strict=True)
    return HeldOut(
        np.concatenate(golds), np.concatenate(metrics), np.concatenate(limits)
    )


def _eps(g: Array, m: Array) -> float:
    if g.shape[0] * g.shape[1] ** 2 / 2 > MOST_PAIRS:
        eps = calibrate_long(g, m).eps
    else:
        eps = calibrate(m, gold_pairs(g)).eps
    if np.isnan(eps):
        msg = "The folds leave no two values to fit a threshold to; take fewer folds."
        raise OptionError(msg)
    return eps


def _dealt(useful: Codes, count: int, folds: int, seed: int) -> Codes:
    """A fold for each of `count`; each fold gets its share of those that say something."""
    if not 2 <= folds <= len(useful):
        msg = (
            f"Cross-fitting in {folds} folds takes at least 2 folds and as many segments with "
            f"something to compare; there are {len(useful)}."
        )
        raise OptionError(msg)
    fold = np.random.default_rng(seed).permutation(count) % folds
    fold[useful] = np.random.default_rng(seed).permutation(len(useful)) % folds
    return fold
