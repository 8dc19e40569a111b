"""Tie calibration of long groups, whose pairs are too many to hold or to sort.

All differences are counted in intervals first. From the counts it is known, for each
interval, how good the accuracy can get within it at most; only the intervals that can hold
the best threshold are cut again, and what is left in the end is looked at difference by
difference, so the answer is exact.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from metra import _core
from metra.errors import OptionError
from metra.meta.arrays import Array, Codes, Mask
from metra.meta.calibration import Calibration
from metra.parallel import ordered_map, thread_count

#: Pairs that are looked at in one step.
STEP = 1 << 25
#: Differences that are looked at one by one.
MOST = 1 << 22
#: Intervals of the first count: few, so that each is a long sweep. Later ones count less.
FIRST, LATER = 512, 2048
#: Differences that say where the first cuts are best made.
SAMPLE = 1 << 14
#: Bits of numbers that are not negative stay below.
END = 1 << 63

Bits: TypeAlias = NDArray[np.uint64]
#: Ranks of the gold and values of the metric, in rising order of the metric.
Group: TypeAlias = tuple[NDArray[np.uint32], Array]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Intervals:
    """Differences from `low` up to `high`, as bits, and what ties of them come to."""

    low: Bits
    high: Bits
    #: Pairs that are right when all smaller differences are ties.
    before: Codes
    gained: Codes
    lost: Codes

    def of(self, kept: Mask) -> "Intervals":
        """Keep some."""
        return Intervals(*(column[kept] for column in vars(self).values()))

    @property
    def reached(self) -> Codes:
        """Pairs that are right when these are ties too."""
        return self.before + self.gained - self.lost


def calibrate_long(g: Array, m: Array) -> Calibration:
    """Find the threshold of groups × values, all groups of the same size or only one."""
    groups = [_sorted(a, b) for a, b in zip(g, m, strict=True)]
    groups = [group for group in groups if len(group[0]) > 1]
    if not groups:
        return Calibration(np.nan, np.nan)
    sizes = {len(gold) for gold, _ in groups}
    if len(sizes) > 1:
        msg = (
            f"Groups of {len(sizes)} different sizes are too much for calibration of so many "
            "pairs; use item groups."
        )
        raise OptionError(msg)
    total = sum(len(gold) * (len(gold) - 1) // 2 for gold, _ in groups)
    left = _first(groups)
    best, found, eps = 0, -1, 0.0
    while True:
        best = max(best, int(left.reached.max()))
        for single in np.flatnonzero(left.high - left.low == 1):
            found, eps = _better(
                (found, eps), (int(left.reached[single]), _number(left.low[single]))
            )
        open_still = (left.before + left.gained >= best) & (left.high - left.low > 1)
        left = left.of(open_still & (left.gained + left.lost > 0))
        if not len(left.low):
            return Calibration(eps, found / total)
        if (left.gained + left.lost).sum() <= MOST:
            found, eps = _better((found, eps), _looked_at(groups, left))
            return Calibration(eps, found / total)
        left = _cut_again(groups, left)


def _better(one: tuple[int, float], other: tuple[int, float]) -> tuple[int, float]:
    """The higher sum; of equal sums, the lower threshold."""
    return max(one, other, key=lambda each: (each[0], -each[1]))


def _number(bits: np.uint64) -> float:
    return float(bits.view(np.float64))


def _sorted(g: Array, m: Array) -> Group:
    """Drop what is missing and put the metric in rising order: no difference is negative."""
    there = np.isfinite(g) & np.isfinite(m)
    g, m = g[there], m[there] + 0.0  # which makes -0 a plain 0, whose bits count
    order = np.argsort(m, kind="stable")
    _, ranks = np.unique(g, return_inverse=True)
    return ranks[order].astype(np.uint32), m[order]


def _first(groups: Sequence[Group]) -> Intervals:
    """Count all pairs, in intervals that hold about as many each."""
    rng = np.random.default_rng(0)  # where cuts are made changes no answer
    gaps = []
    for _, m in groups:
        some = rng.integers(0, len(m), (2, -(-SAMPLE // len(groups))))
        gaps.append(np.abs(m[some[0]] - m[some[1]]))
    sample = np.sort(np.concatenate(gaps)).view(np.uint64)
    cuts, often = np.unique(sample[:: SAMPLE // FIRST], return_counts=True)
    # A difference that comes up again and again is an interval of its own.
    again = cuts[often > 1] + np.uint64(1)
    ends = np.array([0, 1, END], np.uint64)
    cuts = np.unique(np.concatenate([cuts, again, ends]))
    gained, lost = _counted(groups, cuts, np.ones(len(cuts) - 1, np.bool_))
    lost[0] = 0  # equal values are in no order that a tie could spoil
    change = gained - lost
    before = lost.sum() + np.cumsum(change) - change
    return Intervals(cuts[:-1], cuts[1:], before, gained, lost)


def _cut_again(groups: Sequence[Group], left: Intervals) -> Intervals:
    """Cut intervals, the fuller the finer, and count what falls into the parts."""
    held = left.gained + left.lost
    parts = np.maximum(2, -(-held * LATER // held.sum())).astype(np.uint64)
    steps = np.maximum(1, (left.high - left.low) // parts)
    at = np.arange(int(parts.max()), dtype=np.uint64)
    cuts = left.low[:, None] + steps[:, None] * at
    kept = (at < parts[:, None]) & (cuts < left.high[:, None])
    edges = np.unique(np.append(cuts[kept], left.high))
    owner = np.searchsorted(left.low, edges[:-1], side="right") - 1
    wanted = edges[:-1] < left.high[owner]
    gained, lost = _counted(groups, edges, wanted)
    change = gained - lost
    sums = np.cumsum(change) - change
    begins = np.searchsorted(edges, left.low)
    before = (left.before - sums[begins])[owner] + sums
    return Intervals(edges[:-1], edges[1:], before, gained, lost).of(wanted)


def _looked_at(groups: Sequence[Group], left: Intervals) -> tuple[int, float]:
    """The highest sum within some intervals, and the first threshold that reaches it."""
    edges = np.unique(np.concatenate([left.low, left.high]))
    wanted = np.isin(edges[:-1], left.low)
    parts = list(_each_step(_core.tie_pairs, groups, edges, wanted))
    keys = np.sort(np.concatenate(parts))
    bits, gains = keys >> 1, (keys & 1).astype(np.int64) * 2 - 1
    # Within each interval the sum goes on from what it was before the interval.
    sums = np.cumsum(gains)
    owner = np.searchsorted(left.low, bits, side="right") - 1
    begins = np.searchsorted(bits, left.low)
    sums += (left.before - np.append(0, sums)[begins])[owner]
    last = np.append(bits[1:] != bits[:-1], True)
    place = int(np.argmax(sums[last]))
    return int(sums[last][place]), _number(bits[last][place])


def _counted(groups: Sequence[Group], cuts: Bits, wanted: Mask) -> tuple[Codes, Codes]:
    gained, lost = np.zeros((2, len(wanted)), np.int64)
    for tied, ordered in _each_step(_core.tie_counts, groups, cuts, wanted):
        gained += tied
        lost += ordered
    return gained, lost


def _each_step(
    kernel: Callable[..., Answer], groups: Sequence[Group], cuts: Bits, wanted: Mask
) -> Iterator[Answer]:
    """Ask a kernel about all pairs, some at a time, in threads."""

    def ask(step: tuple[Group, int, int]) -> Answer:
        (gold, metric), start, stop = step
        return kernel(gold, metric, start, stop, cuts, wanted)

    steps = (
        (group, start, min(start + size, len(group[0]) - 1))
        for group in groups
        for size in [max(1, STEP // len(group[0]))]
        for start in range(0, len(group[0]) - 1, size)
    )
    return ordered_map(ask, steps, thread_count(), alone=0)
