"""Tie thresholds without optimism: fitted to some groups, applied to others.

A threshold that is calibrated on the data it is measured on flatters the metric. So groups
are dealt into folds, and each fold is measured with the threshold that the other folds give.
"""

import numpy as np

from metra.errors import OptionError
from metra.meta.arrays import Array
from metra.meta.calibration import calibrate, gold_pairs


def cross_fitted(g: Array, m: Array, *, folds: int, seed: int) -> Array:
    """A threshold for each group (groups × values), from the groups of the other folds.

    Groups without a pair belong to no fold's fitting, and get a threshold all the same.
    """
    there = np.isfinite(g) & np.isfinite(m)
    useful = np.flatnonzero(there.sum(1) > 1)
    if not 2 <= folds <= len(useful):
        msg = (
            f"Cross-fitting in {folds} folds takes at least 2 folds and as many groups with "
            f"two values or more; there are {len(useful)}."
        )
        raise OptionError(msg)
    fold = np.random.default_rng(seed).permutation(len(g)) % folds
    # Each fold gets its share of the groups that say something.
    fold[useful] = np.random.default_rng(seed).permutation(len(useful)) % folds
    gold = np.where(there, g, np.nan)
    found = np.empty(len(g))
    for each in range(folds):
        rest = fold != each
        found[~rest] = calibrate(
            np.where(there, m, np.nan)[rest], gold_pairs(gold[rest])
        ).eps
    return found
