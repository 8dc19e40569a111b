"""The question `rank`: systems in order, with intervals, clusters and rank ranges."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import compress
from math import fsum
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metra.errors import CorpusError, format_count
from metra.meta import findings, inference
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
from metra.meta.overview import (
    RankOverview,
    combine_rankings,
    report_overview,
)
from metra.meta.question import Evidence, Question
from metra.scores import views
from metra.scores.table import ScoredItem, Scorer, Scores
from metra.scoring.table import Cell, Column, Table
from metra.stats import arrays, resampling, significance
from metra.stats import ranking as stats
from metra.stats.direction import HIGHER
from metra.stats.multiplicity import CLUSTER_RULES, rank_ranges, walk_ranks


@dataclass(frozen=True)
class ScorerRanking:
    """Systems, the best first, with ranks (1 is best), clusters and p-values."""

    scorer: Scorer
    systems: list[str]
    ranks: list[float]
    clusters: list[int]
    ranges: list[tuple[int, int]]
    #: The name of the test is a key of `TEST_TITLES`.
    tests: significance.PairTests
    #: Options, with those of an organiser's rule and the unit that was chosen.
    options: RankOptions
    #: The number of units in which two systems can be compared.
    compared: int
    #: Differences in standard deviations of segments: systems × systems.
    effects: arrays.Array
    #: The values of each method in `RANKING_METHODS`, in the order of the systems; means
    #: are in the scorer's own unit.
    columns: dict[str, arrays.Array]
    #: Of the means of the mixed model if there is one, else of the means.
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
        """p-values that the row's system is no better than the column's, corrected."""
        return self.tests.correct(self.options.correction)

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
    #: The ranking by metra's own tests, beside that by an organiser's rule.
    own: ScorerRanking | None


def ask_ranking(evidence: Evidence, options: RankOptions) -> RankingAnswer:
    """Rank the systems by a scorer, without flagged judges and with them."""
    scores, selection, scorer = evidence.scores, evidence.selection, evidence.scorer
    checks = scores if options.like == "wmt22" else None
    ranking = rank_by_scorer(evidence.rows, scorer, options, checks)
    flagged = tuple(selection.list_flagged(scores))
    other, others = None, evidence.select_others()
    if others is not None:
        other = rank_by_scorer(others, scorer, replace(options, against=()))
    own, plain = None, RankOptions(by=options.by, macro=ranking.options.macro)
    if inference.is_organisers(options):
        plain = replace(plain, ranks=options.ranks, seed=options.seed)
        own = rank_by_scorer(evidence.rows, scorer, plain)
    return RankingAnswer(ranking, other, flagged, selection.flagged == "apart", own)


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
    options = inference.apply_rule(options)
    given = _collect_values(scores, name, options, checks, notes)
    options = inference.choose_unit(given.scores, name, options, notes)
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
    model = None
    if options.by == "mixed":
        model = inference.fit_model(given, options, notes)
        columns["mixed"] = model.means
    notes += [z_note] if z_note else []
    if not ranks.shape[1]:
        notes.append(f"– average rank: no {unit_of_ranks} has scores of every system.")
    if not np.isfinite(columns["wins"]).all():
        notes.append("– wins: a system is never better or worse than another.")
    by_mean = stats.average_strata(values, strata)
    if given.column == "value":
        by_mean = given.direction.orient(columns["mean"])
    by_model = given.direction.orient(columns.get("mixed", by_mean))
    oriented = columns | {"mean": by_mean, "mixed": by_model}
    order_by = _orient_column(oriented, options.by, notes)
    order = np.lexsort((np.array(systems), -order_by))
    # The values that systems are ranked by are also tested.
    tested = inference.collect_tested(
        given, options, z_values if options.by == "z" else values, ranks, unit_of_ranks
    )
    if model is None:
        tests = inference.compare_systems(given, tested, strata, order, options, notes)
    else:
        tests = inference.test_model(replace(model, means=by_model), order)
    corrected = tests.correct(options.correction)
    is_organisers = inference.is_organisers(options)
    find_ranges = walk_ranks if is_organisers else rank_ranges
    kept = np.flatnonzero(given.present)
    ordered = kept[order]
    hundreds = None
    if len(scores.hundred) and not options.wmt:
        hundreds = arrays.row_means(scores.matrix(name, column="hundred"))[ordered]
        hundreds = hundreds if np.isfinite(hundreds).all() else None
    intervals, hundred_intervals = (
        inference.draw_intervals(scores, name, column, ordered, options)
        for column in ("value", "hundred" if hundreds is not None else "")
    )
    if model is not None:
        bounds = model.find_intervals()
        intervals = [bounds[place] for place in order]
    lines = scores.lines(name)
    lines = lines.keep_lines(np.isin(lines.item, scores.segments))
    return ScorerRanking(
        given.scorer,
        [systems[place] for place in order],
        stats.mid_ranks(order_by[order]).tolist(),
        CLUSTER_RULES[options.rule](corrected, options.alpha),
        find_ranges(corrected, options.alpha),
        tests,
        options,
        len(np.unique(tested.units[np.isfinite(tested.values).sum(0) > 1])),
        significance.standardise_gaps(
            tested.values[order], paired=tests.test not in ("rank-sum", "welch")
        ),
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
) -> inference.RankedValues:
    if options.like == "wmt22":
        scores, note = standardise_workers(scores if checks is None else checks, name)
        notes.append(note)
    scores = views.promote_documents(scores, name)
    # Ranks among two outputs and among ten differ: of judges' own ranks, the share of
    # beaten outputs counts.
    is_order = scores.scorers[scores.find(name)].compares and len(scores.hundred) > 0
    rankings, compared, ranked = None, scores, list[ScoredItem]()
    if options.ranks or is_order:
        compared, rankings, ranked = views.collect_rankings(scores, name)
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
    return inference.RankedValues(
        *(scores, scorer, present, native[present], values[present]),
        "hundred" if is_order else "value",
        None if rankings is None else rankings[:, present],
        *(ranked, compared),
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
    settled = ranking.options
    is_drawn = any(ranking.intervals) and settled.by != "mixed"
    notes = [*describe_tests(ranking), *ranking.notes]
    direction = ranking.scorer.direction
    if direction != HIGHER:
        notes.insert(0, f"{ranking.scorer.name}: {direction.words}.")
    if answer.own is not None:
        notes += describe_rule(ranking.tests.test, answer.own)
    if answer.other is not None:
        notes.append(_describe_other(answer, answer.other))
    return findings.build_report(
        tables,
        options,
        notes,
        findings.export_tests(ranking.tests, effect=ranking.effects),
        scorer=ranking.scorer.name,
        judgements="each, 15 digits" if settled.wmt else None,
        boot=f"{_UNITS[settled.unit]} k={options.trials}" if is_drawn else None,
        seed=options.seed if is_drawn or ranking.tests.draws else None,
        average_rank=f"{ranking.units} {ranking.unit}s" if ranking.units else None,
        **findings.describe_tests(ranking.tests, wmt=False),
        correction=settled.correction,
        clusters=settled.rule,
        sys=len(ranking.systems),
    )


def describe_tests(ranking: ScorerRanking) -> list[str]:
    """Say which system is the best, how many differ, and for whom that holds."""
    names, tests, p = ranking.systems, ranking.tests, ranking.p
    if len(names) == 1:
        return ["There is only one system, so there is nothing to compare."]
    alpha, pairs = ranking.options.alpha, len(names) * (len(names) - 1) // 2
    first, rest = names[0], p[0, 1:]
    unsure = list(compress(names[1:], ~(rest < alpha)))
    counted = format_count(pairs, "pair")
    corrected = "not corrected"
    if ranking.options.correction != "none":
        corrected = f"corrected for {counted}" if pairs > 1 else "one pair"
    about = f"{corrected}; {format_count(ranking.compared, tests.units[0])}"
    if not np.isfinite(rest).any():
        best = f"{first} has the best mean, but could not be tested."
    elif not unsure:
        others = "all other systems" if len(rest) > 1 else names[1]
        at_most = "at most " if len(rest) > 1 else ""
        best = (
            f"{first} is better than {others} (p {at_most}{rest.max():.2g}, {about})."
        )
    else:
        best = (
            f"No system is shown to be the best: {first} may be no better than "
            f"{findings.name_some(unsure)} (p up to {np.nanmax(rest):.2g}, {about})."
        )
    differing = int((p[np.triu_indices(len(p), 1)] < alpha).sum())
    is_judged = ranking.scorer.human and "rater" not in tests.units
    judges = ", judged by the same judges" if is_judged else ""
    notes = [
        best,
        f"{differing} of {counted} {'differ' if pairs > 1 else 'differs'} with p < "
        f"{alpha:g} ({inference.TEST_TITLES[tests.test]}, {tests.sides}, {corrected}). "
        f"The result applies to {tests.population}{judges}.",
    ]
    reverse = [
        f"{names[j]} than {names[i]}"
        for i, j in zip(*np.triu_indices(len(p), 1), strict=True)
        if tests.sides == "two-sided" and tests.p[j, i] < alpha
    ]
    if reverse:
        notes.append(
            "The test, which compares the scores that both systems have or their ranks, "
            f"says the opposite of the means: {findings.name_some(reverse)} is better."
        )
    return notes


def describe_rule(test: str, own: ScorerRanking) -> list[str]:
    """Say where an organiser's rule is unsound, and give metra's own result."""
    rate, compared = "10 %", "compares ranks where means are ordered"
    if test == "either-t":
        rate = "10 % to 15 %"
        compared = "counts a paired or an unpaired test, whichever finds a difference"
    return [
        "The organisers' rule finds too many differences: it asks only whether the system "
        f"with the higher mean is better, so that {rate} of equal pairs differ, corrects "
        f"nothing for the number of pairs, {compared}, and "
        "takes segments of a document for independent.",
        f"metra's own result: {' '.join(describe_tests(own)[:2])}",
    ]


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
    columns: dict[str | Column, Iterable[Any]]
    columns = {"rank": map(build_rank, ranking.ranks)}
    for mark, each in (("", ranking), (" (metra)", answer.own)):
        if each is not None:
            places = [each.systems.index(system) for system in ranking.systems]
            columns[f"cluster{mark}"] = [each.clusters[at] for at in places]
            ranges = [each.ranges[at] for at in places]
            columns[f"range{mark}"] = [f"{top}–{bottom}" for top, bottom in ranges]
    for method, values in ranking.columns.items():
        is_mean = method == "mean"
        has_intervals = method == ("mixed" if "mixed" in ranking.columns else "mean")
        intervals = ranking.intervals if has_intervals else [None] * count
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


def _rank_units(given: inference.RankedValues) -> tuple[arrays.Array, str]:
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
        mark = f"– {stats.RANKING_METHODS[by]}: "
        reasons = (note.removeprefix(mark) for note in notes if note.startswith(mark))
        why = next(reasons, "values are missing.")
        msg = f"Systems cannot be ranked by {by}: {why}"
        raise CorpusError(msg)
    return column


class RankingsByPair(NamedTuple):
    """The ranking of each language pair, all of them together, and why others are missing."""

    answers: dict[str, RankingAnswer | CombinedRanking]
    overview: RankOverview
    #: By metra's own tests, next to an organiser's rule.
    own: RankOverview | None
    notes: list[str]


RankAnswer: TypeAlias = RankingAnswer | CombinedRanking | RankingsByPair


def ask_rank(evidence: Evidence, options: RankOptions) -> RankAnswer:
    """Rank the systems of each language pair by a scorer, or by all metrics together."""
    ask = rank_by_autorank if options.by == "autorank" else ask_ranking
    counted = evidence.rows
    if options.by != "autorank":
        evidence.scorer = evidence.choose_scorer()
        counted = counted.only(scorers=[evidence.scorer])
    if len(evidence.rows.languages) == 1:
        return ask(evidence, options)
    answers, notes = dict[str, RankingAnswer | CombinedRanking](), list[str]()
    for lang in counted.languages:
        part = replace(evidence, scores=evidence.scores.only(lang=lang), notes=[])
        try:
            answers[lang] = ask(part, options)
        except CorpusError as reason:
            notes.append(f"{lang} is left out: {reason}")
    if not answers:
        raise CorpusError(notes[0])
    rankings = {
        lang: each.ranking if isinstance(each, RankingAnswer) else each
        for lang, each in answers.items()
    }
    own = {
        lang: each.own
        for lang, each in answers.items()
        if isinstance(each, RankingAnswer) and each.own is not None
    }
    beside = combine_rankings(own) if own else None
    return RankingsByPair(answers, combine_rankings(rankings), beside, notes)


def report_rank(answer: RankAnswer, options: RankOptions) -> findings.MetaReport:
    """Lay out a ranking by a scorer or by all metrics together, of each language pair."""
    if isinstance(answer, CombinedRanking):
        return report_autorank(answer, options)
    if isinstance(answer, RankingAnswer):
        return report_ranking(answer, options)
    reports = {
        lang: report_rank(each, options) for lang, each in answer.answers.items()
    }
    settled = inference.apply_rule(options)
    correction = settled.correction, settled.alpha
    report = report_overview(answer.overview, answer.own, reports, *correction)
    return replace(report, notes=[*answer.notes, *report.notes])


def draw_rank(answer: RankAnswer, options: RankOptions) -> list[Heatmap]:
    """Draw the p-values of each ranking by a scorer as a heat map with clusters."""
    if isinstance(answer, RankingsByPair):
        return [
            replace(heat, title=f"{lang}: {heat.title}")
            for lang, each in answer.answers.items()
            for heat in draw_rank(each, options)
        ]
    if isinstance(answer, CombinedRanking):
        return []
    ranking = answer.ranking
    caption = "p-values, row better than column; clusters framed"
    title, p = "Which systems are better", ranking.p.tolist()
    return [Heatmap(title, caption, ranking.systems, p, "p", ranking.clusters)]


RANK = Question("rank", ask_rank, report_rank, draw_rank, title="Systems by {}")
