"""The question `rank`: which systems are better, and which cannot be told apart?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import fsum

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import (
    MetaReport,
    build_count,
    build_figure,
    build_signature,
    describe_differences,
    export_tests,
)
from metra.meta.judge_options import RankOptions
from metra.meta.normalise import normalise, standardise_workers
from metra.scores.table import Scores
from metra.scores.views import (
    average_systems,
    collect_rankings,
    count_comparisons,
    orient_scores,
)
from metra.scoring.table import Cell, Table, make_table
from metra.stats import ranking as stats
from metra.stats.arrays import Array, Codes, Mask, group_lines, row_means
from metra.stats.direction import LOWER
from metra.stats.exact_tests import rank_test_p_values, sign_test_p_values
from metra.stats.multiplicity import clusters_by_range
from metra.stats.significance import PairTests, Unit, standardise_gaps
from metra.stats.trueskill import Skills, learn_skills


@dataclass(frozen=True)
class ScorerRanking:
    """Systems, the best first, with ranks (1 is best), clusters and p-values."""

    scorer: str
    systems: list[str]
    ranks: list[float]
    clusters: list[int]
    ranges: list[tuple[int, int]]
    #: One-sided tests; the name is a key of `_TEST_TITLES`.
    tests: PairTests
    #: Differences in standard deviations of segments: systems × systems.
    effects: Array
    #: The values of each method in `RANKING_METHODS`, in the order of the systems.
    columns: dict[str, Array]
    #: How many segments each system has.
    sizes: list[int]
    #: What average ranks are over, and how many of these have every system.
    unit: str
    units: int
    skills: Skills | None
    #: Ranks by several metrics together, where asked for.
    automatic: Array | None
    #: How other scorers' rankings agree with this one.
    against: dict[str, stats.RankAgreement]
    notes: tuple[str, ...]

    @property
    def p(self) -> Array:
        """p-values that the row's system is no better than the column's."""
        return self.tests.p


def rank_by_scorer(scores: Scores, name: str, options: RankOptions) -> ScorerRanking:
    """Rank systems by a scorer, and hold the ranking against other scorers'.

    `macro` makes every document or domain count the same, in the mean and in the test.
    With `ranks`, the values are judges' ranks, of all systems of a segment or of some.
    With `wmt`, each judgement of a segment counts the same; else each judge does.
    `runs`, `matches` and `seed` are TrueSkill's, which is learned only if asked for; its
    rank ranges and clusters are then those of its runs.
    """
    notes: list[str] = []
    rankings = None
    if options.like:
        options = replace(options, wmt=True)
        scores, note = standardise_workers(scores, name)
        notes.append(note)
    if options.ranks:
        scores, rankings = collect_rankings(scores, name)
    values = (_average_as_wmt if options.wmt else orient_scores)(scores, name)
    values, there = _select_systems(scores, name, values, notes)
    names = [s for s, kept in zip(scores.systems, there, strict=True) if kept]
    stats.check_systems(len(names))
    if rankings is None:
        groups, unit_of_ranks = _find_groups(scores)
        ranks = stats.rank_groups(values, groups)
    else:
        ranks, unit_of_ranks = stats.scale_rankings(rankings[:, there]), "ranking"
    units = ranks.shape[1]
    z_values, z_note = _standardise_scores(scores, name, there)
    strata, counted = _find_strata(scores, values, options.macro, notes)
    values, z_values = (np.where(counted, each, np.nan) for each in (values, z_values))
    counts = stats.count_wins(values)
    if rankings is not None:
        counts = count_comparisons(scores, name).of(there).wins
    wins = stats.average_wins(counts)
    columns = {
        "mean": stats.average_strata(values, strata),
        "z": stats.average_strata(z_values, strata),
        "arr": row_means(ranks),
        "wins": wins,
    }
    notes += [z_note] if z_note else []
    if not units:
        notes.append(f"– arr: no {unit_of_ranks} has scores of every system.")
    if not np.isfinite(wins).all():
        notes.append("– wins: a system is never better or worse than another.")
    skills = None
    if options.by == "trueskill":
        skills = learn_skills(
            count_comparisons(scores, name).of(there),
            runs=options.runs,
            matches=options.matches or 0,
            seed=options.seed,
        )
        columns["trueskill"] = skills.means
    order_by = _orient_column(columns, options.by, notes)
    order = np.argsort(-order_by, kind="stable")
    # What is ranked is what is tested.
    tested = {"z": z_values, "arr": -ranks}.get(options.by, values)
    test = _choose_test(tested, options)
    won = counts if options.by == "wins" else stats.count_wins(tested)
    p = _test_systems(
        test,
        tested[order],
        won[np.ix_(order, order)],
        None if options.by == "arr" else strata,
    )
    unit: Unit = "segment"
    if options.by == "arr" and unit_of_ranks == "document":
        unit = "document"
    tests = PairTests(p, test, (unit,), "one-sided")
    counting = tests.correct(options.correction)
    parted = stats.find_clusters(counting, options.rule, options.alpha)
    if skills is not None:
        ranges = [skills.ranges[place] for place in order]
        parted = parted._replace(ranges=ranges, clusters=clusters_by_range(ranges))
    kept = np.flatnonzero(there)
    automatic = _rank_automatic(scores, kept, options.auto, notes)
    against = _compare_rankings(scores, kept, order_by, options.against, notes)
    if scores.scorers[scores.find(name)].direction == LOWER:
        notes.append(
            f"Lower values of {name} are better; means are shown with a minus."
        )
    return ScorerRanking(
        name,
        [names[place] for place in order],
        stats.mid_ranks(order_by[order]).tolist(),
        parted.clusters,
        parted.ranges,
        tests,
        standardise_gaps(tested[order], paired=test != "rank-sum"),
        {key: column[order] for key, column in columns.items()},
        np.isfinite(values[order]).sum(1).tolist(),
        unit_of_ranks,
        units,
        skills,
        None if automatic is None else automatic[order],
        against,
        tuple(notes),
    )


def report_ranking(ranking: ScorerRanking, options: RankOptions) -> MetaReport:
    """Lay out the ranking, and what it is held against."""
    tables = [build_ranking_table(ranking)]
    if ranking.against:
        held = [
            (other, [Cell(figure, digits=1) for figure in agreement])
            for other, agreement in ranking.against.items()
        ]
        heads = ["distance", "similarity %", "precision %", "recall %"]
        caption = "Comparison with other rankings"
        tables.append(
            make_table("scorer", heads, held, caption=caption, name="against")
        )
    skills = ranking.skills
    signature = build_signature(
        scorer=ranking.scorer,
        by=options.by,
        values="ranks" if options.ranks else None,
        macro=options.macro if options.macro != "none" else None,
        judgements="each, 15 digits" if options.wmt or options.like else None,
        like=options.like,
        trueskill=f"{skills.runs} runs of {skills.matches} matches" if skills else None,
        seed=options.seed if skills else None,
        arr=f"{ranking.units} {ranking.unit}s" if ranking.units else None,
        test=f"{_TEST_TITLES[ranking.tests.test]}, one-sided",
        correction=options.correction if options.correction != "none" else None,
        alpha=options.alpha,
        clusters="range" if skills else options.rule,
        auto=",".join(options.auto) or None,
        sys=len(ranking.systems),
    )
    data = export_tests(ranking.tests, effect=ranking.effects)
    notes = [*ranking.notes, describe_differences(ranking.tests, options.alpha)]
    return MetaReport(tables, signature, notes, data)


def build_ranking_table(ranking: ScorerRanking) -> Table:
    """Build the table of the systems, with every method's values."""
    rows = []
    for place, system in enumerate(ranking.systems):
        top, bottom = ranking.ranges[place]
        rank = ranking.ranks[place]
        cells = [
            Cell(rank, digits=0 if rank % 1 == 0 else 1),
            build_count(ranking.clusters[place]),
            Cell(f"{top}–{bottom}"),
            *(build_figure(column[place]) for column in ranking.columns.values()),
            build_count(ranking.sizes[place]),
        ]
        if ranking.automatic is not None:
            cells.append(build_figure(ranking.automatic[place]))
        rows.append((system, cells))
    methods = [stats.RANKING_METHODS[name].heading for name in ranking.columns]
    heads = ["rank", "cluster", "range", *methods, "n"]
    heads += ["AutoRank"] if ranking.automatic is not None else []
    caption = f"Systems by {ranking.scorer}"
    return make_table("system", heads, rows, caption=caption, name="ranking")


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
    means = means.reshape(-1, width)[:, scores.segments]
    return scores.scorers[scores.find(name)].direction.orient(means)


def _select_systems(
    scores: Scores, name: str, values: Array, notes: list[str]
) -> tuple[Array, Mask]:
    """Return the values of the systems that have any, and which systems these are."""
    there: Mask = np.asarray(np.isfinite(values).any(1))
    if not there.any() and np.isfinite(scores.system_scores(name)).any():
        msg = (
            f"{name} has system scores only; ranking needs segment scores to test "
            "differences."
        )
        raise CorpusError(msg)
    gone = [s for s, kept in zip(scores.systems, there, strict=True) if not kept]
    if gone:
        notes.append(f"Excluded, because {name} is missing: {', '.join(gone)}.")
    return values[there], there


def _find_groups(scores: Scores) -> tuple[Codes, str]:
    """Documents where segments have them, else the segments themselves."""
    documents = [scores.items[item].document for item in scores.segments.tolist()]
    if all(documents):
        return np.unique(documents, return_inverse=True)[1], "document"
    return np.arange(len(documents)), "segment"


def _standardise_scores(scores: Scores, name: str, there: Mask) -> tuple[Array, str]:
    """Return each system's standard scores of each segment, and a note."""
    missing = np.full((int(there.sum()), len(scores.segments)), np.nan)
    if (scores.lines(name).judge < 0).any():
        why = f"– z: {name} has no judges to normalise."
        return missing, why
    try:
        normalised = normalise(scores, name, "z")
    except CorpusError as reason:
        return missing, f"– z: {reason}"
    made = normalised.scores
    z_values = orient_scores(made, made.names[0])[there]
    gone = ", ".join(normalised.left_out)
    return z_values, f"z excludes judges with a constant value: {gone}." if gone else ""


_TEST_TITLES = {
    "signed-rank": "Wilcoxon signed-rank",
    "rank-sum": "Mann-Whitney",
    "sign": "sign test of decided comparisons",
}


def _choose_test(tested: Array, options: RankOptions) -> str:
    """Choose the test of what systems are ranked by."""
    if options.test != "auto":
        return options.test
    if options.wmt:
        return "rank-sum"
    if options.by == "wins":
        return "sign"
    return "signed-rank" if stats.are_paired(tested) else "rank-sum"


def _test_systems(test: str, tested: Array, won: Codes, strata: Codes | None) -> Array:
    """Return p-values that the row's system is no better than the column's."""
    if test == "sign":
        return sign_test_p_values(won)
    return rank_test_p_values(tested, paired=test == "signed-rank", strata=strata)


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
    known = np.unique(strata[judged])
    gone = [str(names[code]) for code in known.tolist() if code not in shared]
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


def _rank_automatic(
    scores: Scores, kept: Codes, metrics: Sequence[str], notes: list[str]
) -> Array | None:
    if not metrics:
        return None
    stack = np.stack([average_systems(scores, metric)[kept] for metric in metrics])
    there: Mask = np.asarray(np.isfinite(stack).all(0))
    ranks = np.full(len(kept), np.nan)
    if there.any():
        ranks[there] = stats.auto_rank(stack[:, there])
    lacking = [scores.systems[place] for place in kept[~there]]
    if lacking:
        notes.append(f"– AutoRank: not all metrics have scored {', '.join(lacking)}.")
    return ranks


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
