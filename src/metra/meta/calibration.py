"""Tie calibration: the difference up to which a metric's values count as tied.

Human scores have ties, neural metrics none. The threshold that makes a metric's accuracy
best over all groups is found exactly, by sorting all differences; Deutsch, Foster and
Freitag 2023, EMNLP. It is fitted to the very data that it is measured on, so the accuracy
is a little optimistic; `accuracy(..., eps=...)` applies a threshold found elsewhere.
"""

from dataclasses import dataclass
from math import lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.meta.arrays import Array, Mask

Gains: TypeAlias = Array | NDArray[np.int64]

#: Pairs that are held in memory; where there are more, `calibration_long` counts them.
MOST_PAIRS = 1 << 23


@dataclass(frozen=True)
class Calibration:
    """The best threshold, and the accuracy with it: the mean over groups."""

    eps: float
    accuracy: float


@dataclass(frozen=True)
class GoldPairs:
    """The order of the gold in every pair of every group, made once for all metrics."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    #: Groups × pairs: 1, 0 or -1; 2 where a value is missing.
    sign: NDArray[np.int8]
    #: What a pair of each group counts, in parts of `unit`.
    weight: NDArray[np.int64] | Array
    unit: float
    complete: bool


def gold_pairs(g: Array) -> GoldPairs:
    """Order the gold's pairs in each row (groups × values)."""
    first, second = np.triu_indices(g.shape[1], 1)
    difference = g[:, first] - g[:, second]
    there = np.isfinite(difference)
    sign = np.where(there, np.sign(np.where(there, difference, 0)), 2).astype(np.int8)
    pairs = there.sum(1)
    groups = int((pairs > 0).sum())
    shared = lcm(*(int(size) for size in np.unique(pairs[pairs > 0])), 1)
    # Whole numbers keep "the first of equal maxima" free of rounding.
    exact = shared * groups < 2**62 // max(1, int(pairs.max(initial=0)))
    if exact:
        weight = np.where(pairs > 0, shared // np.maximum(pairs, 1), 0)
        return GoldPairs(
            first, second, sign, weight, float(shared) * groups, bool(there.all())
        )
    weight = np.where(pairs > 0, 1.0 / np.maximum(pairs, 1), 0.0)
    return GoldPairs(first, second, sign, weight, float(groups), bool(there.all()))


def calibrate(m: Array, gold: GoldPairs) -> Calibration:
    """Find the threshold for a metric (groups × values); the first of equal maxima.

    >>> g, m = np.array([[1.0, 2, 2, 3, 4]]), np.array([[2.0, 1, 1.5, 5, 3]])
    >>> calibrate(m, gold_pairs(g))
    Calibration(eps=0.5, accuracy=0.7)
    """
    if gold.unit == 0:
        return Calibration(np.nan, np.nan)
    difference = m[:, gold.first] - m[:, gold.second]
    gap = np.abs(difference)
    tied = gold.sign == 0
    agree = (np.sign(difference) == gold.sign) & ~tied
    if gold.complete or (gold.weight == gold.weight.max()).all():
        return _alike(gap, tied, agree, gold)
    return _weighed(gap, tied, agree, gold)


def _alike(gap: Array, tied: Mask, agree: Mask, gold: GoldPairs) -> Calibration:
    """Sort differences and gains as one number each, because all pairs count the same."""
    weight = float(gold.weight.max())
    start = int(agree.sum())
    # The bits of floats that are not negative are in the floats' order, and the sign's
    # place is free; the gain stands in the last.
    counted = tied | agree
    keys = np.sort((gap[counted].view(np.uint64) << 1) | tied[counted])
    gains = (keys & 1).astype(np.int64) * 2 - 1
    thresholds = (keys >> 1).view(np.float64)
    return _best(thresholds, gains, start, weight, gold.unit)


def _weighed(gap: Array, tied: Mask, agree: Mask, gold: GoldPairs) -> Calibration:
    counted = tied | agree
    weights = np.broadcast_to(gold.weight[:, None], gap.shape)
    start = weights[agree].sum()
    gaps = gap[counted]
    gains = np.where(tied, weights, -weights)[counted]
    order = np.argsort(gaps, kind="stable")
    return _best(gaps[order], gains[order], start, 1.0, gold.unit)


def _best(
    thresholds: Array, gains: Gains, start: float, weight: float, unit: float
) -> Calibration:
    value, eps = best_threshold(thresholds, gains, start)
    return Calibration(eps, value * weight / unit)


def best_threshold(
    thresholds: Array, gains: Gains, start: float, *, from_zero: bool = True
) -> tuple[float, float]:
    """The highest sum of gains, and the first threshold (in rising order) that reaches it.

    Zero is a threshold as well, unless the thresholds are only some out of the middle.
    """
    if not len(thresholds):
        return float(start), 0.0
    reached = start + np.cumsum(gains)
    last = np.flatnonzero(np.append(thresholds[1:] != thresholds[:-1], True))
    thresholds, reached = thresholds[last], reached[last]
    if from_zero and thresholds[0] > 0:
        thresholds = np.append(0.0, thresholds)
        reached = np.append(np.asarray(start, reached.dtype), reached)
    best = int(np.argmax(reached))
    return float(reached[best]), float(thresholds[best])
