"""From totals to results: scores of every group, and of all of them together."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from metra.engine import exact
from metra.engine.tally import Entry, Key, Totals, add
from metra.errors import CorpusError
from metra.measure import Metric
from metra.results import GroupScores, Results, Score, SystemScores


class Shape(NamedTuple):
    """What was counted: the systems, the number of references, the columns of groups."""

    systems: Sequence[str]
    references: int
    group_by: Sequence[str] = ()


def outcome(totals: Totals, shape: Shape, metrics: Mapping[str, Metric]) -> Results:
    """Give the scores of everything that was counted; the measures need no weights."""
    overall: Totals = {}
    for (_, system, spec), entry in totals.items():
        add(overall, [(((), system, spec), entry)])
    anyone = shape.systems[0], next(iter(metrics))
    first = overall.get(((), *anyone))
    if first is None or not first.segments:
        msg = "There are no segments to score; the table has no rows."
        raise CorpusError(msg)
    nrefs: int | str = "var" if first.lacking else shape.references
    groups = None
    if shape.group_by:
        keys = sorted({key for key, _, _ in totals}, key=_order)
        groups = [
            GroupScores(
                dict(zip(shape.group_by, key, strict=True)),
                totals[key, *anyone].segments,
                _systems(totals, key, shape, metrics, nrefs),
            )
            for key in keys
        ]
    return Results(
        _systems(overall, (), shape, metrics, nrefs),
        first.segments,
        shape.references,
        groups=groups,
    )


def _order(key: Key) -> tuple[tuple[bool, object], ...]:
    """By value; what has none comes last."""
    return tuple((value is None, 0 if value is None else value) for value in key)


def _systems(
    totals: Totals,
    key: Key,
    shape: Shape,
    metrics: Mapping[str, Metric],
    nrefs: int | str,
) -> list[SystemScores]:
    return [
        SystemScores(
            system,
            {
                spec: _score(metric, totals[key, system, spec], nrefs)
                for spec, metric in metrics.items()
            },
        )
        for system in shape.systems
    ]


def _score(metric: Metric, entry: Entry, nrefs: int | str) -> Score:
    total = exact.joined(entry.sums)
    return Score(
        score=float(metric.aggregate(total)),
        signature=metric.signature(nrefs=nrefs),
        higher_is_better=metric.higher_is_better,
        parts=metric.parts(total),
    )
