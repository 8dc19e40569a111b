"""Distributions of segment scores, and relations of two scores, for pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from metra.metrics.record import Array
from metra.scoring.results import Results
from metra.stats.arrays import choose_round_step, drop_nan
from metra.stats.coefficients import pearson, spearman
from metra.stats.direction import HIGHER, Direction

if TYPE_CHECKING:
    from metra.stats.curves import LineFit

BINS = 20


@dataclass(frozen=True, slots=True)
class Distribution:
    """Number of segments of each system between each edge and the next."""

    spec: str
    edges: Sequence[float]
    #: By system, one number for each bin; the last bin holds its upper edge too.
    counts: Mapping[str, Sequence[int]]
    medians: Mapping[str, float]


def count_distributions(results: Results) -> list[Distribution]:
    """Count every metric's segment scores in bins; segments without a score are left out."""
    distributions = []
    for spec in results.specs:
        finite = {}
        for system in results.systems:
            scores = get_segment_scores(results, system.name, spec)
            finite[system.name] = scores[np.isfinite(scores)]
        edges = compute_bin_edges(np.concatenate(list(finite.values())))
        counts = {
            name: np.histogram(v, edges)[0].tolist() for name, v in finite.items()
        }
        medians = {
            n: float(np.median(v)) if len(v) else np.nan for n, v in finite.items()
        }
        distributions.append(Distribution(spec, edges.tolist(), counts, medians))
    return distributions


def get_segment_scores(results: Results, system: str, spec: str) -> Array:
    """Give one system's segment scores by one metric."""
    scores = results[system][spec].segments
    if scores is None:
        msg = "the segments were not scored"
        raise RuntimeError(msg)
    return scores


def _pool_segment_scores(results: Results, spec: str) -> Array:
    names = [system.name for system in results.systems]
    return np.concatenate([get_segment_scores(results, name, spec) for name in names])


def compute_bin_edges(scores: Array) -> Array:
    """Cut the range of the scores into equal bins between round numbers.

    Scores from 0 to 100 have that range whole, so that two reports can be compared. A few
    scores far above all others (an error rate of an output that never ends) do not squeeze
    the rest: the last bin then reaches up to them.

    >>> compute_bin_edges(np.array([3.0, 81.0])).tolist()[:3]
    [0.0, 5.0, 10.0]
    >>> compute_bin_edges(np.array([*range(100), 5000.0])).tolist()[-2:]
    [95.0, 5000.0]
    """
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return np.linspace(0, 1, BINS + 1)
    low, high = float(finite.min()), float(finite.max())
    usual = float(np.quantile(finite, 0.985))
    if low >= 0 and 10 < usual <= 100:
        edges = np.linspace(0, 100, BINS + 1)
    else:
        edges = _compute_round_edges(low, usual if usual > low else high)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges


def _compute_round_edges(low: float, high: float) -> Array:
    # Scores that differ by what adding up in another order changes are equal.
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        return np.linspace(low - 0.5, low + 0.5, BINS + 1)
    step = choose_round_step(high - low, BINS)
    first = np.floor(low / step) * step
    count = int(np.ceil(round((high - first) / step, 9)))
    return first + step * np.arange(max(count, 1) + 1)


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
    pooled = {spec: _pool_segment_scores(results, spec) for spec in specs}
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
            _pool_segment_scores(results, spec),
            (direction, results.systems[0].scores[spec].direction),
        )
        for spec in results.specs
    ]


def fit_lines(relations: Sequence[ScoreRelation]) -> "dict[str, LineFit]":
    """Return a line through the systems of each relation, where one is defined."""
    from metra.stats.curves import fit_line

    lines = {entry.y: fit_line(*_get_coordinates(entry.points)) for entry in relations}
    return {spec: line for spec, line in lines.items() if line is not None}
