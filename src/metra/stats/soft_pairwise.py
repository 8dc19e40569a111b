"""Soft pairwise accuracy: does a metric tell systems apart as confidently as people do?

For each pair of systems, the p-value that the first is better by the gold is compared with
the p-value by the metric; Thompson et al. 2024, WMT. The p-values are of a paired
permutation test on the segments, and all pairs and scorers share its sign changes.

Ties of the permuted with the observed difference count half (mid-p). Counting them in full,
as the official program does, makes the answer depend on the order of the systems.
"""

from collections.abc import Callable

import numpy as np

from metra.errors import CorpusError
from metra.stats.arrays import Array, divide, order_pairs
from metra.stats.defaults import SEED, TRIALS
from metra.stats.distributions import normal_tail
from metra.stats.resampling import draw_signs
from metra.stats.weighted_sums import WeightedValues

#: What the official scorer draws its sign changes with.
WMT_SEED = 4


def spa(gold: Array, metric: Array) -> Array:
    """One minus the mean absolute difference of p-values, over pairs (last axis)."""
    return 1.0 - np.abs(gold - metric).mean(-1)


def permutation_p(scores: Array, *, trials: int = TRIALS, seed: int = SEED) -> Array:
    """p-values that system i is no better than j, i < j: (…, systems, segments) to (…, pairs).

    NaN is a missing value; a pair of systems is compared on the segments that both have.
    """
    first, second = np.triu_indices(scores.shape[-2], 1)
    if np.isfinite(scores).all():
        return _shared_p(scores, trials, np.random.default_rng(seed))
    p_values = []
    for i, j in zip(first, second, strict=True):
        pair = scores[..., [i, j], :]
        pair = pair[..., np.isfinite(pair).all(tuple(range(pair.ndim - 1)))]
        p_values.append(_shared_p(pair, trials, np.random.default_rng(seed)))
    return np.concatenate(p_values, axis=-1)


def normal_p(scores: Array, **_: int) -> Array:
    """The same p-values by the normal limit: Φ(-Σd / √Σd²), half where d is all zero."""
    first, second = np.triu_indices(scores.shape[-2], 1)
    z = []
    for i, j in zip(first, second, strict=True):
        d = scores[..., i, :] - scores[..., j, :]
        d = np.where(np.isfinite(d), d, 0.0)
        z.append(divide(d.sum(-1), np.sqrt((d * d).sum(-1)), fill=0.0))
    return np.vectorize(normal_tail, otypes=[float])(np.stack(z, axis=-1))


def wmt_p(scores: Array, *, trials: int = TRIALS, **_: int) -> Array:
    """The p-values of the official scorer: (…, systems, segments) to (…, pairs).

    Single precision, its seed, ties counted in full, and the very product that it makes.
    Rounding decides there between values that tie, and the matrix library decides on the
    order of adding, and so on rounding: the digits are those of the official program on
    the same machine with as many threads, as its own change from one machine to another.
    It needs the same segments of every system; where they differ, the official program
    shifts rows unseen.
    """
    present = np.isfinite(scores).reshape(-1, scores.shape[-1])
    if not (present == present[:1]).all():
        msg = (
            "WMT's soft pairwise accuracy needs judgements of the same segments for "
            "every system; leave out `wmt`, which compares each pair on what both "
            "have."
        )
        raise CorpusError(msg)
    scores = scores[..., present[0]].astype(np.float32)
    rng = np.random.default_rng(WMT_SEED)
    signs = np.rint(rng.random((trials, scores.shape[-1]), np.float32)) * 2 - 1
    first, second = np.triu_indices(scores.shape[-2], 1)
    p_values = []
    for each in scores.reshape(-1, *scores.shape[-2:]):
        # The layout, too, decides on the order of adding.
        rows = np.ascontiguousarray(each)
        null, total = signs @ rows.T, rows.sum(1)
        reached = null[:, first] - null[:, second] >= total[first] - total[second]
        p_values.append(reached.sum(0) / trials)
    return np.array(p_values).reshape(*scores.shape[:-2], len(first))


def _shared_p(scores: Array, trials: int, rng: "np.random.Generator") -> Array:
    """The test where every system has every segment."""
    shape = scores.shape[:-2]
    systems, segments = scores.shape[-2:]
    first, second = np.triu_indices(systems, 1)
    if not segments:  # as where all differences are zero
        return np.full((*shape, len(first)), 0.5)
    flat = scores.reshape(-1, systems, segments)
    total = flat.sum(-1)
    observed = total[:, first] - total[:, second]
    size = np.abs(flat).sum(-1)
    slack = 1e-10 * (size[:, first] + size[:, second])
    reached = np.zeros(observed.shape)
    columns = WeightedValues(flat.reshape(-1, segments).T)
    for signs in draw_signs(trials, segments, rng):
        null = columns.sum_weighted(signs).reshape(len(signs), -1, systems)
        for scorer in range(len(flat)):
            gap = null[:, scorer, first] - null[:, scorer, second] - observed[scorer]
            orders = order_pairs(gap, slack[scorer])
            reached[scorer] += (len(signs) + orders.sum(0)) / 2
    return (reached / trials).reshape(*shape, len(first))


#: Where p-values come from: sign changes, the normal limit, or as the official scorer has it.
P_VALUES: dict[str, Callable[..., Array]] = {
    "permutation": permutation_p,
    "normal": normal_p,
    "wmt": wmt_p,
}
