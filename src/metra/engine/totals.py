"""Totals of a table's rows by group, system and measure: a table that adds up.

Whoever adds totals may do so in any order, with any tool: `segments`, `lacking` and each
number of `sums` are simply summed, and the digits come out the same (see `exact`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from metra.engine.columns import batches_of, chunk_of, pieces
from metra.engine.measures import measures, unweighed
from metra.engine.outcome import Shape, outcome
from metra.engine.plan import Plan
from metra.engine.tally import (
    ONE_GROUP,
    Entry,
    Grouping,
    Key,
    Totals,
    add,
    count,
    statistics,
)
from metra.errors import CorpusError
from metra.io.arrow_rows import plain
from metra.measure import Metric
from metra.results import Results

if TYPE_CHECKING:
    from numpy.typing import NDArray

SYSTEM, METRIC, SEGMENTS, LACKING, SUMS = (
    "_system",
    "_metric",
    "_segments",
    "_lacking",
    "_sums",
)
OWN_COLUMNS = (SYSTEM, METRIC, SEGMENTS, LACKING, SUMS)


def total_rows(
    batch: pa.RecordBatch, plan: Plan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Count a batch: a row for each group in it, system and measure.

    A function of the batch alone, for any engine to call; `weights` are for measures of two
    passes. The columns are those of `totals_schema`.
    """
    counted = count_rows(batch, plan, measures(plan, weights))
    return as_batch(counted, totals_schema(plan, batch.schema))


def add_totals(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Add up totals, wherever they were counted: a row for each group, system and measure."""
    totals: Totals = {}
    schema = None
    for batch in batches:
        schema = batch.schema
        add(totals, entries(batch))
    if schema is None:
        msg = "There are no totals to add up; expected those of at least one batch."
        raise CorpusError(msg)
    return as_batch(totals, schema)


def results_of(totals: pa.RecordBatch, plan: Plan) -> Results:
    """Give the scores of a table whose totals have been added up."""
    added: Totals = {}
    add(added, entries(totals))
    return outcome(added, shape_of(plan), unweighed(plan))


def shape_of(plan: Plan) -> Shape:
    """Say what a plan counts."""
    return Shape(plan.systems, len(plan.references), plan.group_by)


def totals_schema(plan: Plan, schema: pa.Schema) -> pa.Schema:
    """Give the columns of totals: the group's, then `_system`, `_metric` and the numbers."""
    keys = [
        pa.field(name, plain_type(schema.field(name).type)) for name in plan.group_by
    ]
    return pa.schema(
        [
            *keys,
            pa.field(SYSTEM, pa.string()),
            pa.field(METRIC, pa.string()),
            pa.field(SEGMENTS, pa.int64()),
            pa.field(LACKING, pa.int64()),
            pa.field(SUMS, pa.list_(pa.float64())),
        ]
    )


def count_rows(
    batch: pa.RecordBatch, plan: Plan, metrics: Mapping[str, Metric]
) -> Totals:
    """Count a batch of any size by measures that are at hand."""
    totals: Totals = {}
    for piece in pieces(batch):
        chunk = chunk_of(piece, plan)
        rows = statistics(batches_of(chunk), metrics)
        add(totals, count(chunk, rows, groups_of(piece, plan)))
    return totals


def entries(batch: pa.RecordBatch) -> Iterator[tuple[tuple[Key, str, str], Entry]]:
    """Read totals from a table of them."""
    names = [name for name in batch.schema.names if name not in OWN_COLUMNS]
    keys = [batch.column(name).to_pylist() for name in names]
    own = [batch.column(name).to_pylist() for name in OWN_COLUMNS]
    for at, (system, spec, segments, lacking, sums) in enumerate(
        zip(*own, strict=True)
    ):
        key = tuple(values[at] for values in keys)
        yield (key, system, spec), Entry(segments, lacking, np.array(sums, np.float64))


def as_batch(totals: Totals, schema: pa.Schema) -> pa.RecordBatch:
    """Write totals as a table."""
    columns: list[list[Any]] = [[] for _ in schema.names]
    for (key, system, spec), entry in totals.items():
        row = (*key, system, spec, entry.segments, entry.lacking, entry.sums)
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    arrays = [
        pa.array(values, field.type)
        for values, field in zip(columns, schema, strict=True)
    ]
    return pa.record_batch(arrays, schema=schema)


def groups_of(piece: pa.RecordBatch, plan: Plan) -> Grouping:
    """Tell which group each row is in; most rows are in the same few."""
    if not plan.group_by:
        return ONE_GROUP
    places = np.zeros(piece.num_rows, np.int64)
    keys: list[Key] = [()]
    for name in plan.group_by:
        encoded = plain(piece.column(name)).dictionary_encode("encode")
        known = encoded.dictionary.to_pylist()
        codes = _numbers(encoded.indices)
        both, places = np.unique(places * len(known) + codes, return_inverse=True)
        keys = [
            (*keys[code // len(known)], known[code % len(known)])
            for code in both.tolist()
        ]
    return Grouping(keys, places) if len(keys) > 1 else Grouping(keys)


def _numbers(indices: pa.Array) -> "NDArray[np.int32]":
    """A dictionary's indices, which have no nulls; `to_numpy` would load pandas."""
    found = np.frombuffer(indices.buffers()[1], np.int32)
    return found[indices.offset : indices.offset + len(indices)]


def plain_type(kind: Any) -> Any:
    """The type of a column's values, however they are laid out."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    return pa.string() if pa.types.is_string_view(kind) else kind
