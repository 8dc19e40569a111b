"""Distributions of segment scores, in the same bins for every system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.metrics.record import Array
from metra.scoring.results import Results
from metra.stats.arrays import choose_round_step

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


def compute_bin_edges(scores: Array, bins: int = BINS) -> Array:
    """Cut the range of the scores into equal bins between round numbers.

    Scores from 0 to 100 have that range whole, so that two reports can be compared. A few
    scores far above all others (an error rate of an output that never ends) do not squeeze
    the rest: the last bin then reaches up to them.

    >>> compute_bin_edges(np.array([3.0, 81.0]), bins=4).tolist()
    [0.0, 25.0, 50.0, 75.0, 100.0]
    >>> compute_bin_edges(np.array([*range(100), 5000.0]), bins=2).tolist()
    [0.0, 50.0, 5000.0]
    """
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return np.linspace(0, 1, bins + 1)
    low, high = float(finite.min()), float(finite.max())
    usual = float(np.quantile(finite, 0.985))
    if low >= 0 and 10 < usual <= 100:
        edges = np.linspace(0, 100, bins + 1)
    else:
        edges = _compute_round_edges(low, usual if usual > low else high, bins)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges


def _compute_round_edges(low: float, high: float, bins: int) -> Array:
    # Scores that differ by what adding up in another order changes are equal.
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        return np.linspace(low - 0.5, low + 0.5, bins + 1)
    step = choose_round_step(high - low, bins)
    first = np.floor(low / step) * step
    count = int(np.ceil(round((high - first) / step, 9)))
    return first + step * np.arange(max(count, 1) + 1)
