"""The question `rank`: systems in order, with intervals, clusters and rank ranges."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import fsum

import numpy as np

from metra.errors import CorpusError
from metra.meta.charts import Heatmap
from metra.meta.findings import (
    MetaReport,
    build_count,
    build_figure,
    build_report,
    describe_differences,
    export_tests,
)
from metra.meta.judge_options import RankOptions
from metra.meta.normalise import normalise, standardise_workers
from metra.meta.question import Evidence, Question, require_one_language
from metra.meta.rank_tests import RankedValues, compare_systems, draw_intervals
from metra.scores.selection import Selection
from metra.scores.table import Scorer, Scores
from metra.scores.views import (
    average_systems,
    collect_rankings,
    count_comparisons,
    orient_scores,
    promote_documents,
)
from metra.scoring.table import Cell, Column, Table, make_table
from metra.stats import ranking as stats
from metra.stats.arrays import (
    Array,
    Codes,
    Mask,
    drop_nan,
    group_lines,
    row_means,
)
from metra.stats.direction import HIGHER
from metra.stats.multiplicity import clusters_by_range
from metra.stats.ranking import Skills, learn_skills
from metra.stats.resampling import (
    Interval,
)
from metra.stats.significance import (
    PairTests,
    standardise_gaps,
)


@dataclass(frozen=True)
class ScorerRanking:
    """Systems, the best first, with ranks (1 is best), clusters and p-values."""

    scorer: Scorer
    systems: list[str]
    ranks: list[float]
    clusters: list[int]
    ranges: list[tuple[int, int]]
    #: One-sided tests; the name is a key of `_TEST_TITLES`.
    tests: PairTests
    #: Differences in standard deviations of segments: systems × systems.
    effects: Array
    #: The values of each method in `RANKING_METHODS`, in the order of the systems; means
    #: are in the scorer's own unit.
    columns: dict[str, Array]
    #: Bootstrap intervals of the means.
    intervals: list[Interval | None]
    #: Means from 0 to 100 and their intervals; None if this scale is not known.
    hundreds: Array | None
    hundred_intervals: list[Interval | None]
    #: Number of items and of scores of each system.
    sizes: list[int]
    answers: list[int]
    #: Unit of average ranks, and the number of those that have every system.
    unit: str
    units: int
    skills: Skills | None
    #: Agreement of other scorers' rankings with this one.
    against: dict[str, stats.RankAgreement]
    notes: tuple[str, ...]

    @property
    def p(self) -> Array:
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


def ask_ranking(
    scores: Scores, selection: Selection, scorer: str, options: RankOptions
) -> RankingAnswer:
    """Rank the systems by a scorer, without flagged judges and with them."""
    selected = selection.select(scores)
    checks = scores if options.like else None
    ranking = rank_by_scorer(selected, scorer, options, checks)
    flagged = tuple(selection.list_flagged(scores))
    other = None
    if flagged and selection.flagged != "out":
        others = selection.select_flagged(scores)
        if scorer in others.names and len(others.lines(scorer)) != len(
            selected.lines(scorer)
        ):
            other = rank_by_scorer(others, scorer, replace(options, against=()))
    return RankingAnswer(ranking, other, flagged, selection.flagged == "apart")


def rank_by_scorer(
    scores: Scores, name: str, options: RankOptions, checks: Scores | None = None
) -> ScorerRanking:
    """Rank systems by a scorer, and compare the ranking with other scorers'.

    `macro` gives every document or domain the same weight, in the mean and in the test.
    With `ranks`, the values are judges' ranks, of all systems of a segment or of some.
    With `wmt`, each judgement of a segment counts the same; else each judge does.
    `runs` and `seed` are TrueSkill's, which is learned only if asked for; its rank ranges
    and clusters are then those of its runs. `checks` are all rows, for `like`.
    """
    notes: list[str] = []
    given = _collect_values(scores, name, options, checks, notes)
    scores, present, values = given.scores, given.present, given.values
    systems = list(compress(scores.systems, present))
    if given.rankings is None:
        groups, unit_of_ranks = _find_groups(scores)
        ranks = stats.rank_groups(values, groups)
    else:
        ranks, unit_of_ranks = stats.scale_rankings(given.rankings), "ranking"
    z_values, z_note = _standardise_scores(scores, name, present)
    strata, counted = _find_strata(scores, values, options.macro, notes)
    native, values, z_values = (
        np.where(counted, each, np.nan) for each in (given.native, values, z_values)
    )
    counts = stats.count_wins(values)
    if given.rankings is not None:
        counts = count_comparisons(given.compared, name).of(present).wins
    columns = {
        "mean": stats.average_strata(native, strata),
        "z": stats.average_strata(z_values, strata),
        "arr": row_means(ranks),
        "wins": stats.average_wins(counts),
    }
    notes += [z_note] if z_note else []
    if not ranks.shape[1]:
        notes.append(f"– arr: no {unit_of_ranks} has scores of every system.")
    if not np.isfinite(columns["wins"]).all():
        notes.append("– wins: a system is never better or worse than another.")
    skills = None
    if options.by == "trueskill":
        skills = learn_skills(
            count_comparisons(given.compared, name).of(present),
            runs=options.runs,
            seed=options.seed,
        )
        columns["trueskill"] = skills.means
    by_mean = stats.average_strata(values, strata)
    if given.column == "value":
        by_mean = given.scorer.direction.orient(columns["mean"])
    order_by = _orient_column(columns | {"mean": by_mean}, options.by, notes)
    order = np.lexsort((np.array(systems), -order_by))
    # The values that systems are ranked by are also tested.
    tested = {"z": z_values, "arr": -ranks}.get(options.by, values)
    tests = compare_systems(given, name, tested, counts, strata, order, options, notes)
    if options.by == "arr" and unit_of_ranks == "document":
        tests = replace(tests, units=("document",))
    parted = stats.find_clusters(
        tests.correct(options.correction), options.rule, options.alpha
    )
    if skills is not None:
        ranges = [skills.ranges[place] for place in order]
        parted = parted._replace(ranges=ranges, clusters=clusters_by_range(ranges))
    kept = np.flatnonzero(present)
    ordered = kept[order]
    intervals = draw_intervals(scores, name, "value", ordered, options)
    hundreds = None
    if len(scores.hundred) and not options.wmt:
        hundreds = row_means(scores.matrix(name, column="hundred"))[ordered]
    drawn = hundreds is not None and np.isfinite(hundreds).all()
    lines = scores.lines(name)
    return ScorerRanking(
        given.scorer,
        [systems[place] for place in order],
        stats.mid_ranks(order_by[order]).tolist(),
        parted.clusters,
        parted.ranges,
        tests,
        standardise_gaps(tested[order], paired=tests.test != "rank-sum"),
        {key: column[order] for key, column in columns.items()},
        intervals,
        hundreds if drawn else None,
        draw_intervals(scores, name, "hundred", ordered, options) if drawn else [],
        np.isfinite(values[order]).sum(1).tolist(),
        np.bincount(lines.system, minlength=len(scores.systems))[ordered].tolist(),
        unit_of_ranks,
        ranks.shape[1],
        skills,
        _compare_rankings(scores, kept, order_by, options.against, notes),
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
    scores = promote_documents(scores, name)
    # Ranks among two outputs and among ten differ: of judges' own ranks, the share of
    # beaten outputs counts.
    is_order = scores.scorers[scores.find(name)].compares and len(scores.hundred) > 0
    rankings, compared = None, scores
    if options.ranks or is_order:
        compared, rankings = collect_rankings(scores, name)
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


def report_ranking(answer: RankingAnswer, options: RankOptions) -> MetaReport:
    """Lay out the ranking, the other choice about flagged judges, and comparisons."""
    ranking = answer.ranking
    tables = [build_ranking_table(answer)]
    if ranking.against:
        rows = [
            (other, [Cell(figure, digits=1) for figure in agreement])
            for other, agreement in ranking.against.items()
        ]
        heads = ["distance", "similarity %", "precision %", "recall %"]
        caption = "Comparison with other rankings"
        tables.append(
            make_table("scorer", heads, rows, caption=caption, name="against")
        )
    skills = ranking.skills
    has_intervals = any(ranking.intervals)
    data = export_tests(ranking.tests, effect=ranking.effects)
    compared = describe_differences(ranking.tests, options.alpha)
    if len(ranking.systems) == 1:
        compared = "There is only one system, so there is nothing to compare."
    notes = [*ranking.notes, compared]
    direction = ranking.scorer.direction
    if direction != HIGHER:
        notes.insert(0, f"{ranking.scorer.name}: {direction.words}.")
    if answer.other is not None:
        notes.append(_describe_other(answer))
    as_wmt = options.wmt or options.like
    return build_report(
        tables,
        options,
        notes,
        data,
        scorer=ranking.scorer.name,
        judgements="each, 15 digits" if as_wmt else None,
        boot=f"{_UNITS[options.unit]} k={options.trials}" if has_intervals else None,
        trueskill=f"{skills.runs} runs of {skills.matches} matches" if skills else None,
        seed=options.seed if skills or has_intervals else None,
        arr=f"{ranking.units} {ranking.unit}s" if ranking.units else None,
        test=f"{_TEST_TITLES[ranking.tests.test]}, one-sided",
        clusters="range" if skills else options.rule,
        sys=len(ranking.systems),
    )


def _describe_other(answer: RankingAnswer) -> str:
    """Say what flagged judges change."""
    other = answer.other
    word = "With" if answer.is_apart else "Without"
    if other is None or other.systems == answer.ranking.systems:
        change = "the order is the same"
    elif other.systems[0] != answer.ranking.systems[0]:
        change = f"{other.systems[0]} is first"
    else:
        change = "the order is different"
    judges = "judge" if len(answer.flagged) == 1 else "judges"
    return f"{word} the flagged {judges} {', '.join(answer.flagged)}, {change}."


def build_ranking_table(answer: RankingAnswer) -> Table:
    """Build the table of the systems, with every method's values."""
    ranking, other = answer.ranking, answer.other
    other_means = dict(zip(other.systems, other.means, strict=True)) if other else {}
    rows = []
    for place, system in enumerate(ranking.systems):
        top, bottom = ranking.ranges[place]
        rank = ranking.ranks[place]
        cells = [
            Cell(rank, digits=0 if rank % 1 == 0 else 1),
            build_count(ranking.clusters[place]),
            Cell(f"{top}–{bottom}"),
        ]
        for method, column in ranking.columns.items():
            interval = ranking.intervals[place] if method == "mean" else None
            cells.append(build_figure(column[place], interval))
            if method == "mean" and other is not None:
                cells.append(build_figure(other_means.get(system, np.nan)))
            if method == "mean" and ranking.hundreds is not None:
                cells.append(build_figure(ranking.hundreds[place]))
        last = place + 1 == len(ranking.systems)
        p_next = np.nan if last else float(ranking.p[place, place + 1])
        cells += [
            build_count(ranking.sizes[place]),
            build_count(ranking.answers[place]),
            Cell(drop_nan(p_next), digits=4),
        ]
        rows.append((system, cells))
    heads: list[str | Column] = ["rank", "cluster", "range"]
    for method in ranking.columns:
        heads.append(stats.RANKING_METHODS[method].heading)
        if method == "mean" and other is not None:
            heads.append("with flagged" if answer.is_apart else "without flagged")
        if method == "mean" and ranking.hundreds is not None:
            heads.append("0–100")
    heads += ["n", "scores", Column("p next", p_values=True)]
    caption = f"Systems by {ranking.scorer.name}"
    return make_table("system", heads, rows, caption=caption, name="ranking")


def ask_rank(evidence: Evidence, options: RankOptions) -> RankingAnswer:
    """Rank the systems of one language pair."""
    require_one_language(evidence.rows)
    return ask_ranking(evidence.scores, evidence.selection, evidence.scorer, options)


def draw_ranking(answer: RankingAnswer, _: RankOptions) -> list[Heatmap]:
    """Draw the p-values as a heat map with clusters."""
    ranking = answer.ranking
    caption = "p-values, row better than column; clusters framed"
    title, p = "Which systems are better", ranking.p.tolist()
    return [Heatmap(title, caption, ranking.systems, p, "p", ranking.clusters)]


RANK = Question("rank", ask_rank, report_ranking, draw_ranking, title="Systems by {}")


def _average_as_wmt(scores: Scores, name: str) -> Array:
    """Average every judgement of an output, to the digits that WMT's scripts write.

    These are R's: 15 significant ones of the mean. They decide which outputs are tied.
    """
    lines = scores.lines(name)
    width = len(scores.items)
    means = np.full(len(scores.systems) * width, np.nan)
    for cell, judged in group_lines(lines.system * width + lines.item):
        mean = fsum(lines.value[judged].tolist()) / len(judged)
        means[cell] = float(f"{mean:.15g}")
    return means.reshape(-1, width)[:, scores.segments]


def _find_systems(scores: Scores, name: str, values: Array, notes: list[str]) -> Mask:
    """Find the systems that have values."""
    present: Mask = np.asarray(np.isfinite(values).any(1))
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


def _find_groups(scores: Scores) -> tuple[Codes, str]:
    """Documents where segments have them, else the segments themselves."""
    documents = [scores.items[item].document for item in scores.segments.tolist()]
    if all(documents):
        return np.unique(documents, return_inverse=True)[1], "document"
    return np.arange(len(documents)), "segment"


def _standardise_scores(scores: Scores, name: str, present: Mask) -> tuple[Array, str]:
    """Return each system's standard scores of each segment, and a note."""
    missing = np.full((int(present.sum()), len(scores.segments)), np.nan)
    if (scores.lines(name).judge < 0).any():
        why = f"– z: {name} has no judges to normalise."
        return missing, why
    try:
        normalised = normalise(scores, name, "z")
    except CorpusError as reason:
        return missing, f"– z: {reason}"
    made = normalised.scores
    z_values = orient_scores(made, made.names[0])[present]
    gone = ", ".join(normalised.left_out)
    return z_values, f"z excludes judges with a constant value: {gone}." if gone else ""


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
    scores: Scores, values: Array, macro: str, notes: list[str]
) -> tuple[Codes | None, Mask]:
    """Return what counts the same, segment by segment, and which segments are left."""
    if macro == "none":
        return None, np.ones(values.shape[1], bool)
    named = [getattr(scores.items[item], macro) for item in scores.segments.tolist()]
    judged: Mask = np.asarray(np.isfinite(values).any(0))
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
        msg = (
            f"No {macro} has scores of every system, so they cannot be weighted "
            "equally."
        )
        raise CorpusError(msg)
    judged_strata = np.unique(strata[judged])
    gone = [str(names[code]) for code in judged_strata.tolist() if code not in shared]
    if gone:
        notes.append(
            f"Excluded, because a system has no scores there: {macro} "
            f"{', '.join(gone)}."
        )
    return strata, np.isin(strata, shared)


def _orient_column(columns: dict[str, Array], by: str, notes: list[str]) -> Array:
    """Return the values that systems are put in order by, higher being better."""
    column = columns[by] if stats.RANKING_METHODS[by].higher_is_better else -columns[by]
    if not np.isfinite(column).all():
        marked = [note for note in notes if note.startswith(f"– {by}: ")]
        why = marked[0].removeprefix(f"– {by}: ") if marked else "values are missing."
        msg = f"Systems cannot be ranked by {by}: {why}"
        raise CorpusError(msg)
    return column


def _compare_rankings(
    scores: Scores,
    kept: Codes,
    order_by: Array,
    against: Sequence[str],
    notes: list[str],
) -> dict[str, stats.RankAgreement]:
    """Compare the ranking with those by other scorers' means, on the systems of both."""
    ranks = stats.mid_ranks(order_by)
    agreement = {}
    for other in against:
        means = average_systems(scores, other)[kept]
        both = np.isfinite(means)
        if both.sum() < 2:
            notes.append(f"{other} shares fewer than two systems: no comparison.")
            continue
        if not both.all():
            notes.append(f"{other} has {both.sum()} of the {len(kept)} systems.")
        theirs, ours = map(stats.mid_ranks, (means[both], -ranks[both]))
        agreement[other] = stats.compare_ranks(theirs.tolist(), ours.tolist())
    return agreement
