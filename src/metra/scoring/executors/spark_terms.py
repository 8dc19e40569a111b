"""Corpus weights on Spark: its shuffle adds up terms, and gives each chunk of rows its own.

Rows are packed into chunks. A chunk lists its terms with their counts, and gets back the
counts of the whole corpus: those of its own n-grams (NIST), or those of all words of its
documents with their salience (LTV). The metric then weighs the terms of a chunk like those of
a whole corpus, so digits are the same as on one machine.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metra.errors import CorpusError, OptionError
from metra.formats.texts.arrow_columns import gather_batches
from metra.metrics.record import Array, CorpusTerms, Fit, Metric, TermCounts
from metra.scoring.executors.frames import Counting
from metra.scoring.executors.spark_session import (
    Batches,
    Table,
    map_batches,
    silence_warnings,
)
from metra.scoring.plan import ScoringPlan, build_unweighed, list_fits
from metra.scoring.table_totals import read_references
from metra.text.salience import DocumentWords

#: What messages call the place of rows whose numbers in a file are unknown.
BATCH = "a batch"

#: A chunk has about so many rows.
CHUNK_ROWS = 8192

#: The byte between the words of a term.
SEPARATOR = b"\xff"
# So many terms are sent to Java at a time.
_SENT = 65_536

# Chunks and metrics are numbers here, because there are very many terms.
_PACKED = "chunk bigint, content binary"
_TERMS = "chunk bigint, metric int, document binary, word binary, count bigint"
_WEIGHED = (
    "metric int, document binary, word binary, count bigint, salience double, "
    "weight double"
)
_TERM_NAMES = ["chunk", "metric", "document", "word", "count"]
_CHANGED = (
    "Rows came in another order when Spark repeated a lost task; give a table whose rows "
    "always come in the same order, such as files or a cached DataFrame."
)


class FittedRows(NamedTuple):
    """A batch of rows with the metrics that score it."""

    rows: pa.RecordBatch
    metrics: Mapping[str, Metric]


def list_spark_fits(plan: ScoringPlan) -> dict[str, Fit]:
    """List the fits of metrics with corpus weights, by spec."""
    fits = list_fits(plan)
    for spec, fit in fits.items():
        if fit.apply_some is None:
            msg = f"{spec} has corpus weights, which are not available on Spark."
            raise OptionError(msg)
    return fits


def map_chunks(
    table: Table,
    counting: Counting,
    plan: ScoringPlan,
    function: Callable[[Iterator[FittedRows]], Batches],
    schema: Any,
) -> Table:
    """Have workers call a function of rows with fitted metrics, chunk by chunk."""
    rows = CHUNK_ROWS

    def pack(batches: Batches) -> Batches:
        from pyspark import TaskContext

        batches = counting.read(batches, BATCH)
        return pack_rows(batches, TaskContext.get().partitionId(), rows)

    # Shuffled, so that Spark reads the rows once, and uses them for terms and for scores.
    packed = map_batches(table, counting.columns, pack, _PACKED).repartition("chunk")

    def count(batches: Batches) -> Batches:
        for batch in batches:
            yield from _count_terms(batch, plan)

    terms = map_batches(packed, packed.columns, count, _TERMS)
    numbers = _share_terms(terms, plan)

    def call(left: pa.Table, right: pa.Table) -> pa.Table:
        return pa.Table.from_batches(function(iter([fit_rows(left, right, plan)])))

    groups = packed.groupBy("chunk").cogroup(numbers.groupBy("chunk"))
    with silence_warnings():
        return groups.applyInArrow(call, schema)


def pack_rows(batches: Batches, task: int, rows: int) -> Batches:
    """Pack the rows of a task into chunks, each with a number by its place and content.

    The number depends on the content: should Spark repeat a lost task with other rows, these
    are another chunk.
    """
    for number, table in enumerate(gather_batches(batches, rows)):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        content = sink.getvalue().to_pybytes()
        digest = hashlib.sha256(f"{task} {number}".encode() + content).digest()
        chunk = int.from_bytes(digest[:8], signed=True)
        yield pa.record_batch([[chunk], pa.array([content])], ["chunk", "content"])


def _read_chunk(content: pa.Scalar) -> pa.RecordBatch:
    table = pa.ipc.open_stream(content.as_buffer()).read_all().combine_chunks()
    return next(iter(table.to_batches()), pa.RecordBatch.from_pylist([], table.schema))


def _count_terms(packed: pa.RecordBatch, plan: ScoringPlan) -> Batches:
    """Count the terms of chunks."""
    for chunk, content in zip(*packed.columns, strict=True):
        rows = _read_chunk(content)
        for number, fit in enumerate(list_spark_fits(plan).values()):
            columns = _list_terms(fit, rows, plan)
            numbers = {"chunk": (chunk, pa.int64()), "metric": (number, pa.int32())}
            for name, (value, kind) in numbers.items():
                values = pa.repeat(pa.scalar(value, kind), len(columns["word"]))
                columns[name] = values
            table = pa.table(columns).select(_TERM_NAMES)
            yield from table.to_batches(max_chunksize=_SENT)


def _list_terms(
    fit: Fit, rows: pa.RecordBatch, plan: ScoringPlan
) -> dict[str, pa.Array]:
    """List the terms of a chunk; a row without a word counts all words of the chunk."""
    counted = fit.count(read_references(rows, plan))
    keys, counts = pack_terms(TermCounts(*counted.terms()))
    if fit.weigh:
        pairs = pc.split_pattern(keys, pattern=SEPARATOR, max_splits=1)
        documents, words = pc.list_element(pairs, 0), pc.list_element(pairs, 1)
    else:
        is_word = pc.equal(pc.find_substring(keys, SEPARATOR), -1)
        total = pc.sum(counts.filter(is_word), min_count=0)
        words = pa.concat_arrays([keys, pa.nulls(1, pa.binary())])
        counts = pa.concat_arrays([counts, pa.array([total.as_py()], pa.int64())])
        documents = pa.nulls(len(words), pa.binary())
    return {"document": documents, "word": words, "count": counts}


def pack_terms(terms: TermCounts) -> tuple[pa.Array, pa.Array]:
    """Return the keys of terms and their counts as columns."""
    bounds = np.concatenate([[0], terms.ends]).astype(np.int32)
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(terms.keys)]
    keys = pa.Array.from_buffers(pa.binary(), len(terms.ends), buffers)
    return keys, pa.array(terms.counts, pa.int64())


def unpack_terms(keys: pa.ChunkedArray, counts: pa.ChunkedArray) -> TermCounts:
    """Return terms from columns of keys and counts."""
    keys = pa.concat_arrays(
        [pa.array([], pa.large_binary()), *keys.cast(pa.large_binary()).chunks]
    )
    _, bounds, values = keys.buffers()
    ends = np.frombuffer(bounds, np.int64)[: len(keys) + 1]
    data = values.to_pybytes()[: int(ends[-1])] if values else b""
    return TermCounts(data, ends[1:], np.asarray(counts, np.int64))


# The corpus counts of the n-grams of each chunk. Words come first in windows, because Spark
# sorts by the first bytes.
_NGRAMS = """
SELECT chunk, metric, document, word,
       sum(count) OVER (PARTITION BY word, metric) AS count,
       CAST(NULL AS DOUBLE) AS salience, CAST(NULL AS DOUBLE) AS heaviest
FROM {terms} WHERE document IS NULL
"""

# The words of documents, with all that salience depends on.
_WORDS = """
SELECT metric, document, word, sum(count) AS tf
FROM {terms} WHERE document IS NOT NULL GROUP BY metric, document, word
"""
_ENTRIES = """
SELECT entries.*, documents, words FROM (
    SELECT metric, document, word, tf,
           sum(CAST(tf > 0 AS BIGINT)) OVER (PARTITION BY word, metric) AS df,
           sum(tf) OVER (PARTITION BY word, metric) AS everywhere,
           sum(tf) OVER (PARTITION BY document, metric) AS length
    FROM {words}
) AS entries JOIN (
    SELECT metric, count(DISTINCT document) AS documents, sum(tf) AS words
    FROM {words} GROUP BY metric
) AS corpus ON entries.metric = corpus.metric
"""

# All words of the documents of each chunk, with their salience.
_DOCUMENTS = """
SELECT chunk, weighed.metric, weighed.document, word, count, salience, heaviest
FROM {weighed} AS weighed JOIN (
    SELECT DISTINCT chunk, metric, document FROM {terms}
) AS chunks ON weighed.metric = chunks.metric AND weighed.document = chunks.document
JOIN (
    SELECT metric, max(weight) AS heaviest FROM {weighed} GROUP BY metric
) AS corpus ON weighed.metric = corpus.metric
"""


def _share_terms(terms: Table, plan: ScoringPlan) -> Table:
    """Give each chunk the numbers of its n-grams, and of all words of its documents."""
    sql = terms.sparkSession.sql
    ngrams = sql(_NGRAMS, terms=terms)
    if not any(fit.weigh for fit in list_spark_fits(plan).values()):
        return ngrams

    def weigh(batches: Batches) -> Batches:
        return (_weigh_entries(batch, plan) for batch in batches)

    entries = sql(_ENTRIES, words=sql(_WORDS, terms=terms))
    weighed = map_batches(entries, entries.columns, weigh, _WEIGHED)
    documents = sql(_DOCUMENTS, terms=terms, weighed=weighed)
    return ngrams.unionAll(documents)


def _weigh_entries(entries: pa.RecordBatch, plan: ScoringPlan) -> pa.RecordBatch:
    """Compute the salience and the weight of words in documents."""
    metrics = np.asarray(entries["metric"])
    tf = _read_numbers(entries["tf"])
    salience, weights = np.full(len(tf), np.nan), np.zeros(len(tf))
    for number, fit in enumerate(list_spark_fits(plan).values()):
        is_own = (metrics == number) & (tf > 0)
        if fit.weigh and is_own.any():
            own = {
                name: _read_numbers(entries[name])[is_own]
                for name in DocumentWords._fields
            }
            corpus = {name: own[name][0] for name in ("documents", "words")}
            weighed = fit.weigh(DocumentWords(**(own | corpus)))
            salience[is_own], weights[is_own] = weighed
    columns = [entries[name] for name in ("metric", "document", "word", "tf")]
    names = ["metric", "document", "word", "count", "salience", "weight"]
    return pa.record_batch([*columns, salience, weights], names)


def _read_numbers(column: pa.Array | pa.ChunkedArray) -> Array:
    return np.asarray(column.cast(pa.float64()), np.float64)


def fit_rows(packed: pa.Table, numbers: pa.Table, plan: ScoringPlan) -> FittedRows:
    """Return the rows of a chunk with the metrics that score them."""
    metrics = dict(build_unweighed(plan))
    if len(packed) != 1 or not len(numbers):
        raise CorpusError(_CHANGED)
    for number, (spec, fit) in enumerate(list_spark_fits(plan).items()):
        own = numbers.filter(pc.equal(numbers["metric"], number))
        if not len(own) or fit.apply_some is None:
            raise CorpusError(_CHANGED)
        metrics[spec] = fit.apply_some(_read_terms(own, fit))
    return FittedRows(_read_chunk(packed["content"][0]), metrics)


def _read_terms(numbers: pa.Table, fit: Fit) -> CorpusTerms:
    """Read the terms of one metric, as Spark has added them up."""
    terms = numbers.filter(pc.is_valid(numbers["word"]))
    terms = terms.sort_by([("document", "ascending"), ("word", "ascending")])
    keys = terms["word"]
    if fit.weigh:
        keys = pc.binary_join_element_wise(terms["document"], keys, SEPARATOR)
        whole = numbers["heaviest"][0].as_py()
    else:
        whole = numbers["count"].filter(pc.is_null(numbers["word"]))[0].as_py()
    counts = unpack_terms(keys, terms["count"])
    return CorpusTerms(counts, _read_numbers(terms["salience"]), whole)
