"""Permutation tests of two metrics: what if their scores were exchanged here and there?

If two metrics are equally good, exchanging their (standardised) scores at random changes
nothing but by chance. PERM-BOTH exchanges single cells of systems × segments, PERM-INPUT
whole segments, PERM-SYS whole systems; Deutsch, Dror and Roth 2021, TACL.

An exchange is linear in what is exchanged, so the sums that a coefficient needs are
computed once a draw for each metric and serve every pair of metrics. All pairs share the
draws.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.errors import OptionError
from metra.stats.arrays import Array, Mask, divide
from metra.stats.bootstrap import resamples_segments
from metra.stats.correlation import (
    Options,
    compute_thresholds,
    correlate_all,
    group_sizes,
    group_values,
)
from metra.stats.distributions import upper_tail
from metra.stats.paired_tests import SLACK
from metra.stats.panel import ScorePanel
from metra.stats.resampling import draw_signs, share_reached
from metra.stats.soft_pairwise import P_VALUES, spa
from metra.stats.weighted_sums import WeightedValues, round_to_bits

#: Cells that are exchanged at a time.
BLOCK = 1_000_000
#: What changes sides: single cells, whole systems, or whole segments.
Swap: TypeAlias = Literal["both", "sys", "input"]


def get_swap_shape(swap: Swap, systems: int, segments: int) -> tuple[int, int]:
    """What is drawn for: systems × segments, 1 where all of them change sides together."""
    shapes = {"both": (systems, segments), "sys": (systems, 1), "input": (1, segments)}
    return shapes[swap]


class SwapFunction(Protocol):
    """The coefficients of two metrics after each exchange between them."""

    def __call__(self, a: int, b: int) -> tuple[Array, Array]:
        """Give both, draws each."""


def standardise_metrics(values: Array) -> Array:
    """Give each metric (first axis) mean 0 and standard deviation 1 over what is there."""
    axes = tuple(range(1, values.ndim))
    mean = np.nanmean(values, axes, keepdims=True)
    spread = np.nanstd(values, axes, keepdims=True)
    return (values - mean) / np.where(spread > 0, spread, 1.0)


def prepare_swaps(
    panel: ScorePanel, level: str, options: Options, swap: Swap
) -> SwapFunction:
    """Choose the quickest way to exchange scores for a coefficient."""
    coef = options.coefficient
    if level == "sys" and coef.soft:
        return _swap_soft_pairwise(panel, options, swap)
    if level == "sys":
        return _swap_system_scores(panel, options, swap)
    if coef.linear and options.group == "none":
        return _swap_for_pearson(panel, options, swap)
    if options.group == "item" and swap == "input":
        return _swap_segment_values(panel, options)
    return _swap_and_recompute(panel, options, swap)


def choose_swap(panel: ScorePanel, level: str, options: Options) -> Swap:
    """Exchange cells where that can be, whole segments where these are the groups."""
    if level == "sys":
        if options.coefficient.soft:
            return "input"
        given = panel.given - {panel.gold_name}
        return "both" if not given and resamples_segments(panel) else "sys"
    return "input" if options.group == "item" else "both"


def p_values(
    after: SwapFunction, values: Array, trials: int, *, wmt: bool = False
) -> Array:
    """One-sided p-values that row i is no better than column j, for the observed values.

    p is (b + 1) / (k + 1), b of k exchanges with at least the observed difference; the
    official scorer leaves the ones out and may find 0.
    """
    size = len(values)
    p = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(i + 1, size):
            first, second = after(i, j)
            gap = first - second
            reached = int((~(gap < values[i] - values[j] - SLACK)).sum())
            p[i, j] = reached / trials if wmt else share_reached(reached, trials)
    return p


def _swap_system_scores(
    panel: ScorePanel, options: Options, swap: Swap
) -> SwapFunction:
    rows = options.rows
    trials, rng = options.trials, np.random.default_rng(options.seed)
    if swap == "sys":
        means = standardise_metrics(panel.system_stack)
        keep = np.concatenate(list(draw_signs(trials, means.shape[1], rng))) > 0

        def sides(a: int, b: int) -> tuple[Array, Array]:
            return (
                np.where(keep, means[a], means[b]),
                np.where(keep, means[b], means[a]),
            )
    else:
        there = np.isfinite(panel.gold)
        count = np.maximum(there.sum(1), 1)
        cells = standardise_metrics(np.where(there, panel.stack, np.nan))
        cells = np.where(there, cells, 0.0)
        means = cells.sum(-1) / count
        shift = _average_moved(cells, count, trials, rng, swap)

        def sides(a: int, b: int) -> tuple[Array, Array]:
            moved = shift[b] - shift[a]
            return means[a] + moved, means[b] - moved

    gold = panel.system_gold
    if options.coefficient.linear:
        rows = _pearson_with(gold)

    def after(a: int, b: int) -> tuple[Array, Array]:
        first, second = sides(a, b)
        return rows(gold, first), rows(gold, second)

    return after


def _pearson_with(gold: Array) -> Callable[[Array, Array], Array]:
    """Pearson's r of many rows with one gold that is all there."""
    centred = gold - gold.mean()
    unit = centred / np.sqrt((centred**2).sum())

    def r(_: Array, x: Array) -> Array:
        spread = np.einsum("ds,ds->d", x, x) - x.sum(1) ** 2 / len(unit)
        return np.einsum("ds,s->d", x, unit) / np.sqrt(np.maximum(spread, 1e-300))

    return r


def _average_moved(
    cells: Array,
    count: Array,
    trials: int,
    rng: "np.random.Generator",
    swap: Swap,
) -> Array:
    """Mean of the cells that are exchanged: metrics × draws × systems."""
    metrics, systems, segments = cells.shape
    moved = np.empty((metrics, trials, systems))
    shared = list(draw_signs(trials, segments, rng)) if swap == "input" else None
    for system in range(systems):
        values = WeightedValues(cells[:, system].T)
        whole = cells[:, system].sum(1)
        drawn = shared if shared is not None else draw_signs(trials, segments, rng)
        start = 0
        for signs in drawn:
            part = (whole + values.sum_weighted(signs)) / 2
            moved[:, start : start + len(signs), system] = part.T
            start += len(signs)
    return moved / count


def _swap_for_pearson(panel: ScorePanel, options: Options, swap: Swap) -> SwapFunction:
    """Pearson over all cells: all that is needed are sums of z g, z and z²."""
    there = np.isfinite(panel.gold)
    g = np.where(there, panel.gold, np.nan)
    g = np.where(there, g - np.nanmean(g), 0.0)
    z = np.where(there, standardise_metrics(np.where(there, panel.stack, np.nan)), 0.0)
    columns = np.stack([z * g, z, z * z])  # sums × metrics × systems × segments
    if swap == "both":
        units = columns.reshape(3 * len(z), -1).T
    else:
        units = columns.sum(2 if swap == "input" else 3).reshape(3 * len(z), -1).T
    total, moved = _sum_moved(units, options)
    moved = moved.reshape(-1, 3, len(z))
    total = total.reshape(3, len(z))
    count, sum_g, sum_gg = there.sum(), g.sum(), (g * g).sum()

    def r(sums: Array) -> Array:
        zg, s, ss = sums.T
        above = count * zg - sum_g * s
        return above / np.sqrt((count * sum_gg - sum_g**2) * (count * ss - s * s))

    def after(a: int, b: int) -> tuple[Array, Array]:
        change = moved[:, :, b] - moved[:, :, a]
        return r(total[:, a] + change), r(total[:, b] - change)

    return after


def _swap_segment_values(panel: ScorePanel, options: Options) -> SwapFunction:
    """Means over segments: whole segments' coefficients change sides."""
    values, weights = segment_values(panel, options)
    there = np.isfinite(values)
    columns = np.concatenate([np.where(there, values * weights, 0.0), there * weights])
    return _average_after(columns, options)


def segment_values(panel: ScorePanel, options: Options) -> tuple[Array, Array]:
    """Each metric's coefficient in each segment, and what the segments weigh."""
    values_by_metric, weighs = [], []
    ties = options.coefficient.ties
    eps = compute_thresholds(panel.gold, panel.metrics, options) if ties else {}
    for name, metric in panel.metrics.items():
        values, weights = group_values(panel.gold, metric, options, eps.get(name, 0.0))
        if options.nan == "zero":
            there = group_sizes(panel.gold, metric, options) > 1
            values = np.where(np.isfinite(values) | ~there, values, 0.0)
        values_by_metric.append(values)
        weighs.append(weights if options.micro else np.ones(len(values)))
    return np.stack(values_by_metric), np.stack(weighs)


def _average_after(columns: Array, options: Options) -> SwapFunction:
    count = len(columns) // 2
    total, moved = _sum_moved(columns.T, options)

    def after(a: int, b: int) -> tuple[Array, Array]:
        above = moved[:, b] - moved[:, a]
        below = moved[:, count + b] - moved[:, count + a]
        first = (total[a] + above) / np.maximum(total[count + a] + below, 1e-300)
        second = (total[b] - above) / np.maximum(total[count + b] - below, 1e-300)
        return first, second

    return after


def _sum_moved(units: Array, options: Options) -> tuple[Array, Array]:
    """Sums of columns, and in each draw of what is exchanged: about half of the units."""
    total, values = units.sum(0), WeightedValues(units)
    rng = np.random.default_rng(options.seed)
    drawn = draw_signs(options.trials, len(units), rng)
    return total, np.concatenate([(total + values.sum_weighted(s)) / 2 for s in drawn])


def _swap_and_recompute(
    panel: ScorePanel, options: Options, swap: Swap
) -> SwapFunction:
    """Exchange the scores themselves and compute all anew: slow, for the rest."""
    if options.coefficient.ties and (options.eps or options.folds):
        msg = (
            "A threshold of ties is on its metric's own scale, and scores that change sides "
            "are on none; take perm-input, pairs or wilcoxon, or calibrate anew."
        )
        raise OptionError(msg)
    there = np.isfinite(panel.gold)
    z = standardise_metrics(np.where(there, panel.stack, np.nan))
    shape = get_swap_shape(swap, *panel.gold.shape)

    def after(a: int, b: int) -> tuple[Array, Array]:
        rng = np.random.default_rng(options.seed)
        exchanged = []
        for signs in draw_signs(options.trials, shape[0] * shape[1], rng):
            for row in signs.reshape(-1, *shape):
                pair = {
                    "a": np.where(row > 0, z[a], z[b]),
                    "b": np.where(row > 0, z[b], z[a]),
                }
                result = correlate_all(panel.gold, pair, options)
                exchanged.append((result["a"].value, result["b"].value))
        first, second = np.array(exchanged).T
        return first, second

    return after


def _swap_soft_pairwise(
    panel: ScorePanel, options: Options, swap: Swap
) -> SwapFunction:
    """Exchange cells, whole segments or whole systems of two metrics."""
    there = np.isfinite(panel.gold)
    gold = np.where(there, panel.gold, 0.0)
    z = np.where(there, standardise_metrics(np.where(there, panel.stack, np.nan)), 0.0)
    shape = get_swap_shape(swap, *there.shape)
    if options.swapped_p == "permutation":
        p = partial(_draw_p, there=there, options=options)
        return _swap_soft_cells(z, p, p(gold[None])[0], _draw_sides(options, shape))
    z = np.stack([_round_for_products(each) for each in z])
    human = _normal_p(_round_for_products(gold[None]), there)[0]
    if swap == "input":
        return _swap_soft_segments(z, there, human, options)
    keep = _draw_sides(options, shape)
    if swap == "sys":
        return _swap_soft_systems(z, there, human, keep[..., 0])
    return _swap_soft_cells(z, partial(_normal_p, there=there), human, keep)


def _draw_sides(options: Options, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Draw who keeps its scores: draws × systems × segments, or 1 where they go together."""
    rng = np.random.default_rng(options.seed)
    drawn = draw_signs(options.trials, shape[0] * shape[1], rng)
    return np.concatenate([signs > 0 for signs in drawn]).reshape(-1, *shape)


def _swap_soft_cells(
    z: Array, p: Callable[[Array], Array], human: Array, keep: NDArray[np.bool_]
) -> SwapFunction:
    block = max(1, BLOCK // z[0].size)

    def after(a: int, b: int) -> tuple[Array, Array]:
        sides: tuple[list[Array], list[Array]] = ([], [])
        for start in range(0, len(keep), block):
            mine = keep[start : start + block]
            for side, (one, other) in zip(sides, ((a, b), (b, a)), strict=True):
                side.append(p(np.where(mine, z[one], z[other])))
        first, second = (np.concatenate(side) for side in sides)
        return spa(human, first), spa(human, second)

    return after


def _swap_soft_systems(
    z: Array, there: Mask, human: Array, keep: NDArray[np.bool_]
) -> SwapFunction:
    """A system's scores come from one metric or the other: all such p-values at once."""
    size = len(there)
    first, second = np.triu_indices(size, 1)
    at = np.arange(size)

    def after(a: int, b: int) -> tuple[Array, Array]:
        rows = np.concatenate([z[a], z[b]])[None]
        p = np.zeros((2 * size, 2 * size))
        p[np.triu_indices(2 * size, 1)] = _normal_p(
            rows, np.concatenate([there, there])
        )[0]
        p += np.tril(1 - p.T, -1)
        agreement = []
        for kept in (keep, ~keep):
            chosen = np.where(kept, at, at + size)
            agreement.append(spa(human, p[chosen[:, first], chosen[:, second]]))
        return agreement[0], agreement[1]

    return after


def _swap_soft_segments(
    z: Array, there: Mask, human: Array, options: Options
) -> SwapFunction:
    """Whole segments change sides, so the sums of differences are linear in the draw."""
    first, second = np.triu_indices(len(there), 1)
    both = there[first] & there[second]
    gaps = np.where(both, z[:, first] - z[:, second], 0.0)
    rng = np.random.default_rng(options.seed)
    drawn = list(draw_signs(options.trials, there.shape[1], rng))
    total = gaps.sum(-1), (gaps**2).sum(-1)
    moved = [
        [np.concatenate([signs @ each for signs in drawn]) for each in (d.T, d.T**2)]
        for d in gaps
    ]

    def after(a: int, b: int) -> tuple[Array, Array]:
        agreement = []
        for one, other in ((a, b), (b, a)):
            sums, squares = (
                (total[at][one] + total[at][other] + moved[one][at] - moved[other][at])
                / 2
                for at in (0, 1)
            )
            agreement.append(spa(human, _tail_of_sums(sums, squares)))
        return agreement[0], agreement[1]

    return after


def _draw_p(x: Array, there: Mask, options: Options) -> Array:
    """The same p-values by drawing signs, as the coefficient itself has them."""
    alike = bool((there == there[:1]).all())
    x = x[..., there[0]] if alike else np.where(there, x, np.nan)
    compute_p = P_VALUES["wmt" if options.wmt else "permutation"]
    return compute_p(x, trials=options.trials, seed=options.seed)


def _normal_p(x: Array, there: Mask) -> Array:
    """p-values that system i is no better than j, i < j: (draws, systems, segments)."""
    first, second = np.triu_indices(x.shape[1], 1)
    cross = (x @ x.transpose(0, 2, 1))[:, first, second]
    shared = there.T.astype(np.float64)
    sums, squares = x @ shared, (x * x) @ shared  # over what the other system has too
    total = sums[:, first, second] - sums[:, second, first]
    spread = squares[:, first, second] + squares[:, second, first] - 2 * cross
    return _tail_of_sums(total, spread)


def _tail_of_sums(total: Array, squares: Array) -> Array:
    spread = np.sqrt(np.maximum(squares, 0.0))
    return upper_tail(divide(total, spread, spread > 1e-12, fill=0.0))


def _round_for_products(x: Array) -> Array:
    """Round so that sums over segments of products of two values are exact."""
    _, exponent = np.frexp(np.abs(x).max(initial=0.0))
    _, room = np.frexp(float(4 * x.shape[-1]))
    bits = (53 - int(room)) // 2 - int(exponent)
    return round_to_bits(x, bits)
