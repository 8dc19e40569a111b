"""Permutation tests of two metrics: what if their scores were exchanged here and there?

If two metrics are equally good, exchanging their (standardised) scores at random changes
nothing but by chance. PERM-BOTH exchanges single cells of systems × segments, PERM-INPUT
whole segments, PERM-SYS whole systems; Deutsch, Dror and Roth 2021, TACL.

An exchange is linear in what is exchanged, so the sums that a coefficient needs are
computed once a draw for each metric and serve every pair of metrics. All pairs share the
draws.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

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
#: The coefficients of two metrics after each exchange between them, draws each.
Exchange: TypeAlias = Callable[[int, int], tuple[Array, Array]]


def standardise_metrics(values: Array) -> Array:
    """Give each metric (first axis) mean 0 and standard deviation 1 over what is there."""
    axes = tuple(range(1, values.ndim))
    mean = np.nanmean(values, axes, keepdims=True)
    spread = np.nanstd(values, axes, keepdims=True)
    return (values - mean) / np.where(spread > 0, spread, 1.0)


def prepare_swaps(
    panel: ScorePanel, level: str, options: Options, swap: Swap
) -> Exchange:
    """Choose the quickest way to exchange scores for a coefficient."""
    coef = options.coefficient
    prepare: Callable[[ScorePanel, Options, Swap], Exchange]
    if level == "sys":
        prepare = _swap_soft_pairwise if coef.soft else _swap_system_scores
    elif coef.linear and options.group == "none":
        prepare = _swap_for_pearson
    elif options.group == "item" and swap == "input":
        prepare = _swap_segment_values
    else:
        prepare = _swap_and_recompute
    return prepare(panel, options, swap)


def choose_swap(panel: ScorePanel, level: str, options: Options) -> Swap:
    """Exchange cells where that can be, whole segments where these are the groups."""
    if level == "sys":
        if options.coefficient.soft:
            return "input"
        given = panel.given - {panel.gold_name}
        return "both" if not given and resamples_segments(panel) else "sys"
    return "input" if options.group == "item" else "both"


def p_values(
    after: Exchange, values: Array, trials: int, *, wmt: bool = False
) -> Array:
    """One-sided p-values that row i is no better than column j, for the observed values.

    p is (b + 1) / (k + 1), b of k exchanges with at least the observed difference; the
    official scorer leaves the ones out and may find 0.
    """
    p = np.full((len(values), len(values)), np.nan)
    for i, j in combinations(range(len(values)), 2):
        first, second = after(i, j)
        reached = int((~(first - second < values[i] - values[j] - SLACK)).sum())
        p[i, j] = reached / trials if wmt else share_reached(reached, trials)
    return p


def segment_values(panel: ScorePanel, options: Options) -> tuple[Array, Array]:
    """Each metric's coefficient in each segment, and what the segments weigh."""
    values_by_metric, weighs = [], []
    thresholds = compute_thresholds(panel.gold, panel.metrics, options)
    for name, metric in panel.metrics.items():
        values, weights = group_values(panel.gold, metric, options, thresholds[name])
        if options.nan == "zero":
            there = group_sizes(panel.gold, metric, options) > 1
            values = np.where(np.isfinite(values) | ~there, values, 0.0)
        values_by_metric.append(values)
        weighs.append(weights if options.micro else np.ones(len(values)))
    return np.stack(values_by_metric), np.stack(weighs)


def _standardise_cells(panel: ScorePanel) -> tuple[Array, Mask]:
    """All metrics on one scale, 0 where nothing is compared, and what is compared."""
    there = np.isfinite(panel.gold)
    z = standardise_metrics(np.where(there, panel.stack, np.nan))
    return np.where(there, z, 0.0), there


def _draw(options: Options, width: int) -> Iterator[Array]:
    return draw_signs(options.trials, width, np.random.default_rng(options.seed))


def _draw_sides(options: Options, swap: Swap, shape: tuple[int, int]) -> Mask:
    """Draw who keeps its scores: draws × systems × segments, or 1 where they go together."""
    systems = 1 if swap == "input" else shape[0]
    segments = 1 if swap == "sys" else shape[1]
    drawn = _draw(options, systems * segments)
    return np.concatenate([signs > 0 for signs in drawn]).reshape(-1, systems, segments)


def _swap_system_scores(panel: ScorePanel, options: Options, swap: Swap) -> Exchange:
    rows, gold = options.rows, panel.system_gold
    if options.coefficient.linear:
        rows = _pearson_with(gold)
    if swap == "sys":
        means = standardise_metrics(panel.system_stack)
        keep = _draw_sides(options, swap, panel.gold.shape)[..., 0]

        def sides(a: int, b: int) -> tuple[Array, Array]:
            return np.where(keep, means[a], means[b]), np.where(
                keep, means[b], means[a]
            )
    else:
        cells, there = _standardise_cells(panel)
        count = np.maximum(there.sum(1), 1)
        means = cells.sum(-1) / count
        shift = _sum_moved_cells(cells, options, swap) / count

        def sides(a: int, b: int) -> tuple[Array, Array]:
            moved = shift[b] - shift[a]
            return means[a] + moved, means[b] - moved

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


def _sum_moved_cells(cells: Array, options: Options, swap: Swap) -> Array:
    """Sums of the cells that are exchanged: metrics × draws × systems."""
    metrics, systems, segments = cells.shape
    rng = np.random.default_rng(options.seed)
    moved = np.empty((metrics, options.trials, systems))
    shared = list(_draw(options, segments)) if swap == "input" else None
    for system in range(systems):
        values = WeightedValues(cells[:, system].T)
        whole = cells[:, system].sum(1)
        start = 0
        for signs in shared or draw_signs(options.trials, segments, rng):
            part = (whole + values.sum_weighted(signs)) / 2
            moved[:, start : start + len(signs), system] = part.T
            start += len(signs)
    return moved


def _swap_for_pearson(panel: ScorePanel, options: Options, swap: Swap) -> Exchange:
    """Pearson over all cells: all that is needed are sums of z g, z and z²."""
    z, there = _standardise_cells(panel)
    g = np.where(there, panel.gold - np.nanmean(panel.gold), 0.0)
    columns = np.stack([z * g, z, z * z])  # sums × metrics × systems × segments
    if swap != "both":
        columns = columns.sum(2 if swap == "input" else 3)
    total, moved = _sum_moved(columns.reshape(3 * len(z), -1).T, options)
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


def _swap_segment_values(panel: ScorePanel, options: Options, _: Swap) -> Exchange:
    """Means over segments: whole segments' coefficients change sides."""
    values, weights = segment_values(panel, options)
    there = np.isfinite(values)
    columns = np.concatenate([np.where(there, values * weights, 0.0), there * weights])
    total, moved = _sum_moved(columns.T, options)
    count = len(values)

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
    drawn = _draw(options, len(units))
    return total, np.concatenate([(total + values.sum_weighted(s)) / 2 for s in drawn])


def _swap_and_recompute(panel: ScorePanel, options: Options, swap: Swap) -> Exchange:
    """Exchange the scores themselves and compute all anew: slow, for the rest."""
    if options.coefficient.ties and (options.eps or options.folds):
        msg = (
            "A threshold of ties is on its metric's own scale, and scores that change sides "
            "are on none; take perm-input, pairs or wilcoxon, or calibrate anew."
        )
        raise OptionError(msg)
    z, _ = _standardise_cells(panel)
    keep = _draw_sides(options, swap, panel.gold.shape)

    def after(a: int, b: int) -> tuple[Array, Array]:
        exchanged = []
        for row in keep:
            pair = {"a": np.where(row, z[a], z[b]), "b": np.where(row, z[b], z[a])}
            results = correlate_all(panel.gold, pair, options)
            exchanged.append([result.value for result in results.values()])
        first, second = np.array(exchanged).T
        return first, second

    return after


def _swap_soft_pairwise(panel: ScorePanel, options: Options, swap: Swap) -> Exchange:
    """Exchange cells, whole segments or whole systems of two metrics."""
    z, there = _standardise_cells(panel)
    gold = np.where(there, panel.gold, 0.0)[None]
    if options.swapped_p == "permutation":
        p = partial(_draw_p, there=there, options=options)
        keep = _draw_sides(options, swap, there.shape)
        return _swap_soft_cells(z, p, p(gold)[0], keep)
    z = np.stack([_round_for_products(each) for each in z])
    p = partial(_normal_p, there=there)
    human = p(_round_for_products(gold))[0]
    if swap == "input":
        return _swap_soft_segments(z, there, human, options)
    keep = _draw_sides(options, swap, there.shape)
    if swap == "sys":
        return _swap_soft_systems(z, there, human, keep[..., 0])
    return _swap_soft_cells(z, p, human, keep)


def _swap_soft_cells(
    z: Array, p: Callable[[Array], Array], human: Array, keep: Mask
) -> Exchange:
    block = max(1, BLOCK // z[0].size)
    starts = range(0, len(keep), block)

    def exchange(one: Array, other: Array) -> Array:
        parts = (np.where(keep[at : at + block], one, other) for at in starts)
        return spa(human, np.concatenate([p(part) for part in parts]))

    return lambda a, b: (exchange(z[a], z[b]), exchange(z[b], z[a]))


def _swap_soft_systems(z: Array, there: Mask, human: Array, keep: Mask) -> Exchange:
    """A system's scores come from one metric or the other: all such p-values at once."""
    size = len(there)
    first, second = np.triu_indices(size, 1)
    own, other = (np.arange(size) + np.where(kept, 0, size) for kept in (keep, ~keep))
    twice = np.concatenate([there, there])

    def after(a: int, b: int) -> tuple[Array, Array]:
        p = np.zeros((2 * size, 2 * size))
        rows = np.concatenate([z[a], z[b]])[None]
        p[np.triu_indices(2 * size, 1)] = _normal_p(rows, twice)[0]
        p += np.tril(1 - p.T, -1)
        one, two = (spa(human, p[x[:, first], x[:, second]]) for x in (own, other))
        return one, two

    return after


def _swap_soft_segments(
    z: Array, there: Mask, human: Array, options: Options
) -> Exchange:
    """Whole segments change sides, so the sums of differences are linear in the draw."""
    first, second = np.triu_indices(len(there), 1)
    both = there[first] & there[second]
    gaps = np.where(both, z[:, first] - z[:, second], 0.0)
    drawn = list(_draw(options, there.shape[1]))
    total = gaps.sum(-1), (gaps**2).sum(-1)
    moved = [
        [np.concatenate([signs @ each for signs in drawn]) for each in (d.T, d.T**2)]
        for d in gaps
    ]

    def exchange(one: int, other: int) -> Array:
        sums, squares = (
            (total[at][one] + total[at][other] + moved[one][at] - moved[other][at]) / 2
            for at in (0, 1)
        )
        return spa(human, _tail_of_sums(sums, squares))

    return lambda a, b: (exchange(a, b), exchange(b, a))


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
