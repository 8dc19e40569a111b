"""Tests of systems by their ranked values, the units of tests, and organisers' rules."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from metra.errors import OptionError, format_count
from metra.meta.options import RankOptions
from metra.meta.plan import collect_factors
from metra.scores import views
from metra.scores.table import ScoredItem, Scorer, Scores
from metra.scoring.evaluate import ENOUGH_DOCUMENTS
from metra.stats import arrays, resampling, significance
from metra.stats import ranking as stats
from metra.stats.defaults import LEAST_UNITS
from metra.stats.direction import HIGHER, Direction
from metra.stats.exact_tests import (
    crossed_p_values,
    either_t_p_values,
    rank_test_p_values,
    welch_p_values,
)
from metra.stats.mixed_model import MixedModel, fit_mixed_model
from metra.stats.ranking import PairwiseCounts
from metra.stats.variance import DOCUMENT, RATER

TEST_TITLES = {
    "permutation": "paired permutation test",
    "welch": "Welch's t-test",
    "crossed": "t-test over segments and judges",
    "bootstrap": "bootstrap",
    "signed-rank": "Wilcoxon signed-rank",
    "rank-sum": "Mann-Whitney",
    "either-t": "paired t-test or Welch's, the smaller p",
    "mixed": "t-tests of a mixed model",
}
#: Judges below which variances over judges are too uncertain for tests.
ENOUGH_JUDGES = 10


#: Options of the rules by which organisers ranked systems.
ORGANISERS: dict[str, dict[str, Any]] = {
    "wmt22": {"test": "rank-sum", "wmt": True},
    "wmt24": {"test": "signed-rank", "rule": "range", "macro": "domain"},
    "wmt25": {"test": "signed-rank", "rule": "range", "alpha": 0.025},
    "wmt26": {"test": "either-t", "wmt": True},
}


class RankedValues(NamedTuple):
    """The values that systems are ranked by."""

    scores: Scores
    scorer: Scorer
    present: arrays.Mask
    #: Systems × segments: as given, and oriented so that higher is better.
    native: arrays.Array
    values: arrays.Array
    #: The column of the table that they are from: value, or hundred for ranks of outputs.
    column: str
    #: Rankings × systems, higher is better, if outputs were put in order; else None.
    rankings: arrays.Array | None
    #: The item of each ranking.
    ranked: list[ScoredItem]
    #: The table whose values are compared judge by judge.
    compared: Scores

    @property
    def direction(self) -> Direction:
        """The direction of the column."""
        return HIGHER if self.column == "hundred" else self.scorer.direction

    def count_wins(self) -> PairwiseCounts:
        """Compare the systems' outputs judge by judge."""
        return views.count_comparisons(self.compared, self.scorer.name).of(self.present)

    def sum_units(self, unit: str) -> views.UnitSums:
        """Sum the values by segment, by document, or by segment and judge."""
        return views.sum_units(self.scores, self.scorer.name, unit, column=self.column)


class TestedValues(NamedTuple):
    """Values of systems as they are tested, the best system first, and their units."""

    #: Systems × cells, higher is better, NaN where missing; and the unit of each cell.
    values: arrays.Array
    units: arrays.Codes
    unit: significance.Unit
    subtract: Callable[[arrays.Array, arrays.Array], arrays.Array] = (
        arrays.subtract_values
    )


def apply_rule(options: RankOptions) -> RankOptions:
    """Return the options with those of the organiser's rule, if one is named."""
    name = options.like or ("wmt22" if options.wmt else None)
    if name is None:
        return options
    if options.unit not in ("auto", "segment"):
        msg = "`unit` is for metra's own tests, without `wmt` and `like`."
        raise OptionError(msg)
    usual = RankOptions()
    changes = {
        option: value
        for option, value in ORGANISERS[name].items()
        if getattr(options, option) == getattr(usual, option)
    }
    return replace(options, **changes, correction="none", unit="segment")


def choose_unit(
    scores: Scores, name: str, options: RankOptions, notes: list[str]
) -> RankOptions:
    """Choose documents as units if enough of them are judged, else segments."""
    if options.unit != "auto":
        return options
    items = {scores.items[at] for at in np.unique(scores.lines(name).item).tolist()}
    documents = {item.document for item in items if item.level != "system"}
    enough = "" not in documents and len(documents) >= ENOUGH_DOCUMENTS
    is_grouped = "" not in documents and 1 < len(documents) < len(items)
    if is_grouped and not enough and options.by not in ("arr", "mixed"):
        notes.append(
            f"Segments are treated as independent, because {len(documents)} documents are "
            f"fewer than {ENOUGH_DOCUMENTS}; if systems vary from document to document, "
            "this finds too many differences, and `unit`=document does not."
        )
    return replace(options, unit="document" if enough else "segment")


def collect_tested(
    given: RankedValues,
    options: RankOptions,
    values: arrays.Array,
    ranks: arrays.Array,
    unit_of_ranks: str,
) -> TestedValues:
    """Collect the values of the ranking: systems × segments, documents or rankings."""
    items = [given.scores.items[at] for at in given.scores.segments.tolist()]
    is_document, subtract = options.unit == "document", arrays.subtract_values
    if options.by == "arr":
        values = -ranks
        if unit_of_ranks != "ranking":
            is_document = unit_of_ranks == "document"
            items = [ScoredItem(str(at), str(at)) for at in range(values.shape[1])]
    elif options.by == "wins":
        subtract = _order_values
        values = values if given.rankings is None else given.rankings.T
    if options.by in ("arr", "wins") and given.rankings is not None:
        items = given.ranked
    names = [item.document if is_document else item for item in items]
    unit: significance.Unit = "document" if is_document else "segment"
    return TestedValues(values, arrays.number_names(names)[1], unit, subtract)


def _order_values(a: arrays.Array, b: arrays.Array) -> arrays.Array:
    return np.sign(arrays.subtract_values(a, b))


def compare_systems(
    given: RankedValues,
    tested: TestedValues,
    strata: arrays.Codes | None,
    order: arrays.Codes,
    options: RankOptions,
    notes: list[str],
) -> significance.PairTests:
    """Test each two systems by what they are ranked by; an organiser's rule, one-sided."""
    values = tested.values[order]
    strata = strata if values.shape[1] == given.values.shape[1] else None
    units: tuple[significance.Unit, ...] = (tested.unit,)
    test, draws = _choose_test(values, options), 0
    sides: significance.Sides = "one-sided" if is_organisers(options) else "two-sided"
    if options.unit == "crossed" and (
        test not in ("crossed", "bootstrap")
        or options.by != "mean"
        or strata is not None
    ):
        msg = "`unit` crossed is for means, without `macro` and other tests than bootstrap."
        raise OptionError(msg)
    if test in ("crossed", "bootstrap"):
        units = ("segment", "rater") if options.unit == "crossed" else units
        p = _test_sums(given, order, options, sides, notes)
        draws = options.trials if test == "bootstrap" else 0
    elif test == "permutation":
        p, draws = significance.paired_p_values(
            values,
            tested.units,
            strata=strata,
            subtract=tested.subtract,
            alpha=options.alpha,
            seed=options.seed,
        )
    elif test == "welch":
        p = welch_p_values(values, tested.units, strata)
    elif test == "either-t":
        if strata is not None:
            msg = "`like` wmt26 averages over segments; leave out `macro`."
            raise OptionError(msg)
        p = either_t_p_values(values, tested.units)
    else:
        if tested.unit == "document" and strata is None and options.by != "arr":
            groups = range(int(tested.units.max()) + 1)
            means = [arrays.row_means(values[:, tested.units == at]) for at in groups]
            values = np.array(means).T
        paired = test == "signed-rank"
        if options.by == "mean" and sides == "two-sided":
            notes.append(
                f"{TEST_TITLES[test]} compares ranks of values: it finds too many "
                "differences of means where systems' values have different shapes."
            )
        if sides == "two-sided":  # values that differ in rounding only are tied
            largest = float(np.nanmax(np.abs(values))) or 1.0
            values = np.asarray(np.round(values / largest, 11), np.float64)
        p = rank_test_p_values(values, paired=paired, strata=strata)
        p = np.minimum(1.0, 2 * p) if sides == "two-sided" else p
    return significance.PairTests(p, test, units, sides, draws)


def fit_model(
    given: RankedValues, options: RankOptions, notes: list[str]
) -> MixedModel:
    """Fit a mixed model to the judgements, systems being fixed."""
    usual = RankOptions(by="mixed")
    refused = [
        name
        for name in ("macro", "test", "ranks", "wmt", "like")
        if getattr(options, name) != getattr(usual, name)
    ]
    is_target = given.direction.higher_is_better is None
    if refused or is_target or given.rankings is not None:
        msg = (
            "`by` mixed is for values of which higher or lower ones are better, without "
            "`macro`, `test`, `ranks`, `wmt` and `like`; rank by the mean instead."
        )
        raise OptionError(msg)
    factors = collect_factors(given.scores, given.scorer.name)
    model = fit_mixed_model(factors)
    variances = ", ".join(
        f"{term} {variance:.3g}" for term, variance in model.variances.items()
    )
    notes.append(f"Variances of the mixed model (REML): {variances}.")
    zero = [term for term, variance in model.variances.items() if not variance]
    if zero:
        notes.append(
            f"Estimated as zero: {', '.join(zero)}; tests and intervals take them for "
            "known, and may find too many differences."
        )
    if RATER in model.variances and factors.rater is not None:
        warn_of_judges(len(np.unique(factors.rater)), notes)
    else:
        notes.append(
            "Judges cannot be separated from segments, or are not named, so that results "
            "hold for these judges only."
        )
    return model


def warn_of_judges(count: int, notes: list[str]) -> None:
    """Say that few judges tell little about other judges."""
    if count < ENOUGH_JUDGES:
        notes.append(
            f"{count} judges are few to generalise to others: below {ENOUGH_JUDGES}, "
            "these tests may find too many differences."
        )


def test_model(model: MixedModel, order: arrays.Codes) -> significance.PairTests:
    """Test each two systems by a mixed model of values of which higher ones are better."""
    terms = " ".join(model.variances)
    units: list[significance.Unit] = ["document" if DOCUMENT in terms else "segment"]
    units += ["rater"] if RATER in model.variances else []
    p = model.compute_p()[np.ix_(order, order)]
    return significance.PairTests(p, "mixed", tuple(units), "two-sided")


def is_organisers(options: RankOptions) -> bool:
    """Return True if systems are ranked by an organiser's rule."""
    return options.wmt or options.like is not None


def _test_sums(
    given: RankedValues,
    order: arrays.Codes,
    options: RankOptions,
    sides: significance.Sides,
    notes: list[str],
) -> arrays.Array:
    """Test means of segments and judges, or resampled ones; NaN with too few units."""
    sums = given.sum_units(options.unit)
    rows = sums.rows[given.present][order]
    shared = (rows[..., 1] > 0).sum(1)
    if shared.min() < LEAST_UNITS:
        unit = "judgement" if options.unit == "crossed" else options.unit
        notes.append(
            "Not enough data for the bootstrap test: a system has "
            f"{format_count(int(shared.min()), unit)}; it needs {LEAST_UNITS}."
        )
        return np.full((len(rows), len(rows)), np.nan)
    if sums.crossed and sums.crossed[1].max() == 0:
        notes.append("One judge says nothing about others, so there is no test.")
        return np.full((len(rows), len(rows)), np.nan)
    if sums.crossed:
        warn_of_judges(int(sums.crossed[1].max()) + 1, notes)
    if options.test == "auto":
        oriented_rows = rows * [1 if given.direction.higher_is_better else -1, 1]
        return crossed_p_values(oriented_rows, sums.crossed)
    drawn = resampling.bootstrap_scores(
        [resampling.Sample(each, compute_mean) for each in rows],
        trials=options.trials,
        rng=np.random.default_rng(options.seed),
        units=sums.crossed,
    )
    observed = given.direction.orient(compute_mean(rows.sum(1)))
    oriented = [given.direction.orient(each) for each in drawn]
    return significance.shifted_p_values(oriented, observed.tolist(), sides)


def _choose_test(values: arrays.Array, options: RankOptions) -> str:
    """Choose the test of what systems are ranked by."""
    if options.test != "auto":
        return options.test
    if options.unit == "crossed":
        return "crossed"
    is_paired = options.by in ("wins", "arr") or stats.are_paired(values)
    return "permutation" if is_paired else "welch"


def draw_intervals(
    scores: Scores, name: str, column: str, systems: arrays.Codes, options: RankOptions
) -> list[resampling.Interval | None]:
    """Return bootstrap intervals of the means; None where means are weighted otherwise."""
    if not column:
        return []
    if options.macro != "none" or is_organisers(options):
        return [None] * len(systems)
    sums = views.sum_units(scores, name, options.unit, column=column)
    return resampling.compute_intervals(
        [resampling.Sample(rows, compute_mean) for rows in sums.rows[systems]],
        method="expanded",
        trials=options.trials,
        seed=options.seed,
        units=sums.crossed,
    )


def compute_mean(totals: arrays.Array) -> arrays.Array:
    """Return sums over counts; NaN if there is nothing."""
    return arrays.divide(totals[..., 0], totals[..., 1])
