"""Soft pairwise accuracy of two metrics after exchanges of their scores.

The p-values of each draw are by the normal limit: for each two systems it takes the sum and
the sum of squares of their differences, and these follow from products of the systems'
scores with each other. Scores are rounded to a grid on which such products add up exactly,
some millionths of the largest, so that no thread changes a digit. They may also be drawn
anew after every exchange, as those of the coefficient itself are, which takes some ten times
as long.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from metra.meta.arrays import Array, Mask
from metra.meta.confidence import permutation_p, signs_of, wmt_p
from metra.meta.correlation import Options
from metra.meta.panel import Panel
from metra.meta.swapping import Swap, Swapped, moving, standard
from metra.meta.tail import upper_tail

#: Cells that are exchanged at a time.
BLOCK = 1_000_000


def soft(panel: Panel, options: Options, swap: Swap) -> Swapped:
    """Exchange cells, whole segments or whole systems of two metrics."""
    there = np.isfinite(panel.gold)
    gold = np.where(there, panel.gold, 0.0)
    z = np.where(there, standard(np.where(there, panel.stack, np.nan)), 0.0)
    shape = moving(swap, *there.shape)
    if options.swapped_p == "permutation":
        p = partial(_drawn_p, there=there, options=options)
        return _cells(z, p, p(gold[None])[0], _sides(options, shape))
    z = np.stack([_on_grid(each) for each in z])
    human = _p(_on_grid(gold[None]), there)[0]
    if swap == "input":
        return _segments(z, there, human, options)
    keep = _sides(options, shape)
    if swap == "sys":
        return _systems(z, there, human, keep[..., 0])
    return _cells(z, partial(_p, there=there), human, keep)


def _sides(options: Options, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Draw who keeps its scores: draws × systems × segments, or 1 where they go together."""
    rng = np.random.default_rng(options.seed)
    drawn = signs_of(options.trials, shape[0] * shape[1], rng)
    return np.concatenate([signs > 0 for signs in drawn]).reshape(-1, *shape)


def _cells(
    z: Array, p: Callable[[Array], Array], human: Array, keep: NDArray[np.bool_]
) -> Swapped:
    block = max(1, BLOCK // z[0].size)

    def after(a: int, b: int) -> tuple[Array, Array]:
        found: tuple[list[Array], list[Array]] = ([], [])
        for start in range(0, len(keep), block):
            mine = keep[start : start + block]
            for side, (one, other) in zip(found, ((a, b), (b, a)), strict=True):
                side.append(p(np.where(mine, z[one], z[other])))
        first, second = (np.concatenate(side) for side in found)
        return _agreement(human, first), _agreement(human, second)

    return after


def _systems(z: Array, there: Mask, human: Array, keep: NDArray[np.bool_]) -> Swapped:
    """A system's scores come from one metric or the other: all such p-values at once."""
    size = len(there)
    first, second = np.triu_indices(size, 1)
    at = np.arange(size)

    def after(a: int, b: int) -> tuple[Array, Array]:
        rows = np.concatenate([z[a], z[b]])[None]
        p = np.zeros((2 * size, 2 * size))
        p[np.triu_indices(2 * size, 1)] = _p(rows, np.concatenate([there, there]))[0]
        p += np.tril(1 - p.T, -1)
        found = []
        for kept in (keep, ~keep):
            chosen = np.where(kept, at, at + size)
            found.append(_agreement(human, p[chosen[:, first], chosen[:, second]]))
        return found[0], found[1]

    return after


def _segments(z: Array, there: Mask, human: Array, options: Options) -> Swapped:
    """Whole segments change sides, so the sums of differences are linear in the draw."""
    first, second = np.triu_indices(len(there), 1)
    both = there[first] & there[second]
    gaps = np.where(both, z[:, first] - z[:, second], 0.0)
    rng = np.random.default_rng(options.seed)
    drawn = list(signs_of(options.trials, there.shape[1], rng))
    total = gaps.sum(-1), (gaps**2).sum(-1)
    moved = [
        [np.concatenate([signs @ each for signs in drawn]) for each in (d.T, d.T**2)]
        for d in gaps
    ]

    def after(a: int, b: int) -> tuple[Array, Array]:
        found = []
        for one, other in ((a, b), (b, a)):
            sums, squares = (
                (total[at][one] + total[at][other] + moved[one][at] - moved[other][at])
                / 2
                for at in (0, 1)
            )
            found.append(_agreement(human, _tail(sums, squares)))
        return found[0], found[1]

    return after


def _drawn_p(x: Array, there: Mask, options: Options) -> Array:
    """The same p-values by drawing signs, as the coefficient itself has them."""
    alike = bool((there == there[:1]).all())
    x = x[..., there[0]] if alike else np.where(there, x, np.nan)
    if options.wmt:
        return wmt_p(x, trials=options.trials)
    return permutation_p(x, trials=options.trials, seed=options.seed)


def _p(x: Array, there: Mask) -> Array:
    """p-values that system i is no better than j, i < j: (draws, systems, segments)."""
    first, second = np.triu_indices(x.shape[1], 1)
    cross = (x @ x.transpose(0, 2, 1))[:, first, second]
    shared = there.T.astype(np.float64)
    sums, squares = x @ shared, (x * x) @ shared  # over what the other system has too
    total = sums[:, first, second] - sums[:, second, first]
    spread = squares[:, first, second] + squares[:, second, first] - 2 * cross
    return _tail(total, spread)


def _tail(total: Array, squares: Array) -> Array:
    spread = np.sqrt(np.maximum(squares, 0.0))
    z = np.divide(total, spread, out=np.zeros(total.shape), where=spread > 1e-12)
    return upper_tail(z)


def _agreement(human: Array, p: Array) -> Array:
    return 1.0 - np.abs(human - p).mean(-1)


def _on_grid(x: Array) -> Array:
    """Round so that sums over segments of products of two values are exact."""
    _, exponent = np.frexp(np.abs(x).max(initial=0.0))
    _, room = np.frexp(float(4 * x.shape[-1]))
    bits = (53 - int(room)) // 2 - int(exponent)
    return np.asarray(np.ldexp(np.rint(np.ldexp(x, bits)), -bits))
