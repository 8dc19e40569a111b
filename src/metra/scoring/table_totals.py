"""Totals and scores of tables in Arrow: the functions of batches that every executor calls.

`count_totals` counts a part of a table, `add_totals` adds up what was counted anywhere,
`score_totals` gives the scores, and `score_rows` those of single segments. Metrics with corpus
weights need `encode_weights` of all references first.
"""

import pickle
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from metra.corpus.batch import Batch, CorpusChunk, SegmentColumn, UnnumberedPosition
from metra.errors import CorpusError, UnfittedError
from metra.formats.texts.arrow_columns import (
    NullValueError,
    decode_dictionary,
    encode_values,
    get_numbers,
    get_references,
    get_required_column,
    number_rows,
    wrap_numbers,
)
from metra.metrics.record import Array, Metric
from metra.scoring.plan import ScoringPlan, build_unweighed, check_metrics, list_fits
from metra.scoring.results import Results
from metra.scoring.totals import (
    GroupKey,
    GroupTotals,
    Pair,
    Totals,
    build_results,
    build_row,
    count_chunk,
)
from metra.stats.arrays import number_names
from metra.text.columns import RepeatedValues, pack_arrow_column

#: So many rows are counted at a time: their tokens stay in the processor's caches.
PIECE = 2048

#: The columns of totals behind those of the group.
_OWN = {
    "_system": pa.string(),
    "_metric": pa.string(),
    "_segments": pa.int64(),
    "_lacking": pa.int64(),
    "_sums": pa.list_(pa.float64()),
}
OWN_COLUMNS = tuple(_OWN)


def count_totals(
    batch: pa.RecordBatch,
    plan: ScoringPlan,
    weights: bytes | None = None,
    metrics: Mapping[str, Metric] | None = None,
) -> pa.RecordBatch:
    """Count a batch: a row for each group in it, system and metric.

    A function of the batch alone, for any engine to call. Metrics with corpus weights need
    `weights`, unless the `metrics` themselves are given. The columns are those of
    `totals_schema`.
    """
    totals = Totals()
    for more, _ in count_pieces(batch, plan, metrics or build_metrics(plan, weights)):
        totals.add(more)
    return build_totals_batch(totals, totals_schema(plan, batch.schema))


def add_totals(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Add up totals, wherever they were counted: a row for each group, system and metric."""
    totals = Totals()
    schema = None
    for batch in batches:
        schema = batch.schema
        totals.add(read_totals(batch))
    if schema is None:
        msg = "No totals were given; expected those of at least one batch."
        raise CorpusError(msg)
    return build_totals_batch(totals, schema)


def score_totals(totals: pa.RecordBatch | Totals, plan: ScoringPlan) -> Results:
    """Give the scores of a table whose totals have been added up."""
    if not isinstance(totals, Totals):
        totals = read_totals(totals)
    metrics, references = build_unweighed(plan), len(plan.references)
    return build_results(totals, metrics, plan.systems, references, plan.group_by)


def totals_schema(plan: ScoringPlan, schema: pa.Schema) -> pa.Schema:
    """Give the columns of totals: the group's, then `_system`, `_metric` and the numbers."""
    keys = {name: unwrap_type(schema.field(name).type) for name in plan.group_by}
    return pa.schema(keys | _OWN)


def score_batch(
    batch: pa.RecordBatch, plan: ScoringPlan, metrics: Mapping[str, Metric]
) -> tuple[Totals, pa.RecordBatch]:
    """Count a batch of any size; give its totals, and the batch with its scores."""
    totals = Totals()
    columns: dict[str, list[Array]] = {name: [] for name in plan.score_columns.values()}
    for counted, rows_by_key in count_pieces(batch, plan, metrics, keep=True):
        totals.add(counted)
        for (system, spec), rows in rows_by_key.items():
            single = metrics[spec].for_segments or metrics[spec]
            columns[plan.score_columns[system, spec]].append(single.aggregate(rows))
    arrays = [*batch.columns]
    for parts in columns.values():
        scores = np.concatenate([*parts, []])
        # NaN as null; `pa.array` would load pandas.
        is_valid = np.packbits(~np.isnan(scores), bitorder="little")
        buffers = [pa.py_buffer(is_valid), pa.py_buffer(np.ascontiguousarray(scores))]
        arrays.append(pa.Array.from_buffers(pa.float64(), len(scores), buffers))
    schema = scores_schema(plan, batch.schema)
    return totals, pa.record_batch(arrays, schema=schema)


def count_pieces(
    batch: pa.RecordBatch,
    plan: ScoringPlan,
    metrics: Mapping[str, Metric],
    *,
    keep: bool = False,
) -> Iterator[tuple[Totals, dict[Pair, Array]]]:
    """Count a batch of any size; give the totals, and rows if kept, of some rows at a time."""
    for start in range(0, batch.num_rows, PIECE):
        piece = batch.slice(start, PIECE)
        grouping = None
        if plan.group_by:
            keys, places = number_keys(piece, plan)
            grouping = keys, places if len(keys) > 1 else None
        yield count_chunk(pack_chunk(piece, plan), metrics, grouping, keep=keep)


def number_keys(
    rows: pa.RecordBatch, plan: ScoringPlan
) -> tuple[list[GroupKey], NDArray[np.int64]]:
    """Return the different keys of rows, and the number of each row's."""
    columns = [decode_dictionary(rows.column(name)) for name in plan.group_by]
    columns = [column.cast(unwrap_type(column.type)) for column in columns]
    firsts, places = number_rows(columns)
    at = wrap_numbers(firsts, pa.int64())
    values = [column.take(at).to_pylist() for column in columns]
    return list(zip(*values, strict=True)), places


def pack_chunk(rows: pa.RecordBatch, plan: ScoringPlan) -> CorpusChunk:
    """Pack the texts of some rows."""

    def pack(name: str, values: pa.Array | None = None) -> SegmentColumn:
        if values is None:
            values = get_required_column(rows, name)
        return SegmentColumn(pack_arrow_column(values, f"the column {name!r}"))

    refs = get_references(rows, plan.references)
    documents = None
    if plan.documents:
        names = get_required_column(rows, plan.documents)
        distinct, codes = encode_values(names)
        documents = RepeatedValues([*map(str, distinct.to_pylist())], codes)
    return CorpusChunk(
        {system: pack(column) for system, column in plan.outputs},
        [pack(*pair) for pair in zip(plan.references, refs, strict=True)],
        pack(plan.source) if plan.source else None,
        documents,
        position=UnnumberedPosition,
    )


def refuse_nulls(
    batches: Iterable[pa.RecordBatch], plan: ScoringPlan, where: str, first: int = 0
) -> Iterator[pa.RecordBatch]:
    """Go through the rows of a place, from its row `first`; refuse nulls by their rows."""
    required = [*(name for _, name in plan.outputs), plan.source, plan.documents]
    for batch in batches:
        try:
            for name in filter(None, required):
                get_required_column(batch, name)
            get_references(batch, plan.references)
        except NullValueError as null:
            raise NullValueError(null.column, first + null.row, where) from None
        yield batch
        first += batch.num_rows


def read_totals(batch: pa.RecordBatch) -> Totals:
    """Read totals from a table of them, whose rows may come in any order."""
    names = [name for name in batch.schema.names if name not in OWN_COLUMNS]
    systems, specs = batch["_system"].to_pylist(), batch["_metric"].to_pylist()
    pairs, places = number_names([*zip(systems, specs, strict=True)])
    groups = GroupTotals()
    for number, pair in enumerate(pairs):
        at = np.flatnonzero(places == number)
        rows = batch.take(wrap_numbers(at, pa.int64()))
        values = [rows[name].to_pylist() for name in names]
        keys, numbers = number_names(list(zip(*values, strict=True)) or [()] * len(at))
        counts = [
            get_numbers(rows[name], np.int64) for name in ("_segments", "_lacking")
        ]
        sums = get_numbers(rows["_sums"].flatten(), np.float64).reshape(len(at), -1)
        totals = np.zeros((len(keys), 2 + sums.shape[1]))
        # A group may have several rows.
        np.add.at(totals, numbers, np.column_stack([*counts, sums]))
        groups.add(GroupTotals(keys, {pair: totals}))
    return Totals(groups=groups) if names else Totals(groups.sum())


def build_totals_batch(totals: Totals, schema: pa.Schema) -> pa.RecordBatch:
    """Write totals as a table: a row for each group, system and metric."""
    groups = totals.groups
    rows = groups.rows if groups else {}
    rows |= {pair: build_row(total) for pair, total in totals.whole.items()}
    keys = groups.keys if groups else [()]
    batches = []
    for pair, numbers in rows.items():
        count, width = numbers.shape
        ends = np.arange(count + 1, dtype=np.int32) * (width - 2)
        sums = wrap_numbers(numbers[:, 2:].ravel(), pa.float64())
        counts = numbers[:, :2].astype(np.int64)
        own = [
            *(_repeat_text(name, count) for name in pair),
            *(wrap_numbers(column, pa.int64()) for column in counts.T),
            pa.ListArray.from_arrays(wrap_numbers(ends, pa.int32()), sums),
        ]
        names = schema.names[: -len(own)]
        of_key = [
            pa.array([key[at] for key in keys], schema.field(name).type)
            for at, name in enumerate(names)
        ]
        batches.append(pa.record_batch([*of_key, *own], schema=schema))
    return pa.concat_batches(batches or [pa.RecordBatch.from_pylist([], schema)])


def _repeat_text(text: str, count: int) -> pa.Array:
    data = text.encode()  # without `pa.scalar`, which would load pandas
    ends = pa.py_buffer(np.arange(count + 1, dtype=np.int32) * len(data))
    buffers = [None, ends, pa.py_buffer(data * count)]
    return pa.Array.from_buffers(pa.string(), count, buffers)


def unwrap_type(kind: Any) -> Any:
    """The type of a column's values, however they are laid out."""
    if pa.types.is_dictionary(kind):
        return unwrap_type(kind.value_type)
    return pa.string() if pa.types.is_string_view(kind) else kind


def score_rows(
    batch: pa.RecordBatch, plan: ScoringPlan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Give the batch with a column of scores for each system and metric behind its own.

    A function of the batch alone, for any engine to call. The columns are those of
    `scores_schema`; a score is null where there was nothing to score.
    """
    return score_batch(batch, plan, build_metrics(plan, weights))[1]


def scores_schema(plan: ScoringPlan, schema: pa.Schema) -> pa.Schema:
    """Give the table's columns with those for the scores behind them."""
    for name in plan.score_columns.values():
        schema = schema.append(pa.field(name, pa.float64()))
    return schema


def list_signatures(plan: ScoringPlan) -> dict[str, str]:
    """Say of each column of scores what they were computed by."""
    return {
        plan.score_columns[system, spec]: (metric.for_segments or metric).signature()
        for spec, metric in build_unweighed(plan).items()
        for system in plan.systems
    }


def encode_weights(batches: Iterable[pa.RecordBatch], plan: ScoringPlan) -> bytes:
    """Fit the plan's metrics with corpus weights to all references, as bytes to send."""
    rows = [*batches]
    fitted = {
        spec: fit(part for batch in rows for part in read_references(batch, plan))
        for spec, fit in list_fits(plan).items()
    }
    return pickle.dumps(fitted)


def read_references(batch: pa.RecordBatch, plan: ScoringPlan) -> Iterator[Batch]:
    """Cut a batch into batches of any one system: they share the references."""
    for start in range(0, batch.num_rows, PIECE):
        yield pack_chunk(batch.slice(start, PIECE), plan).batch(plan.systems[0])


@lru_cache(maxsize=4)
def build_metrics(
    plan: ScoringPlan, weights: bytes | None = None
) -> Mapping[str, Metric]:
    """Make the plan's metrics, those with corpus weights as they were fitted.

    The answer is kept: on a worker, weights are unpacked once and not for each batch.
    """
    check_metrics(plan)
    fits = list_fits(plan)
    if fits and weights is None:
        msg = (
            f"{', '.join(fits)}: these metrics need weights; give the weights that "
            "`encode_weights` makes of all references."
        )
        raise UnfittedError(msg)
    return {**build_unweighed(plan), **(pickle.loads(weights) if weights else {})}
