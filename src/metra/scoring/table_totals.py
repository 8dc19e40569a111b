"""Totals of a table's rows by group, system and measure: a table that adds up.

Whoever adds totals may do so in any order, with any tool: `segments`, `lacking` and each
number of `sums` are simply summed, and the digits come out the same (see `exact`).

Totals of segments by group, system and measure, which add up in any order.
The first of two passes: what is counted to find weights, as tables that add up.
From totals to results: scores of every group, and of all of them together.
Scores of single segments as further columns of the table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from metra.corpus.batch import Batch, CorpusChunk
from metra.errors import CorpusError
from metra.formats.texts.parquet import decode_dictionary
from metra.metrics.record import Array, Metric, TermCounts
from metra.scoring.plan import (
    ScoringPlan,
    build_metrics,
    build_unweighed,
    pack_chunk,
    split_batch,
    split_systems,
)
from metra.scoring.results import GroupScores, Results, Score, SystemScores
from metra.stats import exact_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: The values that the segments of a group have in common.
Key: TypeAlias = tuple[Any, ...]


class GroupTotal(NamedTuple):
    """What is known of a group's segments for one system and measure."""

    segments: int
    #: How many references are missing, of all references of all these segments.
    lacking: int
    #: The sums of the parts of the statistics, as `exact` cuts them.
    sums: Array

    def plus(self, other: "GroupTotal") -> "GroupTotal":
        """Add what was counted elsewhere."""
        return GroupTotal(
            self.segments + other.segments,
            self.lacking + other.lacking,
            self.sums + other.sums,
        )


#: A chunk's statistics, by system and spec: a row for each segment.
Statistics: TypeAlias = dict[tuple[str, str], Array]

#: By group, system and spec.
Totals: TypeAlias = dict[tuple[Key, str, str], GroupTotal]


class Grouping(NamedTuple):
    """Which group each segment of a chunk is in: its number, and the groups' keys."""

    keys: Sequence[Key]
    #: None where there is but one group.
    places: "NDArray[np.intp] | None" = None


ONE_GROUP = Grouping([()])


def add_entries(
    totals: Totals, more: Iterable[tuple[tuple[Key, str, str], GroupTotal]]
) -> None:
    """Add totals to others, in place."""
    for key, entry in more:
        known = totals.get(key)
        totals[key] = entry if known is None else known.plus(entry)


def count_batches(
    batches: Iterable[tuple[str, Batch]], metrics: Mapping[str, Metric]
) -> Statistics:
    """Let every measure count every system's batch."""
    return {
        (system, spec): metric.rows(batch)
        for system, batch in batches
        for spec, metric in metrics.items()
    }


def sum_groups(
    chunk: CorpusChunk, rows: Statistics, grouping: Grouping
) -> Iterator[tuple[tuple[Key, str, str], GroupTotal]]:
    """Add up the statistics of a chunk's segments, group by group."""
    keys, places = grouping
    gaps = [at for ref in chunk.refs for at in ref.text.missing()]
    if places is None:
        sizes, lacking = [len(chunk)], [len(gaps)]
    else:
        sizes = np.bincount(places, minlength=len(keys)).tolist()
        lacking = np.bincount(places[gaps], minlength=len(keys)).tolist()
    for (system, spec), found in rows.items():
        sums = exact_sum.sums_by_group(found, places, len(keys))
        for at, key in enumerate(keys):
            yield (key, system, spec), GroupTotal(sizes[at], lacking[at], sums[at])


def group_segments(columns: Sequence[Sequence[Any]]) -> Grouping:
    """Group segments by the values of columns.

    >>> grouping = group_segments([["b", "a", "b"], [1, 1, 1]])
    >>> grouping.keys, grouping.places.tolist()
    ([('b', 1), ('a', 1)], [0, 1, 0])
    """
    rows = list(zip(*columns, strict=True))
    index = {key: at for at, key in enumerate(dict.fromkeys(rows))}
    if len(index) == 1:
        return Grouping(list(index))
    places = np.fromiter((index[key] for key in rows), np.intp, len(rows))
    return Grouping(list(index), places)


#: A measure's spec, what it counted, and how often. Equal terms add up in any order.
TERMS = pa.schema(
    [("metric", pa.string()), ("term", pa.binary()), ("count", pa.int64())]
)

# So many terms are held back before equal ones are put together.
_HELD = 4_000_000


def count_terms(batch: pa.RecordBatch, plan: ScoringPlan) -> pa.RecordBatch:
    """Count what the plan's measures of two passes weigh by: a row for each term.

    A function of the batch alone, for any engine to call. A term may come in several rows.
    """
    counting = {
        spec: made.weighing.count
        for spec, made in build_unweighed(plan).items()
        if made.weighing
    }
    found = [
        _build_term_rows(spec, count(texts))
        for piece in split_batch(batch)
        for texts in [_take_batch(piece, plan)]
        for spec, count in counting.items()
    ]
    table = sum_terms(found).combine_chunks()
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


def _take_batch(piece: pa.RecordBatch, plan: ScoringPlan) -> Batch:
    """Any system's batch: what is counted are the references, which they share."""
    return next(split_systems(pack_chunk(piece, plan)))[1]


def _build_term_rows(spec: str, terms: TermCounts) -> pa.RecordBatch:
    bounds = np.concatenate([[0], terms.ends]).astype(np.int32)
    keys = pa.Array.from_buffers(
        pa.binary(),
        len(terms.ends),
        [None, pa.py_buffer(bounds), pa.py_buffer(terms.keys)],
    )
    names = pa.repeat(pa.scalar(spec, pa.string()), len(keys))
    return pa.record_batch([names, keys, pa.array(terms.counts)], schema=TERMS)


def _sum_tables(tables: list[pa.Table]) -> pa.Table:
    table = pa.concat_tables(tables)
    found = table.group_by(["metric", "term"]).aggregate([("count", "sum")])
    return found.rename_columns({"count_sum": "count"}).select(TERMS.names)


class TotalsShape(NamedTuple):
    """What was counted: the systems, the number of references, the columns of groups."""

    systems: Sequence[str]
    references: int
    group_by: Sequence[str] = ()


def build_table_results(
    totals: Totals, shape: TotalsShape, metrics: Mapping[str, Metric]
) -> Results:
    """Give the scores of everything that was counted; the measures need no weights."""
    overall: Totals = {}
    for (_, system, spec), entry in totals.items():
        add_entries(overall, [(((), system, spec), entry)])
    anyone = shape.systems[0], next(iter(metrics))
    first = overall.get(((), *anyone))
    if first is None or not first.segments:
        msg = "There are no segments to score; the table has no rows."
        raise CorpusError(msg)
    nrefs: int | str = "var" if first.lacking else shape.references
    groups = None
    if shape.group_by:
        keys = sorted({key for key, _, _ in totals}, key=_sort_key)
        groups = [
            GroupScores(
                dict(zip(shape.group_by, key, strict=True)),
                totals[key, *anyone].segments,
                _score_systems(totals, key, shape, metrics, nrefs),
            )
            for key in keys
        ]
    return Results(
        _score_systems(overall, (), shape, metrics, nrefs),
        first.segments,
        shape.references,
        groups=groups,
    )


def _sort_key(key: Key) -> tuple[tuple[bool, object], ...]:
    """By value; what has none comes last."""
    return tuple((value is None, 0 if value is None else value) for value in key)


def _score_systems(
    totals: Totals,
    key: Key,
    shape: TotalsShape,
    metrics: Mapping[str, Metric],
    nrefs: int | str,
) -> list[SystemScores]:
    return [
        SystemScores(
            system,
            {
                spec: _build_score(metric, totals[key, system, spec], nrefs)
                for spec, metric in metrics.items()
            },
        )
        for system in shape.systems
    ]


def _build_score(metric: Metric, entry: GroupTotal, nrefs: int | str) -> Score:
    total = exact_sum.join_parts(entry.sums)
    return Score(
        score=float(metric.aggregate(total)),
        signature=metric.signature(nrefs=nrefs),
        higher_is_better=metric.higher_is_better,
        parts=metric.parts(total),
    )


SYSTEM, METRIC, SEGMENTS, LACKING, SUMS = (
    "_system",
    "_metric",
    "_segments",
    "_lacking",
    "_sums",
)
OWN_COLUMNS = (SYSTEM, METRIC, SEGMENTS, LACKING, SUMS)


def count_totals(
    batch: pa.RecordBatch, plan: ScoringPlan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Count a batch: a row for each group in it, system and measure.

    A function of the batch alone, for any engine to call; `weights` are for measures of two
    passes. The columns are those of `totals_schema`.
    """
    counted = count_rows(batch, plan, build_metrics(plan, weights))
    return build_batch(counted, totals_schema(plan, batch.schema))


def add_totals(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Add up totals, wherever they were counted: a row for each group, system and measure."""
    totals: Totals = {}
    schema = None
    for batch in batches:
        schema = batch.schema
        add_entries(totals, read_entries(batch))
    if schema is None:
        msg = "There are no totals to add up; expected those of at least one batch."
        raise CorpusError(msg)
    return build_batch(totals, schema)


def score_totals(totals: pa.RecordBatch, plan: ScoringPlan) -> Results:
    """Give the scores of a table whose totals have been added up."""
    added: Totals = {}
    add_entries(added, read_entries(totals))
    return build_table_results(added, describe_shape(plan), build_unweighed(plan))


def describe_shape(plan: ScoringPlan) -> TotalsShape:
    """Say what a plan counts."""
    return TotalsShape(plan.systems, len(plan.references), plan.group_by)


def totals_schema(plan: ScoringPlan, schema: pa.Schema) -> pa.Schema:
    """Give the columns of totals: the group's, then `_system`, `_metric` and the numbers."""
    keys = [
        pa.field(name, unwrap_type(schema.field(name).type)) for name in plan.group_by
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
    batch: pa.RecordBatch, plan: ScoringPlan, metrics: Mapping[str, Metric]
) -> Totals:
    """Count a batch of any size by measures that are at hand."""
    totals: Totals = {}
    for piece in split_batch(batch):
        chunk = pack_chunk(piece, plan)
        rows = count_batches(split_systems(chunk), metrics)
        add_entries(totals, sum_groups(chunk, rows, group_rows(piece, plan)))
    return totals


def read_entries(
    batch: pa.RecordBatch,
) -> Iterator[tuple[tuple[Key, str, str], GroupTotal]]:
    """Read totals from a table of them."""
    names = [name for name in batch.schema.names if name not in OWN_COLUMNS]
    keys = [batch.column(name).to_pylist() for name in names]
    own = [batch.column(name).to_pylist() for name in OWN_COLUMNS]
    for at, (system, spec, segments, lacking, sums) in enumerate(
        zip(*own, strict=True)
    ):
        key = tuple(values[at] for values in keys)
        yield (
            (key, system, spec),
            GroupTotal(segments, lacking, np.array(sums, np.float64)),
        )


def build_batch(totals: Totals, schema: pa.Schema) -> pa.RecordBatch:
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


def group_rows(piece: pa.RecordBatch, plan: ScoringPlan) -> Grouping:
    """Tell which group each row is in; most rows are in the same few."""
    if not plan.group_by:
        return ONE_GROUP
    places = np.zeros(piece.num_rows, np.int64)
    keys: list[Key] = [()]
    for name in plan.group_by:
        encoded = decode_dictionary(piece.column(name)).dictionary_encode("encode")
        known = encoded.dictionary.to_pylist()
        codes = _read_indices(encoded.indices)
        both, places = np.unique(places * len(known) + codes, return_inverse=True)
        keys = [
            (*keys[code // len(known)], known[code % len(known)])
            for code in both.tolist()
        ]
    return Grouping(keys, places) if len(keys) > 1 else Grouping(keys)


def _read_indices(indices: pa.Array) -> "NDArray[np.int32]":
    """A dictionary's indices, which have no nulls; `to_numpy` would load pandas."""
    found = np.frombuffer(indices.buffers()[1], np.int32)
    return found[indices.offset : indices.offset + len(indices)]


def unwrap_type(kind: Any) -> Any:
    """The type of a column's values, however they are laid out."""
    if pa.types.is_dictionary(kind):
        return unwrap_type(kind.value_type)
    return pa.string() if pa.types.is_string_view(kind) else kind


def score_rows(
    batch: pa.RecordBatch, plan: ScoringPlan, weights: bytes | None = None
) -> pa.RecordBatch:
    """Give the batch with a column of scores for each system and measure behind its own.

    A function of the batch alone, for any engine to call. The columns are those of
    `scores_schema`; a score is null where there was nothing to score.
    """
    return count_and_score(batch, plan, build_metrics(plan, weights))[1]


def scores_schema(plan: ScoringPlan, schema: pa.Schema) -> pa.Schema:
    """Give the table's columns with those for the scores behind them."""
    for name in _list_names(plan):
        schema = schema.append(pa.field(name, pa.float64()))
    return schema


def list_signatures(plan: ScoringPlan) -> dict[str, str]:
    """Say of each column of scores what they were computed by."""
    found = {}
    for spec, metric in build_unweighed(plan).items():
        single = metric.for_segments or metric
        for system in plan.systems:
            found[plan.score_column(system, spec)] = single.signature()
    return found


def count_and_score(
    batch: pa.RecordBatch, plan: ScoringPlan, metrics: Mapping[str, Metric]
) -> tuple[Totals, pa.RecordBatch]:
    """Give a batch's totals, and the batch with its scores, from one counting."""
    totals: Totals = {}
    columns: dict[str, list[Array]] = {name: [] for name in _list_names(plan)}
    for piece in split_batch(batch):
        chunk = pack_chunk(piece, plan)
        rows = count_batches(split_systems(chunk), metrics)
        add_entries(totals, sum_groups(chunk, rows, group_rows(piece, plan)))
        for (system, spec), found in rows.items():
            single = metrics[spec].for_segments or metrics[spec]
            columns[plan.score_column(system, spec)].append(single.aggregate(found))
    arrays = [_build_column(np.concatenate([*parts, []])) for parts in columns.values()]
    scores = pa.record_batch(
        [*batch.columns, *arrays], schema=scores_schema(plan, batch.schema)
    )
    return totals, scores


def _build_column(scores: Array) -> pa.Array:
    """Scores as Arrow keeps them, NaN as null; `pa.array` would load pandas."""
    there = np.packbits(~np.isnan(scores), bitorder="little")
    buffers = [pa.py_buffer(there), pa.py_buffer(np.ascontiguousarray(scores))]
    return pa.Array.from_buffers(pa.float64(), len(scores), buffers)


def _list_names(plan: ScoringPlan) -> list[str]:
    return [
        plan.score_column(system, spec)
        for system in plan.systems
        for spec in plan.metrics
    ]
