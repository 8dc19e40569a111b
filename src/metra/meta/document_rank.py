"""Systems ranked over documents by each metric, or by all metrics together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metra.errors import CorpusError
from metra.scoring.results import Results, Score
from metra.stats.arrays import Array
from metra.stats.ranking import (
    RankAgreement,
    auto_rank,
    compare_ranks,
    find_partial_ranking,
    mid_ranks,
    rank_by_average,
)


@dataclass(frozen=True, slots=True)
class MetricRanking:
    """A ranking by one metric, or by several together, the best system first."""

    spec: str
    signature: str
    systems: Sequence[str]
    #: The average rank over documents, or the AutoRank.
    averages: Sequence[float]
    ranks: Sequence[float]
    agreement: RankAgreement | None = None
    #: The same of the most complete partial ranking with no pair in the opposite order.
    partial: RankAgreement | None = None
    #: The systems that the expected ranking does not rank.
    unranked: Sequence[str] = ()
    #: By metric that is combined, its scores of the systems.
    combined: Mapping[str, Sequence[Score]] = field(default_factory=dict)


def rank_by_documents(
    results: Results, expected: Mapping[str, float] | None = None
) -> list[MetricRanking]:
    """Rank the systems by the average of their ranks on every document.

    The results must hold document scores. `expected` gives each system's rank by people,
    or by whatever the rankings are to be held against; systems that it leaves out are not
    compared.
    """
    rankings = []
    for spec in results.specs:
        scores = [entry.scores[spec] for entry in results.systems]
        tables = [score.documents for score in scores if score.documents is not None]
        if len(tables) < len(scores):
            msg = "Ranking by document needs document scores; give documents."
            raise CorpusError(msg)
        columns = np.transpose([list(table.values()) for table in tables])
        averages, ranks = rank_by_average(scores[0].direction.orient(columns))
        title = spec, scores[0].signature
        rankings.append(_build_ranking(title, results, averages, ranks, expected))
    return rankings


def rank_by_autorank(
    results: Results, expected: Mapping[str, float] | None = None
) -> MetricRanking:
    """Rank the systems by all metrics together, as WMT 2025's AutoRank does."""
    rows = []
    for spec in results.specs:
        scores = [entry.scores[spec] for entry in results.systems]
        values = np.array([score.score for score in scores])
        if not np.isfinite(values).all():
            lacking = results.systems[int(np.isnan(values).argmax())].name
            problem = f"{spec} has no score of {lacking!r}"
            msg = f"{problem}; AutoRank needs a score of every system."
            raise CorpusError(msg)
        rows.append(scores[0].direction.orient(values))
    averages = auto_rank(np.array(rows))
    first = results.systems[0].scores
    signature = "autorank|metrics:" + "+".join(
        f"[{score.signature.replace('|', ';')}]" for score in first.values()
    )
    # What only rounding tells apart is a tie.
    ranks = mid_ranks(averages.round(9), higher_is_better=False)
    title = "AutoRank", signature
    ranking = _build_ranking(title, results, averages, ranks, expected)
    combined = {
        spec: [results[name][spec] for name in ranking.systems]
        for spec in results.specs
    }
    return replace(ranking, combined=combined)


def _build_ranking(
    title: tuple[str, str],
    results: Results,
    averages: Array,
    ranks: Array,
    expected: Mapping[str, float] | None,
) -> MetricRanking:
    """Put systems in order, and hold the ranking against the expected one."""
    names = [entry.name for entry in results.systems]
    if expected is not None and len(expected.keys() & names) < 2:
        msg = (
            f"The expected ranking ranks {', '.join(expected) or 'no system'}; of "
            f"{', '.join(names)} it must rank two or more."
        )
        raise CorpusError(msg)
    order = sorted(range(len(names)), key=averages.__getitem__)
    systems = [names[place] for place in order]
    figures = averages[order].tolist(), ranks[order].tolist()
    ranking = MetricRanking(*title, systems, *figures)
    if expected is None:
        return ranking
    shared = [at for at, name in enumerate(names) if name in expected]
    theirs = [expected[names[place]] for place in shared]
    ours = ranks[shared].tolist()
    return replace(
        ranking,
        agreement=compare_ranks(ours, theirs),
        partial=compare_ranks(find_partial_ranking(ours, theirs).tolist(), theirs),
        unranked=[name for name in names if name not in expected],
    )
