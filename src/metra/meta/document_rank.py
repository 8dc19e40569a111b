"""Systems ranked by each metric over the documents of an evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError
from metra.scoring.results import Results
from metra.stats.ranking import (
    RankAgreement,
    compare_ranks,
    find_partial_ranking,
    rank_by_average,
)


@dataclass(frozen=True, slots=True)
class MetricRanking:
    """One metric's ranking, the best system first."""

    spec: str
    signature: str
    systems: Sequence[str]
    averages: Sequence[float]
    ranks: Sequence[float]
    agreement: RankAgreement | None
    #: The same of the most complete partial ranking with no pair in the opposite order.
    partial: RankAgreement | None = None
    #: The systems that the expected ranking does not rank.
    unranked: Sequence[str] = ()


def rank_by_documents(
    results: Results, expected: Mapping[str, float] | None = None
) -> list[MetricRanking]:
    """Rank the systems by the average of their ranks on every document.

    The results must hold document scores. `expected` gives each system's rank by people,
    or by whatever the rankings are to be held against; systems that it leaves out are not
    compared.
    """
    names = [entry.name for entry in results.systems]
    shared = [at for at, name in enumerate(names) if name in (expected or ())]
    if expected is not None and len(shared) < 2:
        msg = (
            f"The expected ranking ranks {', '.join(expected) or 'no system'}; of "
            f"{', '.join(names)} it must rank two or more."
        )
        raise CorpusError(msg)
    unranked = [name for name in names if expected is not None and name not in expected]
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
        agreement = partial = None
        if expected is not None:
            theirs = [expected[names[place]] for place in shared]
            ours = ranking.ranks[shared].tolist()
            agreement = compare_ranks(ours, theirs)
            partial = compare_ranks(find_partial_ranking(ours, theirs).tolist(), theirs)
        rankings.append(
            MetricRanking(
                spec,
                scores[0].signature,
                [names[place] for place in order],
                ranking.averages[order].tolist(),
                ranking.ranks[order].tolist(),
                agreement,
                partial,
                unranked,
            )
        )
    return rankings
