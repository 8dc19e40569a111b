"""Systems ranked by all metrics together, and rankings compared with others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError, format_count
from metra.meta import findings
from metra.meta.options import RankOptions
from metra.meta.question import Evidence
from metra.scores import views
from metra.scores.long_table import read_ranks
from metra.scores.table import Scores
from metra.scoring.table import Cell, Table
from metra.stats import arrays
from metra.stats import ranking as stats


@dataclass(frozen=True)
class CombinedRanking:
    """Systems by all metrics together, the best first: AutoRank of WMT 2025."""

    systems: list[str]
    ranks: list[float]
    #: From 1, the best, to the number of systems.
    values: list[float]
    metrics: dict[str, list[float]]
    expected: dict[str, stats.RankAgreement]
    notes: tuple[str, ...]
    #: None are tested.
    clusters: tuple[int, ...] = ()


def rank_by_autorank(evidence: Evidence, options: RankOptions) -> CombinedRanking:
    """Rank the systems by the scores of all metrics together."""
    rows = evidence.rows
    names = views.list_metrics(rows, "")
    scores = {
        name: np.where(np.isfinite(given), given, arrays.row_means(rows.matrix(name)))
        for name in names
        for given in [rows.system_scores(name)]
    }
    for name, values in scores.items():
        if not np.isfinite(values).all():
            lacking = rows.systems[int(np.isnan(values).argmax())]
            problem = f"{name} has no score of {lacking!r}"
            msg = f"{problem}; AutoRank needs a score of every system."
            raise CorpusError(msg)
    if not scores:
        msg = "AutoRank needs scores of metrics; the files contain none."
        raise CorpusError(msg)
    directions = {scorer.name: scorer.direction for scorer in rows.scorers}
    oriented = [directions[name].orient(values) for name, values in scores.items()]
    averages = stats.auto_rank(np.array(oriented))
    order = np.argsort(averages, kind="stable")
    # What only rounding tells apart is a tie.
    ranks = stats.mid_ranks(averages.round(9), higher_is_better=False)
    notes: list[str] = []
    return CombinedRanking(
        [rows.systems[at] for at in order],
        ranks[order].tolist(),
        averages[order].tolist(),
        {name: values[order].tolist() for name, values in scores.items()},
        compare_expected(rows.systems, -averages.round(9), options.expected, notes),
        tuple(notes),
    )


def report_autorank(
    ranking: CombinedRanking, options: RankOptions
) -> findings.MetaReport:
    """Lay out the ranking with the scores of each metric."""
    columns = [
        [*map(build_rank, ranking.ranks)],
        [Cell(value, digits=1) for value in ranking.values],
        *ranking.metrics.values(),
    ]
    rows = zip(ranking.systems, zip(*columns, strict=True), strict=True)
    heads = ["rank", "AutoRank", *ranking.metrics]
    caption = f"AutoRank of {format_count(len(ranking.metrics), 'metric')}"
    tables = [findings.build_table("system", heads, rows, caption, "ranking")]
    if ranking.expected:
        caption = "Comparison with the expected ranking"
        tables.append(build_agreement_table(ranking.expected, caption, "expected"))
    return findings.build_report(
        tables,
        options,
        ranking.notes,
        alpha=None,
        metrics=",".join(ranking.metrics),
        sys=len(ranking.systems),
    )


def compare_rankings(
    scores: Scores,
    kept: arrays.Codes,
    order_by: arrays.Array,
    against: Sequence[str],
    notes: list[str],
) -> dict[str, stats.RankAgreement]:
    """Compare the ranking with those by other scorers' means, on the systems of both."""
    ranks = stats.mid_ranks(order_by)
    agreement = {}
    for other in against:
        means = views.average_systems(scores, other)[kept]
        both = np.isfinite(means)
        if both.sum() < 2:
            notes.append(f"{other} shares fewer than two systems: no comparison.")
            continue
        if not both.all():
            notes.append(f"{other} has {both.sum()} of the {len(kept)} systems.")
        theirs, ours = map(stats.mid_ranks, (means[both], -ranks[both]))
        agreement[other] = stats.compare_ranks(theirs.tolist(), ours.tolist())
    return agreement


def compare_expected(
    systems: Sequence[str], order_by: arrays.Array, path: str | None, notes: list[str]
) -> dict[str, stats.RankAgreement]:
    """Compare a ranking with that of a file, as it is and without the pairs it has wrong."""
    if path is None:
        return {}
    expected = read_ranks(path)
    shared = [at for at, system in enumerate(systems) if system in expected]
    if len(shared) < 2:
        msg = (
            f"The expected ranking ranks {', '.join(expected) or 'no system'}; of "
            f"{', '.join(systems)} it must rank two or more."
        )
        raise CorpusError(msg)
    unranked = [system for system in systems if system not in expected]
    if unranked:
        listed = ", ".join(unranked)
        notes.append(f"Not compared, because not in the expected ranking: {listed}.")
    theirs = [expected[systems[at]] for at in shared]
    ours = stats.mid_ranks(order_by)[shared].tolist()
    partial = stats.find_partial_ranking(ours, theirs).tolist()
    return {
        "this ranking": stats.compare_ranks(ours, theirs),
        "most complete partial ranking": stats.compare_ranks(partial, theirs),
    }


def build_rank(rank: float) -> Cell:
    """Build the cell of a rank, which is half a number if systems are tied."""
    return Cell(rank, digits=0 if rank % 1 == 0 else 1)


def build_agreement_table(
    agreement: Mapping[str, stats.RankAgreement], caption: str, name: str
) -> Table:
    """Build a row for each two rankings that were compared."""
    rows = [
        (label, [Cell(figure, digits=1) for figure in figures])
        for label, figures in agreement.items()
    ]
    heads = ["distance", "similarity %", "precision %", "recall %"]
    return findings.build_table("ranking", heads, rows, caption, name)
