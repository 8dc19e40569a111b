"""Relations of two scores of the same segments and systems, for pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from metra.analysis.distributions import compute_bin_edges, get_segment_scores
from metra.metrics.record import Array
from metra.scoring.results import Results
from metra.stats.arrays import drop_nan
from metra.stats.coefficients import pearson, spearman
from metra.stats.direction import HIGHER, Direction

if TYPE_CHECKING:
    from metra.stats.curves import LineFit


#: A system with its two scores.
SystemPoint: TypeAlias = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class ScoreRelation:
    """Two scores of the same segments, and of the same systems."""

    x: str
    y: str
    points: Sequence[SystemPoint]
    x_edges: Sequence[float]
    y_edges: Sequence[float]
    #: Two bins, counted from 0, and the number of segments with their scores in them.
    squares: Sequence[tuple[int, int, int]]
    #: How many segments have both scores.
    segments: int
    #: Correlations by Pearson and by Spearman; None where one side does not vary.
    pearson: float | None
    spearman: float | None
    #: Pearson's correlation over systems; None for fewer than three.
    systems_pearson: float | None


def relate_metrics(results: Results) -> list[ScoreRelation]:
    """Relate every metric to every later one."""
    specs = results.specs
    names = [system.name for system in results.systems]
    pooled = {
        spec: np.concatenate(
            [get_segment_scores(results, name, spec) for name in names]
        )
        for spec in specs
    }
    return [
        relate_scores(
            x,
            y,
            [(n, results[n][x].score, results[n][y].score) for n in names],
            pooled[x],
            pooled[y],
        )
        for x, y in combinations(specs, 2)
    ]


def relate_scores(
    x: str,
    y: str,
    points: Sequence[SystemPoint],
    x_scores: Array,
    y_scores: Array,
    directions: Sequence[Direction] = (HIGHER, HIGHER),
) -> ScoreRelation:
    """Relate two scores; segments that lack one of them are left out.

    Correlations are of scores that the `directions` orient.
    """
    both = np.isfinite(x_scores) & np.isfinite(y_scores)
    x_scores, y_scores = x_scores[both], y_scores[both]
    x_edges, y_edges = compute_bin_edges(x_scores), compute_bin_edges(y_scores)
    table = np.histogram2d(x_scores, y_scores, (x_edges, y_edges))[0].astype(int)
    return ScoreRelation(
        x=x,
        y=y,
        points=points,
        x_edges=x_edges.tolist(),
        y_edges=y_edges.tolist(),
        squares=[(i, j, int(table[i, j])) for i, j in np.argwhere(table).tolist()],
        segments=int(both.sum()),
        pearson=_correlate(pearson, (x_scores, y_scores), directions),
        spearman=_correlate(spearman, (x_scores, y_scores), directions),
        systems_pearson=_correlate(pearson, _get_coordinates(points), directions)
        if len(points) > 2
        else None,
    )


def _correlate(
    coefficient: Callable[[Array, Array], Array],
    pair: Sequence[Array] | Array,
    directions: Sequence[Direction],
) -> float | None:
    x, y = (way.orient(each) for way, each in zip(directions, pair, strict=True))
    return drop_nan(float(coefficient(x, y)))


def _get_coordinates(points: Sequence[SystemPoint]) -> Array:
    return np.array([point[1:] for point in points]).reshape(-1, 2).T


def relate_to_results(
    name: str,
    means: Mapping[str, float],
    segments: Mapping[str, Array],
    direction: Direction,
    results: Results,
) -> list[ScoreRelation]:
    """Relate other scores of the same systems, by their name, to each metric.

    A higher correlation means more agreement, whatever the directions.
    """
    names = [system.name for system in results.systems]
    pooled = np.concatenate([segments[each] for each in names])
    return [
        relate_scores(
            name,
            spec,
            [
                (each, means[each], results[each][spec].score)
                for each in names
                if np.isfinite(means[each])
            ],
            pooled,
            np.concatenate([get_segment_scores(results, each, spec) for each in names]),
            (direction, results.systems[0].scores[spec].direction),
        )
        for spec in results.specs
    ]


def fit_lines(relations: Sequence[ScoreRelation]) -> "dict[str, LineFit]":
    """Return a line through the systems of each relation, where one is defined."""
    from metra.stats.curves import fit_line

    lines = {entry.y: fit_line(*_get_coordinates(entry.points)) for entry in relations}
    return {spec: line for spec, line in lines.items() if line is not None}
