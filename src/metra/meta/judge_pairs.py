"""Two judges at a time: what they judged both, and how alike."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metra.meta.arrays import Array, Codes
from metra.meta.chance_agreement import cohen
from metra.meta.moments import pearson, spearman
from metra.meta.pairs import kendall_b
from metra.meta.ratings import Ratings

#: Rounding must not push a difference over the limit.
SLACK = 1e-9


@dataclass(frozen=True)
class Shared:
    """All pairs of judgements of the same unit, the judge with the lower number first."""

    first: Codes
    second: Codes
    unit: Codes
    a: Array
    b: Array

    def gaps(self) -> Array:
        """How far apart the two judgements are."""
        return np.abs(self.a - self.b)


@dataclass(frozen=True)
class JudgePair:
    """How two judges agree on what both judged; NaN where a figure has no meaning."""

    first: str
    second: str
    n: int
    exact: float
    within: float
    pearson: float
    spearman: float
    kendall: float
    kappa: float
    linear: float
    quadratic: float
    a: Array
    b: Array


def shared_judgements(ratings: Ratings) -> Shared:
    """Pair the judgements of every unit."""
    found: list[tuple[Codes, Codes]] = []
    size = len(ratings)
    for step in range(1, int(ratings.counts.max(initial=0))):
        at = np.arange(size - step)
        at = at[ratings.unit[at] == ratings.unit[at + step]]
        found.append((at, at + step))
    one = np.concatenate([a for a, _ in found] or [np.empty(0, np.int64)])
    other = np.concatenate([b for _, b in found] or [np.empty(0, np.int64)])
    return Shared(
        ratings.judge[one],
        ratings.judge[other],
        ratings.unit[one],
        ratings.value[one],
        ratings.value[other],
    )


def judge_pairs(
    ratings: Ratings, shared: Shared, *, within: float = 1.0
) -> list[JudgePair]:
    """Compare every two judges who share a unit; those who share most come first."""
    found = []
    for first, second, at in _by_pair(shared, len(ratings.judges)):
        a, b = shared.a[at], shared.b[at]
        gaps = np.abs(a - b)
        found.append(
            JudgePair(
                ratings.judges[first],
                ratings.judges[second],
                len(a),
                float((gaps == 0).mean()),
                float((gaps <= within + SLACK).mean()),
                float(pearson(a, b)),
                float(spearman(a, b)),
                float(kendall_b(a, b)),
                cohen(a, b),
                cohen(a, b, "linear"),
                cohen(a, b, "quadratic"),
                a,
                b,
            )
        )
    return sorted(found, key=lambda pair: -pair.n)


def weighted_mean(pairs: list[JudgePair], figure: str) -> float:
    """Average a figure over pairs, each by what it shares; pairs without it stay out."""
    values = np.array([getattr(pair, figure) for pair in pairs])
    sizes = np.array([pair.n for pair in pairs], np.float64)
    there = np.isfinite(values)
    if not there.any():
        return float("nan")
    return float((values[there] * sizes[there]).sum() / sizes[there].sum())


def _by_pair(shared: Shared, judges: int) -> Iterator[tuple[int, int, Codes]]:
    key = shared.first * judges + shared.second
    order = np.argsort(key, kind="stable")
    keys, starts = np.unique(key[order], return_index=True)
    for code, at in zip(keys.tolist(), np.split(order, starts[1:]), strict=True):
        yield code // judges, code % judges, at
