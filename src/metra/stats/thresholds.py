"""Thresholds: differences up to which values tie, and scores from which outputs are kept.

The pairs of long groups are too many to hold or to sort. Their differences are counted in
intervals first. From the counts it is known, for each interval, how good the accuracy can
get within it at most; only the intervals that can hold the best threshold are cut again,
and the differences left in the end are looked at one by one, so the answer is exact.

Cross-fitting avoids optimism: thresholds fitted to some segments are applied to others.

Filtering keeps the outputs that a metric scores at least as high as a threshold, re-ranking
takes the one that it scores highest (Perrella et al. 2024, EMNLP). The best threshold has
the highest F, or the highest Matthews' correlation of the decisions with the truth.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from metra import _core
from metra.errors import OptionError
from metra.stats.arrays import Array, Codes, Mask, divide, order_pairs, row_means
from metra.stats.parallel import ordered_map, thread_count

#: Pairs that are held in memory; where there are more, `calibrate_long` counts them.
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


def order_gold_pairs(g: Array) -> GoldPairs:
    """Order the gold's pairs in each row (groups × values)."""
    first, second = np.triu_indices(g.shape[1], 1)
    difference = g[:, first] - g[:, second]
    present = np.isfinite(difference)
    sign = np.where(present, order_pairs(difference), 2).astype(np.int8)
    pairs = present.sum(1)
    groups = int((pairs > 0).sum())
    shared = lcm(*(int(size) for size in np.unique(pairs[pairs > 0])), 1)
    # Whole numbers keep "the first of equal maxima" free of rounding.
    exact = shared * groups < 2**62 // max(1, int(pairs.max(initial=0)))
    some = np.maximum(pairs, 1)
    weight = np.where(pairs > 0, shared // some if exact else 1.0 / some, 0)
    unit = float(shared if exact else 1) * groups
    return GoldPairs(first, second, sign, weight, unit)


def calibrate_metrics(g: Array, metrics: Mapping[str, Array]) -> dict[str, Calibration]:
    """Find the threshold of each metric, all groups × values like the gold scores."""
    if g.shape[0] * g.shape[1] ** 2 / 2 > MOST_PAIRS:
        return {name: calibrate_long(g, m) for name, m in metrics.items()}
    present = np.isfinite(g)
    whole = order_gold_pairs(g)
    best = {}
    for name, m in metrics.items():
        both = present & np.isfinite(m)
        alike = (both == present).all()
        gold = whole if alike else order_gold_pairs(np.where(both, g, np.nan))
        best[name] = calibrate(np.where(present, m, np.nan), gold)
    return best


def calibrate(m: Array, gold: GoldPairs) -> Calibration:
    """Find the threshold for a metric (groups × values); the first of equal maxima."""
    if gold.unit == 0:
        return Calibration(np.nan, np.nan)
    difference = m[:, gold.first] - m[:, gold.second]
    tied = gold.sign == 0
    agree = (order_pairs(difference) == gold.sign) & ~tied
    counted = tied | agree
    gaps, gains = np.abs(difference)[counted], tied[counted]
    weight = float(gold.weight.max())
    if (gold.weight == weight).all():
        # The bits of floats that are not negative are in the floats' order, and the sign's
        # place is free; the gain stands in the last: one number of each pair is sorted.
        keys = np.sort((gaps.view(np.uint64) << 1) | gains)
        thresholds, steps = (keys >> 1).view(np.float64), _decode_gains(keys)
        start = int(agree.sum())
    else:
        weights = np.broadcast_to(gold.weight[:, None], difference.shape)
        order = np.argsort(gaps, kind="stable")
        thresholds = gaps[order]
        steps = np.where(gains, weights[counted], -weights[counted])[order]
        start, weight = weights[agree].sum(), 1.0
    # Zero is a threshold as well; of equal ones the last has the sum of them all.
    thresholds = np.append(0.0, thresholds)
    reached = start + np.cumsum(np.append(0, steps))
    last = np.flatnonzero(np.append(thresholds[1:] != thresholds[:-1], True))
    best = last[np.argmax(reached[last])]
    right = float(reached[best]) * weight / gold.unit
    return Calibration(float(thresholds[best]), right)


#: Pairs that are looked at in one step.
STEP = 1 << 25
#: Differences that are looked at one by one.
MOST = 1 << 22
#: Intervals that one count looks at.
INTERVALS = 2048
#: Bits of numbers that are not negative stay below.
END = 1 << 63

Bits: TypeAlias = NDArray[np.uint64]
#: Ranks of the gold and values of the metric, in rising order of the metric.
Group: TypeAlias = tuple[NDArray[np.uint32], Array]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class GapIntervals:
    """Differences from `low` up to `high`, as bits, and what ties of them come to."""

    low: Bits
    high: Bits
    #: Pairs that are right when all smaller differences are ties.
    before: Codes
    gained: Codes
    lost: Codes

    def of(self, kept: Mask) -> "GapIntervals":
        """Keep some."""
        return GapIntervals(*(column[kept] for column in vars(self).values()))

    @property
    def reached(self) -> Codes:
        """Right pairs when these are ties too."""
        return self.before + self.gained - self.lost


def calibrate_long(g: Array, m: Array) -> Calibration:
    """Find the threshold of groups × values, all groups of the same size or only one."""
    groups = [_sort_group(a, b) for a, b in zip(g, m, strict=True)]
    groups = [group for group in groups if len(group[0]) > 1]
    if not groups:
        return Calibration(np.nan, np.nan)
    sizes = {len(gold) for gold, _ in groups}
    if len(sizes) > 1:
        msg = (
            f"Groups of {len(sizes)} different sizes are too many to calibrate over "
            "so many pairs; use item groups."
        )
        raise OptionError(msg)
    size = sizes.pop()
    total = len(groups) * (size * (size - 1) // 2)
    left = _build_intervals(groups)
    most, best, eps = 0, -1, 0.0
    while True:
        most = max(most, int(left.reached.max()))
        for single in np.flatnonzero(left.high - left.low == 1):
            threshold = float(left.low[single].view(np.float64))
            reached = int(left.reached[single]), threshold
            best, eps = _better((best, eps), reached)
        open_still = (left.before + left.gained >= most) & (left.high - left.low > 1)
        left = left.of(open_still & (left.gained + left.lost > 0))
        if not len(left.low):
            return Calibration(eps, best / total)
        if (left.gained + left.lost).sum() <= MOST:
            best, eps = _better((best, eps), _search_intervals(groups, left))
            return Calibration(eps, best / total)
        left = _cut_again(groups, left)


def _better(one: tuple[int, float], other: tuple[int, float]) -> tuple[int, float]:
    """The higher sum; of equal sums, the lower threshold."""
    return max(one, other, key=lambda each: (each[0], -each[1]))


def _sort_group(g: Array, m: Array) -> Group:
    """Drop missing values and put the metric in rising order: no difference is negative."""
    present = np.isfinite(g) & np.isfinite(m)
    g, m = g[present], m[present] + 0.0  # which makes -0 a plain 0, whose bits count
    order = np.argsort(m, kind="stable")
    _, ranks = np.unique(g, return_inverse=True)
    return ranks[order].astype(np.uint32), m[order]


def _build_intervals(groups: Sequence[Group]) -> GapIntervals:
    """Count all pairs: those of equal values, and all others."""
    cuts = np.array([0, 1, END], np.uint64)
    gained, lost = _count_pairs(groups, cuts, np.ones(2, np.bool_))
    lost[0] = 0  # equal values are in no order that a tie could spoil
    before = lost.sum() + np.array([0, gained[0]])
    return GapIntervals(cuts[:-1], cuts[1:], before, gained, lost)


def _cut_again(groups: Sequence[Group], left: GapIntervals) -> GapIntervals:
    """Cut intervals, the fuller the finer, and count what falls into the parts."""
    held = left.gained + left.lost
    parts = np.maximum(2, -(-held * INTERVALS // held.sum())).astype(np.uint64)
    steps = np.maximum(1, (left.high - left.low) // parts)
    at = np.arange(int(parts.max()), dtype=np.uint64)
    cuts = left.low[:, None] + steps[:, None] * at
    kept = (at < parts[:, None]) & (cuts < left.high[:, None])
    edges = np.unique(np.append(cuts[kept], left.high))
    owner = np.searchsorted(left.low, edges[:-1], side="right") - 1
    wanted = edges[:-1] < left.high[owner]
    gained, lost = _count_pairs(groups, edges, wanted)
    change = gained - lost
    sums = np.cumsum(change) - change
    begins = np.searchsorted(edges, left.low)
    before = (left.before - sums[begins])[owner] + sums
    return GapIntervals(edges[:-1], edges[1:], before, gained, lost).of(wanted)


def _search_intervals(groups: Sequence[Group], left: GapIntervals) -> tuple[int, float]:
    """The highest sum within some intervals, and the first threshold that reaches it."""
    edges = np.unique(np.concatenate([left.low, left.high]))
    wanted = np.isin(edges[:-1], left.low)
    parts = list(_each_step(_core.tie_pairs, groups, edges, wanted))
    keys = np.sort(np.concatenate(parts))
    bits, gains = keys >> 1, _decode_gains(keys)
    # Within each interval the sum goes on from what it was before the interval.
    sums = np.cumsum(gains)
    owner = np.searchsorted(left.low, bits, side="right") - 1
    begins = np.searchsorted(bits, left.low)
    sums += (left.before - np.append(0, sums)[begins])[owner]
    last = np.append(bits[1:] != bits[:-1], True)
    place = int(np.argmax(sums[last]))
    return int(sums[last][place]), float(bits[last][place].view(np.float64))


def _decode_gains(keys: Bits) -> Codes:
    """Return 1 if a tie of a pair is right, -1 if it is wrong: the last bit of its key."""
    return (keys & 1).astype(np.int64) * 2 - 1


def _count_pairs(groups: Sequence[Group], cuts: Bits, wanted: Mask) -> Codes:
    """Count in each interval the pairs that a tie gains, and that it loses."""
    counts = np.zeros((2, len(wanted)), np.int64)
    for step in _each_step(_core.tie_counts, groups, cuts, wanted):
        counts += step
    return counts


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


def cross_fit_thresholds(g: Array, m: Array, *, folds: int, seed: int) -> Array:
    """A threshold for each group (groups × values), from the groups of the other folds.

    Groups without a pair belong to no fold's fitting, and get a threshold all the same.
    """
    present = np.isfinite(g) & np.isfinite(m)
    fold = deal_folds(np.flatnonzero(present.sum(1) > 1), len(g), folds, seed)
    gold, metric = np.where(present, g, np.nan), np.where(present, m, np.nan)
    thresholds = np.empty(len(g))
    for each in range(folds):
        rest = fold != each
        thresholds[~rest] = calibrate(metric[rest], order_gold_pairs(gold[rest])).eps
    return thresholds


def split_folds(
    g: Array, m: Array, *, folds: int, seed: int, pooled: bool
) -> tuple[Array, Array, Array]:
    """Part systems × segments into folds: a group a system and fold, or `pooled`, a fold.

    Return gold and metric of the groups of all folds, and the threshold of each group.
    """
    present = np.isfinite(g) & np.isfinite(m)
    fold = deal_folds(np.flatnonzero(present.any(0)), g.shape[1], folds, seed)
    gold, metric = np.where(present, g, np.nan), np.where(present, m, np.nan)
    parts, limits = [], []
    for each in range(folds):
        inside = [np.where(fold == each, x, np.nan) for x in (gold, metric)]
        rest = [x[:, fold != each] for x in (gold, metric)]
        if pooled:
            inside, rest = ([x.reshape(1, -1) for x in both] for both in (inside, rest))
        parts.append(inside)
        eps = calibrate_metrics(rest[0], {"": rest[1]})[""].eps
        if np.isnan(eps):
            left = "no two values to fit a threshold to"
            msg = f"The folds leave {left}; use fewer folds."
            raise OptionError(msg)
        limits.append(np.full(len(inside[0]), eps))
    in_gold, in_metric = zip(*parts, strict=True)
    return np.concatenate(in_gold), np.concatenate(in_metric), np.concatenate(limits)


def deal_folds(useful: Codes, count: int, folds: int, seed: int) -> Codes:
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


#: What precision weighs beside recall, as a square: F with beta = 1/√2 counts it twice.
BETA_SQUARED = 0.5


def filter_outputs(
    is_good: Array, metric: Array, *, folds: int, seed: int, figure: str = "F"
) -> tuple[float, Array]:
    """Keep outputs by the best threshold by a figure: systems × segments.

    Return the best threshold for all outputs, and for each segment the numbers of good kept
    outputs, of kept outputs, of good outputs, and of all: (segments, 4). Each fold of
    segments is filtered by the best threshold for the others; with `folds` of 0, all by the
    best one for all, which is a little too good. For MCC, scores of 0 and 1 are decisions.
    """
    present = np.isfinite(is_good) & np.isfinite(metric)
    is_label = figure == "MCC" and bool(np.isin(metric[present], (0, 1)).all())
    whole = 1.0
    if not is_label:
        whole = choose_threshold(metric[present], is_good[present] > 0, figure)
    limits = np.full(metric.shape[1], whole)
    if folds and not is_label:
        fold = deal_folds(np.flatnonzero(present.any(0)), metric.shape[1], folds, seed)
        for each in range(folds):
            rest = present & (fold != each)
            limits[fold == each] = choose_threshold(
                metric[rest], is_good[rest] > 0, figure
            )
    kept = present & (np.where(present, metric, -np.inf) >= limits)
    good = present & (np.where(present, is_good, 0) > 0)
    counts = (kept & good).sum(0), kept.sum(0), good.sum(0), present.sum(0)
    return whole, np.stack(counts, axis=1).astype(np.float64)


def choose_threshold(metric: Array, is_good: Mask, figure: str = "F") -> float:
    """Return the score from which on to keep outputs by a figure; the highest of the best.

    Without a good output, or with nothing to tell apart, nothing is kept: infinity.
    """
    if not is_good.any():
        return float("inf")
    order = np.argsort(-metric, kind="stable")
    values = metric[order]
    right = np.cumsum(is_good[order])
    last = np.append(values[1:] != values[:-1], True)
    kept = np.flatnonzero(last) + 1
    whole = np.full((2, len(kept)), [[right[-1]], [len(values)]])
    rows = np.stack([right[last], kept, *whole], axis=1).astype(np.float64)
    figures = aggregate_filter(rows, figure)
    if np.isnan(figures).all():
        return float("inf")
    return float(values[last][np.nanargmax(figures)])


def aggregate_filter(totals: Array, figure: str) -> Array:
    """Return precision, recall, F or MCC of the kept outputs: (..., 4) to (...).

    MCC is Matthews' correlation (1975, BBA 405). NaN where nothing is kept or nothing is
    good, and for MCC also where all is.
    """
    if figure == "MCC":
        right, kept, good, count = np.moveaxis(totals, -1, 0)
        spread = kept * (count - kept) * (good * (count - good))
        return divide(count * right - kept * good, np.sqrt(spread))
    precision = divide(totals[..., 0], totals[..., 1])
    recall = divide(totals[..., 0], totals[..., 2])
    if figure == "precision":
        return precision
    if figure == "recall":
        return recall
    below = BETA_SQUARED * precision + recall
    some = divide((1 + BETA_SQUARED) * precision * recall, below, fill=0.0)
    return np.where(np.isnan(below), np.nan, some)


#: The columns of `rerank_outputs` after the number of segments.
RERANKED = ("precision", "recall", "chosen", "best")


def rerank_outputs(gold: Array, metric: Array) -> Array:
    """Take the output that a metric likes best of each segment: (segments, 5).

    The columns: 1 where two systems or more have both scores; the share of those that the
    metric likes best which people like best, and the reverse; people's score of the chosen
    (mean of ties), and of the best.
    """
    present = np.isfinite(gold) & np.isfinite(metric)
    chosen, best = (_find_highest(values, present) for values in (metric, gold))
    both = (chosen & best).sum(0)
    rows = np.stack(
        [
            (present.sum(0) > 1).astype(np.float64),
            divide(both, chosen.sum(0), fill=0.0),
            divide(both, best.sum(0), fill=0.0),
            *(row_means(np.where(mask, gold, np.nan).T) for mask in (chosen, best)),
        ],
        axis=1,
    )
    return np.where(rows[:, :1] > 0, rows, 0.0)


def _find_highest(values: Array, present: Mask) -> Mask:
    """Mark the highest value of each column, all of them where several are equal."""
    filled = np.where(present, values, -np.inf)
    return present & (filled == filled.max(0))
