"""Tests and intervals of a ranking: each two systems by the values they are ranked by."""

from typing import NamedTuple

import numpy as np

from metra.errors import OptionError, format_count
from metra.meta.judge_options import RankOptions
from metra.scores.table import Scorer, Scores
from metra.scores.views import sum_units
from metra.stats import ranking as stats
from metra.stats.arrays import Array, Codes, Mask, divide
from metra.stats.defaults import LEAST_UNITS
from metra.stats.direction import HIGHER
from metra.stats.exact_tests import rank_test_p_values, sign_test_p_values
from metra.stats.resampling import (
    Interval,
    Sample,
    bootstrap_scores,
    compute_intervals,
)
from metra.stats.significance import PairTests, Unit, shifted_p_values


class RankedValues(NamedTuple):
    """The values that systems are ranked by."""

    scores: Scores
    scorer: Scorer
    #: The systems with values.
    present: Mask
    #: Systems × segments: as given, and oriented so that higher is better.
    native: Array
    values: Array
    #: The column of the table that they are from: value, or hundred for ranks of outputs.
    column: str
    #: Rankings × systems, higher is better, if outputs were put in order; else None.
    rankings: Array | None
    #: The table whose values are compared judge by judge.
    compared: Scores


def compare_systems(
    given: RankedValues,
    name: str,
    tested: Array,
    wins: Codes,
    strata: Codes | None,
    order: Codes,
    options: RankOptions,
    notes: list[str],
) -> PairTests:
    """Test each two systems, one-sided, by what they are ranked by."""
    unit: Unit = "document" if options.unit == "document" else "segment"
    if options.unit != "segment":
        if options.by != "mean" or strata is not None or options.wmt:
            msg = (
                "`unit` is for the means of systems, without `macro`, `wmt` and `like`."
            )
            raise OptionError(msg)
        sums = sum_units(given.scores, name, options.unit, column=given.column)
        direction = HIGHER if given.column == "hundred" else given.scorer.direction
        tested = direction.orient(sums.means[given.present])
    test = _choose_test(tested, options)
    if options.unit == "crossed" and test != "bootstrap":
        msg = "Segments and judges can only be resampled; use the test bootstrap."
        raise OptionError(msg)
    if test == "bootstrap":
        units: tuple[Unit, ...] = ("segment", "rater")
        units = units if options.unit == "crossed" else (unit,)
        p, draws = _bootstrap_p(given, name, order, options, notes), options.trials
        return PairTests(p, test, units, "one-sided", draws)
    if test == "sign":
        won = wins if options.by == "wins" else stats.count_wins(tested)
        return PairTests(
            sign_test_p_values(won[np.ix_(order, order)]), test, (unit,), "one-sided"
        )
    strata = None if options.by == "arr" else strata
    p = rank_test_p_values(tested[order], paired=test == "signed-rank", strata=strata)
    return PairTests(p, test, (unit,), "one-sided")


def _bootstrap_p(
    given: RankedValues,
    name: str,
    order: Codes,
    options: RankOptions,
    notes: list[str],
) -> Array:
    """Test systems by resampled means that share their draws; NaN with too few units."""
    sums = sum_units(given.scores, name, options.unit, column=given.column)
    rows = sums.rows[given.present][order]
    shared = (rows[..., 1] > 0).sum(1)
    if shared.min() < LEAST_UNITS:
        unit = "judgement" if options.unit == "crossed" else options.unit
        notes.append(
            f"Not enough data for the bootstrap test: a system has "
            f"{format_count(int(shared.min()), unit)}; it needs {LEAST_UNITS}."
        )
        return np.full((len(rows), len(rows)), np.nan)
    direction = HIGHER if given.column == "hundred" else given.scorer.direction
    samples = [Sample(each, compute_mean) for each in rows]
    rng = np.random.default_rng(options.seed)
    drawn = bootstrap_scores(
        samples, trials=options.trials, rng=rng, units=sums.crossed
    )
    observed = direction.orient(compute_mean(rows.sum(1)))
    oriented = [direction.orient(each) for each in drawn]
    return shifted_p_values(oriented, observed.tolist(), "one-sided")


def _choose_test(tested: Array, options: RankOptions) -> str:
    """Choose the test of what systems are ranked by."""
    if options.test != "auto":
        return options.test
    if options.unit == "crossed":
        return "bootstrap"
    if options.wmt or options.like:
        return "rank-sum"
    if options.by == "wins":
        return "sign"
    return "signed-rank" if stats.are_paired(tested) else "rank-sum"


def draw_intervals(
    scores: Scores, name: str, column: str, systems: Codes, options: RankOptions
) -> list[Interval | None]:
    """Return bootstrap intervals of the means; None where means are weighted otherwise."""
    if options.macro != "none" or options.wmt or options.like:
        return [None] * len(systems)
    sums = sum_units(scores, name, options.unit, column=column)
    return compute_intervals(
        [Sample(rows, compute_mean) for rows in sums.rows[systems]],
        trials=options.trials,
        seed=options.seed,
        units=sums.crossed,
    )


def compute_mean(totals: Array) -> Array:
    """Return sums over counts; NaN if there is nothing."""
    return divide(totals[..., 0], totals[..., 1])
