"""Scores of single segments as further columns of the table."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from metra.engine.columns import batches_of, chunk_of, pieces
from metra.engine.measures import measures, unweighed
from metra.engine.plan import Plan
from metra.engine.tally import Totals, add, count, statistics
from metra.engine.totals import groups_of
from metra.measure import Array, Metric


def score_rows(
    batch: pa.RecordBatch, plan: Plan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Give the batch with a column of scores for each system and measure behind its own.

    A function of the batch alone, for any engine to call. The columns are those of
    `scores_schema`; a score is null where there was nothing to score.
    """
    return counted_and_scored(batch, plan, measures(plan, weights))[1]


def scores_schema(plan: Plan, schema: pa.Schema) -> pa.Schema:
    """Give the table's columns with those for the scores behind them."""
    for name in _names(plan):
        schema = schema.append(pa.field(name, pa.float64()))
    return schema


def signatures(plan: Plan) -> dict[str, str]:
    """Say of each column of scores what they were computed by."""
    found = {}
    for spec, metric in unweighed(plan).items():
        single = metric.for_segments or metric
        for system in plan.systems:
            found[plan.score_column(system, spec)] = single.signature()
    return found


def counted_and_scored(
    batch: pa.RecordBatch, plan: Plan, metrics: Mapping[str, Metric]
) -> tuple[Totals, pa.RecordBatch]:
    """Give a batch's totals, and the batch with its scores, from one counting."""
    totals: Totals = {}
    columns: dict[str, list[Array]] = {name: [] for name in _names(plan)}
    for piece in pieces(batch):
        chunk = chunk_of(piece, plan)
        rows = statistics(batches_of(chunk), metrics)
        add(totals, count(chunk, rows, groups_of(piece, plan)))
        for (system, spec), found in rows.items():
            single = metrics[spec].for_segments or metrics[spec]
            columns[plan.score_column(system, spec)].append(single.aggregate(found))
    arrays = [_column(np.concatenate([*parts, []])) for parts in columns.values()]
    scores = pa.record_batch(
        [*batch.columns, *arrays], schema=scores_schema(plan, batch.schema)
    )
    return totals, scores


def _column(scores: Array) -> pa.Array:
    """Scores as Arrow keeps them, NaN as null; `pa.array` would load pandas."""
    there = np.packbits(~np.isnan(scores), bitorder="little")
    buffers = [pa.py_buffer(there), pa.py_buffer(np.ascontiguousarray(scores))]
    return pa.Array.from_buffers(pa.float64(), len(scores), buffers)


def _names(plan: Plan) -> list[str]:
    return [
        plan.score_column(system, spec)
        for system in plan.systems
        for spec in plan.metrics
    ]
