"""Mixed models of judgements: means of systems, with random segments, documents and raters.

A judgement is the mean of its system and random effects of every term that the design can
tell apart (`metra.stats.variance`). Their variances are those with the largest restricted
likelihood (REML; Patterson and Thompson 1971, Biometrika 58), which is profiled over the
ratios to the residual variance as in lme4 (Bates et al. 2015). Effects are absorbed level by
level: those of a segment, those of a document, those of raters. Segments of a document with
the same systems and raters share all matrices, so that their number costs nothing.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metra.errors import CorpusError
from metra.stats.arrays import Array, Codes, divide
from metra.stats.distributions import student_quantile, student_tail
from metra.stats.variance import (
    DOCUMENT,
    RATER,
    RATER_DOCUMENT,
    RATER_SEGMENT,
    RATING,
    SEGMENT,
    SYSTEM,
    SYSTEM_DOCUMENT,
    SYSTEM_RATER,
    SYSTEM_SEGMENT,
    RatingFactors,
    estimate_start,
    list_terms,
)

#: Standard deviations below this share of the residual's are zero.
NEAR_ZERO = 1e-3
#: Most steps of the search, which ends where the criterion gains no more than this share.
MOST_STEPS, NEARLY_EQUAL = 200, 1e-11
#: Steps of differences, and of second differences.
STEP, LONG_STEP = 1e-5, 1e-3


@dataclass(frozen=True)
class MixedModel:
    """Means of systems with their covariance, and the variance of every random term."""

    means: Array
    covariance: Array
    #: Satterthwaite's degrees of freedom of differences, and of means on the diagonal.
    freedom: Array
    variances: Mapping[str, float]
    #: Twice the negative logarithm of the restricted likelihood.
    criterion: float

    @property
    def errors(self) -> Array:
        """Standard errors of differences, and of means on the diagonal."""
        return np.sqrt(_contrast_variances(self.covariance))

    def find_intervals(self) -> list[tuple[float, float]]:
        """Return the 95 % interval of each mean."""
        errors, freedom = np.diagonal(self.errors), np.diagonal(self.freedom)
        halves = [
            error * student_quantile(0.975, df)
            for error, df in zip(errors.tolist(), freedom.tolist(), strict=True)
        ]
        each = zip(self.means.tolist(), halves, strict=True)
        return [(mean - half, mean + half) for mean, half in each]

    def compute_p(self) -> Array:
        """Return two-sided p-values that the row's mean is above the column's, else 1."""
        p = np.ones((len(self.means), len(self.means)))
        for i, j in combinations(np.argsort(-self.means, kind="stable").tolist(), 2):
            t = divide(self.means[i] - self.means[j], self.errors[i, j], fill=0.0)
            p[i, j] = min(1.0, 2 * student_tail(float(t), float(self.freedom[i, j])))
        np.fill_diagonal(p, np.nan)
        return p


def fit_mixed_model(factors: RatingFactors) -> MixedModel:
    """Fit systems' means and the variances of every term that the design can tell apart.

    >>> values = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]]
    >>> model = fit_mixed_model(RatingFactors.from_array(values))
    >>> model.means.round(6).tolist(), round(model.variances["segment"], 3)
    ([6.0, 3.0, 6.5, 4.0], 5.389)
    """
    codes, _ = list_terms(factors)
    terms = [term for term in codes if term not in (SYSTEM, RATING)]
    design = _Design(factors, terms)
    start = estimate_start(codes, factors.value)
    ratios = _minimise(
        lambda given: design.evaluate(given).criterion,
        np.array([max(start[term] / start[RATING], 0.01) ** 0.5 for term in terms]),
    )
    ratios = np.where(ratios < NEAR_ZERO, 0.0, ratios)
    fit = design.evaluate(ratios)
    variances = fit.residual * np.append(ratios**2, 1.0)
    return MixedModel(
        fit.means + design.centre,
        fit.residual * fit.inverse,
        _approximate_freedom(design, ratios, fit),
        dict(zip([*terms, RATING], variances.tolist(), strict=True)),
        fit.criterion,
    )


class _Fit(NamedTuple):
    """Estimates for given ratios of standard deviations."""

    means: Array
    #: Of the information of the means, for a residual variance of 1.
    inverse: Array
    squares: float
    #: Logarithms of the determinants of the covariance and of the information.
    determinants: float
    freedom: int

    @property
    def residual(self) -> float:
        """The residual variance."""
        return self.squares / self.freedom

    @property
    def criterion(self) -> float:
        """Twice the negative logarithm of the restricted likelihood."""
        scale = math.log(2 * math.pi * self.residual) + 1
        return self.freedom * scale + self.determinants


class _Pattern(NamedTuple):
    """Segments of one size: their distinct sets of cells, and sums of their values."""

    places: Codes  # sets × judgements: the cell of a document
    counts: Array
    sums: Array  # sets × judgements
    kind: Codes  # the arrangement of systems and raters of each set
    same: Mapping[str, Array]  # arrangements × judgements × judgements, by term
    squares: Array  # of the arrangement's values: the same shape


class _Design:
    """Sums of a design that the likelihood needs, whatever the variances are.

    Cells are combinations of system and rater, within a document where there are some.
    """

    def __init__(self, factors: RatingFactors, terms: list[str]) -> None:
        none = np.zeros(len(factors.value), np.int64)
        given = [factors.system, factors.segment, factors.rater, factors.document]
        system, segment, rater, document = (
            none if codes is None else np.unique(codes, return_inverse=True)[1]
            for codes in given
        )
        if DOCUMENT not in terms and not {SYSTEM_DOCUMENT, RATER_DOCUMENT} & {*terms}:
            document = none
        self.terms, self.size = terms, len(none)
        self.centre = float(factors.value.mean())
        raters = int(rater.max()) + 1
        cells, cell = np.unique(system * raters + rater, return_inverse=True)
        self.systems, self.raters = cells // raters, cells % raters
        held, first = np.unique(document * len(cells) + cell, return_inverse=True)
        owner, held_cell = held // len(cells), held % len(cells)
        local = _number_within(owner)
        self.width = int(local.max()) + 1
        place = owner * self.width + local
        #: The cell of each place of each document; the number of cells where there is none.
        self.cells = np.full((int(owner.max()) + 1, self.width), len(cells))
        self.cells.ravel()[place] = held_cell
        value, order = factors.value - self.centre, np.lexsort((first, segment))
        self.patterns = [
            self._collect(place[first][lines], value[lines])
            for lines in _split_sizes(segment, order)
        ]
        self._columns = self._mark_columns()

    def _collect(self, places: Codes, values: Array) -> _Pattern:
        """Sum segments of one size (segments × judgements) by what they have in common."""
        sets, inverse = np.unique(places, axis=0, return_inverse=True)
        inverse = inverse.ravel()
        sums = np.zeros(sets.shape)
        np.add.at(sums, inverse, values)
        cells = self.cells.ravel()[sets]
        marks = {SEGMENT: np.ones((*sets.shape, sets.shape[1]), bool)}
        for term, of in ((SYSTEM_SEGMENT, self.systems), (RATER_SEGMENT, self.raters)):
            marks[term] = of[cells][:, :, None] == of[cells][:, None]
        kept = {term: mark for term, mark in marks.items() if term in self.terms}
        flat = np.array([*kept.values()]).swapaxes(0, 1).reshape(len(sets), -1)
        _, first, kind = np.unique(flat, axis=0, return_index=True, return_inverse=True)
        kind = kind.ravel()
        of_segment = kind[inverse]
        squares = [
            (chosen := values[of_segment == at]).T @ chosen for at in range(len(first))
        ]
        return _Pattern(
            sets,
            np.bincount(inverse).astype(np.float64),
            sums,
            kind,
            {term: mark[first].astype(np.float64) for term, mark in kept.items()},
            np.array(squares),
        )

    def _mark_columns(self) -> dict[str, Array]:
        """Indicators of the effects of documents (by place) and of raters (by cell)."""
        held = self.cells < len(self.systems)
        system, rater = (
            np.append(codes, 0)[self.cells] for codes in (self.systems, self.raters)
        )
        raters = np.zeros_like(rater)
        for row, mask, numbers in zip(raters, held, rater, strict=True):
            row[mask] = np.unique(numbers[mask], return_inverse=True)[1]
        cells = np.eye(len(self.systems))
        columns = {
            DOCUMENT: held[..., None].astype(np.float64),
            SYSTEM_DOCUMENT: _mark(system) * held[..., None],
            RATER_DOCUMENT: _mark(raters) * held[..., None],
            RATER: _mark(self.raters),
            SYSTEM_RATER: cells,
            SYSTEM: _mark(self.systems),
        }
        # The last row is that of the values.
        return {
            term: np.concatenate([marks, np.zeros_like(marks[..., :1, :])], axis=-2)
            for term, marks in columns.items()
        }

    def evaluate(self, ratios: Array) -> _Fit:
        """Estimate the means, given the standard deviations of terms by the residual's."""
        deviations = dict(zip(self.terms, np.abs(ratios).tolist(), strict=True))
        products, squares, logs = self._absorb_segments(deviations)
        border = np.arange(len(self.systems) + 1)
        for terms in (
            (DOCUMENT, SYSTEM_DOCUMENT, RATER_DOCUMENT),
            (RATER, SYSTEM_RATER),
        ):
            if terms[0] == RATER:
                products = self._merge_documents(products)
            marks = [
                self._columns[term] * deviations[term]
                for term in terms
                if deviations.get(term)
            ]
            kept = None
            if terms[0] == RATER:
                last = np.eye(len(border))[:, -1:]
                kept = np.concatenate([self._columns[SYSTEM], last], axis=1)
            products, log = _absorb(products, marks, kept)
            logs += log
        information, sums = products[:-1, :-1], products[:-1, -1]
        inverse: Array = np.linalg.inv(information).astype(np.float64)
        means = inverse @ sums
        left = squares + float(products[-1, -1]) - float(sums @ means)
        logs += float(np.linalg.slogdet(information)[1])
        return _Fit(means, inverse, left, logs, self.size - len(means))

    def _absorb_segments(
        self, deviations: Mapping[str, float]
    ) -> tuple[Array, float, float]:
        """Weigh the judgements of segments: products of cells and values by document."""
        documents, width = self.cells.shape
        products = np.zeros((documents, width + 1, width + 1))
        squares = logs = 0.0
        for pattern in self.patterns:
            covariance = np.eye(pattern.sums.shape[1]) + sum(
                deviations[term] ** 2 * same for term, same in pattern.same.items()
            )
            inverse = np.linalg.inv(covariance)
            inverse = np.broadcast_to(inverse, pattern.squares.shape)
            times = np.bincount(pattern.kind, pattern.counts)
            logs += float(
                times @ np.broadcast_to(np.linalg.slogdet(covariance)[1], times.shape)
            )
            squares += float((inverse * pattern.squares).sum())
            weights = inverse[pattern.kind]
            pairs = pattern.places[:, :, None] * width + pattern.places[:, None] % width
            products[:, :-1, :-1] += np.bincount(
                pairs.ravel(),
                (weights * pattern.counts[:, None, None]).ravel(),
                documents * width**2,
            ).reshape(documents, width, width)
            sums = np.einsum("gij,gj->gi", weights, pattern.sums)
            sums = np.bincount(pattern.places.ravel(), sums.ravel(), documents * width)
            products[:, :-1, -1] += sums.reshape(documents, width)
        products[:, -1, :-1] = products[:, :-1, -1]
        return products, squares, logs

    def _merge_documents(self, products: Array) -> Array:
        """Add up the products of cells over documents; the values stand last."""
        count = len(self.systems)
        last = np.full((len(self.cells), 1), count + 1)
        cells = np.concatenate([self.cells, last], axis=1)
        pairs = cells[:, :, None] * (count + 2) + cells[:, None]
        whole = np.bincount(pairs.ravel(), products.ravel(), (count + 2) ** 2)
        kept = np.append(np.arange(count), count + 1)
        return whole.reshape(count + 2, count + 2)[np.ix_(kept, kept)]


def _absorb(
    products: Array, marks: list[Array], kept: Array | None
) -> tuple[Array, float]:
    """Eliminate random effects from products of columns, and keep some sums of columns.

    Returns the rest, and the logarithm of the effects' determinant.
    """
    left = products if kept is None else kept.T @ products @ kept
    if not marks:
        return left, 0.0
    effects = np.concatenate(marks, axis=-1)
    crossed = products @ effects
    inner = np.eye(effects.shape[-1]) + effects.swapaxes(-1, -2) @ crossed
    right = crossed.swapaxes(-1, -2)
    right = right if kept is None else right @ kept
    left = left - right.swapaxes(-1, -2) @ np.linalg.solve(inner, right)
    return left, float(np.linalg.slogdet(inner)[1].sum())


def _minimise(function: Callable[[Array], float], start: Array) -> Array:
    """Find the minimum of an even function of ratios by the BFGS method."""
    point, inverse = start, np.eye(len(start))
    value, slope = function(point), _differentiate(function, point)
    for _ in range(MOST_STEPS):
        step = -inverse @ slope
        if slope @ step > -NEARLY_EQUAL * (1 + abs(value)):
            return np.abs(point)
        step *= min(1.0, 1.0 / float(np.abs(step).max()))
        while (new := function(point + step)) > value + 1e-4 * float(slope @ step):
            step = step / 4
            if np.abs(step).max() < STEP**2:
                break
        moved = _differentiate(function, point + step)
        change = moved - slope
        point, value, slope = point + step, new, moved
        curve = float(change @ step)
        if curve > 0:
            part = np.eye(len(start)) - np.outer(step, change) / curve
            inverse = part @ inverse @ part.T + np.outer(step, step) / curve
    msg = (
        "The mixed model did not converge; the design may have too few judgements for its "
        "terms. Rank by the mean instead."
    )
    raise CorpusError(msg)


def _differentiate(function: Callable[[Array], float], point: Array) -> Array:
    steps = STEP * np.eye(len(point))
    return np.array(
        [(function(point + s) - function(point - s)) / (2 * STEP) for s in steps]
    )


def _approximate_freedom(design: _Design, ratios: Array, fit: _Fit) -> Array:
    """Approximate degrees of freedom by Satterthwaite's method, as lmerTest does.

    The variances of means depend on ratios and on the residual variance, whose covariance
    is twice the inverse of the criterion's second derivatives. Zero ratios are fixed.
    """
    free = np.flatnonzero(ratios)
    steps = LONG_STEP * np.eye(len(ratios))[free] * np.maximum(ratios, NEAR_ZERO)
    sizes = np.diagonal(steps[:, free])

    def measure(point: Array) -> tuple[float, float, Array]:
        each = design.evaluate(point)
        value = each.squares / fit.residual + each.determinants
        return value, each.squares, _contrast_variances(each.inverse)

    middle = measure(ratios)[0]
    ends = [(measure(ratios + s), measure(ratios - s)) for s in steps]
    count = len(free) + 1
    second = np.zeros((count, count))
    second[-1, -1] = fit.freedom
    for at, (above, below) in enumerate(ends):
        second[at, at] = (above[0] - 2 * middle + below[0]) / sizes[at] ** 2
        slope = (above[1] - below[1]) / (2 * sizes[at])
        second[at, -1] = second[-1, at] = -slope / fit.residual
    for i, j in combinations(range(len(free)), 2):
        corners = [
            measure(ratios + sign * (steps[i] + steps[j]))[0] for sign in (1, -1)
        ]
        straight = sum(each[0] for at in (i, j) for each in ends[at]) - 2 * middle
        second[i, j] = second[j, i] = (sum(corners) - straight) / (
            2 * sizes[i] * sizes[j]
        )
    slopes = [
        (above[2] - below[2]) / (2 * size)
        for (above, below), size in zip(ends, sizes, strict=True)
    ]
    variances = _contrast_variances(fit.inverse)
    gradient = np.array([*slopes, variances])
    spread = np.einsum("iab,ij,jab->ab", gradient, np.linalg.pinv(second), gradient)
    freedom = divide(variances**2, np.maximum(spread, 1e-300))
    return np.clip(freedom, 1.0, fit.freedom)


def _contrast_variances(covariance: Array) -> Array:
    """Variances of the differences of means, and of the means on the diagonal."""
    own = np.diagonal(covariance)
    of_differences = own[:, None] + own - 2 * covariance
    return np.where(np.eye(len(own), dtype=bool), covariance, of_differences)


def _number_within(owner: Codes) -> Codes:
    """Number the entries of each owner from 0; owners are in rising order."""
    return np.arange(len(owner)) - np.searchsorted(owner, owner)


def _mark(codes: Codes) -> Array:
    """Indicators of codes: a column for each."""
    return np.eye(int(codes.max(initial=0)) + 1)[codes]


def _split_sizes(segment: Codes, order: Codes) -> Iterator[Codes]:
    """Yield the lines of segments with the same number of judgements: segments × lines."""
    sizes = np.bincount(segment)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for size in np.unique(sizes).tolist():
        chosen = starts[sizes == size]
        yield order[chosen[:, None] + np.arange(size)]
