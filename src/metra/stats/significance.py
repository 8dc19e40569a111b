"""The tests of metra: is a difference between systems, metrics or judges more than chance?

Every test says what its unit is: what changes sides together, or is drawn together, because
it is not independent within. The unit decides for whom an answer holds (`POPULATIONS`).
Where all exchanges can be gone through, they are; else they are drawn until a p-value is
known well enough. Results carry Holm's and Benjamini and Hochberg's corrections.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations, permutations
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from metra.stats.arrays import ROUNDING, Array, Codes, divide, subtract_values
from metra.stats.defaults import LEAST_UNITS, SEED, TEST_TRIALS, TRIALS, Test
from metra.stats.multiplicity import benjamini_hochberg, correct_pairs, holm
from metra.stats.parallel import Progress, ordered_map, thread_count, track_blocks
from metra.stats.resampling import (
    Interval,
    Sample,
    bootstrap_scores,
    check_settings,
    draw_signs,
    draw_swaps,
    interval_of_defined,
    jackknife_scores,
    share_reached,
    standard_error,
)
from metra.stats.totals import sum_rows
from metra.stats.weighted_sums import StackedRows, Weights

Unit: TypeAlias = Literal["system", "document", "segment", "rater", "cell"]
Sides: TypeAlias = Literal["two-sided", "one-sided"]
#: For whom the answer of a test holds, by what its units are.
POPULATIONS: dict[tuple[Unit, ...], str] = {
    ("system",): "other systems like these, on these segments",
    ("document",): "these systems, on other documents",
    ("segment",): "these systems, on other segments",
    ("rater",): "these systems and segments, judged by other raters",
    ("cell",): "these systems on these segments only",
    ("system", "segment"): "other systems like these, on other segments",
    ("segment", "rater"): "these systems, on other segments judged by other raters",
    ("document", "rater"): "these systems, on other documents judged by other raters",
}
#: Two samples of one measure, by their places: the baseline, then what is held against it.
Pair: TypeAlias = tuple[int, int]

#: Differences of means that differ by less differ in rounding only.
SLACK = 1e-12
#: Up to so many exchanges are gone through instead of drawn; half of all, as the other
#: half is their mirror image.
MOST_EXACT = 2**14
#: Draws after which it is looked whether a p-value is known well enough.
ROUND = 1000
#: A p-value is known well enough when so many draws have reached the difference.
ENOUGH = 100


@dataclass(frozen=True)
class PairTests:
    """Tests of each two of some things that stand in falling order of score."""

    #: p-values of the row against the column, which stands lower; NaN where untested.
    p: Array
    test: str
    units: tuple[Unit, ...]
    sides: Sides
    #: Exchanges or resamples that were drawn at most; 0 where there is no chance in p.
    draws: int = 0
    #: Whether the units are those of several coefficients, each of which has one of them;
    #: else several units are crossed.
    joint: bool = False

    @cached_property
    def holm(self) -> Array:
        """The p-values, corrected so that any false alarm is as rare as alpha."""
        return correct_pairs(self.p, holm)

    @cached_property
    def bh(self) -> Array:
        """The p-values, corrected so that a share of alpha of the alarms is false."""
        return correct_pairs(self.p, benjamini_hochberg)

    @property
    def population(self) -> str:
        """For whom the answer holds."""
        if not self.joint:
            return POPULATIONS[self.units]
        return "; ".join(f"{POPULATIONS[(unit,)]} ({unit}s)" for unit in self.units)

    def correct(self, correction: str) -> Array:
        """Return the p-values by which pairs count as different: holm, bh or none."""
        return {"holm": self.holm, "bh": self.bh}.get(correction, self.p)


def choose_draws(tests: int, alpha: float = 0.05) -> int:
    """Return how many draws so many tests need to be significant after Holm's correction.

    The smallest p-value that can be drawn is 1 / (draws + 1); it must stay below alpha
    when it is multiplied by the number of tests, with one draw to spare.

    >>> choose_draws(1), choose_draws(435)
    (10000, 17400)
    """
    return max(TEST_TRIALS, math.ceil(2 * tests / alpha))


def make_two_sided(p: Array) -> Array:
    """Turn one-sided p-values of both directions (p[i, j] and p[j, i]) into two-sided ones."""
    return np.minimum(1.0, 2 * np.minimum(p, p.T))


#: By how much one metric's coefficient exceeds another's after each exchange between them.
Exchange: TypeAlias = Callable[[int, int], Array]


class Exchanges(NamedTuple):
    """Exchanges of scores between sides: a sign of +1 exchanges a unit."""

    #: The number of units.
    width: int
    #: Of signs, draws × units, what the coefficients need: draws × anything.
    sum_draws: Callable[[Array], NDArray[Any]]
    #: Of such sums how the coefficients of any two metrics differ after each exchange.
    after: Callable[[NDArray[Any]], Exchange]


class ExchangePart(NamedTuple):
    """One of several coefficients whose weighted sum is compared."""

    exchanges: Exchanges
    weight: float = 1.0
    #: Parts of one stream share their draws: units that they have in common change sides
    #: in both. Units of other test sets have nothing in common and take another stream.
    stream: int = 0


def exchange_p_values(
    parts: Sequence[ExchangePart],
    observed: Array,
    *,
    sides: Sides,
    draws: int,
    seed: int,
    wmt: bool = False,
) -> tuple[Array, int]:
    """Return p-values of each against those after it, and how many draws they took.

    The compared value is the weighted sum of the parts' coefficients; `observed` has it, or
    the differences of any two. p is (b + 1) / (k + 1),
    b of k exchanges with at least the observed difference. Pairs that b of `ENOUGH` shows
    to be far from significant are drawn no further (Besag and Clifford 1991). Where all
    exchanges can be gone through, p is their share, and no draw was taken. `wmt` draws all,
    and leaves the ones out as WMT's scorer does.
    """
    size = len(observed)
    gaps = observed if observed.ndim > 1 else observed[:, None] - observed
    reached, drawn = (np.zeros((size, size), np.int64) for _ in range(2))
    pairs = list(combinations(range(size), 2))
    width = parts[0].exchanges.width
    exact = not wmt and len(parts) == 1 and 2 ** min(width - 1, 60) <= MOST_EXACT
    rounds = [[list_signs(width)]] if exact else _draw_rounds(parts, draws, seed)
    for blocks in rounds:
        afters = [
            (each.after(np.concatenate([each.sum_draws(s) for s in signs])), weight)
            for (each, weight, _), signs in zip(parts, blocks, strict=True)
        ]
        for i, j in pairs:
            gap = reduce(np.add, (weight * after(i, j) for after, weight in afters))
            limit = gaps[i, j]
            if exact and sides == "one-sided":
                gap = np.concatenate([gap, -gap])
            if sides == "two-sided":
                gap, limit = np.abs(gap), abs(limit)
            # What is no number counts as reached: the cautious side.
            reached[i, j] += len(gap) - np.count_nonzero(gap < limit - SLACK)
            drawn[i, j] += len(gap)
        if not wmt:
            pairs = [pair for pair in pairs if reached[pair] < ENOUGH]
        if not pairs:
            break
    more = 0 if exact or wmt else 1
    p = divide(reached + more, drawn + more, drawn > 0)
    return p, 0 if exact else int(drawn.max(initial=0))


def paired_p_values(
    values: Array,
    units: Codes,
    *,
    strata: Codes | None = None,
    subtract: Callable[[Array, Array], Array] = subtract_values,
    alpha: float,
    seed: int,
) -> tuple[Array, int]:
    """Return two-sided p-values that the row's mean is above the column's, and the draws.

    `values` is systems × cells, NaN where missing. A coin decides for each unit, such as a
    document, whether all differences of its cells change sign (Fisher 1935). Means are of
    the cells that both have; strata count the same each. Means below or equal have p = 1,
    systems without a shared cell NaN.
    """
    size = len(values)
    upper = np.triu_indices(size, 1)
    sums = np.zeros((len(upper[0]), int(units.max(initial=0)) + 1))
    for row, i, j in zip(sums, *upper, strict=True):
        gaps = subtract(values[i], values[j])
        shared = np.isfinite(gaps)
        weights = np.ones(shared.sum())
        if strata is not None:
            weights /= np.bincount(strata[shared])[strata[shared]]
        row += np.bincount(units[shared], gaps[shared] * weights, len(row))
        row /= np.abs(row).sum() or (1.0 if shared.any() else np.nan)
    number, total = np.zeros((size, size), np.int64), np.full((size, size), np.nan)
    number[upper], total[upper] = np.arange(len(sums)), sums.sum(1)
    exchanges = Exchanges(
        sums.shape[1],
        lambda signs: signs @ sums.T,
        lambda drawn: lambda i, j: drawn[:, number[i, j]],
    )
    draws = choose_draws(len(sums), alpha)
    p, draws = exchange_p_values(
        [ExchangePart(exchanges)], total, sides="two-sided", draws=draws, seed=seed
    )
    both, gap = p[upper], total[upper]
    p[upper], p.T[upper] = (
        np.where(np.isnan(gap), np.nan, np.where(above, both, 1.0))
        for above in (gap > 0, gap < 0)
    )
    return p, draws


def list_signs(width: int) -> list[Array]:
    """List all exchanges of so many units, without their mirror images: 2^(width-1) rows.

    >>> list_signs(2)[0].tolist()
    [[-1.0, -1.0], [-1.0, 1.0]]
    """
    numbers = np.arange(2 ** (width - 1))[:, None] >> np.arange(width)[::-1]
    return [((numbers & 1) * 2 - 1).astype(np.float64)]


def _draw_rounds(
    parts: Sequence[ExchangePart], draws: int, seed: int
) -> Iterator[list[Iterator[Array]]]:
    """Draw signs for each part, some draws at a time; each stream begins with a seed."""
    rngs = [np.random.default_rng(seed + part.stream) for part in parts]
    for start in track_blocks(draws, ROUND):
        size = min(ROUND, draws - start)
        yield [
            draw_signs(size, part.exchanges.width, rng)
            for part, rng in zip(parts, rngs, strict=True)
        ]


def shifted_p_values(
    drawn: Sequence[Array], observed: Sequence[float], sides: Sides
) -> Array:
    """Test each against each by resampled scores that share their draws.

    What resampling adds to a difference is taken for what chance adds to no difference:
    the resampled differences, moved to the mean 0, are held against the observed one
    (Noreen 1989's shift method; Riezler and Maxwell 2005).
    """
    size = len(drawn)
    p = np.full((size, size), np.nan)
    for one, other in permutations(range(size), 2):
        gap = observed[one] - observed[other]
        p[one, other] = shifted_p_value(drawn[one] - drawn[other], gap, sides=sides)
    return p


def shifted_p_value(
    differences: Array, observed: float, *, sides: Sides, slack: float = SLACK
) -> float:
    """Test one difference by resampled ones; undefined ones are left out."""
    differences = differences[np.isfinite(differences)]
    if not len(differences):
        return 1.0
    moved = differences - differences.mean()
    if sides == "two-sided":
        moved, observed = np.abs(moved), abs(observed)
    return share_reached(int((moved >= observed - slack).sum()), len(moved))


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
    sides. Noreen 1989; for MT scores Riezler and Maxwell 2005, ACL workshop. So few rows
    that all swaps are no more than the trials are tested by all of them.
    """
    weighing = StackedRows([sample.rows for sample in samples])
    totals = weighing.totals
    together = zip(samples, totals, strict=True)
    scores = [float(sample.aggregate(total)) for sample, total in together]
    least = [
        abs(scores[two] - scores[one]) - _allow_rounding(scores[one], scores[two])
        for one, two in pairs
    ]

    def extreme(chosen: Weights) -> tuple[int, list[int]]:
        counts = []
        # If M are the totals of the chosen rows, swapping them moves M of the one system
        # to the other: products with each system's rows serve all of its pairs.
        moved = weighing.sum_weighted(chosen)
        for (one, two), limit in zip(pairs, least, strict=True):
            change = moved[two] - moved[one]
            first = samples[one].aggregate(totals[one] + change)
            second = samples[two].aggregate(totals[two] - change)
            # What is no number is counted as large: the cautious side.
            counts.append(int((~(np.abs(second - first) < limit)).sum()))
        return len(chosen), counts

    large, done = np.zeros(len(pairs), np.int64), 0
    count = len(samples[0].rows)
    exact = 2 ** min(count - 1, 60) <= trials
    blocks: Iterator[Weights] = draw_swaps(count, trials, np.random.default_rng(seed))
    if exact:
        blocks = iter([(list_signs(count)[0] > 0).astype(np.uint8)])
    for size, counts in ordered_map(extreme, blocks, thread_count()):
        large += counts
        done += size
        progress(done)
    if exact:
        progress(trials)
        return (large / done).tolist()
    return [share_reached(int(each), trials) for each in large]


def _allow_rounding(first: float, second: float) -> float:
    """Return by how much a difference of two scores may be off in rounding."""
    return ROUNDING * max(abs(first), abs(second))


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
    #: The difference in the direction of the measure: how much better the second score is.
    gain: float = math.nan


def contrasts(
    samples: Sequence[Sample],
    pairs: Sequence[Pair],
    *,
    test: Test = "ar",
    trials: int = TEST_TRIALS,
    resamples: int = TRIALS,
    seed: int = SEED,
    progress: Progress = lambda *_: None,
) -> tuple[list[Interval | None], list[Contrast]]:
    """Give the interval of each sample's score, and the contrast of each pair.

    All pairs and measures share their draws. Where the best score is a target, p-values
    test which of two scores is closer to it. Intervals come from `resamples` bootstrap
    resamples, or with the bootstrap test from its trials. Progress counts both together.
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
    oriented = [s.direction.orient(x) for s, x in zip(samples, scores, strict=True)]
    count = len(samples[0].rows)
    nothing = [
        Contrast(
            scores[two] - scores[one], enough=False, gain=oriented[two] - oriented[one]
        )
        for one, two in pairs
    ]
    if count < LEAST_UNITS:
        return [None] * len(samples), nothing
    total = trials if test == "bootstrap" else resamples + trials

    def report(done: int) -> None:
        progress(done, done / total)

    drawn = bootstrap_scores(
        samples,
        trials=trials if test == "bootstrap" else resamples,
        rng=np.random.default_rng(seed),
        progress=report,
    )
    slacks = [_allow_rounding(scores[one], scores[two]) for one, two in pairs]
    if test == "bootstrap":
        moved = [s.direction.orient(x) for s, x in zip(samples, drawn, strict=True)]
        p_values = [
            shifted_p_value(
                moved[two] - moved[one], each.gain, sides="two-sided", slack=slack
            )
            for (one, two), each, slack in zip(pairs, nothing, slacks, strict=True)
        ]
    else:
        p_values = randomisation_p_values(
            [_orient_sample(sample) for sample in samples],
            pairs,
            trials=trials,
            seed=seed,
            progress=lambda done: report(resamples + done),
        )
    without = [jackknife_scores(sample) for sample in samples]
    compared = []
    rows = zip(pairs, nothing, slacks, p_values, strict=True)
    for (one, two), unknown, slack, p in rows:
        gaps = drawn[two] - drawn[one], without[two] - without[one]
        compared.append(_complete_contrast(unknown, *gaps, slack, p))
    return [*map(interval_of_defined, drawn)], compared


def _complete_contrast(
    unknown: Contrast, drawn: Array, without: Array, slack: float, p: float
) -> Contrast:
    """Add the doubts to a difference, by the differences in resamples and without each unit."""
    difference = unknown.difference
    if math.isnan(difference):
        return unknown
    count, without = len(without), without[~np.isnan(without)]
    error = standard_error(without) if len(without) > 1 else None
    if error and np.ptp(without) <= slack:
        error = 0.0  # all units contribute the same: what is left is rounding
    effect = difference / (error * count**0.5) if error else None
    interval = interval_of_defined(drawn)
    return Contrast(difference, interval, error, effect, p, gain=unknown.gain)


def _orient_sample(sample: Sample) -> Sample:
    """Return a sample scored by its distance from the target, if it has one."""
    if sample.direction.target is None:
        return sample
    return replace(
        sample, aggregate=lambda t: sample.direction.orient(sample.aggregate(t))
    )


def standardise_gaps(values: Array, *, paired: bool) -> Array:
    """Return how many standard deviations the row's mean is above the column's.

    `values` is systems × units, NaN where missing. Paired: Cohen's d of the differences on
    shared units, which is what `Contrast` has as `effect`; else of both samples.
    """
    effects = np.full((len(values), len(values)), np.nan)
    for i, j in permutations(range(len(values)), 2):
        sides = (
            (values[i] - values[j], np.zeros(1)) if paired else (values[i], values[j])
        )
        one, other = (x[np.isfinite(x)] for x in sides)
        freedom = len(one) + len(other) - 2
        if min(len(one), len(other), freedom) > 0:
            square = sum(len(x) * float(x.var()) for x in (one, other)) / freedom
            gap = float(one.mean() - other.mean())
            effects[i, j] = gap / math.sqrt(square) if square > 0 else np.nan
    return effects


def compare_coefficients(first: float, second: float, lowest: float = -1) -> float:
    """Return the effect size of a difference of coefficients: Cohen's q, or h of shares.

    Both stretch the ends of the scale, where a difference of .01 is a large one: q is the
    difference of atanh, h that of 2 arcsin √ (Cohen 1988). Those from 0 to 1 are shares.

    >>> round(compare_coefficients(0.9, 0.8), 3), round(compare_coefficients(0.9, 0.8, 0), 3)
    (0.374, 0.284)
    """
    near_one = 1 - 1e-12
    if lowest < 0:
        return math.atanh(first * near_one) - math.atanh(second * near_one)
    return 2 * math.asin(math.sqrt(first)) - 2 * math.asin(math.sqrt(second))
