"""Pairs of systems held against each other: difference, interval, error, effect, p-value."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, get_args

import numpy as np

from metra.infer.defaults import SEED, TEST_TRIALS, TRIALS, Test
from metra.infer.intervals import (
    Sample,
    bootstrap,
    interval_of_defined,
    left_out,
    refuse_wrong,
    standard_error,
)
from metra.infer.paired import Pair, randomisation_p_values, shifted_p_value
from metra.pool import Array, total

#: With fewer units than this neither swaps nor resamples say anything about others.
LEAST_UNITS = 10


class Contrast(NamedTuple):
    """Two samples of one measure: the second's score minus the first's, and its doubts."""

    difference: float
    interval: tuple[float, float] | None = None
    #: Of the difference, by the jackknife.
    standard_error: float | None = None
    #: The difference in standard deviations of what single units contribute to it.
    effect: float | None = None
    p_value: float | None = None
    #: Whether there is enough to say more than the difference.
    enough: bool = True


Intervals = list[tuple[float, float] | None]


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
) -> tuple[Intervals, list[Contrast]]:
    """Give the interval of each sample's score, and what is known of each pair.

    All pairs and measures share their draws. Intervals come from `resamples` bootstrap
    resamples, or with the bootstrap test from its trials, so that both tell one story.
    Progress counts resamples and trials together.
    """
    refuse_wrong(
        "A test",
        {
            f"test={test!r}": (test in get_args(Test), "ar or bootstrap"),
            f"trials={trials}": (trials >= 1, "at least 1"),
            f"resamples={resamples}": (resamples >= 1, "at least 1"),
            f"seed={seed}": (seed >= 0, "0 or more"),
        },
    )
    scores = [float(sample.aggregate(total(sample.rows))) for sample in samples]
    differences = [scores[two] - scores[one] for one, two in pairs]
    count = len(samples[0].rows)
    if count < 2:
        nothing = [Contrast(found, enough=False) for found in differences]
        return [None] * len(samples), nothing

    drawn = bootstrap(
        samples,
        trials=trials if test == "bootstrap" else resamples,
        rng=np.random.default_rng(seed),
        progress=progress,
    )
    intervals: Intervals = [interval_of_defined(each, level=level) for each in drawn]
    if count < LEAST_UNITS:
        return intervals, [Contrast(found, enough=False) for found in differences]

    if test == "bootstrap":
        p_values = [
            shifted_p_value(
                _both_defined(drawn, pair), (scores[pair[0]], scores[pair[1]])
            )
            for pair in pairs
        ]
    else:
        p_values = randomisation_p_values(
            samples,
            pairs,
            trials=trials,
            seed=seed,
            progress=lambda done: progress(resamples + done),
        )
    without = [left_out(sample) for sample in samples]
    found = []
    for (one, two), difference, p in zip(pairs, differences, p_values, strict=True):
        if np.isnan(difference):
            found.append(Contrast(difference, enough=False))
            continue
        without_each = np.subtract(*_both_defined(without, (two, one)))
        error = standard_error(without_each) if len(without_each) > 1 else None
        found.append(
            Contrast(
                difference,
                interval_of_defined(drawn[two] - drawn[one], level=level),
                error,
                difference / (error * count**0.5) if error else None,
                p,
            )
        )
    return intervals, found


def _both_defined(scores: Sequence[Array], pair: Pair) -> tuple[Array, Array]:
    """Give two samples' scores where both have one."""
    one, two = scores[pair[0]], scores[pair[1]]
    there = ~(np.isnan(one) | np.isnan(two))
    return one[there], two[there]
