"""The first of two passes: what is counted to find weights, as tables that add up."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from metra.corpus import Batch
from metra.engine.columns import batches_of, chunk_of, pieces
from metra.engine.measures import unweighed
from metra.engine.plan import Plan
from metra.measure import Terms

#: A measure's spec, what it counted, and how often. Equal terms add up in any order.
TERMS = pa.schema(
    [("metric", pa.string()), ("term", pa.binary()), ("count", pa.int64())]
)

# So many terms are held back before equal ones are put together.
_HELD = 4_000_000


def term_rows(batch: pa.RecordBatch, plan: Plan) -> pa.RecordBatch:
    """Count what the plan's measures of two passes weigh by: a row for each term.

    A function of the batch alone, for any engine to call. A term may come in several rows.
    """
    counting = {
        spec: made.weighing.count
        for spec, made in unweighed(plan).items()
        if made.weighing
    }
    found = [
        _rows(spec, count(texts))
        for piece in pieces(batch)
        for texts in [_first(piece, plan)]
        for spec, count in counting.items()
    ]
    table = added(found).combine_chunks()
    return next(iter(table.to_batches()), pa.RecordBatch.from_pylist([], TERMS))


def added(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """Add up equal terms; the table is in the order of specs and of the terms' bytes."""
    table = TERMS.empty_table()
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows > _HELD:
            table = _added([table, pa.Table.from_batches(held, TERMS)])
            held, rows = [], 0
    table = _added([table, pa.Table.from_batches(held, TERMS)])
    return table.sort_by([("metric", "ascending"), ("term", "ascending")])


def weights_of(batches: Iterable[pa.RecordBatch]) -> bytes:
    """Make what the second pass needs of all that the first one counted, as bytes to send."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, TERMS) as writer:
        writer.write_table(added(batches))
    return sink.getvalue().to_pybytes()


def _first(piece: pa.RecordBatch, plan: Plan) -> Batch:
    """Any system's batch: what is counted are the references, which they share."""
    return next(batches_of(chunk_of(piece, plan)))[1]


def _rows(spec: str, terms: Terms) -> pa.RecordBatch:
    bounds = np.concatenate([[0], terms.ends]).astype(np.int32)
    keys = pa.Array.from_buffers(
        pa.binary(),
        len(terms.ends),
        [None, pa.py_buffer(bounds), pa.py_buffer(terms.keys)],
    )
    names = pa.repeat(pa.scalar(spec, pa.string()), len(keys))
    return pa.record_batch([names, keys, pa.array(terms.counts)], schema=TERMS)


def _added(tables: list[pa.Table]) -> pa.Table:
    table = pa.concat_tables(tables)
    found = table.group_by(["metric", "term"]).aggregate([("count", "sum")])
    return found.rename_columns({"count_sum": "count"}).select(TERMS.names)
