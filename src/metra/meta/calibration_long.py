"""Tie calibration of long groups, whose pairs are too many to hold or to sort.

All differences are counted by their leading bits first. From the counts it is known, for
each bin, how good the accuracy can get within it at most; only the bins that can hold the
best threshold are looked at again, difference by difference, so the answer is exact.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from metra.meta.arrays import Array, Codes
from metra.meta.calibration import Calibration, best_threshold
from metra.parallel import ordered_map, thread_count

#: Bits that are left off for the first count: sign, exponent and eight of the mantissa stay.
SHIFT = 45
BINS = 1 << (63 - SHIFT)
#: Pairs that are looked at in one step.
STEP = 1 << 21

Keys = NDArray[np.uint64]


def calibrate_long(g: Array, m: Array) -> Calibration:
    """Find the threshold of groups × values, all groups of the same size or only one."""
    rows = [_sorted(a, b) for a, b in zip(g, m, strict=True)]
    rows = [row for row in rows if len(row[0]) > 1]
    if not rows:
        return Calibration(np.nan, np.nan)
    gained, lost, start = _counts(rows)
    reached = start + np.cumsum(gained - lost)
    before = reached - (gained - lost)
    at_zero = start + gained[0]
    best = max(int(reached.max()), int(at_zero))
    hopeful = np.flatnonzero((before + gained >= best) & (gained + lost > 0))
    total = sum(len(row[0]) * (len(row[0]) - 1) // 2 for row in rows)
    # Bin 0 holds the differences of zero (and the tiniest), where the threshold 0 stands.
    hopeful = np.union1d(hopeful, [0])
    found: list[tuple[float, float]] = []
    keys, gains = _looked_at(rows, hopeful)
    bins = (keys >> np.uint64(SHIFT)).astype(np.int64)
    for place in hopeful:
        inside = bins == place
        order = np.argsort(keys[inside], kind="stable")
        thresholds = keys[inside][order].view(np.float64)
        if not len(thresholds) and place:
            continue
        value, eps = best_threshold(
            thresholds, gains[inside][order], int(before[place]), from_zero=place == 0
        )
        found.append((value, -eps))
    value, eps = max(found)
    return Calibration(-eps, value / total)


def _sorted(g: Array, m: Array) -> tuple[Array, Array]:
    """Drop what is missing and put the metric in rising order: no difference is negative."""
    there = np.isfinite(g) & np.isfinite(m)
    g, m = g[there], m[there] + 0.0  # which makes -0 a plain 0, whose bits count
    order = np.argsort(m, kind="stable")
    return g[order], m[order]


def _counts(rows: Sequence[tuple[Array, Array]]) -> tuple[Codes, Codes, int]:
    gained, lost = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
    start = 0
    for ties, right in ordered_map(_step_counts, _steps(rows), thread_count()):
        gained += ties
        lost += right
        start += int(right.sum())
    return gained, lost, start


Step = tuple[Array, Array, int, int]


def _steps(rows: Sequence[tuple[Array, Array]]) -> Iterator[Step]:
    for g, m in rows:
        size = max(1, STEP // len(g))
        for first in range(0, len(g) - 1, size):
            yield g, m, first, min(first + size, len(g) - 1)


def _differences(step: Step) -> Iterator[tuple[Keys, Array]]:
    """The bits of each difference to the values above, and the gold's order of the two."""
    g, m, first, last = step
    for at in range(first, last):
        yield (m[at + 1 :] - m[at]).view(np.uint64), g[at + 1 :] - g[at]


def _step_counts(step: Step) -> tuple[Codes, Codes]:
    ties, right = [], []
    for keys, gold in _differences(step):
        bins = (keys >> np.uint64(SHIFT)).astype(np.int32)
        ties.append(bins[gold == 0])
        right.append(bins[(gold > 0) & (keys > 0)])
    return (
        np.bincount(np.concatenate(ties), minlength=BINS),
        np.bincount(np.concatenate(right), minlength=BINS),
    )


def _looked_at(
    rows: Sequence[tuple[Array, Array]], hopeful: Codes
) -> tuple[Keys, Codes]:
    """The differences that fall into the bins, with what each gains as a tie."""
    wanted = np.zeros(BINS, bool)
    wanted[hopeful] = True

    def look(step: Step) -> tuple[Keys, Codes]:
        found_keys, found_gains = [], []
        for keys, gold in _differences(step):
            inside = wanted[(keys >> np.uint64(SHIFT)).astype(np.int32)]
            inside &= (gold == 0) | ((gold > 0) & (keys > 0))
            found_keys.append(keys[inside])
            found_gains.append(np.where(gold[inside] == 0, 1, -1))
        return np.concatenate(found_keys), np.concatenate(found_gains)

    parts = list(ordered_map(look, _steps(rows), thread_count()))
    return (
        np.concatenate([keys for keys, _ in parts]),
        np.concatenate([gains for _, gains in parts]),
    )
