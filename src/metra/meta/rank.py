"""The question `rank`: which systems are better, and which cannot be told apart?

Systems ranked by each measure over the documents of an evaluation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from metra.errors import CorpusError, FormatError
from metra.formats.lines import read_lines
from metra.formats.scores.panel import count_comparisons
from metra.formats.scores.record import Scores
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.meta.normalise import normalise
from metra.scoring.results import Results
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import Array, Codes, Mask, row_means
from metra.stats.defaults import SEED
from metra.stats.multiplicity import clusters_greedy, clusters_wmt
from metra.stats.ranking import (
    RankAgreement,
    are_paired,
    auto_rank,
    average_ranks,
    check_systems,
    clusters_by_range,
    compare_ranks,
    expected_wins,
    macro_means,
    mid_ranks,
    p_values,
    rank_by_average,
    rank_ranges,
)
from metra.stats.trueskill import RUNS, Skills, learn_skills

Method: TypeAlias = Literal["mean", "z", "arr", "wins", "trueskill"]
Macro: TypeAlias = Literal["none", "document", "domain"]
Rule: TypeAlias = Literal["wmt", "greedy", "range"]
Test: TypeAlias = Literal["auto", "signed-rank", "rank-sum"]


@dataclass(frozen=True)
class ScorerRanking:
    """Systems, the best first, with ranks (1 is best), clusters and p-values."""

    systems: list[str]
    ranks: list[float]
    clusters: list[int]
    ranges: list[tuple[int, int]]
    p: Array
    paired: bool


def report_ranking(
    scores: Scores,
    name: str,
    *,
    by: Method = "mean",
    rule: Rule = "wmt",
    test: Test = "auto",
    alpha: float = 0.05,
    against: Sequence[str] = (),
    auto: Sequence[str] = (),
    macro: Macro = "none",
    runs: int = RUNS,
    matches: int = 0,
    seed: int = SEED,
) -> tuple[MetaReport, ScorerRanking]:
    """Rank systems by a scorer, and hold the ranking against other scorers'.

    `macro` makes every document or domain count the same, in the mean and in the test.
    `runs`, `matches` and `seed` are TrueSkill's, which is learned only if asked for; its
    rank ranges and clusters are then those of its runs.
    """
    notes: list[str] = []
    values = _orient_scores(scores, name)
    there: Mask = np.asarray(np.isfinite(values).any(1))
    if not there.any() and np.isfinite(scores.system_scores(name)).any():
        msg = (
            f"The scores of {name} are of whole systems; ranking takes scores of segments, "
            "which say how far an order may be chance."
        )
        raise CorpusError(msg)
    gone = [s for s, kept in zip(scores.systems, there, strict=True) if not kept]
    if gone:
        notes.append(f"Without {name} and so left out: {', '.join(gone)}.")
    names = [s for s, kept in zip(scores.systems, there, strict=True) if kept]
    check_systems(len(names))
    values = values[there]
    groups, kind = _find_groups(scores)
    arr, documents = average_ranks(values, groups)
    z, why = _standardise_scores(scores, name, there)
    strata, values, means = _find_strata(scores, values, macro, notes)
    columns = {
        "mean": means,
        "z": z,
        "arr": arr,
        "wins": expected_wins(values),
    }
    notes += [why] if why else []
    if not documents:
        notes.append(f"– arr: no {kind} has scores of every system.")
    if not np.isfinite(columns["wins"]).all():
        notes.append("– wins: a system never did better or worse than another.")
    learned = None
    if by == "trueskill":
        met = count_comparisons(scores, name).of(there)
        learned = learn_skills(met, runs=runs, matches=matches, seed=seed)
        columns["trueskill"] = learned.means
    order_by = -columns[by] if by == "arr" else columns[by]
    if not np.isfinite(order_by).all():
        marked = [note for note in notes if note.startswith(f"– {by}: ")]
        why = marked[0].removeprefix(f"– {by}: ") if marked else "values are missing."
        msg = f"Systems cannot be ranked by {by}: {why}"
        raise CorpusError(msg)
    order = np.argsort(-order_by, kind="stable")
    paired = are_paired(values) if test == "auto" else test == "signed-rank"
    p = p_values(values[order], paired=paired, strata=strata)
    ranges = rank_ranges(p, alpha)
    if learned is not None:
        rule, ranges = "range", [learned.ranges[at] for at in order]
    clusters = {
        "wmt": lambda: clusters_wmt(p, alpha),
        "greedy": lambda: clusters_greedy(p, alpha),
        "range": lambda: clusters_by_range(ranges),
    }[rule]()
    ranks = mid_ranks(order_by[order]).tolist()
    found = ScorerRanking(
        [names[at] for at in order], ranks, clusters, ranges, p, paired
    )
    automatic = _rank_automatic(scores, auto, names, notes)
    tables = [
        _build_table(found, columns, order, values, name, automatic),
        *_compare_rankings(scores, names, order_by, against, notes),
    ]
    sign = scores.scorers[scores.find(name)].higher_is_better
    if not sign:
        notes.append(
            f"Lower values of {name} are better; means are shown with a minus."
        )
    tested = "Wilcoxon signed-rank" if paired else "Mann-Whitney"
    line = build_signature(
        scorer=name,
        by=by,
        macro=macro if macro != "none" else None,
        trueskill=_describe_runs(learned),
        seed=seed if learned is not None else None,
        arr=f"{documents} {kind}s" if documents else None,
        test=f"{tested}, one-sided",
        alpha=alpha,
        clusters=rule,
        auto=",".join(auto) or None,
        sys=len(names),
    )
    data = {"p": [[drop_nan(v) for v in row] for row in p.tolist()]}
    return MetaReport(tables, line, notes, data), found


def _build_table(
    found: ScorerRanking,
    columns: dict[str, Array],
    order: Codes,
    values: Array,
    name: str,
    automatic: Array | None,
) -> Table:
    rows = []
    for at, system in enumerate(found.systems):
        place = order[at]
        top, bottom = found.ranges[at]
        n = int(np.isfinite(values[place]).sum())
        figures = [
            Cell(found.ranks[at], digits=0 if found.ranks[at] % 1 == 0 else 1),
            Cell(found.clusters[at], digits=0),
            Cell(f"{top}–{bottom}"),
            *(Cell(drop_nan(columns[key][place])) for key in columns),
            Cell(n, digits=0),
        ]
        if automatic is not None:
            figures.append(Cell(drop_nan(automatic[place])))
        rows.append((system, figures))
    heads = ["rank", "cluster", "range", "mean", "z", "average rank", "wins"]
    heads += [*list(columns)[len(heads) - 3 :], "n"]
    heads += ["AutoRank"] if automatic is not None else []
    return make_table(
        "system", heads, rows, caption=f"Systems by {name}", name="ranking"
    )


def _compare_rankings(
    scores: Scores,
    names: list[str],
    order_by: Array,
    against: Sequence[str],
    notes: list[str],
) -> list[Table]:
    """Compare the ranking with those by other scorers' means, on the systems of both."""
    rows = []
    ranks = mid_ranks(order_by)
    for other in against:
        means = dict(zip(scores.systems, _score_systems(scores, other), strict=True))
        both = [at for at, s in enumerate(names) if np.isfinite(means[s])]
        if len(both) < 2:
            notes.append(f"{other} shares fewer than two systems: no comparison.")
            continue
        if len(both) < len(names):
            notes.append(f"{other} has {len(both)} of the {len(names)} systems.")
        theirs = mid_ranks([means[names[at]] for at in both])
        result = compare_ranks(theirs.tolist(), mid_ranks(-ranks[both]).tolist())
        rows.append(
            (
                other,
                [
                    Cell(result.distance, digits=1),
                    Cell(result.similarity, digits=1),
                    Cell(result.precision, digits=1),
                    Cell(result.recall, digits=1),
                ],
            )
        )
    if not rows:
        return []
    heads = ["distance", "similarity %", "precision %", "recall %"]
    title = "Other rankings held against this one"
    return [make_table("scorer", heads, rows, caption=title, name="against")]


def _rank_automatic(
    scores: Scores, auto: Sequence[str], names: list[str], notes: list[str]
) -> Array | None:
    if not auto:
        return None
    rows = []
    for other in auto:
        means = dict(zip(scores.systems, _score_systems(scores, other), strict=True))
        rows.append([means[name] for name in names])
    stack = np.array(rows)
    there: Mask = np.asarray(np.isfinite(stack).all(0))
    found = np.full(len(names), np.nan)
    if there.any():
        found[there] = auto_rank(stack[:, there])
    lacking = [name for name, kept in zip(names, there, strict=True) if not kept]
    if lacking:
        notes.append(f"– AutoRank: not all metrics have scored {', '.join(lacking)}.")
    return found


def _standardise_scores(scores: Scores, name: str, there: Mask) -> tuple[Array, str]:
    if (scores.lines(name).judge < 0).any():
        none = np.full(int(there.sum()), np.nan)
        return none, f"– z: {name} names no judges, whose scales could be evened out."
    try:
        made, reports = normalise(scores, name, "z")
    except CorpusError as reason:
        return np.full(int(there.sum()), np.nan), f"– z: {reason}"
    z = row_means(_orient_scores(made, made.names[0]))[there]
    gone = [report.judge for report in reports if report.left_out]
    return z, f"z leaves out judges of one value: {', '.join(gone)}." if gone else ""


def _find_strata(
    scores: Scores, values: Array, macro: Macro, notes: list[str]
) -> tuple[Codes | None, Array, Array]:
    """What counts the same, segment by segment, the values that are left, and means."""
    if macro == "none":
        return None, values, row_means(values)
    named = [getattr(scores.items[at], macro) for at in scores.segments.tolist()]
    if not all(named):
        msg = (
            f"{named.count('')} of {len(named)} segments name no {macro}; "
            f"--macro {macro} takes a column that says it."
        )
        raise CorpusError(msg)
    names, strata = np.unique(named, return_inverse=True)
    means, shared = macro_means(values, strata)
    if not shared:
        msg = f"No {macro} has scores of every system, so none can count the same."
        raise CorpusError(msg)
    gone = [str(name) for at, name in enumerate(names) if at not in shared]
    if gone:
        notes.append(
            f"Without scores of every system and so left out: {macro} {', '.join(gone)}."
        )
    kept = np.isin(strata, shared)
    return strata, np.where(kept, values, np.nan), means


def _describe_runs(learned: Skills | None) -> str | None:
    return f"{learned.runs} runs of {learned.matches} matches" if learned else None


def _find_groups(scores: Scores) -> tuple[Codes, str]:
    """Documents where segments have them, else the segments themselves."""
    items = [scores.items[at] for at in scores.segments.tolist()]
    documents = [item.document for item in items]
    if all(documents):
        _, codes = np.unique(documents, return_inverse=True)
        return codes, "document"
    return np.arange(len(items)), "segment"


def _score_systems(scores: Scores, name: str) -> Array:
    scorer = scores.scorers[scores.find(name)]
    sign = 1.0 if scorer.higher_is_better else -1.0
    given = scores.system_scores(name) * sign
    return np.where(np.isfinite(given), given, row_means(_orient_scores(scores, name)))


def _orient_scores(scores: Scores, name: str) -> Array:
    scorer = scores.scorers[scores.find(name)]
    return scores.matrix(name) * (1.0 if scorer.higher_is_better else -1.0)


@dataclass(frozen=True, slots=True)
class MetricRanking:
    """One measure's ranking, the best system first."""

    spec: str
    signature: str
    systems: Sequence[str]
    averages: Sequence[float]
    ranks: Sequence[float]
    agreement: RankAgreement | None


def rank_by_documents(
    results: Results, expected: Mapping[str, float] | None = None
) -> list[MetricRanking]:
    """Rank the systems by the average of their ranks on every document.

    The results must hold document scores. `expected` gives each system's rank by people,
    or by whatever the rankings are to be held against.
    """
    names = [entry.name for entry in results.systems]
    if expected is not None:
        _check_names(names, expected)
    found = []
    for spec in results.specs:
        scores = [entry.scores[spec] for entry in results.systems]
        tables = [score.documents for score in scores]
        if any(table is None for table in tables):
            msg = "Systems are ranked on every document, but no document scores are known."
            raise CorpusError(msg)
        columns = [list(table.values()) for table in tables if table is not None]
        ranking = rank_by_average(
            np.transpose(columns), higher_is_better=scores[0].higher_is_better
        )
        order = sorted(range(len(names)), key=lambda at: ranking.averages[at])
        found.append(
            MetricRanking(
                spec,
                scores[0].signature,
                [names[at] for at in order],
                [float(ranking.averages[at]) for at in order],
                [float(ranking.ranks[at]) for at in order],
                None
                if expected is None
                else compare_ranks(
                    ranking.ranks.tolist(), [expected[name] for name in names]
                ),
            )
        )
    return found


def read_ranks(path: str) -> dict[str, float]:
    """Read a ranking: a system and its rank on each line, with a tab between them."""
    ranks: dict[str, float] = {}
    for line_number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        name, _, rank = line.partition("\t")
        try:
            ranks[name] = float(rank)
        except ValueError:
            msg = (
                f"{path}, line {line_number}: {line!r}; expected a system's name, a tab and "
                "its rank, where 1 is the best."
            )
            raise FormatError(msg) from None
    return ranks


def _check_names(names: Sequence[str], expected: Mapping[str, float]) -> None:
    without = [name for name in names if name not in expected]
    if without:
        msg = (
            f"The expected ranking has no rank for {', '.join(without)}; it ranks "
            f"{', '.join(expected)}."
        )
        raise CorpusError(msg)
