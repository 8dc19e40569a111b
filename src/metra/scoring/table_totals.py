"""Totals and scores of tables in Arrow: the functions of batches that every executor calls.

`count_totals` counts a part of a table, `add_totals` adds up what was counted anywhere,
`score_totals` gives the scores, and `score_rows` those of single segments. Metrics of two
passes first need `count_terms` of all parts, which `encode_weights` adds up.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from metra.errors import CorpusError
from metra.formats.texts.arrow_columns import (
    NullValueError,
    decode_dictionary,
    get_numbers,
    get_references,
    get_required_column,
    number_rows,
    wrap_numbers,
)
from metra.metrics.record import Array, Metric, TermCounts
from metra.scoring.plan import (
    PIECE,
    ScoringPlan,
    build_metrics,
    build_unweighed,
    pack_chunk,
    pack_terms,
    read_references,
)
from metra.scoring.results import Results
from metra.scoring.totals import (
    Grouping,
    GroupKey,
    GroupKeys,
    GroupTotals,
    KeyList,
    Pair,
    Total,
    Totals,
    build_results,
    build_row,
    count_chunk,
)

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

    A function of the batch alone, for any engine to call. Metrics of two passes need
    `weights`, unless the `metrics` themselves are given. The columns are those of
    `totals_schema`.
    """
    totals = count_batch(batch, plan, metrics or build_metrics(plan, weights))
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


def score_totals(totals: pa.RecordBatch, plan: ScoringPlan) -> Results:
    """Give the scores of a table whose totals have been added up."""
    return build_table_results(read_totals(totals), plan)


def build_table_results(totals: Totals, plan: ScoringPlan) -> Results:
    """Give the scores of a table whose totals have been added up."""
    metrics, references = build_unweighed(plan), len(plan.references)
    return build_results(totals, metrics, plan.systems, references, plan.group_by)


def totals_schema(plan: ScoringPlan, schema: pa.Schema) -> pa.Schema:
    """Give the columns of totals: the group's, then `_system`, `_metric` and the numbers."""
    keys = {name: unwrap_type(schema.field(name).type) for name in plan.group_by}
    return pa.schema(keys | _OWN)


def count_batch(
    batch: pa.RecordBatch, plan: ScoringPlan, metrics: Mapping[str, Metric]
) -> Totals:
    """Count a batch of any size."""
    totals = Totals()
    for counted, _ in count_pieces(batch, plan, metrics):
        totals.add(counted)
    return totals


def score_batch(
    batch: pa.RecordBatch, plan: ScoringPlan, metrics: Mapping[str, Metric]
) -> tuple[Totals, pa.RecordBatch]:
    """Count a batch of any size; give its totals, and the batch with its scores."""
    totals = Totals()
    columns: dict[str, list[Array]] = {name: [] for name in plan.score_columns.values()}
    for counted, rows_by_key in count_pieces(batch, plan, metrics, keep=True):
        totals.add(counted)
        for (system, spec), rows in rows_by_key.items():
            # Scores that were made elsewhere are in the table already.
            if (system, spec) in plan.score_columns:
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
    """Count a batch like `count_batch`, but give the totals and rows of some rows at a time."""
    for start in range(0, batch.num_rows, PIECE):
        piece = batch.slice(start, PIECE)
        grouping = group_rows(piece, plan)
        yield count_chunk(pack_chunk(piece, plan), metrics, grouping, keep=keep)


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
    totals = Totals()
    if not names:
        for system, spec, *total in zip(
            *(batch.column(name).to_pylist() for name in _OWN), strict=True
        ):
            totals.add(Totals({(system, spec): Total(*total)}))
        return totals
    _, pairs = number_rows([batch.column("_system"), batch.column("_metric")])
    for number in range(pairs.max(initial=-1) + 1):
        at = np.flatnonzero(pairs == number)
        rows = batch.take(wrap_numbers(at, pa.int64()))
        pair = rows["_system"][0].as_py(), rows["_metric"][0].as_py()
        keys, places = number_keys(rows, names)
        counts = [
            get_numbers(rows[name], np.int64) for name in ("_segments", "_lacking")
        ]
        sums = get_numbers(rows["_sums"].flatten(), np.float64).reshape(len(at), -1)
        numbers = np.zeros((len(keys), 2 + sums.shape[1]))
        # A group may have several rows.
        np.add.at(numbers, places, np.column_stack([*counts, sums]))
        totals.add(Totals(groups=GroupTotals(keys, {pair: numbers})))
    return totals


def build_totals_batch(totals: Totals, schema: pa.Schema) -> pa.RecordBatch:
    """Write totals as a table: a row for each group, system and metric."""
    groups = totals.groups
    rows = groups.rows if groups else {}
    rows |= {pair: build_row(total) for pair, total in totals.whole.items()}
    keys = [*groups.keys] if groups else [()]
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


def group_rows(piece: pa.RecordBatch, plan: ScoringPlan) -> "Grouping | None":
    """Tell which group each row is in; most rows are in the same few."""
    if not plan.group_by:
        return None
    keys, places = number_keys(piece, plan.group_by)
    return keys, places if len(keys) > 1 else None


class KeyTable:
    """Keys of groups as a table of Arrow, a row for each."""

    def __init__(self, table: pa.Table) -> None:
        """Take a table whose rows all differ."""
        self._table = table

    def __len__(self) -> int:
        """Count the keys."""
        return self._table.num_rows

    def __iter__(self) -> Iterator[GroupKey]:
        """Give the keys as tuples of Python's values."""
        return zip(*(column.to_pylist() for column in self._table.columns), strict=True)

    def join(
        self, others: Sequence[GroupKeys]
    ) -> tuple[GroupKeys, list[NDArray[np.int64]]]:
        """Append the keys of others that these lack.

        Returns all keys, and the positions of the keys of each of the others.
        """
        tables = [keys._table for keys in others if isinstance(keys, KeyTable)]
        try:
            table = pa.concat_tables(
                [self._table, *tables], promote_options="permissive"
            )
        except pa.ArrowException:  # for types such as times in two zones
            table = None
        if table is None or len(tables) < len(others):
            return KeyList(self).join(others)
        columns = [column.combine_chunks() for column in table.columns]
        keys, places = number_keys(
            pa.record_batch(columns, table.schema.names), table.schema.names
        )
        ends = accumulate([len(self), *map(len, tables)])
        return keys, np.split(places, [*ends][:-1])[1:]


def number_keys(
    rows: pa.RecordBatch, names: Sequence[str]
) -> tuple[KeyTable, NDArray[np.int64]]:
    """Return the different keys that rows have in columns, and the number of each row's."""
    columns = [decode_dictionary(rows.column(name)) for name in names]
    columns = [column.cast(unwrap_type(column.type)) for column in columns]
    firsts, places = number_rows(columns)
    at = wrap_numbers(firsts, pa.int64())
    table = pa.table([column.take(at) for column in columns], [*names])
    return KeyTable(table), places


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
        if spec in plan.metrics
    }


#: A metric's spec, what it counted, and how often. Equal terms add up in any order.
TERMS = pa.schema(
    [("metric", pa.string()), ("term", pa.binary()), ("count", pa.int64())]
)

# So many terms are held back before equal ones are put together.
_HELD = 4_000_000


def count_terms(batch: pa.RecordBatch, plan: ScoringPlan) -> pa.RecordBatch:
    """Count what the plan's metrics of two passes weigh by: a row for each term.

    A function of the batch alone, for any engine to call. A term may come in several rows.
    """
    fits = {
        spec: made.fit
        for spec, made in build_unweighed(plan).items()
        if made.fit and made.fit.from_terms
    }
    rows = [
        _build_term_rows(spec, fit.count_terms(references))
        for references in read_references(batch, plan)
        for spec, fit in fits.items()
    ]
    table = sum_terms(rows).combine_chunks()
    return next(iter(table.to_batches()), pa.RecordBatch.from_pylist([], TERMS))


def sum_terms(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """Add up equal terms; the table is in the order of specs and of the terms' bytes."""
    table = TERMS.empty_table()
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows > _HELD:
            table = _sum_tables([table, pa.Table.from_batches(held, TERMS)])
            held, rows = [], 0
    table = _sum_tables([table, pa.Table.from_batches(held, TERMS)])
    return table.sort_by([("metric", "ascending"), ("term", "ascending")])


def encode_weights(batches: Iterable[pa.RecordBatch]) -> bytes:
    """Make what the second pass needs of all that the first one counted, as bytes to send."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, TERMS) as writer:
        writer.write_table(sum_terms(batches))
    return sink.getvalue().to_pybytes()


def _build_term_rows(spec: str, terms: TermCounts) -> pa.RecordBatch:
    keys, counts = pack_terms(terms)
    names = pa.repeat(pa.scalar(spec, pa.string()), len(keys))
    return pa.record_batch([names, keys, counts], schema=TERMS)


def _sum_tables(tables: list[pa.Table]) -> pa.Table:
    table = pa.concat_tables(tables)
    sums = table.group_by(["metric", "term"]).aggregate([("count", "sum")])
    return sums.rename_columns({"count_sum": "count"}).select(TERMS.names)
