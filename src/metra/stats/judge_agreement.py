"""Agreement between judges: two at a time, and all together with bootstrap intervals."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError
from metra.stats.agreement import (
    MOST_CATEGORIES,
    ONE_WAY,
    TWO_WAY,
    Columns,
    alpha,
    cohen,
    complete_units,
    fleiss_columns,
    gwet_columns,
    interval_columns,
    nominal_columns,
    one_way_columns,
    ordinal_draws,
    ratio_columns,
    two_way_columns,
)
from metra.stats.arrays import Array, Codes
from metra.stats.defaults import SEED, TRIALS
from metra.stats.moments import pearson, spearman
from metra.stats.pairs import pair_counts, tau_b
from metra.stats.ratings import Ratings
from metra.stats.resampling import draw_counts

#: Rounding must not push a difference over the limit.
SLACK = 1e-9
#: What is computed for every two judges, and then averaged.
PAIR_FIGURES = ("pearson", "spearman", "kendall", "kappa", "linear", "quadratic")
#: Draws that are weighted at a time, to keep memory low.
BLOCK = 50


@dataclass(frozen=True)
class SharedJudgements:
    """All pairs of judgements of the same unit, the judge with the lower number first."""

    first: Codes
    second: Codes
    unit: Codes
    a: Array
    b: Array

    def gaps(self) -> Array:
        """How far apart the two judgements are."""
        return np.abs(self.a - self.b)


@dataclass(frozen=True)
class JudgePair:
    """How two judges agree on what both judged; NaN where a figure has no meaning."""

    first: str
    second: str
    n: int
    exact: float
    within: float
    pearson: float
    spearman: float
    kendall: float
    kappa: float
    linear: float
    quadratic: float
    a: Array
    b: Array


@dataclass(frozen=True)
class JudgeAgreement:
    """What the judges' agreement comes to, as a whole and two by two."""

    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    #: Why a coefficient has no value.
    reasons: dict[str, str]
    pairs: list[JudgePair]
    shared: SharedJudgements
    #: Units that two judges or more judged.
    units: int


def agree(
    ratings: Ratings,
    *,
    within: float = 1.0,
    trials: int = TRIALS,
    seed: int = SEED,
    only: Collection[str] = (),
) -> JudgeAgreement:
    """Compute every coefficient of agreement, with bootstrap intervals over the units.

    `trials` of 0 leaves the intervals out. All coefficients see the same draws. `only` names
    the coefficients that are wanted, where others would take their time for nothing.
    """
    paired = ratings.pairable()
    if not paired.units:
        msg = (
            "No unit was judged by two judges, so there is nothing to compare; judges: "
            f"{len(ratings.judges)}, units: {len(ratings.units):,}."
        )
        raise CorpusError(msg)
    shared = pair_judgements(paired)
    pairs = compare_judges(paired, shared, within=within)
    judged = _JudgedUnits(ratings, paired, shared, within)
    groups, reasons = _build_groups(judged, only)
    values: dict[str, float] = {}
    for group in groups:
        totals = group.aggregate(group.rows.sum(0))
        values |= dict(zip(group.names, np.atleast_1d(totals).tolist(), strict=True))
    values["alpha ordinal"] = alpha(paired, "ordinal")
    ratio = not only or "alpha ratio" in only
    if ratio and "alpha ratio" not in values and "alpha ratio" not in reasons:
        values["alpha ratio"] = alpha(paired, "ratio")
    for name in PAIR_FIGURES:
        values[f"mean {name}"] = average_figure(pairs, name)
    for name, value in values.items():
        if value != value and name not in reasons:
            reasons[name] = _explain_missing(paired)
    draws = _draw_coefficients(groups, paired, trials, seed) if trials else {}
    intervals = {}
    for name, drawn in draws.items():
        if len(drawn) and values[name] == values[name]:
            # Not `interval`, whose lower end 1 - 0.95 puts a last digit off 0.025.
            low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
            intervals[name] = low, high
    return JudgeAgreement(values, intervals, reasons, pairs, shared, len(paired.units))


def pair_judgements(ratings: Ratings) -> SharedJudgements:
    """Pair the judgements of every unit."""
    firsts, seconds = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for step in range(1, int(ratings.counts.max(initial=0))):
        line = np.arange(len(ratings) - step)
        line = line[ratings.unit[line] == ratings.unit[line + step]]
        firsts.append(line)
        seconds.append(line + step)
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    return SharedJudgements(
        ratings.judge[first],
        ratings.judge[second],
        ratings.unit[first],
        ratings.value[first],
        ratings.value[second],
    )


def compare_judges(
    ratings: Ratings, shared: SharedJudgements, *, within: float = 1.0
) -> list[JudgePair]:
    """Compare every two judges who share a unit; those who share most come first."""
    pairs = []
    for first, second, lines in _group_by_pair(shared, len(ratings.judges)):
        a, b = shared.a[lines], shared.b[lines]
        exact, near = share_near(np.abs(a - b), within)
        pairs.append(
            JudgePair(
                ratings.judges[first],
                ratings.judges[second],
                len(a),
                exact,
                near,
                float(pearson(a, b)),
                float(spearman(a, b)),
                float(tau_b(pair_counts(a, b))),
                cohen(a, b),
                cohen(a, b, "linear"),
                cohen(a, b, "quadratic"),
                a,
                b,
            )
        )
    return sorted(pairs, key=lambda pair: -pair.n)


def share_near(gaps: Array, within: float) -> tuple[float, float]:
    """Return the shares of differences that are zero, and that are `within` a limit."""
    return float((gaps == 0).mean()), float((gaps <= within + SLACK).mean())


def average_figure(pairs: list[JudgePair], figure: str) -> float:
    """Average a figure over pairs, each by what it shares; pairs without it stay out."""
    values = np.array([getattr(pair, figure) for pair in pairs])
    sizes = np.array([pair.n for pair in pairs], np.float64)
    there = np.isfinite(values)
    if not there.any():
        return float("nan")
    return float((values[there] * sizes[there]).sum() / sizes[there].sum())


def unit_deviations(ratings: Ratings) -> Array:
    """Return the standard deviation of each unit's values, 0 for one value."""
    count, size = len(ratings.units), ratings.counts
    mean = np.bincount(ratings.unit, ratings.value, count) / np.maximum(size, 1)
    off = (ratings.value - mean[ratings.unit]) ** 2
    return np.sqrt(np.bincount(ratings.unit, off, count) / np.maximum(size - 1, 1))


def _group_by_pair(
    shared: SharedJudgements, judges: int
) -> Iterator[tuple[int, int, Codes]]:
    key = shared.first * judges + shared.second
    order = np.argsort(key, kind="stable")
    keys, starts = np.unique(key[order], return_index=True)
    for code, lines in zip(keys.tolist(), np.split(order, starts[1:]), strict=True):
        yield code // judges, code % judges, lines


@dataclass(frozen=True)
class _JudgedUnits:
    """What coefficients are computed from."""

    ratings: Ratings
    #: The units that two judges or more judged.
    paired: Ratings
    shared: SharedJudgements
    within: float


@dataclass(frozen=True)
class _CoefficientSource:
    """Coefficients of the same columns, how these are made, and why they may not be."""

    names: tuple[str, ...]
    build: Callable[[_JudgedUnits], Columns]
    refuse: Callable[[_JudgedUnits], str] = lambda _: ""
    #: Whether there are as many columns as different values or judges.
    wide: bool = False


@dataclass(frozen=True)
class _CoefficientGroup:
    """Coefficients that come of the same columns."""

    names: tuple[str, ...]
    rows: Array
    aggregate: Callable[[Array], Array]


def _near_columns(judged: _JudgedUnits) -> Columns:
    shared, count = judged.shared, len(judged.paired.units)
    gaps = shared.gaps()
    rows = np.column_stack(
        [
            np.bincount(shared.unit, minlength=count).astype(np.float64),
            np.bincount(shared.unit, gaps == 0, count),
            np.bincount(shared.unit, gaps <= judged.within + SLACK, count),
        ]
    )
    return rows, lambda totals: totals[..., 1:] / totals[..., :1]


def _deviation_columns(judged: _JudgedUnits) -> Columns:
    deviations = unit_deviations(judged.paired)
    rows = np.column_stack([np.ones(len(deviations)), deviations])
    return rows, lambda totals: totals[..., 1] / totals[..., 0]


def _refuse_categories(judged: _JudgedUnits) -> str:
    categories = len(judged.ratings.levels[0])
    if categories <= MOST_CATEGORIES:
        return ""
    return f"there are {categories:,} different values, too many for categories"


def _refuse_ratios(judged: _JudgedUnits) -> str:
    below = (judged.ratings.value < 0).any()
    return "values below zero have no ratios" if below else ""


def _refuse_incomplete(judged: _JudgedUnits) -> str:
    complete = complete_units(judged.ratings)
    if len(complete.units) >= 2:
        return ""
    units = "no unit was" if not complete.units else "only one unit was"
    return f"{units} judged by all {len(judged.ratings.judges)} judges"


_SOURCES = (
    _CoefficientSource(("exact", "within"), _near_columns),
    _CoefficientSource(("sd",), _deviation_columns),
    _CoefficientSource(("alpha interval",), lambda j: interval_columns(j.paired)),
    _CoefficientSource(ONE_WAY, lambda j: one_way_columns(j.paired)),
    _CoefficientSource(
        ("fleiss",), lambda j: fleiss_columns(j.paired), _refuse_categories, wide=True
    ),
    _CoefficientSource(
        ("alpha nominal",),
        lambda j: nominal_columns(j.paired),
        _refuse_categories,
        wide=True,
    ),
    _CoefficientSource(
        ("AC1",), lambda j: gwet_columns(j.ratings), _refuse_categories, wide=True
    ),
    _CoefficientSource(
        ("AC2",),
        lambda j: gwet_columns(j.ratings, quadratic=True),
        _refuse_categories,
        wide=True,
    ),
    _CoefficientSource(
        ("alpha ratio",), lambda j: ratio_columns(j.paired), _refuse_ratios, wide=True
    ),
    _CoefficientSource(
        TWO_WAY,
        lambda j: two_way_columns(complete_units(j.ratings)),
        _refuse_incomplete,
        wide=True,
    ),
)


def _build_groups(
    judged: _JudgedUnits, only: Collection[str]
) -> tuple[list[_CoefficientGroup], dict[str, str]]:
    """Build the columns of what is wanted, and say what cannot be had."""
    groups: list[_CoefficientGroup] = []
    reasons: dict[str, str] = {}
    wanted = set(only)
    any_wide = any(s.wide and not wanted.isdisjoint(s.names) for s in _SOURCES)
    for source in _SOURCES:
        if only and (not any_wide if source.wide else wanted.isdisjoint(source.names)):
            continue
        reason = source.refuse(judged)
        if reason:
            reasons |= dict.fromkeys(source.names, reason)
        # Ratios of many values are compared without columns, and so without an interval.
        elif source.names != ("alpha ratio",) or not _refuse_categories(judged):
            groups.append(_CoefficientGroup(source.names, *source.build(judged)))
    return groups, reasons


def _draw_coefficients(
    groups: list[_CoefficientGroup], paired: Ratings, trials: int, seed: int
) -> dict[str, Array]:
    """Draw units with replacement, each set of units that a coefficient uses by itself."""
    draws: dict[str, list[Array]] = {}
    for size in sorted({len(group.rows) for group in groups}):
        alike = [group for group in groups if len(group.rows) == size]
        rng = np.random.default_rng(seed)
        for start in range(0, trials, BLOCK):
            counts = draw_counts(size, min(BLOCK, trials - start), rng)
            weights = counts.astype(np.float64)
            for group in alike:
                sums = _sum_columns(weights, group.rows)
                values = group.aggregate(sums).reshape(len(weights), -1)
                for name, column in zip(group.names, values.T, strict=True):
                    draws.setdefault(name, []).append(column)
            if size == len(paired.units):
                ordinal = ordinal_draws(paired, weights)
                draws.setdefault("alpha ordinal", []).append(ordinal)
    drawn = {name: np.concatenate(blocks) for name, blocks in draws.items()}
    return {name: values[np.isfinite(values)] for name, values in drawn.items()}


def _sum_columns(weights: Array, rows: Array) -> Array:
    """Weighted sums of columns, whose last digits do not depend on the threads of BLAS.

    Whole numbers add up exactly in any order; other columns are added up in ours.
    """
    whole = (rows == np.rint(rows)).all(0)
    sums = np.empty((len(weights), rows.shape[1]))
    sums[:, whole] = weights @ rows[:, whole]
    rest = np.ascontiguousarray(rows[:, ~whole].T)
    sums[:, ~whole] = np.einsum("du,ku->dk", weights, rest)
    return sums


def _explain_missing(paired: Ratings) -> str:
    if len(paired.levels[0]) == 1:
        return "all judgements are equal, so chance alone would agree"
    if len(paired.units) == 1:
        return "there is only one unit with two judges"
    return "judges who share units gave constant values"
