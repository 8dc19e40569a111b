"""Power of plans of studies, segments needed, and the agreement people reach at best.

The difference of two systems' means varies with the segments, documents and raters that
happen to be drawn. Its variance follows from the variance components (`stats.variance`), its
degrees of freedom from Satterthwaite's formula, and the power from the noncentral t
distribution.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from metra.stats import variance as terms
from metra.stats.arrays import Array
from metra.stats.distributions import normal_tail, student_quantile, upper_tail
from metra.stats.variance import VarianceComponents

#: Points at which the distribution of an estimated deviation is taken.
_POINTS = 600
#: From so many degrees of freedom on, a series gives critical values to 1e-6.
_MANY = 150
#: No plan has more segments than this; what needs more is out of reach.
MOST_SEGMENTS = 1_000_000


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Numbers of segments, of ratings of each, and of raters."""

    segments: int
    #: Judgements of each system's output of a segment.
    ratings: int = 1
    #: Raters in the study; each judges a part of the segments. None: as many as ratings.
    raters: int | None = None
    segments_per_document: float = 1.0
    #: Whether the answer is about other raters too, not only about these.
    other_raters: bool = True

    @property
    def pool(self) -> int:
        """Return how many raters there are."""
        return max(self.raters or self.ratings, self.ratings)

    @property
    def documents(self) -> float:
        """Return how many documents the segments are of."""
        return max(self.segments / self.segments_per_document, 1.0)


@dataclass(frozen=True, slots=True)
class DifferenceError:
    """Variance of the difference of two systems' means from study to study."""

    variance: float
    #: Degrees of freedom of its estimate, by Satterthwaite's formula.
    df: float
    #: The variance that a paired test over segments takes it for.
    segment_variance: float

    @property
    def false_positives(self) -> float:
        """Return how often a test over segments at .05 separates two equal systems."""
        if not self.variance:
            return 0.05
        z = 1.959963984540054 * math.sqrt(self.segment_variance / self.variance)
        return 2 * normal_tail(z)


def compute_error(components: VarianceComponents, plan: StudyPlan) -> DifferenceError:
    """Return the variance of a difference of two systems' means under a plan."""
    n, k, pool = plan.segments, plan.ratings, plan.pool
    rating, by_segment = components[terms.RATING], components[terms.SYSTEM_SEGMENT]
    if terms.SYSTEM_SEGMENT in components.joined:
        # What differs from rater to rater is not known: more ratings may not help.
        rating, by_segment = 0.0, rating
    by_document, by_rater = (
        components[term] for term in (terms.SYSTEM_DOCUMENT, terms.SYSTEM_RATER)
    )
    # Variance and degrees of freedom of each part: documents are the units of a test about
    # texts where they matter, else segments.
    units = plan.documents if by_document else n
    of_texts = by_document / plan.documents + by_segment / n + rating / (n * k)
    parts = [(of_texts, units - 1)]
    if plan.other_raters:
        parts.append((by_rater / pool, pool - 1))
    total = 2 * sum(part for part, _ in parts)
    squares = [
        (2 * part) ** 2 / df if df > 0 else math.inf for part, df in parts if part > 0
    ]
    df = total**2 / sum(squares) if squares and total > 0 else max(n - 1.0, 1.0)
    # A sample of segments shows the documents' differences and, where raters judge
    # different segments, a part of the raters'.
    seen = by_segment + by_document * (1 - 1 / plan.documents) + rating / k
    seen += by_rater / k * (1 - k / pool)
    return DifferenceError(total, df, 2 * seen / n)


def compute_power(
    difference: ArrayLike, error: DifferenceError, *, alpha: float = 0.05
) -> Array:
    """Return how likely a two-sided test finds differences, the right way round or not."""
    given = np.abs(np.asarray(difference, np.float64))
    if error.df < 1e-9:
        return np.full(given.shape, np.nan)
    if not error.variance:
        return np.where(given > 0, 1.0, alpha)
    shift = given / math.sqrt(error.variance)
    deviations, weights = _spread_of_deviation(error.df)
    limits = _critical_value(alpha, error.df) * deviations
    above, below = (
        upper_tail(np.subtract.outer(limits, sign * shift)) for sign in (1, -1)
    )
    return np.tensordot(weights, above + below, 1)


def find_detectable(
    error: DifferenceError, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest difference found with a power, by halving."""
    if error.df < 1e-9:
        return math.nan
    low, high = 0.0, math.sqrt(error.variance)
    while high and compute_power(high, error, alpha=alpha) < power and high < 1e12:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        if compute_power(middle, error, alpha=alpha) < power:
            low = middle
        else:
            high = middle
    return high


def find_segments(
    difference: float,
    components: VarianceComponents,
    plan: StudyPlan,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int | None:
    """Return how many segments find a difference with a power; None where none do."""

    def suffices(segments: int) -> bool:
        error = compute_error(components, replace(plan, segments=segments))
        return bool(compute_power(difference, error, alpha=alpha) >= power)

    high = 2
    while not suffices(high):
        high *= 2
        if high > MOST_SEGMENTS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def compute_reliability(components: VarianceComponents, plan: StudyPlan) -> float:
    """Return the generalisability coefficient of system means: systems' share of the variance.

    It is the expected squared correlation of the means with those of all segments and raters
    (Brennan 2001), and the expected correlation of two such studies.
    """
    spread = components[terms.SYSTEM]
    whole = spread + compute_error(components, plan).variance / 2
    return spread / whole if whole else math.nan


def compute_ceilings(
    components: VarianceComponents, ratings: Sequence[int]
) -> dict[str, list[float]]:
    """Return how two panels of so many raters correlate on segments: what people reach.

    Over all cells, and within segments (system against system). A metric that knew the true
    values would correlate with a panel by the square root. Empty where ratings and segments
    cannot be told apart.
    """
    if (
        terms.SYSTEM_SEGMENT in components.joined
        or terms.RATER not in components.levels
    ):
        return {}
    of_systems = components.total(
        terms.SYSTEM, terms.SYSTEM_DOCUMENT, terms.SYSTEM_SEGMENT
    )
    of_texts = components.total(terms.DOCUMENT, terms.SEGMENT)
    noise = components.total(terms.SYSTEM_RATER, terms.RATING)
    of_raters = components.total(terms.RATER_DOCUMENT, terms.RATER_SEGMENT)
    levels = {
        "all segments": (of_systems + of_texts, noise + of_raters),
        "systems within segments": (of_systems, noise),
    }
    return {
        name: [true / (true + error / k) if true + error else math.nan for k in ratings]
        for name, (true, error) in levels.items()
    }


@cache
def _critical_value(alpha: float, df: float) -> float:
    """Return Student's two-sided critical value, of many degrees by Cornish and Fisher."""
    if df < _MANY:
        return student_quantile(1 - alpha / 2, df)
    z = NormalDist().inv_cdf(1 - alpha / 2)
    series = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / df**power for power, term in enumerate(series, 1))


@cache
def _spread_of_deviation(df: float) -> tuple[Array, Array]:
    """Return values of an estimated deviation, the true one being 1, and their weights."""
    width = 9 / math.sqrt(2 * df)
    ends = np.linspace(max(1 - width, 0.0), 1 + width, _POINTS + 1)
    if width > 1:
        # Few degrees of freedom put weight near 0, where cells are narrower.
        ends = (1 + width) * np.linspace(0, 1, _POINTS + 1) ** 3
    middle = (ends[1:] + ends[:-1]) / 2
    log_density = (df - 1) * np.log(middle) - df * middle**2 / 2
    weights = np.exp(log_density - log_density.max()) * np.diff(ends)
    return middle, weights / weights.sum()
