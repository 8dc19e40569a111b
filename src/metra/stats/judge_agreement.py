"""Agreement between judges: two at a time, and all together with bootstrap intervals."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from metra import _core
from metra.errors import CorpusError
from metra.stats import agreement
from metra.stats.agreement import Columns
from metra.stats.arrays import (
    Array,
    Codes,
    add_rows,
    choose_round_step,
    divide,
    pair_equal,
)
from metra.stats.coefficients import pair_counts, ranks, tau_b
from metra.stats.defaults import LEAST_UNITS, SEED, TRIALS
from metra.stats.distributions import student_quantile
from metra.stats.parallel import track_blocks
from metra.stats.ratings import Ratings
from metra.stats.resampling import draw_counts
from metra.stats.weighted_sums import WeightedValues

#: Rounding must not push a difference over the limit.
SLACK = 1e-9
#: What is computed for every two judges, and then averaged.
PAIR_FIGURES = ("pearson", "spearman", "kendall", "kappa", "linear", "quadratic")
#: What a table of pairs tells of each.
PAIR_COLUMNS = ("first", "second", "n", "exact", "within", *PAIR_FIGURES)
#: Weights, and sums of pairs, that are held at a time.
BLOCK = 2_000_000
#: Sums of each pair of judges.
SUMS = 11

#: Judges from whom others can be inferred, and groups that are left out in turn.
LEAST_JUDGES, MOST_GROUPS = 3, 20
NORMAL = 1.959963984540054

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
        """Distances between the two judgements."""
        return np.abs(self.a - self.b)

    @cached_property
    def figures(self) -> "PairFigures":
        """The figures of every two judges."""
        return PairFigures(self)


@dataclass(frozen=True)
class JudgePair:
    """Agreement of two judges on shared units; NaN if a figure is undefined."""

    first: str
    second: str
    n: int
    exact: float
    within: float
    pearson: float
    spearman: float
    kappa: float
    linear: float
    quadratic: float
    a: Array
    b: Array

    @cached_property
    def kendall(self) -> float:
        """Kendall's tau-b, computed where it is asked for: it takes long."""
        return float(tau_b(pair_counts(self.a, self.b)))


@dataclass(frozen=True)
class JudgeAgreement:
    """Agreement of judges, as a whole and two by two."""

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
    the coefficients to compute, because others take time; without it, they are all.
    """
    paired = ratings.pairable()
    if not paired.units:
        msg = (
            f"No unit was judged by two judges; judges: {len(ratings.judges)}, units: "
            f"{len(ratings.units):,}."
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
    values |= _average_figures(pairs, only)
    for name, value in values.items():
        if value != value and name not in reasons:
            reasons[name] = _explain_missing(paired)
    draws = {}
    if trials:
        draws = _draw_coefficients(groups, ratings, shared, trials, seed, only)
    intervals = {}
    for name, drawn in draws.items():
        if len(drawn) and values.get(name, np.nan) == values.get(name):
            # Not `interval`, whose lower end 1 - 0.95 puts a last digit off 0.025.
            low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
            intervals[name] = low, high
    return JudgeAgreement(values, intervals, reasons, pairs, shared, len(paired.units))


def widen_intervals(
    found: JudgeAgreement, ratings: Ratings, measure: Callable[..., JudgeAgreement]
) -> JudgeAgreement:
    """Widen intervals over units to hold for other judges too, if there are three.

    The variance over judges is that of the jackknife, which leaves out one in turn, or
    groups of many (Miller 1974, Biometrika); the sum of both has Student's quantiles.
    """
    count = len(ratings.judges)
    groups = np.arange(count) % MOST_GROUPS
    size = min(count, MOST_GROUPS)
    if size < LEAST_JUDGES or not found.intervals:
        return found
    parts = [ratings.of_judges(groups != group) for group in range(size)]
    left = [measure(part, trials=0).values for part in parts if part.pairable().units]
    intervals = {}
    for name, (low, high) in found.intervals.items():
        value = found.values[name]
        values = np.array([each.get(name, np.nan) for each in left])
        values = values[np.isfinite(values)]
        if len(values) < LEAST_JUDGES:
            continue
        judges = (len(values) - 1) * float(values.var())
        units = ((high - low) / (2 * NORMAL)) ** 2
        df = divide(
            (judges + units) ** 2, judges**2 / (size - 1) + units**2 / found.units
        )
        half = student_quantile(0.975, max(float(df), 1.0)) * (judges + units) ** 0.5
        least, most = {"sd": (0, np.inf), "exact": (0, 1), "within": (0, 1)}.get(
            name, (-np.inf, 1)
        )
        intervals[name] = max(value - half, least), min(value + half, most)
    return replace(found, intervals=intervals)


def pair_judgements(ratings: Ratings) -> SharedJudgements:
    """Pair the judgements of every unit."""
    first, second = pair_equal(ratings.unit)
    judges = ratings.judge[first], ratings.judge[second]
    values = ratings.value[first], ratings.value[second]
    return SharedJudgements(*judges, ratings.unit[first], *values)


def compare_judges(
    ratings: Ratings, shared: SharedJudgements, *, within: float = 1.0
) -> list[JudgePair]:
    """Compare every two judges who share a unit; those who share most come first."""
    judges = ratings.judges
    key = shared.first * len(judges) + shared.second
    order = np.argsort(key, kind="stable")
    codes, starts = np.unique(key[order], return_index=True)
    if not len(codes):
        return []
    a, b = shared.a[order], shared.b[order]
    gaps = np.abs(a - b)
    n = np.diff(starts, append=len(order))
    # All pairs at once: judgements are sorted by pair, so sums are sums of neighbours.
    nears = [
        np.add.reduceat(near, starts, dtype=np.float64) / n
        for near in (gaps == 0, gaps <= within + SLACK)
    ]
    pearsons, quadratic = _correlate_runs(a, b, starts, n)
    spearmans, _ = _correlate_runs(
        _rank_runs(a, starts, n), _rank_runs(b, starts, n), starts, n
    )
    _, figures = shared.figures.compute(np.ones((1, len(ratings.units))))
    kappas = [figures[name][0] for name in ("mean kappa", "mean linear")]
    names = ([judges[at] for at in side] for side in np.divmod(codes, len(judges)))
    columns = [n, *nears, pearsons, spearmans, *kappas, quadratic]
    values = (np.split(x, starts[1:]) for x in (a, b))
    fields: list[Any] = [*names, *(each.tolist() for each in columns), *values]
    pairs = [JudgePair(*row) for row in zip(*fields, strict=True)]
    return sorted(pairs, key=lambda pair: -pair.n)


def _correlate_runs(a: Array, b: Array, starts: Codes, n: Codes) -> tuple[Array, Array]:
    """Pearson's r and Cohen's kappa with squared weights of each run; NaN without spread."""

    def add(values: Array) -> Array:
        return np.add.reduceat(values, starts)

    means, centred, spreads = [], [], []
    for x in (a, b):
        constant = np.minimum.reduceat(x, starts) == np.maximum.reduceat(x, starts)
        mean = np.where(constant, x[starts], add(x) / n)
        means.append(mean)
        centred.append(x - np.repeat(mean, n))
        spreads.append(add(centred[-1] ** 2))
    r = divide(add(centred[0] * centred[1]), np.sqrt(spreads[0] * spreads[1]))
    expected = (spreads[0] + spreads[1]) / n + (means[0] - means[1]) ** 2
    return np.clip(r, -1.0, 1.0), 1 - divide(add((a - b) ** 2) / n, expected)


def _rank_runs(x: Array, starts: Codes, n: Codes) -> Array:
    """Ranks within each run, equal values at the middle of their places."""
    run = np.repeat(np.arange(len(starts)), n)
    values, codes = np.unique(x, return_inverse=True)
    return ranks(np.asarray(run * len(values) + codes, np.float64)) - starts[run]


def compute_kappas(a: Array, b: Array) -> dict[str, float]:
    """Return Cohen's kappa of two judges' values: not weighted, linear and quadratic.

    NaN where chance would agree everywhere.
    """
    first, unit = np.zeros(len(a), np.int64), np.arange(len(a))
    shared = SharedJudgements(first, first + 1, unit, a, b)
    _, figures = shared.figures.compute(np.ones((1, len(a))))
    names = ("kappa", "linear", "quadratic")
    return {name: float(figures[f"mean {name}"][0, 0]) for name in names}


class PairFigures:
    """Pearson's r and the kappas of every two judges, under weights of the drawn units.

    All pairs are computed at once: judgements are sorted by pair, and the different values
    of each pair by size.
    """

    def __init__(self, shared: SharedJudgements) -> None:
        key = shared.first * (int(shared.second.max(initial=0)) + 1) + shared.second
        order = np.argsort(key, kind="stable")
        pair, a, b = key[order], shared.a[order], shared.b[order]
        # Whole numbers stay whole, and their sums exact.
        middle = np.rint((a.mean() + b.mean()) / 2) if len(a) else 0.0
        pairs, values = np.concatenate([pair, pair]), np.concatenate([a, b]) - middle
        by_value = np.lexsort((values, pairs))
        ordered_pairs, ordered = pairs[by_value], values[by_value]
        begins = np.diff(ordered_pairs, prepend=-1) != 0
        begins |= np.diff(ordered, prepend=np.nan) != 0
        place = np.empty(len(values), np.int64)
        place[by_value] = np.cumsum(begins) - 1
        first, second = np.split(place, 2)
        self._unit = shared.unit[order]
        self._rest = (
            (first, second),
            _find_ends(pair),
            ordered[begins],
            _find_ends(ordered_pairs[begins]),
        )

    def __len__(self) -> int:
        return len(self._rest[1]) - 1

    def average(
        self, weights: Array, drawn: Codes | None = None, only: Collection[str] = ()
    ) -> dict[str, Array]:
        """Average each figure over pairs, by what they share: (draws, weights) to draws.

        `only` names the figures to compute; without it, they are all.
        """
        n, figures = self.compute(weights, drawn, only)
        return {name: _average_pairs(values, n) for name, values in figures.items()}

    def compute(
        self, weights: Array, drawn: Codes | None = None, only: Collection[str] = ()
    ) -> tuple[Array, dict[str, Array]]:
        """Compute what pairs share, and their figures: (draws, weights) to (draws, pairs).

        `drawn` says with which weight each unit counts; without it, each has its own.
        """
        which = self._unit if drawn is None else drawn[self._unit]
        summed = _core.pair_sums(weights, which, *self._rest)
        columns = np.moveaxis(summed.reshape(len(weights), -1, SUMS), -1, 0)
        # What lies side by side is worked on in half the time.
        n, *sums = map(np.ascontiguousarray, columns[:9])
        with np.errstate(invalid="ignore"):
            # A pair that shares nothing has sums of zeros: 0 / 0 is not a number.
            different, gap, square, a, b, aa, bb, ab = (one / n for one in sums)
            equal, apart = (one / (n * n) for one in columns[9:])

        def correlate() -> Array:
            spread = np.sqrt(np.maximum((aa - a * a) * (bb - b * b), 0.0))
            return divide(ab - a * b, spread, spread > 1e-12)

        figures: dict[str, Callable[[], Array]] = {
            "mean pearson": correlate,
            "mean kappa": lambda: 1 - divide(different, 1 - equal),
            "mean linear": lambda: 1 - divide(gap, apart),
            "mean quadratic": lambda: 1 - divide(square, aa + bb - 2 * a * b),
        }
        return n, {
            name: figure()
            for name, figure in figures.items()
            if not only or name in only
        }


def _find_ends(codes: Codes) -> Codes:
    """Return where each run of equal codes begins, and where the last ends."""
    return np.append(np.flatnonzero(np.diff(codes, prepend=-1)), len(codes))


def _average_pairs(values: Array, n: Array) -> Array:
    """Average over pairs that have the figure, each by what it shares."""
    present = np.isfinite(values)
    weights = np.where(present, n, 0.0)
    return divide((np.where(present, values, 0.0) * weights).sum(1), weights.sum(1))


def explain_categories(ratings: Ratings) -> str:
    """Say why values are no categories; empty if they are."""
    categories = len(ratings.levels[0])
    most = agreement.MOST_CATEGORIES
    if categories > most or categories > max(20, len(ratings) / 2):
        return f"there are {categories:,} different values, too many for categories"
    return ""


def share_near(gaps: Array, within: float) -> tuple[float, float]:
    """Return the shares of differences of zero, and of those `within` a limit."""
    return float((gaps == 0).mean()), float((gaps <= within + SLACK).mean())


def _average_figures(pairs: list[JudgePair], only: Collection[str]) -> dict[str, float]:
    names = {f"mean {name}": name for name in PAIR_FIGURES}
    wanted = [name for name in names if not only or name in only]
    return {name: average_figure(pairs, names[name]) for name in wanted}


def average_figure(pairs: list[JudgePair], figure: str) -> float:
    """Average a figure over pairs, each by what it shares; pairs without it stay out."""
    values = np.array([[getattr(pair, figure) for pair in pairs]])
    sizes = np.array([[pair.n for pair in pairs]], np.float64)
    return float(_average_pairs(values, sizes)[0])


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


def _list_sources(
    ratings: Ratings,
    paired: Ratings,
    shared: SharedJudgements,
    within: float,
    many: str,
) -> list[_CoefficientSource]:
    """List what can be computed of all ratings, and of units that two judges judged."""
    no_ratios = many if len(paired.levels[0]) > agreement.MOST_CATEGORIES else ""
    if (ratings.value < 0).any():
        no_ratios = "values below zero have no ratios"
    complete = agreement.complete_units(ratings)
    incomplete = ""
    if len(complete.units) < 2:
        units = "only one unit was" if complete.units else "no unit was"
        incomplete = f"{units} judged by all {len(ratings.judges)} judges"

    def build_near() -> Columns:
        gaps, count = shared.gaps(), len(paired.units)
        kinds = (np.ones(len(gaps)), gaps == 0, gaps <= within + SLACK)
        rows = add_rows(np.column_stack(kinds), shared.unit, count)
        return rows, lambda sums: sums[..., 1:] / sums[..., :1]

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
    compared = [source(("comparisons",), build, graded)]
    return [
        source(("exact", "within"), build_near),
        source(("sd",), build_deviations),
        source(("alpha interval",), partial(agreement.interval_columns, paired)),
        source(agreement.ONE_WAY, partial(agreement.one_way_columns, paired)),
        source(("fleiss",), partial(agreement.fleiss_columns, paired), many),
        source(("alpha nominal",), partial(agreement.nominal_columns, paired), many),
        source(("AC1",), chance_corrected, many),
        source(("AC2",), partial(chance_corrected, quadratic=True), many),
        source(("alpha ratio",), ratios, no_ratios),
        source(
            agreement.TWO_WAY, partial(agreement.two_way_columns, complete), incomplete
        ),
        *(compared if ratings.compares else ()),
    ]


def _build_groups(
    sources: list[_CoefficientSource], only: Collection[str]
) -> tuple[list[Group], dict[str, str]]:
    """Build the columns of the chosen coefficients; give reasons for missing ones."""
    groups: list[Group] = []
    reasons: dict[str, str] = {}
    wanted = set(only)
    for names, build, refusal in sources:
        if only and wanted.isdisjoint(names):
            continue
        if refusal:
            reasons |= dict.fromkeys(names, refusal)
        elif build is not None:
            groups.append((names, *build()))
    return groups, reasons


def _draw_coefficients(
    groups: list[Group],
    ratings: Ratings,
    shared: SharedJudgements,
    trials: int,
    seed: int,
    only: Collection[str],
) -> dict[str, Array]:
    """Draw segments with replacement, of each set of units that a coefficient uses.

    All units of a segment are drawn together: they depend on each other.
    """
    draws: dict[str, list[Array]] = {}
    paired = ratings.pairable()
    subsets = (ratings, paired, agreement.complete_units(ratings))
    segments = {len(each.units): each.number_segments() for each in subsets}
    for size in sorted({len(rows) for _, rows, _ in groups}):
        rng = np.random.default_rng(seed)
        drawn = segments[size]
        count = int(drawn.max(initial=-1)) + 1
        if count < LEAST_UNITS:
            continue
        weighable = [
            (names, WeightedValues(add_rows(rows, drawn, count)), aggregate)
            for names, rows, aggregate in groups
            if len(rows) == size
        ]
        block = max(1, min(trials, BLOCK // max(count, SUMS * len(shared.figures))))
        for start in track_blocks(trials, block):
            counts = draw_counts(count, min(block, trials - start), rng)
            weights = counts.astype(np.float64)
            for names, sums, aggregate in weighable:
                values = aggregate(sums.sum_weighted(weights))
                columns = values.reshape(len(weights), -1).T
                for name, column in zip(names, columns, strict=True):
                    draws.setdefault(name, []).append(column)
            if size == len(paired.units):
                ordinal = agreement.ordinal_draws(paired, weights, drawn)
                draws.setdefault("alpha ordinal", []).append(ordinal)
                averages = shared.figures.average(weights, drawn, only)
                for name, column in averages.items():
                    draws.setdefault(name, []).append(column)
    joined = {name: np.concatenate(blocks) for name, blocks in draws.items()}
    return {name: values[np.isfinite(values)] for name, values in joined.items()}


def _explain_missing(paired: Ratings) -> str:
    if len(paired.levels[0]) == 1:
        return "all judgements are equal, so chance alone would agree"
    if len(paired.units) == 1:
        return "there is only one unit with two judges"
    return "judges who share units gave constant values"


#: Limits of the table of differences.
LIMITS = 5


def count_differences(gaps: ArrayLike) -> tuple[tuple[float, float], ...]:
    """Return the shares of pairs at most so far apart, as in TC-STAR's evaluations.

    Limits go from 0 in whole steps on short scales, and in round steps on long ones.
    """
    gaps = np.asarray(gaps, np.float64)
    widest = float(gaps.max(initial=0.0))
    step = choose_round_step(max(widest, LIMITS), LIMITS, (1, 2, 5, 10))
    limits = [at * step for at in range(LIMITS + 1)]
    limits = limits[: sum(limit < widest for limit in limits) + 1]
    return tuple(
        (limit, int((gaps <= limit + SLACK).sum()) / len(gaps)) for limit in limits
    )
