"""Systems ranked by each metric over the documents of an evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError
from metra.scoring.results import Results
from metra.stats.ranking import RankAgreement, compare_ranks, rank_by_average


@dataclass(frozen=True, slots=True)
class MetricRanking:
    """One metric's ranking, the best system first."""

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
    without = [name for name in names if expected is not None and name not in expected]
    if without:
        msg = (
            f"The expected ranking has no rank for {', '.join(without)}; it ranks "
            f"{', '.join(expected or ())}."
        )
        raise CorpusError(msg)
    rankings = []
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
        order = sorted(range(len(names)), key=ranking.averages.__getitem__)
        agreement = None
        if expected is not None:
            theirs = [expected[name] for name in names]
            agreement = compare_ranks(ranking.ranks.tolist(), theirs)
        rankings.append(
            MetricRanking(
                spec,
                scores[0].signature,
                [names[place] for place in order],
                ranking.averages[order].tolist(),
                ranking.ranks[order].tolist(),
                agreement,
            )
        )
    return rankings
