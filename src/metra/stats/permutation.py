"""Tests of two metrics by exchange: what if their scores had changed sides here and there?

If two metrics are equally good, exchanging their (standardised) scores at random changes
nothing but by chance. What changes sides together is the unit of the test: single outputs
(PERM-BOTH), whole segments (PERM-INPUT), whole documents, or whole systems (PERM-SYS);
Deutsch, Dror and Roth 2021, TACL.

An exchange is linear in the exchanged scores, so the sums that a coefficient needs are
computed once a draw for each metric and serve every pair of metrics. All pairs share the
draws, which `metra.stats.significance` makes and counts.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.errors import OptionError
from metra.stats.arrays import Array, Codes, Mask, divide
from metra.stats.correlation import (
    Options,
    compute_thresholds,
    correlate_all,
    group_values,
)
from metra.stats.distributions import upper_tail
from metra.stats.panel import ScorePanel
from metra.stats.significance import Exchange, Exchanges
from metra.stats.soft_pairwise import spa
from metra.stats.weighted_sums import WeightedValues, round_to_bits

#: Cells that are exchanged at a time.
BLOCK = 1_000_000
#: What changes sides together: single cells, whole systems, segments or documents.
Swap: TypeAlias = Literal["both", "sys", "input", "doc"]


def standardise_metrics(values: Array) -> Array:
    """Give each metric (first axis) mean 0 and standard deviation 1 over its values."""
    axes = tuple(range(1, values.ndim))
    mean = np.nanmean(values, axes, keepdims=True)
    spread = np.nanstd(values, axes, keepdims=True)
    return (values - mean) / np.where(spread > 0, spread, 1.0)


def prepare_swaps(
    panel: ScorePanel, level: str, options: Options, swap: Swap
) -> Exchanges:
    """Choose the quickest way to exchange scores for a coefficient."""
    coef = options.coefficient
    prepare: Callable[[ScorePanel, Options, _SwapUnits], Exchanges]
    if level == "sys":
        prepare = _swap_soft_pairwise if coef.soft else _swap_system_scores
    elif coef.linear and options.group == "none":
        prepare = _swap_for_pearson
    elif options.group == "item" and swap in ("input", "doc"):
        prepare = _swap_segment_values
    else:
        prepare = _swap_and_recompute
    return prepare(panel, options, _SwapUnits(panel, swap))


def exchange_outcomes(right: Array, weights: Array) -> Exchanges:
    """Exchange which pairs of outputs two metrics get right: metrics × pairs, and weights."""
    columns = (right * (weights / weights.sum())).T
    return _exchange_sums(columns, len(right), lambda sums: sums[:, 0])


def swaps_segments(panel: ScorePanel) -> bool:
    """Return True if segments can change sides: no system score is given on its own."""
    given = panel.given - {panel.gold_name}
    return not given and bool(np.isfinite(panel.gold).any())


def segment_values(panel: ScorePanel, options: Options) -> tuple[Array, Array]:
    """Each metric's coefficient in each segment, and what the segments weigh."""
    values_by_metric, weighs = [], []
    thresholds = compute_thresholds(panel.gold, panel.metrics, options)
    for name, metric in panel.metrics.items():
        values, weights = group_values(panel.gold, metric, options, thresholds[name])
        values_by_metric.append(values)
        weighs.append(weights if options.micro else np.ones(len(values)))
    return np.stack(values_by_metric), np.stack(weighs)


class _SwapUnits:
    """Units of cells that change sides together if their sign is +1."""

    def __init__(self, panel: ScorePanel, swap: Swap) -> None:
        self.swap = swap
        self.systems, self.segments = panel.gold.shape
        self.documents: Codes = np.empty(0, np.int64)
        if swap == "doc":
            self.documents = panel.number_documents()
        widths = {"both": panel.gold.size, "sys": self.systems, "input": self.segments}
        self.width = widths.get(swap, int(self.documents.max(initial=-1)) + 1)

    def spread(self, signs: Array) -> Mask:
        """Which cells change sides: draws × systems × segments, or 1 for all of them."""
        moved = signs > 0
        if self.swap == "both":
            return moved.reshape(-1, self.systems, self.segments)
        if self.swap == "sys":
            return moved[:, :, None]
        return (moved[:, self.documents] if self.swap == "doc" else moved)[:, None]

    def sum_segments(self, values: Array) -> Array:
        """Sum values of segments (last axis) by document where these are the units."""
        if self.swap != "doc":
            return values
        order = np.argsort(self.documents, kind="stable")
        starts = np.searchsorted(self.documents[order], np.arange(self.width))
        return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))

    def sum_cells(self, cells: Array) -> Array:
        """Sum cells (… × systems × segments) by unit: units × columns."""
        if self.swap == "sys":
            sums = cells.sum(-1)
        elif self.swap == "both":
            sums = cells.reshape(*cells.shape[:-2], -1)
        else:
            sums = self.sum_segments(cells.sum(-2))
        return sums.reshape(-1, self.width).T


def _sum_moved(units: Array) -> Callable[[Array], Array]:
    """Sum columns over the units that change sides in each draw."""
    total, values = units.sum(0), WeightedValues(units)
    return lambda signs: (total + values.sum_weighted(signs)) / 2


def _exchange_sums(
    units: Array, metrics: int, formula: Callable[[Array], Array]
) -> Exchanges:
    """Exchange units for a formula of sums: units × (columns · metrics).

    The formula takes the sums of a metric, draws × columns.
    """
    total = units.sum(0).reshape(-1, metrics)

    def after(moved: NDArray[Any]) -> Exchange:
        moved = moved.reshape(len(moved), -1, metrics)

        def exchange(a: int, b: int) -> Array:
            change = moved[:, :, b] - moved[:, :, a]
            return formula(total[:, a] + change) - formula(total[:, b] - change)

        return exchange

    return Exchanges(len(units), _sum_moved(units), after)


def _standardise_cells(panel: ScorePanel) -> tuple[Array, Mask]:
    """All metrics on one scale, 0 in cells that do not count, and the cells that do."""
    is_judged = np.isfinite(panel.gold)
    z = standardise_metrics(np.where(is_judged, panel.stack, np.nan))
    return np.where(is_judged, z, 0.0), is_judged


def _swap_system_scores(
    panel: ScorePanel, options: Options, units: _SwapUnits
) -> Exchanges:
    """Exchange system scores, or what makes them up."""
    if units.swap == "sys":
        return exchange_systems([panel], options)
    rows = _prepare_rows(panel.system_gold, options)
    cells, present = _standardise_cells(panel)
    count = np.maximum(present.sum(1), 1)
    means = cells.sum(-1) / count

    def after(moved: NDArray[Any]) -> Exchange:
        # The draws of one metric side by side, as every pair of metrics needs them.
        moved = np.ascontiguousarray(moved.swapaxes(0, 1))

        def exchange(a: int, b: int) -> Array:
            change = moved[b] - moved[a]
            return rows(means[a] + change) - rows(means[b] - change)

        return exchange

    sum_draws = _sum_cells_by_system(cells / count[:, None], units)
    return Exchanges(units.width, sum_draws, after)


def exchange_systems(panels: Sequence[ScorePanel], options: Options) -> Exchanges:
    """Exchange the scores of whole systems, pooled over language pairs if there are several.

    Scores are standardised over all systems of all language pairs, as WMT's scorer does.
    The compared value is the mean of the language pairs' coefficients, each weighing as
    much as it has pairs of systems.
    """
    means = standardise_metrics(np.concatenate([p.system_stack for p in panels], 1))
    sizes = [len(panel.systems) for panel in panels]
    ends = np.cumsum(sizes).tolist()
    weights = np.array([math.comb(size, 2) for size in sizes], float)
    weights /= weights.sum()
    parts = [
        (slice(end - size, end), _swap_rows(panel.system_gold, options), weight)
        for panel, size, end, weight in zip(
            panels, sizes, ends, weights.tolist(), strict=True
        )
    ]

    def after(signs: NDArray[Any]) -> Exchange:
        each = [
            (np.ascontiguousarray(signs[:, own]), means[:, own], swap, weight)
            for own, swap, weight in parts
        ]

        def exchange(a: int, b: int) -> Array:
            parts = (weight * swap(x[a], x[b], s) for s, x, swap, weight in each)
            return reduce(np.add, parts)

        return exchange

    return Exchanges(means.shape[1], lambda signs: signs, after)


#: Of two metrics' scores of systems and the signs of each draw (+1: a system's scores change
#: sides), by how much the first coefficient exceeds the second.
_Swap: TypeAlias = Callable[[Array, Array, Array], Array]


def _swap_rows(gold: Array, options: Options) -> _Swap:
    rows = _prepare_rows(gold, options)  # which some coefficients do not have
    if options.coefficient.pairs and not options.eps:
        return _swap_accuracy(gold)

    def swap(one: Array, other: Array, signs: Array) -> Array:
        moved = signs > 0
        return rows(np.where(moved, other, one)) - rows(np.where(moved, one, other))

    return swap


def _swap_accuracy(gold: Array) -> _Swap:
    """Differences of the share of pairs of systems in gold's order: linear in the signs.

    Whether a metric orders a pair as gold does depends on two signs s and t, so that it is
    c + ds + et + fst. The other metric has the opposite signs: c and f cancel.
    """
    size = len(gold)
    first, second = np.triu_indices(size, 1)
    order = np.sign(gold[first] - gold[second])

    def swap(one: Array, other: Array, signs: Array) -> Array:
        # By whether the first system has changed sides, and the second.
        neither, later, sooner, both = (
            (np.sign(x[first] - y[second]) == order) / 2
            for x, y in product((one, other), repeat=2)
        )
        by_system = np.bincount(first, sooner + both - neither - later, size)
        by_system += np.bincount(second, later + both - neither - sooner, size)
        return signs @ by_system / len(first)

    return swap


def _prepare_rows(gold: Array, options: Options) -> Callable[[Array], Array]:
    """Return what gives the coefficient of many rows of systems with one gold."""
    rows = options.rows  # which some coefficients do not have
    if options.coefficient.linear:
        return _pearson_with(gold)
    if options.coefficient.pairs and not options.eps:
        return _accuracy_with(gold)
    return lambda x: rows(gold, x)


def _sum_cells_by_system(cells: Array, units: _SwapUnits) -> Callable[[Array], Array]:
    """Sums of the cells that change sides: signs to draws × metrics × systems."""
    metrics, systems, segments = cells.shape
    if units.swap != "both":
        by_unit = units.sum_segments(cells).reshape(-1, units.width).T
        whole = _sum_moved(by_unit)
        return lambda signs: whole(signs).reshape(-1, metrics, systems)
    each = [_sum_moved(cells[:, system].T) for system in range(systems)]

    def sum_draws(signs: Array) -> Array:
        parts = signs.reshape(-1, systems, segments)
        by_system = [add_up(parts[:, at]) for at, add_up in enumerate(each)]
        return np.stack(by_system, axis=-1)

    return sum_draws


def _accuracy_with(gold: Array) -> Callable[[Array], Array]:
    """The share of pairs that rows order, or tie, as one complete gold does."""
    first, second = np.triu_indices(len(gold), 1)
    order = np.sign(gold[first] - gold[second])
    return lambda x: (np.sign(x[:, first] - x[:, second]) == order).mean(1)


def _pearson_with(gold: Array) -> Callable[[Array], Array]:
    """Pearson's r of many rows with one complete gold."""
    centred = gold - gold.mean()
    unit = centred / np.sqrt((centred**2).sum())

    def r(x: Array) -> Array:
        total = np.einsum("ds->d", x)  # of short rows quicker than x.sum(1)
        spread = np.einsum("ds,ds->d", x, x) - total**2 / len(unit)
        return np.einsum("ds,s->d", x, unit) / np.sqrt(np.maximum(spread, 1e-300))

    return r


def _swap_for_pearson(panel: ScorePanel, _: Options, units: _SwapUnits) -> Exchanges:
    """Pearson over all cells, from sums of z g, z and z²."""
    z, present = _standardise_cells(panel)
    g = np.where(present, panel.gold - np.nanmean(panel.gold), 0.0)
    count, sum_g, sum_gg = present.sum(), g.sum(), (g * g).sum()

    def r(sums: Array) -> Array:
        zg, s, ss = sums.T
        above = count * zg - sum_g * s
        return above / np.sqrt((count * sum_gg - sum_g**2) * (count * ss - s * s))

    return _exchange_sums(units.sum_cells(np.stack([z * g, z, z * z])), len(z), r)


def _swap_segment_values(
    panel: ScorePanel, options: Options, units: _SwapUnits
) -> Exchanges:
    """Means over segments: whole segments' coefficients change sides."""
    values, weights = segment_values(panel, options)
    present = np.isfinite(values)
    columns = np.concatenate(
        [np.where(present, values * weights, 0.0), present * weights]
    )
    return _exchange_sums(
        units.sum_segments(columns).T,
        len(values),
        lambda sums: sums[:, 0] / np.maximum(sums[:, 1], 1e-300),
    )


def _swap_and_recompute(
    panel: ScorePanel, options: Options, units: _SwapUnits
) -> Exchanges:
    """Exchange the scores themselves and compute all anew: slow, for the rest."""
    if options.coefficient.ties and (options.eps or options.folds):
        msg = (
            "A tie threshold applies to the scale of one metric, and swapped scores "
            "mix two scales; use perm-input, pairs or wilcoxon, or recalibrate."
        )
        raise OptionError(msg)
    z, _ = _standardise_cells(panel)

    def after(moved: NDArray[Any]) -> Exchange:
        def exchange(a: int, b: int) -> Array:
            exchanged = []
            for row in moved:
                pair = {"a": np.where(row, z[b], z[a]), "b": np.where(row, z[a], z[b])}
                results = correlate_all(panel.gold, pair, options)
                exchanged.append([result.value for result in results.values()])
            return np.subtract(*np.array(exchanged).T)

        return exchange

    return Exchanges(units.width, units.spread, after)


def _swap_soft_pairwise(panel: ScorePanel, _: Options, units: _SwapUnits) -> Exchanges:
    """Exchange cells, whole segments, documents or systems of two metrics."""
    z, present = _standardise_cells(panel)
    gold = np.where(present, panel.gold, 0.0)[None]
    z = np.stack([_round_for_products(each) for each in z])
    human = _normal_p(_round_for_products(gold), present)[0]
    if units.swap == "sys":
        after = partial(_swap_soft_systems, z, present, human)
        return Exchanges(units.width, lambda signs: signs > 0, after)
    after = partial(_swap_soft_cells, z, present, human)
    return Exchanges(units.width, units.spread, after)


def _swap_soft_cells(
    z: Array, present: Mask, human: Array, moved: NDArray[Any]
) -> Exchange:
    block = max(1, BLOCK // z[0].size)
    starts = range(0, len(moved), block)

    def exchange(one: Array, other: Array) -> Array:
        parts = (np.where(moved[at : at + block], other, one) for at in starts)
        return spa(human, np.concatenate([_normal_p(part, present) for part in parts]))

    return lambda a, b: exchange(z[a], z[b]) - exchange(z[b], z[a])


def _swap_soft_systems(
    z: Array, present: Mask, human: Array, moved: NDArray[Any]
) -> Exchange:
    """A system's scores come from one metric or the other: all such p-values at once."""
    size = len(present)
    first, second = np.triu_indices(size, 1)
    own, other = (np.arange(size) + np.where(gone, size, 0) for gone in (moved, ~moved))
    twice = np.concatenate([present, present])

    def exchange(a: int, b: int) -> Array:
        p = np.zeros((2 * size, 2 * size))
        rows = np.concatenate([z[a], z[b]])[None]
        p[np.triu_indices(2 * size, 1)] = _normal_p(rows, twice)[0]
        p += np.tril(1 - p.T, -1)
        return np.subtract(
            *(spa(human, p[x[:, first], x[:, second]]) for x in (own, other))
        )

    return exchange


def _normal_p(x: Array, present: Mask) -> Array:
    """p-values that system i is no better than j, i < j: (draws, systems, segments)."""
    first, second = np.triu_indices(x.shape[1], 1)
    cross = (x @ x.transpose(0, 2, 1))[:, first, second]
    shared = present.T.astype(np.float64)
    sums, squares = x @ shared, (x * x) @ shared  # over what the other system has too
    total = sums[:, first, second] - sums[:, second, first]
    spread = squares[:, first, second] + squares[:, second, first] - 2 * cross
    spread = np.sqrt(np.maximum(spread, 0.0))
    return upper_tail(divide(total, spread, spread > 1e-12, fill=0.0))


def _round_for_products(x: Array) -> Array:
    """Round so that sums over segments of products of two values are exact."""
    _, exponent = np.frexp(np.abs(x).max(initial=0.0))
    _, room = np.frexp(float(4 * x.shape[-1]))
    bits = (53 - int(room)) // 2 - int(exponent)
    return round_to_bits(x, bits)
