"""Paired tests of systems: could the difference of two scores be chance?"""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias, get_args

import numpy as np

from metra.stats.defaults import SEED, TEST_TRIALS, TRIALS, Test
from metra.stats.parallel import ordered_map, thread_count
from metra.stats.resampling import (
    Interval,
    Sample,
    bootstrap_scores,
    check_settings,
    draw_swaps,
    interval_of_defined,
    jackknife_scores,
    share_reached,
    standard_error,
)
from metra.stats.totals import Array, sum_rows
from metra.stats.weighted_sums import StackedRows, Weights

#: Two samples of one measure, by their places: the baseline, then what is held against it.
Pair: TypeAlias = tuple[int, int]

#: Scores that differ by less than this share of themselves differ in rounding only.
ROUNDING = 1e-11
#: Differences of means that differ by less differ in rounding only.
SLACK = 1e-12


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
    weighing = StackedRows([sample.rows for sample in samples])
    totals = weighing.totals
    together = zip(samples, totals, strict=True)
    scores = [float(sample.aggregate(total)) for sample, total in together]
    least = [_reached_from(scores[one], scores[two]) for one, two in pairs]

    def extreme(chosen: Weights) -> tuple[int, list[int]]:
        counts = []
        # If M are the totals of the chosen rows, swapping them moves M of the one system
        # to the other: products with each system's rows serve all of its pairs.
        moved = weighing.sum_weighted(chosen)
        for (one, two), limit in zip(pairs, least, strict=True):
            change = moved[two] - moved[one]
            first = samples[one].aggregate(totals[one] + change)
            second = samples[two].aggregate(totals[two] - change)
            counts.append(_count(second - first, limit))
        return len(chosen), counts

    large, done = np.zeros(len(pairs), np.int64), 0
    blocks = draw_swaps(len(samples[0].rows), trials, rng)
    for size, counts in ordered_map(extreme, blocks, thread_count()):
        large += counts
        done += size
        progress(done)
    return [share_reached(int(count), trials) for count in large]


def shifted_p_value(drawn: tuple[Array, Array], observed: tuple[float, float]) -> float:
    """Test a pair by its bootstrapped scores, the baseline's first, and those observed.

    What resampling adds to the difference is taken for what chance adds to no difference:
    the resampled differences, moved to the mean 0, are held against the observed one
    (Noreen 1989's shift method; Riezler and Maxwell 2005).
    """
    differences = drawn[1] - drawn[0]
    if not len(differences):
        return 1.0
    limit = _reached_from(*observed)
    large = _count(differences - differences.mean(), limit)
    return share_reached(large, len(differences))


def one_sided_p_values(drawn: Sequence[Array], observed: Sequence[float]) -> Array:
    """Return shift-method p-values that the row's sample is no better than the column's.

    `drawn` are bootstrapped scores that share their draws, `observed` the scores observed.
    Resampled differences, moved to the mean 0, are what chance makes of no difference
    (Noreen 1989); p is the share of them that reach the observed one.
    """
    size = len(drawn)
    p = np.full((size, size), np.nan)
    for one, other in permutations(range(size), 2):
        gaps = drawn[one] - drawn[other]
        gaps = gaps[np.isfinite(gaps)]
        reached = gaps - gaps.mean() >= observed[one] - observed[other] - SLACK
        p[one, other] = share_reached(int(reached.sum()), len(gaps))
    return p


def _reached_from(first: float, second: float) -> float:
    """Give the least difference that is as large as the one of these two scores."""
    return abs(second - first) - ROUNDING * max(abs(first), abs(second))


def _count(differences: Array, limit: float) -> int:
    # What is no number is counted as large: the cautious side.
    return int((~(np.abs(differences) < limit)).sum())


#: With fewer units than this neither swaps nor resamples say anything about others.
LEAST_UNITS = 10


class Contrast(NamedTuple):
    """Two samples of one measure: the second's score minus the first's, and its doubts."""

    difference: float
    interval: Interval | None = None
    #: Of the difference, by the jackknife; 0 if all units contribute the same.
    standard_error: float | None = None
    #: The difference in standard deviations of what single units contribute to it; None if
    #: they do not vary.
    effect: float | None = None
    p_value: float | None = None
    #: Whether there is enough to say more than the difference.
    enough: bool = True


def contrasts(
    samples: Sequence[Sample],
    pairs: Sequence[Pair],
    *,
    test: Test = "ar",
    trials: int = TEST_TRIALS,
    resamples: int = TRIALS,
    seed: int = SEED,
    level: float = 0.95,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[list[Interval | None], list[Contrast]]:
    """Give the interval of each sample's score, and what is known of each pair.

    All pairs and measures share their draws. Intervals come from `resamples` bootstrap
    resamples, or with the bootstrap test from its trials, so that both tell one story.
    Progress counts resamples and trials together.
    """
    check_settings(
        "A test",
        {
            f"test={test!r}": (test in get_args(Test), "ar or bootstrap"),
            f"trials={trials}": (trials >= 1, "at least 1"),
            f"resamples={resamples}": (resamples >= 1, "at least 1"),
            f"seed={seed}": (seed >= 0, "0 or more"),
        },
    )
    scores = [float(sample.aggregate(sum_rows(sample.rows))) for sample in samples]
    differences = [scores[two] - scores[one] for one, two in pairs]
    count = len(samples[0].rows)
    nothing = [Contrast(each, enough=False) for each in differences]
    if count < 2:
        return [None] * len(samples), nothing
    drawn = bootstrap_scores(
        samples,
        trials=trials if test == "bootstrap" else resamples,
        rng=np.random.default_rng(seed),
        progress=progress,
    )
    intervals = [interval_of_defined(each, level=level) for each in drawn]
    if count < LEAST_UNITS:
        return intervals, nothing
    if test == "bootstrap":
        p_values = [
            shifted_p_value(_both_defined(drawn, (a, b)), (scores[a], scores[b]))
            for a, b in pairs
        ]
    else:
        p_values = randomisation_p_values(
            samples,
            pairs,
            trials=trials,
            seed=seed,
            progress=lambda done: progress(resamples + done),
        )
    without = [jackknife_scores(sample) for sample in samples]
    known = []
    for (one, two), unknown, p in zip(pairs, nothing, p_values, strict=True):
        difference = unknown.difference
        if np.isnan(difference):
            known.append(unknown)
            continue
        without_each = np.subtract(*_both_defined(without, (two, one)))
        error = standard_error(without_each) if len(without_each) > 1 else None
        if error and np.ptp(without_each) <= ROUNDING * max(
            abs(scores[one]), abs(scores[two])
        ):
            error = 0.0  # all units contribute the same: what is left is rounding
        effect = difference / (error * count**0.5) if error else None
        interval = interval_of_defined(drawn[two] - drawn[one], level=level)
        known.append(Contrast(difference, interval, error, effect, p))
    return intervals, known


def _both_defined(scores: Sequence[Array], pair: Pair) -> tuple[Array, Array]:
    """Give two samples' scores where both have one."""
    one, two = scores[pair[0]], scores[pair[1]]
    there = ~(np.isnan(one) | np.isnan(two))
    return one[there], two[there]
