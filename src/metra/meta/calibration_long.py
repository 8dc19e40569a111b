"""Tie calibration of long groups, whose pairs are too many to hold or to sort.

All differences are counted by their leading bits first. From the counts it is known, for
each bin, how good the accuracy can get within it at most; only the bins that can hold the
best threshold are looked at again, difference by difference, so the answer is exact.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from metra import _core
from metra.meta.arrays import Array, Codes
from metra.meta.calibration import Calibration
from metra.parallel import ordered_map, thread_count

#: Bits that are left off for the first count: sign, exponent and eight of the mantissa stay.
SHIFT = 45
BINS = 1 << (63 - SHIFT)
#: Pairs that are looked at in one step.
STEP = 1 << 25
#: Differences that are looked at one by one at a time.
MOST = 1 << 23

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
    total = sum(len(row[0]) * (len(row[0]) - 1) // 2 for row in rows)
    # A threshold of zero ties nothing but what is equal.
    found, eps = start, 0.0
    best = max(int(reached.max()), start)
    left = np.flatnonzero(gained + lost > 0)
    left = left[np.argsort(-(before + gained)[left], kind="stable")]
    while True:
        # What was found meanwhile rules out bins that looked hopeful before.
        left = left[(before + gained)[left] >= best]
        if not len(left):
            return Calibration(eps, found / total)
        taken = np.searchsorted(np.cumsum((gained + lost)[left]), MOST) + 1
        value, threshold = _best_within(rows, np.sort(left[:taken]), before)
        if (value, -threshold) > (found, -eps):
            found, eps = value, threshold
        best, left = max(best, found), left[taken:]


def _best_within(
    rows: Sequence[tuple[Array, Array]], chosen: Codes, before: Codes
) -> tuple[int, float]:
    """The highest sum within some bins, and the first threshold that reaches it."""
    keys, gains = _looked_at(rows, chosen)
    order = np.argsort(keys, kind="stable")
    keys, gains = keys[order], gains[order]
    bins = (keys >> np.uint64(SHIFT)).astype(np.int64)
    # Within each bin the sum goes on from what it was before the bin.
    sums = np.cumsum(gains)
    begins = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    offset = before[bins[begins]] - (sums[begins] - gains[begins])
    sums += np.repeat(offset, np.diff(np.append(begins, len(bins))))
    last = np.append(keys[1:] != keys[:-1], True)
    place = int(np.argmax(sums[last]))
    return int(sums[last][place]), float(keys[last].view(np.float64)[place])


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


def _step_counts(step: Step) -> tuple[Codes, Codes]:
    return _core.tie_bins(*step, SHIFT)


def _looked_at(
    rows: Sequence[tuple[Array, Array]], hopeful: Codes
) -> tuple[Keys, Codes]:
    """The differences that fall into the bins, with what each gains as a tie."""
    wanted = np.zeros(BINS, np.bool_)
    wanted[hopeful] = True

    def look(step: Step) -> tuple[Keys, Codes]:
        return _core.tie_pairs(*step, SHIFT, wanted)

    parts = list(ordered_map(look, _steps(rows), thread_count()))
    return (
        np.concatenate([keys for keys, _ in parts]),
        np.concatenate([gains for _, gains in parts]),
    )
