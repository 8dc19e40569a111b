"""How two kinds of scores go together over all segments of all systems, and over systems."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metra.insight.distributions import BINS, bin_edges, segments
from metra.measure import Array
from metra.results import Results


@dataclass(frozen=True, slots=True)
class Point:
    """One system's two scores."""

    system: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Square:
    """How many segments have their two scores in these two bins, counted from 0."""

    x: int
    y: int
    count: int


@dataclass(frozen=True, slots=True)
class Relation:
    """Two scores of the same segments, and of the same systems."""

    x: str
    y: str
    points: Sequence[Point]
    x_edges: Sequence[float]
    y_edges: Sequence[float]
    squares: Sequence[Square]
    #: How many segments have both scores.
    segments: int
    #: Correlations by Pearson and by Spearman; None where one side does not vary.
    pearson: float | None
    spearman: float | None
    #: Pearson's correlation over systems; None for fewer than three.
    systems_pearson: float | None


def metric_relations(results: Results) -> list[Relation]:
    """Relate every metric to every later one."""
    specs = results.specs
    names = [system.name for system in results.systems]
    pooled = {
        spec: np.concatenate([segments(results, name, spec) for name in names])
        for spec in specs
    }
    return [
        relation(
            x,
            y,
            [Point(n, results[n][x].score, results[n][y].score) for n in names],
            pooled[x],
            pooled[y],
        )
        for at, x in enumerate(specs)
        for y in specs[at + 1 :]
    ]


def relation(
    x: str, y: str, points: Sequence[Point], x_scores: Array, y_scores: Array
) -> Relation:
    """Relate two scores; segments that lack one of them are left out."""
    both = np.isfinite(x_scores) & np.isfinite(y_scores)
    x_scores, y_scores = x_scores[both], y_scores[both]
    x_edges, y_edges = bin_edges(x_scores, BINS), bin_edges(y_scores, BINS)
    table = np.histogram2d(x_scores, y_scores, (x_edges, y_edges))[0].astype(int)
    return Relation(
        x=x,
        y=y,
        points=points,
        x_edges=x_edges.tolist(),
        y_edges=y_edges.tolist(),
        squares=[
            Square(int(i), int(j), int(table[i, j])) for i, j in np.argwhere(table)
        ],
        segments=int(both.sum()),
        pearson=correlation(x_scores, y_scores),
        spearman=correlation(ranks(x_scores), ranks(y_scores)),
        systems_pearson=_over_systems(points),
    )


def _over_systems(points: Sequence[Point]) -> float | None:
    if len(points) < 3:
        return None
    return correlation(
        np.array([point.x for point in points]), np.array([point.y for point in points])
    )


def correlation(x: Array, y: Array) -> float | None:
    """Pearson's correlation; None where it is not defined.

    >>> correlation(np.array([1.0, 2, 3]), np.array([2.0, 4, 6]))
    1.0
    """
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    x, y = x - x.mean(), y - y.mean()
    found = float((x @ y) / np.sqrt((x @ x) * (y @ y)))
    return min(1.0, max(-1.0, found))


def ranks(values: Array) -> Array:
    """Rank from 1; equal values share their mean rank.

    >>> ranks(np.array([30.0, 10.0, 30.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
