"""Every score of every answer, read out once for all questions that are asked of them."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from metra.human.judgement import Judgement
from metra.human.protocols import protocol
from metra.human.protocols.scored import Scored


class Figure(NamedTuple):
    """One score of one output by one judge."""

    judge: str
    system: str
    document: str
    segment: int
    native: float
    hundred: float
    #: What systems are ranked by: higher is better.
    worth: float
    #: Whether it enters the means of systems.
    counts: bool = True
    submitted_at: float | None = None


#: Scores by scorer and its direction.
Figures: TypeAlias = dict[tuple[str, bool], list[Figure]]


def figures_by_scorer(judgements: Iterable[Judgement]) -> Figures:
    """All scores, by scorer and its direction; what has no score is not there."""
    found: Figures = {}
    for one in judgements:
        compared = protocol(one.protocol).contrastive
        counts = one.counts
        for system, scores in zip(one.systems, one.scores(), strict=True):
            for scored in scores:
                if not scored.defined:
                    continue
                figure = Figure(
                    one.judge,
                    system,
                    one.document,
                    one.segment,
                    scored.native,
                    scored.hundred,
                    _worth(scored, compared),
                    counts,
                    one.submitted_at,
                )
                key = scored.scorer, scored.higher_is_better
                found.setdefault(key, []).append(figure)
    return found


def that_count(figures: Figures) -> Figures:
    """Keep the scores that enter the means of systems."""
    kept = {
        key: [figure for figure in mine if figure.counts]
        for key, mine in figures.items()
    }
    return {key: mine for key, mine in kept.items() if mine}


def by_system(figures: Iterable[Figure]) -> dict[str, list[Figure]]:
    """Part scores by the systems that they are of."""
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        found.setdefault(figure.system, []).append(figure)
    return found


def _worth(scored: Scored, compared: bool) -> float:
    """The native score, upwards; of an order, the share of outputs that were beaten.

    A penalty is not cut off at 0 of 100 here, and ranks among two and among ten differ.
    """
    if compared:
        return scored.hundred
    return scored.native if scored.higher_is_better else -scored.native
