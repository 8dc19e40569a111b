"""Agreement between judges: two at a time, and all together with bootstrap intervals."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from metra.errors import CorpusError
from metra.stats import agreement
from metra.stats.agreement import Columns, cohen
from metra.stats.arrays import Array, Codes, divide, group_lines
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

#: Coefficients that come of the same columns.
Group: TypeAlias = tuple[tuple[str, ...], Array, Callable[[Array], Array]]


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
    many = explain_categories(paired)
    if many:
        pairs = [replace(pair, kappa=np.nan) for pair in pairs]
    sources = _list_sources(ratings, paired, shared, within, many)
    groups, reasons = _build_groups(sources, only)
    if many:
        reasons["mean kappa"] = many
    values: dict[str, float] = {}
    for names, rows, aggregate in groups:
        totals = aggregate(rows.sum(0))
        values |= dict(zip(names, np.atleast_1d(totals).tolist(), strict=True))
    values["alpha ordinal"] = agreement.alpha(paired, "ordinal")
    ratio = not only or "alpha ratio" in only
    if ratio and "alpha ratio" not in {*values, *reasons}:
        values["alpha ratio"] = agreement.alpha(paired, "ratio")
    for name in PAIR_FIGURES:
        values[f"mean {name}"] = average_figure(pairs, name)
    for name, value in values.items():
        if value != value and name not in reasons:
            reasons[name] = _explain_missing(paired)
    figures = PairFigures(shared)
    draws = _draw_coefficients(groups, ratings, figures, trials, seed) if trials else {}
    intervals = {}
    for name, drawn in draws.items():
        if len(drawn) and values.get(name, np.nan) == values.get(name):
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
    judges, pairs = ratings.judges, []
    key = shared.first * len(judges) + shared.second
    for code, lines in group_lines(key):
        a, b = shared.a[lines], shared.b[lines]
        first, second = divmod(code, len(judges))
        pairs.append(
            JudgePair(
                judges[first],
                judges[second],
                len(a),
                *share_near(np.abs(a - b), within),
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


class PairFigures:
    """Pearson's r and the kappas of every two judges, under weights of the units.

    All pairs are computed at once: judgements are sorted by pair, and within a pair by
    value, so that sums over pairs and over values are sums of neighbours.
    """

    def __init__(self, shared: SharedJudgements) -> None:
        key = shared.first * (int(shared.second.max(initial=0)) + 1) + shared.second
        order = np.argsort(key, kind="stable")
        pair = np.unique(key[order], return_inverse=True)[1]
        self._unit, a, b = shared.unit[order], shared.a[order], shared.b[order]
        self._starts = _find_starts(pair)
        middle = np.concatenate([a, b]).mean() if len(a) else 0.0
        a, b = a - middle, b - middle
        self._columns = (a != b, np.abs(a - b), (a - b) ** 2, a, b, a * a, b * b, a * b)
        # Both sides' values together, in order within each pair.
        pairs, values = np.concatenate([pair, pair]), np.concatenate([a, b])
        self._order = np.lexsort((values, pairs))
        self._is_first = (self._order < len(a)).astype(np.float64)
        pairs, values = pairs[self._order], values[self._order]
        self._merged_starts = _find_starts(pairs)
        changes = (np.diff(pairs, prepend=-1) != 0) | (np.diff(values, prepend=0) != 0)
        self._value_starts = np.flatnonzero(changes)
        self._value_pairs = _find_starts(pairs[self._value_starts])
        # Up to a pair's last value lies all of it, so the step from there counts nothing.
        self._steps = np.diff(values[self._value_starts], append=0.0)

    def average(self, weights: Array) -> dict[str, Array]:
        """Average each figure over pairs, by what they share: (draws, units) to draws."""
        each = weights[:, self._unit]
        n = np.add.reduceat(each, self._starts, axis=1)
        means = [
            divide(np.add.reduceat(each * column, self._starts, axis=1), n)
            for column in self._columns
        ]
        different, gap, square, a, b, aa, bb, ab = means
        both = np.concatenate([each, each], axis=1)[:, self._order]
        first, second = (
            np.add.reduceat(both * side, self._value_starts, axis=1)
            for side in (self._is_first, 1 - self._is_first)
        )
        equal = np.add.reduceat(first * second, self._value_pairs, axis=1)
        below = [self._cumulate(mass, n) for mass in (first, second)]
        apart = below[0] * (1 - below[1]) + below[1] * (1 - below[0])
        expected_gap = np.add.reduceat(apart * self._steps, self._value_pairs, axis=1)
        spread = np.sqrt(np.maximum((aa - a * a) * (bb - b * b), 0.0))
        figures = {
            "mean pearson": divide(ab - a * b, spread, spread > 1e-12),
            "mean kappa": 1 - divide(different, 1 - divide(equal, n * n)),
            "mean linear": 1 - divide(gap, expected_gap),
            "mean quadratic": 1 - divide(square, aa + bb - 2 * a * b),
        }
        return {name: _average_pairs(values, n) for name, values in figures.items()}

    def _cumulate(self, mass: Array, n: Array) -> Array:
        """Share of a pair's judgements up to each value."""
        total = np.cumsum(mass, axis=1)
        before = total[:, self._value_pairs] - mass[:, self._value_pairs]
        sizes = np.diff(np.append(self._value_pairs, mass.shape[1]))
        return divide(
            total - np.repeat(before, sizes, axis=1), np.repeat(n, sizes, axis=1)
        )


def _find_starts(codes: Codes) -> Codes:
    """Return where each run of equal codes begins."""
    return np.flatnonzero(np.diff(codes, prepend=-1) != 0)


def _average_pairs(values: Array, n: Array) -> Array:
    """Average over pairs that have the figure, each by what it shares."""
    there = np.isfinite(values)
    weights = np.where(there, n, 0.0)
    return divide((np.where(there, values, 0.0) * weights).sum(1), weights.sum(1))


def explain_categories(ratings: Ratings) -> str:
    """Say why values are no categories; empty if they are."""
    categories = len(ratings.levels[0])
    most = agreement.MOST_CATEGORIES
    if categories > most or categories > max(20, len(ratings) / 2):
        return f"there are {categories:,} different values, too many for categories"
    return ""


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


class _CoefficientSource(NamedTuple):
    """Coefficients of the same columns, how these are made, and why they may not be."""

    names: tuple[str, ...]
    build: Callable[[], Columns] | None
    refusal: str = ""
    #: Whether there are as many columns as different values or judges.
    wide: bool = True


def _list_sources(
    ratings: Ratings,
    paired: Ratings,
    shared: SharedJudgements,
    within: float,
    many: str,
) -> list[_CoefficientSource]:
    """List what can be computed of all ratings, and of units that two judges judged."""
    negative = "values below zero have no ratios" if (ratings.value < 0).any() else ""
    complete = agreement.complete_units(ratings)
    incomplete = ""
    if len(complete.units) < 2:
        units = "only one unit was" if complete.units else "no unit was"
        incomplete = f"{units} judged by all {len(ratings.judges)} judges"

    def build_near() -> Columns:
        gaps, count = shared.gaps(), len(paired.units)
        kinds = (np.ones(len(gaps)), gaps == 0, gaps <= within + SLACK)
        rows = np.column_stack([np.bincount(shared.unit, k, count) for k in kinds])
        return rows.astype(np.float64), lambda sums: sums[..., 1:] / sums[..., :1]

    def build_deviations() -> Columns:
        deviations = unit_deviations(paired)
        rows = np.column_stack([np.ones(len(deviations)), deviations])
        return rows, lambda totals: totals[..., 1] / totals[..., 0]

    # Ratios of many values are compared without columns, and so without an interval.
    ratios = None if many else partial(agreement.ratio_columns, paired)
    chance_corrected = partial(agreement.gwet_columns, ratings)
    source = _CoefficientSource
    graded = ""
    if not np.isin(ratings.value, (-1, 0, 1)).all():
        graded = "some comparisons say by how much an output is better"
    build = partial(agreement.comparison_columns, ratings)
    compared = [source(("comparisons",), build, graded, wide=False)]
    return [
        source(("exact", "within"), build_near, wide=False),
        source(("sd",), build_deviations, wide=False),
        source(
            ("alpha interval",), partial(agreement.interval_columns, paired), wide=False
        ),
        source(
            agreement.ONE_WAY, partial(agreement.one_way_columns, paired), wide=False
        ),
        source(("fleiss",), partial(agreement.fleiss_columns, paired), many),
        source(("alpha nominal",), partial(agreement.nominal_columns, paired), many),
        source(("AC1",), chance_corrected, many),
        source(("AC2",), partial(chance_corrected, quadratic=True), many),
        source(("alpha ratio",), ratios, negative),
        source(
            agreement.TWO_WAY, partial(agreement.two_way_columns, complete), incomplete
        ),
        *(compared if len(ratings.cluster) else ()),
    ]


def _build_groups(
    sources: list[_CoefficientSource], only: Collection[str]
) -> tuple[list[Group], dict[str, str]]:
    """Build the columns of what is wanted, and say what cannot be had."""
    groups: list[Group] = []
    reasons: dict[str, str] = {}
    wanted = set(only)
    any_wide = any(s.wide and not wanted.isdisjoint(s.names) for s in sources)
    for names, build, refusal, wide in sources:
        if only and (not any_wide if wide else wanted.isdisjoint(names)):
            continue
        if refusal:
            reasons |= dict.fromkeys(names, refusal)
        elif build is not None:
            groups.append((names, *build()))
    return groups, reasons


def _draw_coefficients(
    groups: list[Group],
    ratings: Ratings,
    figures: PairFigures,
    trials: int,
    seed: int,
) -> dict[str, Array]:
    """Draw units with replacement, each set of units that a coefficient uses by itself.

    Units of a cluster are drawn together.
    """
    draws: dict[str, list[Array]] = {}
    paired = ratings.pairable()
    subsets = (ratings, paired, agreement.complete_units(ratings))
    cluster = {len(each.units): each.cluster for each in subsets}
    for size in sorted({len(rows) for _, rows, _ in groups}):
        rng = np.random.default_rng(seed)
        together = np.unique(cluster[size], return_inverse=True)[1]
        for start in range(0, trials, BLOCK):
            drawn_together = int(together.max(initial=-1)) + 1 or size
            counts = draw_counts(drawn_together, min(BLOCK, trials - start), rng)
            weights = counts.astype(np.float64)
            weights = weights[:, together] if len(together) else weights
            for names, rows, aggregate in groups:
                if len(rows) == size:
                    values = aggregate(_sum_columns(weights, rows))
                    columns = values.reshape(len(weights), -1).T
                    for name, column in zip(names, columns, strict=True):
                        draws.setdefault(name, []).append(column)
            if size == len(paired.units):
                ordinal = agreement.ordinal_draws(paired, weights)
                draws.setdefault("alpha ordinal", []).append(ordinal)
                for name, column in figures.average(weights).items():
                    draws.setdefault(name, []).append(column)
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
