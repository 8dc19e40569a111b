"""Totals of a table's rows by group, system and measure: a table that adds up.

Whoever adds totals may do so in any order, with any tool: `segments`, `lacking` and each
number of `sums` are simply summed, and the digits come out the same (see `exact`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from metra.engine import exact
from metra.engine.columns import batches_of, chunk_of, pieces
from metra.engine.measures import measures
from metra.engine.plan import Plan
from metra.errors import CorpusError
from metra.measure import Array, Metric

SYSTEM, METRIC, SEGMENTS, LACKING, SUMS = (
    "_system",
    "_metric",
    "_segments",
    "_lacking",
    "_sums",
)
OWN_COLUMNS = (SYSTEM, METRIC, SEGMENTS, LACKING, SUMS)

#: The values of the columns that rows are grouped by.
Key: TypeAlias = tuple[Any, ...]


class Entry(NamedTuple):
    """What is known of a group's rows for one system and measure."""

    segments: int
    #: How many references are null, of all references of all these segments.
    lacking: int
    #: The sums of the parts of the statistics, as `exact` cuts them.
    sums: Array

    def plus(self, other: "Entry") -> "Entry":
        """Add what was counted elsewhere."""
        return Entry(
            self.segments + other.segments,
            self.lacking + other.lacking,
            self.sums + other.sums,
        )


#: By group, system and spec.
Totals: TypeAlias = dict[tuple[Key, str, str], Entry]


def total_rows(
    batch: pa.RecordBatch, plan: Plan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Count a batch: a row for each group in it, system and measure.

    A function of the batch alone, for any engine to call; `weights` are for measures of two
    passes. The columns are those of `totals_schema`.
    """
    counted = count(batch, plan, measures(plan, weights))
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


def totals_schema(plan: Plan, schema: pa.Schema) -> pa.Schema:
    """Give the columns of totals: the group's, then `_system`, `_metric` and the numbers."""
    keys = [pa.field(name, _plain(schema.field(name).type)) for name in plan.group_by]
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


def count(
    batch: pa.RecordBatch,
    plan: Plan,
    metrics: Mapping[str, Metric],
    first: int | None = None,
) -> Totals:
    """Count a batch of any size by measures that are at hand.

    `first` is the number of its first row in the whole table, where that is known.
    """
    totals: Totals = {}
    start = 0
    for piece in pieces(batch):
        add(
            totals,
            _piece(piece, plan, metrics, None if first is None else first + start),
        )
        start += piece.num_rows
    return totals


def add(
    totals: Totals, more: Totals | Iterable[tuple[tuple[Key, str, str], Entry]]
) -> None:
    """Add totals to others, in place."""
    for key, entry in more.items() if isinstance(more, dict) else more:
        known = totals.get(key)
        totals[key] = entry if known is None else known.plus(entry)


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


def _piece(
    piece: pa.RecordBatch, plan: Plan, metrics: Mapping[str, Metric], first: int | None
) -> Totals:
    chunk = chunk_of(piece, plan, first or 0)
    places, keys = _groups(piece, plan.group_by)
    gaps = [flag for ref in chunk.refs for flag in ref.text.missing()]
    if places is None:
        sizes, lacking = np.array([len(chunk)]), np.array([len(gaps)])
    else:
        sizes = np.bincount(places, minlength=len(keys))
        lacking = np.bincount(places[gaps], minlength=len(keys))
    found: Totals = {}
    for system, batch in batches_of(chunk, numbered=first is not None):
        for spec, metric in metrics.items():
            sums = exact.sums_by_group(metric.rows(batch), places, len(keys))
            for at, key in enumerate(keys):
                entry = Entry(int(sizes[at]), int(lacking[at]), sums[at])
                found[key, system, spec] = entry
    return found


def _groups(
    piece: pa.RecordBatch, names: tuple[str, ...]
) -> tuple["np.ndarray | None", list[Key]]:
    """Tell which group each row is in, by its number; None where there is but one."""
    if not names:
        return None, [()]
    places = np.zeros(piece.num_rows, np.int64)
    keys: list[Key] = [()]
    for name in names:
        values = piece.column(name)
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        encoded = values.dictionary_encode("encode")
        known = encoded.dictionary.to_pylist()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        both, places = np.unique(places * len(known) + codes, return_inverse=True)
        keys = [
            (*keys[code // len(known)], known[code % len(known)])
            for code in both.tolist()
        ]
    return (places, keys) if len(keys) > 1 else (None, keys)


def _plain(kind: Any) -> Any:
    """The type of a column's values, however they are laid out."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return pa.string() if pa.types.is_string_view(kind) else kind
