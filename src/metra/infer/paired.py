"""Paired tests: could the difference of two systems be chance?

Both tests look at many pairs at once, with the same draws for all of them. They are
two-sided, and p = (b + 1) / (k + 1), where b of k trials differ at least as much as was
observed (Noreen 1989; on the added ones, Davison and Hinkley 1997). Equal differences count
as large, so a system against its own copy has p = 1.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from metra.infer.defaults import SEED, TEST_TRIALS
from metra.infer.draws import Weights, swaps
from metra.infer.intervals import Sample
from metra.infer.weighing import Weighing
from metra.parallel import ordered_map, thread_count
from metra.pool import Array

#: Two samples of one measure, by their places: the baseline, then what is held against it.
Pair: TypeAlias = tuple[int, int]

#: Scores that differ by less than this share of themselves differ in rounding only.
ROUNDING = 1e-11


def randomisation_p_values(
    samples: Sequence[Sample],
    pairs: Sequence[Pair],
    *,
    trials: int = TEST_TRIALS,
    seed: int = SEED,
    progress: Callable[[int], None] = lambda _: None,
) -> list[float]:
    """Test pairs of samples by approximate randomisation, all with the same swaps.

    If two systems do not differ, each of a segment's two outputs might as well have come
    from the other one. In every trial a coin decides for each row whether the two change
    sides. Noreen 1989; for MT scores Riezler and Maxwell 2005, ACL workshop.
    """
    rng = np.random.default_rng(seed)
    weighing = Weighing([sample.rows for sample in samples])
    totals = weighing.totals
    observed = [
        sample.aggregate(total) for sample, total in zip(samples, totals, strict=True)
    ]
    least = [
        _reached_from(float(observed[one]), float(observed[two])) for one, two in pairs
    ]

    def extreme(chosen: Weights) -> tuple[int, list[int]]:
        found = []
        # If M are the totals of the chosen rows, swapping them moves M of the one system
        # to the other: products with each system's rows serve all of its pairs.
        moved = weighing.weighted(chosen)
        for (one, two), limit in zip(pairs, least, strict=True):
            change = moved[two] - moved[one]
            first = samples[one].aggregate(totals[one] + change)
            second = samples[two].aggregate(totals[two] - change)
            found.append(_count(second - first, limit))
        return len(chosen), found

    large = np.zeros(len(pairs), np.int64)
    done = 0
    blocks = swaps(len(samples[0].rows), trials, rng)
    for size, found in ordered_map(extreme, blocks, thread_count()):
        large += found
        done += size
        progress(done)
    return [float(p) for p in (large + 1) / (trials + 1)]


def shifted_p_value(
    resampled: tuple[Array, Array], observed: tuple[float, float]
) -> float:
    """Test a pair by its bootstrapped scores, the baseline's first, and those observed.

    What resampling adds to the difference is taken for what chance adds to no difference:
    the resampled differences, moved to the mean 0, are held against the observed one
    (Noreen 1989's shift method; Riezler and Maxwell 2005).
    """
    differences = resampled[1] - resampled[0]
    if not len(differences):
        return 1.0
    limit = _reached_from(*observed)
    large = _count(differences - differences.mean(), limit)
    return (large + 1) / (len(differences) + 1)


def _reached_from(first: float, second: float) -> float:
    """Give the least difference that is as large as the one of these two scores."""
    return abs(second - first) - ROUNDING * max(abs(first), abs(second))


def _count(differences: Array, limit: float) -> int:
    # What is no number is counted as large: the cautious side.
    return int((~(np.abs(differences) < limit)).sum())
