"""The question `rank`: systems in order, with intervals, clusters and rank ranges."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import compress
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from metra.errors import CorpusError, OptionError, format_count
from metra.meta import findings
from metra.meta.autorank import (
    CombinedRanking,
    build_agreement_table,
    build_rank,
    compare_expected,
    compare_rankings,
    rank_by_autorank,
    report_autorank,
)
from metra.meta.charts import Heatmap
from metra.meta.normalise import normalise, standardise_workers
from metra.meta.options import RankOptions
from metra.meta.question import Evidence, Question, require_one_language
from metra.scores import views
from metra.scores.table import Scorer, Scores
from metra.scoring.table import Cell, Column, Table
from metra.stats import arrays, resampling, significance
from metra.stats import ranking as stats
from metra.stats.defaults import LEAST_UNITS
from metra.stats.direction import HIGHER, Direction
from metra.stats.exact_tests import rank_test_p_values, sign_test_p_values
from metra.stats.multiplicity import CLUSTER_RULES, rank_ranges
from metra.stats.ranking import PairwiseCounts


@dataclass(frozen=True)
class ScorerRanking:
    """Systems, the best first, with ranks (1 is best), clusters and p-values."""

    scorer: Scorer
    systems: list[str]
    ranks: list[float]
    clusters: list[int]
    ranges: list[tuple[int, int]]
    #: One-sided tests; the name is a key of `_TEST_TITLES`.
    tests: significance.PairTests
    #: Differences in standard deviations of segments: systems × systems.
    effects: arrays.Array
    #: The values of each method in `RANKING_METHODS`, in the order of the systems; means
    #: are in the scorer's own unit.
    columns: dict[str, arrays.Array]
    intervals: list[resampling.Interval | None]
    #: Means from 0 to 100 and their intervals; None if this scale is not known.
    hundreds: arrays.Array | None
    hundred_intervals: list[resampling.Interval | None]
    #: Number of items and of scores of each system.
    sizes: list[int]
    answers: list[int]
    #: Unit of average ranks, and the number of those that have every system.
    unit: str
    units: int
    against: dict[str, stats.RankAgreement]
    expected: dict[str, stats.RankAgreement]
    notes: tuple[str, ...]

    @property
    def p(self) -> arrays.Array:
        """p-values that the row's system is no better than the column's."""
        return self.tests.p

    @property
    def means(self) -> list[float]:
        """Means in the scorer's own unit."""
        return self.columns["mean"].tolist()


@dataclass(frozen=True)
class RankingAnswer:
    """A ranking, and the one of the other choice about flagged judges if it differs."""

    ranking: ScorerRanking
    #: With flagged judges if they are set apart, without them if they count.
    other: ScorerRanking | None
    flagged: tuple[str, ...]
    #: True if the ranking is without the flagged judges.
    is_apart: bool


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


def ask_ranking(evidence: Evidence, options: RankOptions) -> RankingAnswer:
    """Rank the systems by a scorer, without flagged judges and with them."""
    scores, selection, scorer = evidence.scores, evidence.selection, evidence.scorer
    checks = scores if options.like else None
    ranking = rank_by_scorer(evidence.rows, scorer, options, checks)
    flagged = tuple(selection.list_flagged(scores))
    other, others = None, evidence.select_others()
    if others is not None:
        other = rank_by_scorer(others, scorer, replace(options, against=()))
    return RankingAnswer(ranking, other, flagged, selection.flagged == "apart")


def rank_by_scorer(
    scores: Scores, name: str, options: RankOptions, checks: Scores | None = None
) -> ScorerRanking:
    """Rank systems by a scorer, and compare the ranking with other scorers'.

    `macro` gives every document or domain the same weight, in the mean and in the test.
    With `ranks`, the values are judges' ranks, of all systems of a segment or of some.
    With `wmt`, each judgement of a segment counts the same; else each judge does.
    `checks` are all rows, for `like`.
    """
    notes: list[str] = []
    given = _collect_values(scores, name, options, checks, notes)
    scores, values = given.scores, given.values
    systems = list(compress(scores.systems, given.present))
    ranks, unit_of_ranks = _rank_units(given)
    z_values, z_note = _standardise_scores(scores, name, given.present)
    strata, counted = _find_strata(scores, values, options.macro, notes)
    native, values, z_values = (
        np.where(counted, each, np.nan) for each in (given.native, values, z_values)
    )
    wins = stats.count_wins(values)
    if given.rankings is not None:
        wins = given.count_wins().wins
    columns = {
        "mean": stats.average_strata(native, strata),
        "z": stats.average_strata(z_values, strata),
        "arr": arrays.row_means(ranks),
        "wins": stats.average_wins(wins),
    }
    notes += [z_note] if z_note else []
    if not ranks.shape[1]:
        notes.append(f"– arr: no {unit_of_ranks} has scores of every system.")
    if not np.isfinite(columns["wins"]).all():
        notes.append("– wins: a system is never better or worse than another.")
    by_mean = stats.average_strata(values, strata)
    if given.column == "value":
        by_mean = given.direction.orient(columns["mean"])
    order_by = _orient_column(columns | {"mean": by_mean}, options.by, notes)
    order = np.lexsort((np.array(systems), -order_by))
    # The values that systems are ranked by are also tested.
    tested = {"z": z_values, "arr": -ranks}.get(options.by, values)
    tests = compare_systems(given, tested, wins, strata, order, options, notes)
    if options.by == "arr" and unit_of_ranks == "document":
        tests = replace(tests, units=("document",))
    corrected = tests.correct(options.correction)
    kept = np.flatnonzero(given.present)
    ordered = kept[order]
    hundreds = None
    if len(scores.hundred) and not options.wmt:
        hundreds = arrays.row_means(scores.matrix(name, column="hundred"))[ordered]
        hundreds = hundreds if np.isfinite(hundreds).all() else None
    intervals, hundred_intervals = (
        draw_intervals(scores, name, column, ordered, options)
        for column in ("value", "hundred" if hundreds is not None else "")
    )
    lines = scores.lines(name)
    lines = lines.keep_lines(np.isin(lines.item, scores.segments))
    return ScorerRanking(
        given.scorer,
        [systems[place] for place in order],
        stats.mid_ranks(order_by[order]).tolist(),
        CLUSTER_RULES[options.rule](corrected, options.alpha),
        rank_ranges(corrected, options.alpha),
        tests,
        significance.standardise_gaps(tested[order], paired=tests.test != "rank-sum"),
        {key: column[order] for key, column in columns.items()},
        intervals,
        hundreds,
        hundred_intervals,
        np.isfinite(values[order]).sum(1).tolist(),
        np.bincount(lines.system, minlength=len(scores.systems))[ordered].tolist(),
        unit_of_ranks,
        ranks.shape[1],
        compare_rankings(scores, kept, order_by, options.against, notes),
        compare_expected(systems, order_by, options.expected, notes),
        tuple(notes),
    )


def _collect_values(
    scores: Scores,
    name: str,
    options: RankOptions,
    checks: Scores | None,
    notes: list[str],
) -> RankedValues:
    if options.like:
        options = replace(options, wmt=True)
        scores, note = standardise_workers(scores if checks is None else checks, name)
        notes.append(note)
    scores = views.promote_documents(scores, name)
    # Ranks among two outputs and among ten differ: of judges' own ranks, the share of
    # beaten outputs counts.
    is_order = scores.scorers[scores.find(name)].compares and len(scores.hundred) > 0
    rankings, compared = None, scores
    if options.ranks or is_order:
        compared, rankings = views.collect_rankings(scores, name)
        scores = scores if is_order else compared
    scorer = scores.scorers[scores.find(name)]
    native = _average_as_wmt(scores, name) if options.wmt else scores.matrix(name)
    present = _find_systems(scores, name, native, notes)
    if not present.any():
        msg = "There is no system with scores; ranking needs at least one."
        raise CorpusError(msg)
    values = scorer.direction.orient(native)
    if is_order:
        values = scores.matrix(name, column="hundred")
    return RankedValues(
        *(scores, scorer, present, native[present], values[present]),
        "hundred" if is_order else "value",
        None if rankings is None else rankings[:, present],
        compared,
    )


def report_ranking(answer: RankingAnswer, options: RankOptions) -> findings.MetaReport:
    """Lay out the ranking, the other choice about flagged judges, and comparisons."""
    ranking = answer.ranking
    tables = [build_ranking_table(answer)]
    for name, caption in (
        ("against", "Other rankings compared with this one"),
        ("expected", "Comparison with the expected ranking"),
    ):
        compared_rankings = getattr(ranking, name)
        if compared_rankings:
            tables.append(build_agreement_table(compared_rankings, caption, name))
    has_intervals = any(ranking.intervals)
    compared = findings.describe_differences(ranking.tests, options.alpha)
    if len(ranking.systems) == 1:
        compared = "There is only one system, so there is nothing to compare."
    notes = [*ranking.notes, compared]
    direction = ranking.scorer.direction
    if direction != HIGHER:
        notes.insert(0, f"{ranking.scorer.name}: {direction.words}.")
    if answer.other is not None:
        notes.append(_describe_other(answer, answer.other))
    return findings.build_report(
        tables,
        options,
        notes,
        findings.export_tests(ranking.tests, effect=ranking.effects),
        scorer=ranking.scorer.name,
        judgements="each, 15 digits" if options.wmt or options.like else None,
        boot=f"{_UNITS[options.unit]} k={options.trials}" if has_intervals else None,
        seed=options.seed if has_intervals else None,
        arr=f"{ranking.units} {ranking.unit}s" if ranking.units else None,
        test=f"{_TEST_TITLES[ranking.tests.test]}, one-sided",
        clusters=options.rule,
        sys=len(ranking.systems),
    )


def _describe_other(answer: RankingAnswer, other: ScorerRanking) -> str:
    """Say what flagged judges change."""
    word = "With" if answer.is_apart else "Without"
    change = "the order is different"
    if other.systems == answer.ranking.systems:
        change = "the order is the same"
    elif other.systems[0] != answer.ranking.systems[0]:
        change = f"{other.systems[0]} is first"
    judges = "judge" if len(answer.flagged) == 1 else "judges"
    return f"{word} the flagged {judges} {', '.join(answer.flagged)}, {change}."


def build_ranking_table(answer: RankingAnswer) -> Table:
    """Build the table of the systems, with every method's values."""
    ranking, other = answer.ranking, answer.other
    count = len(ranking.systems)
    columns: dict[str | Column, Iterable[Any]] = {
        "rank": map(build_rank, ranking.ranks),
        "cluster": ranking.clusters,
        "range": [f"{top}–{bottom}" for top, bottom in ranking.ranges],
    }
    for method, values in ranking.columns.items():
        is_mean = method == "mean"
        intervals = ranking.intervals if is_mean else [None] * count
        heading = stats.RANKING_METHODS[method]
        columns[heading] = zip(values.tolist(), intervals, strict=True)
        if is_mean and other is not None:
            means = dict(zip(other.systems, other.means, strict=True))
            word = "with" if answer.is_apart else "without"
            columns[f"{word} flagged"] = [means.get(s, np.nan) for s in ranking.systems]
        if is_mean and ranking.hundreds is not None:
            columns["0–100"] = ranking.hundreds.tolist()
    p_next = [arrays.drop_nan(p) for p in np.diagonal(ranking.p, 1).tolist()]
    columns |= {"n": ranking.sizes, "scores": ranking.answers}
    columns[Column("p next", p_values=True)] = [
        Cell(p, digits=4) for p in (*p_next, None)
    ]
    rows = zip(ranking.systems, zip(*columns.values(), strict=True), strict=True)
    caption = f"Systems by {ranking.scorer.name}"
    return findings.build_table("system", list(columns), rows, caption, "ranking")


def _average_as_wmt(scores: Scores, name: str) -> arrays.Array:
    """Average every judgement of an output, to the digits that WMT's scripts write.

    These are R's: 15 significant ones of the mean. They decide which outputs are tied.
    """
    lines = scores.lines(name)
    width = len(scores.items)
    means = np.full(len(scores.systems) * width, np.nan)
    for cell, judged in arrays.group_lines(lines.system * width + lines.item):
        mean = fsum(lines.value[judged].tolist()) / len(judged)
        means[cell] = float(f"{mean:.15g}")
    return means.reshape(-1, width)[:, scores.segments]


def _find_systems(
    scores: Scores, name: str, values: arrays.Array, notes: list[str]
) -> arrays.Mask:
    """Find the systems that have values."""
    present: arrays.Mask = np.asarray(np.isfinite(values).any(1))
    if not present.any() and np.isfinite(scores.system_scores(name)).any():
        msg = (
            f"{name} has system scores only; ranking needs segment scores to test "
            "differences."
        )
        raise CorpusError(msg)
    gone = list(compress(scores.systems, ~present))
    if gone:
        notes.append(f"Excluded, because {name} is missing: {', '.join(gone)}.")
    return present


def _rank_units(given: RankedValues) -> tuple[arrays.Array, str]:
    """Rank the systems in each unit, and name it: systems × units.

    It is a judge's ranking, or a document by its own score, as metrics have one, or by the
    mean of its segments, or a segment if documents have no names.
    """
    if given.rankings is not None:
        return stats.scale_rankings(given.rankings), "ranking"
    scores, name = given.scores, given.scorer.name
    documents = scores.matrix(name, level="document")[given.present]
    if np.isfinite(documents).any():
        oriented = given.direction.orient(documents)
        return stats.rank_groups(oriented, np.arange(documents.shape[1])), "document"
    names = [scores.items[item].document for item in scores.segments.tolist()]
    if all(names):
        groups = np.unique(names, return_inverse=True)[1]
        return stats.rank_groups(given.values, groups), "document"
    return stats.rank_groups(given.values, np.arange(len(names))), "segment"


def _standardise_scores(
    scores: Scores, name: str, present: arrays.Mask
) -> tuple[arrays.Array, str]:
    """Return each system's standard scores of each segment, and a note."""
    missing = np.full((int(present.sum()), len(scores.segments)), np.nan)
    if (scores.lines(name).judge < 0).any():
        return missing, f"– z: {name} has no judges to normalise."
    try:
        normalised = normalise(scores, name, "z")
    except CorpusError as reason:
        return missing, f"– z: {reason}"
    made, gone = normalised.scores, ", ".join(normalised.left_out)
    note = f"z excludes judges with a constant value: {gone}." if gone else ""
    return views.orient_scores(made, made.names[0])[present], note


_UNITS = {
    "segment": "segments",
    "document": "documents",
    "crossed": "segments × judges",
}
_TEST_TITLES = {
    "bootstrap": "bootstrap",
    "signed-rank": "Wilcoxon signed-rank",
    "rank-sum": "Mann-Whitney",
    "sign": "sign test of decided comparisons",
}


def _find_strata(
    scores: Scores, values: arrays.Array, macro: str, notes: list[str]
) -> tuple[arrays.Codes | None, arrays.Mask]:
    """Return what counts the same, segment by segment, and which segments are left."""
    if macro == "none":
        return None, np.ones(values.shape[1], bool)
    named = [getattr(scores.items[item], macro) for item in scores.segments.tolist()]
    judged: arrays.Mask = np.asarray(np.isfinite(values).any(0))
    nameless = sum(not name for name in compress(named, judged))
    if nameless:
        msg = (
            f"{nameless} of {judged.sum()} segments have no {macro}; `macro` {macro} "
            "needs a column for it."
        )
        raise CorpusError(msg)
    names, strata = np.unique(named, return_inverse=True)
    shared = stats.find_shared_strata(values, strata)
    if not shared:
        reason = f"No {macro} has scores of every system"
        msg = f"{reason}, so they cannot be weighted equally."
        raise CorpusError(msg)
    gone = [str(names[at]) for at in np.unique(strata[judged]) if at not in shared]
    if gone:
        listed = ", ".join(gone)
        notes.append(
            f"Excluded, because a system has no scores there: {macro} {listed}."
        )
    return strata, np.isin(strata, shared)


def _orient_column(
    columns: dict[str, arrays.Array], by: str, notes: list[str]
) -> arrays.Array:
    """Return the values that systems are put in order by, higher being better."""
    column = -columns[by] if by == "arr" else columns[by]
    if not np.isfinite(column).all():
        mark = f"– {by}: "
        reasons = (note.removeprefix(mark) for note in notes if note.startswith(mark))
        why = next(reasons, "values are missing.")
        msg = f"Systems cannot be ranked by {by}: {why}"
        raise CorpusError(msg)
    return column


def compare_systems(
    given: RankedValues,
    tested: arrays.Array,
    wins: arrays.Codes,
    strata: arrays.Codes | None,
    order: arrays.Codes,
    options: RankOptions,
    notes: list[str],
) -> significance.PairTests:
    """Test each two systems, one-sided, by what they are ranked by."""
    unit: significance.Unit = "document" if options.unit == "document" else "segment"
    if options.unit != "segment":
        if options.by != "mean" or strata is not None or options.wmt:
            msg = (
                "`unit` is for the means of systems, without `macro`, `wmt` and `like`."
            )
            raise OptionError(msg)
        means = given.sum_units(options.unit).means
        tested = given.direction.orient(means[given.present])
    test = _choose_test(tested, options)
    if options.unit == "crossed" and test != "bootstrap":
        msg = "Segments and judges can only be resampled; use the test bootstrap."
        raise OptionError(msg)
    units: tuple[significance.Unit, ...] = (unit,)
    draws = 0
    if test == "bootstrap":
        units = ("segment", "rater") if options.unit == "crossed" else units
        p, draws = _bootstrap_p(given, order, options, notes), options.trials
    elif test == "sign":
        won = wins if options.by == "wins" else stats.count_wins(tested)
        p = sign_test_p_values(won[np.ix_(order, order)])
    else:
        strata, paired = None if options.by == "arr" else strata, test == "signed-rank"
        p = rank_test_p_values(tested[order], paired=paired, strata=strata)
    return significance.PairTests(p, test, units, "one-sided", draws)


def _bootstrap_p(
    given: RankedValues, order: arrays.Codes, options: RankOptions, notes: list[str]
) -> arrays.Array:
    """Test systems by resampled means that share their draws; NaN with too few units."""
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
    drawn = resampling.bootstrap_scores(
        [resampling.Sample(each, compute_mean) for each in rows],
        trials=options.trials,
        rng=np.random.default_rng(options.seed),
        units=sums.crossed,
    )
    observed = given.direction.orient(compute_mean(rows.sum(1)))
    oriented = [given.direction.orient(each) for each in drawn]
    return significance.shifted_p_values(oriented, observed.tolist(), "one-sided")


def _choose_test(tested: arrays.Array, options: RankOptions) -> str:
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
    scores: Scores, name: str, column: str, systems: arrays.Codes, options: RankOptions
) -> list[resampling.Interval | None]:
    """Return bootstrap intervals of the means; None where means are weighted otherwise."""
    if not column:
        return []
    if options.macro != "none" or options.wmt or options.like:
        return [None] * len(systems)
    sums = views.sum_units(scores, name, options.unit, column=column)
    return resampling.compute_intervals(
        [resampling.Sample(rows, compute_mean) for rows in sums.rows[systems]],
        trials=options.trials,
        seed=options.seed,
        units=sums.crossed,
    )


def compute_mean(totals: arrays.Array) -> arrays.Array:
    """Return sums over counts; NaN if there is nothing."""
    return arrays.divide(totals[..., 0], totals[..., 1])


def ask_rank(
    evidence: Evidence, options: RankOptions
) -> RankingAnswer | CombinedRanking:
    """Rank the systems of one language pair by a scorer, or by all metrics together."""
    require_one_language(evidence.rows)
    if options.by == "autorank":
        return rank_by_autorank(evidence, options)
    evidence.scorer = evidence.choose_scorer()
    return ask_ranking(evidence, options)


def report_rank(
    answer: RankingAnswer | CombinedRanking, options: RankOptions
) -> findings.MetaReport:
    """Lay out a ranking by a scorer, or by all metrics together."""
    if isinstance(answer, CombinedRanking):
        return report_autorank(answer, options)
    return report_ranking(answer, options)


def draw_rank(answer: RankingAnswer | CombinedRanking, _: RankOptions) -> list[Heatmap]:
    """Draw the p-values of a ranking by a scorer as a heat map with clusters."""
    if isinstance(answer, CombinedRanking):
        return []
    ranking = answer.ranking
    caption = "p-values, row better than column; clusters framed"
    title, p = "Which systems are better", ranking.p.tolist()
    return [Heatmap(title, caption, ranking.systems, p, "p", ranking.clusters)]


RANK = Question("rank", ask_rank, report_rank, draw_rank, title="Systems by {}")
