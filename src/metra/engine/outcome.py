"""From totals to results: scores of every group, and of all of them together."""

from collections.abc import Mapping

import pyarrow as pa

from metra.engine import exact
from metra.engine.measures import unweighed
from metra.engine.plan import Plan
from metra.engine.totals import Entry, Key, Totals, add, entries
from metra.errors import CorpusError
from metra.measure import Metric
from metra.results import GroupScores, Results, Score, SystemScores


def results_of(totals: pa.RecordBatch, plan: Plan) -> Results:
    """Give the scores of a table whose totals have been added up."""
    added: Totals = {}
    add(added, entries(totals))
    return outcome(added, plan, unweighed(plan))


def outcome(totals: Totals, plan: Plan, metrics: Mapping[str, Metric]) -> Results:
    """Do the same by measures that are at hand."""
    overall: Totals = {}
    for (_, system, spec), entry in totals.items():
        add(overall, [(((), system, spec), entry)])
    first = overall.get(((), plan.systems[0], plan.metrics[0]))
    if first is None or not first.segments:
        msg = "There are no segments to score; the table has no rows."
        raise CorpusError(msg)
    nrefs: int | str = "var" if first.lacking else len(plan.references)
    groups = None
    if plan.group_by:
        keys = sorted({key for key, _, _ in totals}, key=_order)
        groups = [
            GroupScores(
                dict(zip(plan.group_by, key, strict=True)),
                totals[key, plan.systems[0], plan.metrics[0]].segments,
                _systems(totals, key, plan, metrics, nrefs),
            )
            for key in keys
        ]
    return Results(
        _systems(overall, (), plan, metrics, nrefs),
        first.segments,
        len(plan.references),
        groups=groups,
    )


def _order(key: Key) -> tuple[tuple[bool, object], ...]:
    """By value; what has none comes last."""
    return tuple((value is None, 0 if value is None else value) for value in key)


def _systems(
    totals: Totals,
    key: Key,
    plan: Plan,
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
        for system in plan.systems
    ]


def _score(metric: Metric, entry: Entry, nrefs: int | str) -> Score:
    total = exact.joined(entry.sums)
    return Score(
        score=float(metric.aggregate(total)),
        signature=metric.signature(nrefs=nrefs),
        higher_is_better=metric.higher_is_better,
        parts=metric.parts(total),
    )
