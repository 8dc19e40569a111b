"""Variance components of judgements: systems, documents, segments, raters and their products.

A judgement is the sum of a mean and of random effects, one for each term (`system`,
`segment`, `system × segment`, …), as in a generalisability study (Brennan 2001,
Generalizability Theory). The components are estimated by Henderson's method I (Henderson
1953, Biometrics 9: 226-252; Brennan's "analogous ANOVA"): sums of squares of the totals of
every term are set equal to what they are expected to be, which needs no balance. They are
unbiased; with a balanced design they are those of ANOVA, and of REML where none is negative.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from metra.errors import CorpusError, LengthError
from metra.stats.arrays import Array, Codes
from metra.stats.defaults import SEED
from metra.stats.resampling import interval

SYSTEM, DOCUMENT, SEGMENT, RATER = "system", "document", "segment", "rater"
SYSTEM_DOCUMENT, SYSTEM_SEGMENT = "system × document", "system × segment"
SYSTEM_RATER = "system × rater"
RATER_DOCUMENT, RATER_SEGMENT = "rater × document", "rater × segment"
RATING = "rating"
#: All terms in the order in which they are estimated; a document holds its segments.
TERMS = (
    *(SYSTEM, DOCUMENT, SEGMENT, RATER),
    *(SYSTEM_DOCUMENT, SYSTEM_SEGMENT, SYSTEM_RATER, RATER_DOCUMENT, RATER_SEGMENT),
    RATING,
)
#: Variances whose chi-square has fewer degrees of freedom are near zero.
LEAST_DF = 2
#: How many studies are simulated for intervals.
STUDIES = 200


@dataclass(frozen=True)
class RatingFactors:
    """Judgements with what they depend on; a rater has one value of a system's segment."""

    value: Array
    system: Codes
    segment: Codes
    #: None where it is not known who judged, or which document a segment is of.
    rater: Codes | None = None
    document: Codes | None = None

    @classmethod
    def from_array(
        cls, values: ArrayLike, documents: Sequence[object] | None = None
    ) -> "RatingFactors":
        """Take systems × segments × raters, NaN where nothing was judged."""
        given = np.asarray(values, np.float64)
        if given.ndim not in (2, 3):
            msg = (
                f"The judgements have the shape {given.shape}; expected systems × segments "
                "× raters, or systems × segments."
            )
            raise LengthError(msg)
        if documents is not None and len(documents) != given.shape[1]:
            msg = (
                f"Got {len(documents)} documents for {given.shape[1]} segments; "
                "expected one per segment."
            )
            raise LengthError(msg)
        places = np.nonzero(np.isfinite(given))
        document = None
        if documents is not None:
            codes = np.unique(np.asarray(documents, str), return_inverse=True)[1]
            document = codes[places[1]]
        rater = places[2] if given.ndim == 3 else None
        return average_repeats(
            cls(given[places], places[0], places[1], rater, document)
        )


@dataclass(frozen=True)
class VarianceComponents:
    """Estimated variances by term; what cannot be told apart is joined in one of them."""

    #: As they are estimated: a small one may be below zero.
    values: Mapping[str, float]
    #: How many different systems, segments and so on there are.
    levels: Mapping[str, int] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    #: Terms that cannot be told apart from another, which holds their variance too.
    joined: Mapping[str, str] = field(default_factory=dict)
    segments_per_document: float = 1.0

    def __getitem__(self, term: str) -> float:
        """Return a variance for computing with: an unknown or negative one is 0."""
        return max(self.values.get(term, 0.0), 0.0)

    def total(self, *terms: str) -> float:
        """Return the sum of some variances, or of all."""
        return sum(self[term] for term in terms or TERMS)


def estimate_components(
    factors: RatingFactors, *, studies: int = STUDIES, seed: int = SEED
) -> VarianceComponents:
    """Estimate the variance of every term that the design can tell apart.

    Intervals are of `studies` simulated studies of the same design that have the estimated
    components and normal effects; 0 leaves them out.

    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...            [6, 2, 4, 7]]  # Shrout and Fleiss 1979: six targets, four judges
    >>> components = estimate_components(RatingFactors.from_array(ratings), studies=0)
    >>> {term: round(value, 3) for term, value in components.values.items()}
    {'system': 2.556, 'segment': 5.244, 'rating': 1.019}
    """
    codes, joined = list_terms(factors)
    if SYSTEM not in codes or len(codes) < 3:
        msg = (
            "Variance components need at least two systems and at least two segments "
            "that several systems share."
        )
        raise CorpusError(msg)
    solve = _HendersonEstimator(codes)
    estimates = solve.estimate(factors.value)
    variances = dict(zip(codes, estimates.tolist(), strict=True))
    intervals = {}
    if studies:
        deviations = np.sqrt(np.maximum(estimates, 0.0))
        rng = np.random.default_rng(seed)
        drawn = [
            solve.estimate(solve.simulate(deviations, rng)) for _ in range(studies)
        ]
        intervals = {
            term: _find_interval(estimate, column)
            for term, estimate, column in zip(
                codes, estimates, np.transpose(drawn), strict=True
            )
        }
    levels = {
        name: len(np.unique(numbers))
        for name, numbers in _list_factors(factors).items()
    }
    per_document = levels[SEGMENT] / levels.get(DOCUMENT, levels[SEGMENT])
    return VarianceComponents(variances, levels, intervals, joined, per_document)


def _find_interval(estimate: float, drawn: Array) -> tuple[float, float]:
    """Return the interval of a variance, a scaled chi-square unless it is near zero.

    Satterthwaite 1946; quantiles by Wilson and Hilferty 1931, and near zero by the gamma
    function.
    """
    df = 2 * estimate**2 / max(float(drawn.var(ddof=1)), 1e-300)
    if estimate <= 0 or df < LEAST_DF:
        return interval(drawn)
    part = 2 / (9 * df)
    high, low = ((1 - part + z * part**0.5) ** 3 for z in (1.959964, -1.959964))
    low = max(
        low, math.exp(2 / df * (math.log(0.025) + math.lgamma(df / 2 + 1))) / df * 2
    )
    return float(estimate / high), float(estimate / low)


def list_terms(factors: RatingFactors) -> tuple[dict[str, Codes], dict[str, str]]:
    """Number the levels of every term; terms with the same levels as another are joined."""
    factor_codes = _list_factors(factors)
    count = len(factors.value)
    codes: dict[str, Codes] = {}
    joined: dict[str, str] = {}
    for term in TERMS[:-1]:
        parts = term.split(" × ")
        if not all(part in factor_codes and factor_codes[part].any() for part in parts):
            continue
        numbers = factor_codes[parts[0]]
        if len(parts) == 2:
            numbers = _combine(numbers, factor_codes[parts[1]])
        same = next((t for t in codes if _is_same(codes[t], numbers)), "")
        if same or numbers.max(initial=0) + 1 == count:
            joined[term] = same or RATING
        else:
            codes[term] = numbers
    codes[RATING] = np.arange(count)
    return codes, joined


def estimate_start(codes: Mapping[str, Codes], value: Array) -> dict[str, float]:
    """Estimate the variance of each term, to start another estimation from."""
    variances = _HendersonEstimator(codes).estimate(value).tolist()
    return dict(zip(codes, variances, strict=True))


def average_repeats(factors: RatingFactors) -> RatingFactors:
    """Average what a rater said several times about a system's segment."""
    cell = _combine(factors.system, factors.segment)
    if factors.rater is not None:
        cell = _combine(cell, factors.rater)
    _, first, place = np.unique(cell, return_index=True, return_inverse=True)
    if len(first) == len(cell):
        return factors
    value = np.bincount(place, factors.value) / np.bincount(place)
    return RatingFactors(
        value,
        factors.system[first],
        factors.segment[first],
        None if factors.rater is None else factors.rater[first],
        None if factors.document is None else factors.document[first],
    )


def _list_factors(factors: RatingFactors) -> dict[str, Codes]:
    # Where all segments are documents, or one document, documents tell nothing.
    given = {
        SYSTEM: factors.system,
        DOCUMENT: factors.document,
        SEGMENT: factors.segment,
        RATER: factors.rater,
    }
    numbered = {
        name: np.unique(codes, return_inverse=True)[1]
        for name, codes in given.items()
        if codes is not None
    }
    documents = numbered.get(DOCUMENT)
    if documents is not None and documents.max() in (0, numbered[SEGMENT].max()):
        del numbered[DOCUMENT]
    return numbered


def _combine(first: Codes, second: Codes) -> Codes:
    """Number the pairs of two factors' levels that occur."""
    pairs = first * (int(second.max(initial=0)) + 1) + second
    return np.unique(pairs, return_inverse=True)[1]


def _is_same(first: Codes, second: Codes) -> bool:
    """Tell whether two terms put the same judgements together."""
    most = first.max(initial=0)
    return bool(most == second.max(initial=0) == _combine(first, second).max())


class _HendersonEstimator:
    """Henderson's method I for one design: what sums of squares are expected to be.

    The uncorrected sum of squares of a term A is the sum over its levels of total²/n. Its
    expectation has each variance σ²(B) as often as the sum over levels a of Σ_b n_ab²/n_a.
    """

    def __init__(self, codes: Mapping[str, Codes]) -> None:
        self.codes = list(codes.values())
        self.sizes = [np.bincount(codes).astype(float) for codes in self.codes]
        count = len(self.codes[0])
        terms = len(self.codes)
        expected = np.empty((terms, terms))
        for a, b in combinations(range(terms), 2):
            pairs = _combine(self.codes[a], self.codes[b])
            size = np.bincount(pairs).astype(np.float64)
            of_a, of_b = np.empty((2, len(size)))
            of_a[pairs] = self.sizes[a][self.codes[a]]
            of_b[pairs] = self.sizes[b][self.codes[b]]
            expected[a, b] = float((size**2 / of_a).sum())
            expected[b, a] = float((size**2 / of_b).sum())
        np.fill_diagonal(expected, count)
        of_mean = [float((size**2).sum()) / count for size in self.sizes]
        self.expected = expected - np.array(of_mean)
        if np.linalg.matrix_rank(self.expected / count, tol=1e-9) < terms:
            names = ", ".join(codes)
            msg = f"This design cannot separate these variances: {names}."
            raise CorpusError(msg)

    def estimate(self, value: Array) -> Array:
        """Return the variance of each term."""
        value = value - value.mean()
        squares = np.array(
            [
                float((np.bincount(codes, value, len(size)) ** 2 / size).sum())
                for codes, size in zip(self.codes, self.sizes, strict=True)
            ]
        )
        return np.linalg.solve(self.expected, squares)

    def simulate(self, deviations: Array, rng: np.random.Generator) -> Array:
        """Draw judgements of the same design, with normal effects."""
        value = np.zeros(len(self.codes[0]))
        for codes, size, deviation in zip(
            self.codes, self.sizes, deviations.tolist(), strict=True
        ):
            if deviation:
                value += deviation * rng.standard_normal(len(size))[codes]
        return value
