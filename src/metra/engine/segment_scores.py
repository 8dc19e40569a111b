"""Scores of single segments as further columns of the table."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from metra.engine.columns import batches_of, chunk_of, pieces
from metra.engine.measures import measures
from metra.engine.plan import Plan
from metra.measure import Array, Metric


def score_rows(
    batch: pa.RecordBatch, plan: Plan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Give the batch with a column of scores for each system and measure behind its own.

    A function of the batch alone, for any engine to call. The columns are those of
    `scores_schema`; a score is null where there was nothing to score.
    """
    return scored(batch, plan, measures(plan, weights))


def scores_schema(plan: Plan, schema: pa.Schema) -> pa.Schema:
    """Give the table's columns with those for the scores behind them."""
    for name in _names(plan):
        schema = schema.append(pa.field(name, pa.float64()))
    return schema


def scored(
    batch: pa.RecordBatch, plan: Plan, metrics: Mapping[str, Metric]
) -> pa.RecordBatch:
    """Do the same by measures that are at hand."""
    columns: dict[str, list[Array]] = {name: [] for name in _names(plan)}
    for piece in pieces(batch):
        for system, texts in batches_of(chunk_of(piece, plan)):
            for spec, metric in metrics.items():
                single = metric.for_segments or metric
                name = plan.score_column(system, spec)
                columns[name].append(single.aggregate(metric.rows(texts)))
    arrays = [
        pa.array(np.concatenate([*parts, []]), pa.float64(), from_pandas=True)
        for parts in columns.values()
    ]
    return pa.record_batch(
        [*batch.columns, *arrays], schema=scores_schema(plan, batch.schema)
    )


def _names(plan: Plan) -> list[str]:
    return [
        plan.score_column(system, spec)
        for system in plan.systems
        for spec in plan.metrics
    ]
