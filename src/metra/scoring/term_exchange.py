"""Terms of a corpus that no memory holds: added up in partitions, answered chunk by chunk.

A chunk of rows needs to know of its own terms only how often the whole corpus has them. So
each chunk sends its terms with its counts to the partitions that they belong to; a partition
adds up what came from all chunks, and answers each with a number for every term that it sent,
in the same order. Keys stay whole, so that no two are ever taken for the same. These are
functions of Arrow's batches, for files on this machine (`executors.term_files`) and for engines
that send messages (`term_messages`).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from metra.metrics.corpus_weights import (
    TermCounts,
    TermExchange,
    find_separators,
    sum_words,
)
from metra.metrics.record import Array
from metra.scoring.plan import PIECE, ScoringPlan, pack_chunk
from metra.text.salience import DocumentWords

Index: TypeAlias = NDArray[np.int64]

#: A chunk has so many rows at least, and at most.
_ROWS = (16_384, 131_072)
# There are so many chunks at most before they get longer.
_CHUNKS = 4_096
# A partition gets the terms of about so many rows, and there are so many partitions at most.
_PARTITION_ROWS = 65_536
_PARTITIONS = 4_096


def choose_sizes(rows: int) -> tuple[int, int]:
    """Choose the rows of a chunk and the number of partitions, for all rows together.

    >>> choose_sizes(1000), choose_sizes(10**7), choose_sizes(10**9)
    ((16384, 1), (16384, 153), (131072, 4096))
    """
    chunk_rows = min(max(rows // _CHUNKS, _ROWS[0]), _ROWS[1])
    return chunk_rows, min(max(-(-rows // _PARTITION_ROWS), 1), _PARTITIONS)


def cut_rows(
    batches: Iterator[pa.RecordBatch], size: int | None
) -> Iterator[pa.RecordBatch]:
    """Cut rows into chunks of one size, however they were read; None leaves them as read."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        if size is None:
            yield batch
            continue
        start = 0
        while start < batch.num_rows:
            piece = batch.slice(start, size - count)
            held.append(piece)
            start += piece.num_rows
            count += piece.num_rows
            if count == size:
                yield _join_batches(held)
                held, count = [], 0
    if held:
        yield _join_batches(held)


def _join_batches(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    return table.to_batches()[0]


def split_terms(
    terms: TermCounts, partitions: int, *, by_document: bool
) -> tuple[Index, list[pa.RecordBatch]]:
    """Split a chunk's terms by partition: their order there, and a batch for each partition.

    `by_document` keeps terms together that begin with the same word.
    """
    places = choose_partitions(terms, partitions, by_document=by_document)
    order = np.argsort(places, kind="stable")
    counts = _list_columns(np.asarray(terms.counts, np.float64))[order]
    table = build_batch(build_term_array(terms).take(wrap_array(order)), counts)
    bounds = np.searchsorted(places[order], np.arange(partitions + 1))
    batches = [
        table.slice(start, stop - start)
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]
    return order, batches


def join_answers(order: Index, answers: Sequence[pa.RecordBatch]) -> Array:
    """Put the answers of all partitions into the order of the chunk's terms."""
    numbers = np.concatenate([read_numbers(batch) for batch in answers])
    joined = np.empty_like(numbers)
    joined[order] = numbers
    return joined


def request_terms(
    exchange: TermExchange, plan: ScoringPlan, rows: pa.RecordBatch, partitions: int
) -> tuple[TermCounts, Index, list[pa.RecordBatch]]:
    """Find the terms of a chunk of rows, and split them by partition."""
    starts = range(0, rows.num_rows, PIECE)
    terms = exchange.request([pack_chunk(rows.slice(at, PIECE), plan) for at in starts])
    by_document = exchange.weigh is not None
    return terms, *split_terms(terms, partitions, by_document=by_document)


def answer_partition(
    exchange: TermExchange,
    added: "TermSums",
    word_answers: Sequence[pa.RecordBatch],
    corpus: Sequence[float],
) -> tuple[Array, list[float]]:
    """Give a number for each term of a partition, and the partition's share of three sums.

    These are documents, words and the largest weight. Where terms are pairs of a document and a
    word, all partitions have answered how many documents have its words, and `corpus` is the
    number of documents and of words.
    """
    if exchange.weigh is None:
        return np.asarray(added.terms.counts), [0.0, sum_words(added.terms), 0.0]
    lists = DocumentLists(added.terms)
    order, _ = split_terms(lists.count_words(), len(word_answers), by_document=False)
    sums = join_answers(order, word_answers)
    numbers = lists.weigh(*exchange.weigh, sums, corpus)
    return numbers, [*lists.summarise(), float(numbers.max(initial=0.0))]


class TermSums:
    """What a partition got from all chunks, added up: terms with their sums, each once."""

    def __init__(self, batches: Sequence[pa.RecordBatch]) -> None:
        """Add up the numbers of equal terms; whole numbers stay exact up to 2⁵³."""
        keys = pa.chunked_array([b.column(0) for b in batches], pa.binary())
        # Empty chunks may be left out of the answer, so codes are cut by hand.
        encoded = keys.dictionary_encode().chunks
        dictionary = encoded[-1].dictionary if encoded else pa.array([], pa.binary())
        read = [_read_buffer(chunk.indices, np.int32) for chunk in encoded]
        codes = np.concatenate([*read, np.zeros(0, np.int32)])
        self._codes = np.split(codes, np.cumsum([b.num_rows for b in batches])[:-1])
        numbers = np.concatenate([read_numbers(batch) for batch in batches])
        width = numbers.shape[1]
        sums = np.zeros((len(dictionary), width))
        for at, column in enumerate(numbers.T if len(codes) else ()):
            sums[:, at] = np.bincount(codes, column, len(dictionary))
        #: Each term once; counts are one number each, or a row of them.
        self.terms = read_term_array(dictionary, sums[:, 0] if width == 1 else sums)

    def answer(self, numbers: Array) -> list[pa.RecordBatch]:
        """Give each batch that was added up the numbers of its terms, in their order."""
        numbers = _list_columns(numbers)
        return [build_batch(None, numbers[codes]) for codes in self._codes]


def choose_partitions(
    terms: TermCounts, partitions: int, *, by_document: bool
) -> NDArray[np.int64]:
    """Choose a partition for each term, by its bytes: the same on every machine."""
    stops = np.asarray(terms.ends, np.int64)
    starts = np.concatenate([[0], stops[:-1]]).astype(np.int64)
    if by_document:
        stops = find_separators(terms)
    lengths = stops - starts
    # Eight bytes at the beginning, in the middle and at the end: enough to spread terms.
    data = np.frombuffer(b"%b%b%b" % (bytes(8), terms.keys, bytes(8)), np.uint8)
    words = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))
    short = np.minimum(lengths, 8).astype(np.uint64)
    mask = np.where(
        short == 8, ~np.uint64(0), (np.uint64(1) << np.uint64(8) * (short % 8)) - 1
    )
    hashed = lengths.astype(np.uint64)
    last = np.maximum(stops - 8, starts)
    for at in (starts, (starts + last) // 2, last):
        hashed = (hashed ^ (words[at + 8] & mask)) * np.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> np.uint64(32)
    return (hashed % np.uint64(partitions)).astype(np.int64)


def build_term_array(terms: TermCounts) -> pa.Array:
    """Give the keys as an array of Arrow, without a copy of them."""
    bounds = np.concatenate([[0], terms.ends]).astype(np.int32)
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(terms.keys)]
    return pa.Array.from_buffers(pa.binary(), len(terms.ends), buffers)


def read_term_array(keys: pa.Array, counts: NDArray[Any]) -> TermCounts:
    """Give an array of keys, plain or large, as terms with these counts."""
    _, bounds, values = keys.buffers()
    kind: Any = np.int64 if pa.types.is_large_binary(keys.type) else np.int32
    bytes_ends = np.frombuffer(bounds, kind) if bounds else np.zeros(1, kind)
    ends = bytes_ends[keys.offset : keys.offset + len(keys) + 1].astype(np.int64)
    first, last = int(ends[0]), int(ends[-1])
    data = values.slice(first, last - first).to_pybytes() if values else b""
    return TermCounts(data, ends[1:] - first, counts)


def build_batch(keys: pa.Array | None, numbers: Array) -> pa.RecordBatch:
    """Put keys, if there are any, and columns of numbers together."""
    columns = [wrap_array(np.ascontiguousarray(column)) for column in numbers.T]
    names = [f"number{at}" for at in range(len(columns))]
    if keys is None:
        return pa.record_batch(columns, names)
    return pa.record_batch([keys, *columns], ["term", *names])


def read_numbers(batch: pa.RecordBatch) -> Array:
    """Read the columns of numbers: (rows, columns)."""
    columns = [
        _read_buffer(column, np.float64)
        for column in batch.columns
        if pa.types.is_floating(column.type)
    ]
    return np.stack(columns, axis=1)


# Without `pa.array` and `to_numpy`, which would load pandas.
def wrap_array(values: NDArray[Any]) -> pa.Array:
    """Give an array of numbers to Arrow, without a copy."""
    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def _list_columns(numbers: Array) -> Array:
    return numbers if numbers.ndim == 2 else numbers[:, None]


def _read_buffer(values: pa.Array, kind: type) -> NDArray[Any]:
    data = values.buffers()[1] if len(values) else None
    numbers: NDArray[Any] = np.frombuffer(data, kind) if data else np.zeros(0, kind)
    return numbers[values.offset : values.offset + len(values)]


class DocumentLists:
    """The words of the documents of a partition, from all its terms."""

    def __init__(self, terms: TermCounts) -> None:
        """Take documents apart from words; terms that no reference has are no entries."""
        documents, words = _split_pairs(terms)
        self._tf = np.asarray(terms.counts)
        self._is_entry = self._tf > 0
        encoded = documents.dictionary_encode()
        self._document = _read_buffer(encoded.indices, np.int32)
        self._documents = len(encoded.dictionary)
        known = words.filter(_build_mask(self._is_entry)).dictionary_encode()
        self._word = _read_buffer(known.indices, np.int32)
        self._words = known.dictionary

    def summarise(self) -> list[float]:
        """Count the documents, and their words."""
        return [float(self._documents), float(self._tf.sum())]

    def count_words(self) -> TermCounts:
        """Count for each word the documents that have it, and how often they do."""
        size = len(self._words)
        tf = self._tf[self._is_entry]
        counts = [
            np.bincount(self._word, minlength=size),
            np.bincount(self._word, tf, size),
        ]
        return read_term_array(self._words, np.stack(counts, axis=1).astype(np.float64))

    def weigh(
        self,
        weigh: Callable[[DocumentWords], Array],
        weigh_unknown: Callable[[Array], float],
        word_sums: Array,
        whole: Sequence[float],
    ) -> Array:
        """Weigh every term: what is in a document's list, and what is not."""
        tf, document = self._tf[self._is_entry], self._document[self._is_entry]
        lengths = np.bincount(document, tf, self._documents)
        df, count = word_sums[self._word].T
        entries = DocumentWords(tf, df, count, lengths[document], *whole)
        weights = weigh(entries)
        order = np.argsort(document, kind="stable")
        bounds = np.searchsorted(document[order], np.arange(self._documents + 1))
        unknown = np.array(
            [
                weigh_unknown(weights[order[start:stop]])
                for start, stop in pairwise(bounds.tolist())
            ]
        )
        numbers = unknown[self._document]
        numbers[self._is_entry] = weights
        return numbers


def _split_pairs(terms: TermCounts) -> tuple[pa.Array, pa.Array]:
    """Split pairs of words into the first and the second ones."""
    ends = np.asarray(terms.ends, np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    between = find_separators(terms)
    data = np.frombuffer(terms.keys, np.uint8)
    kept = np.ones(len(data), bool)
    kept[between] = False
    lengths = np.stack([between - starts, ends - between - 1], axis=1).ravel()
    both = TermCounts(data[kept].tobytes(), np.cumsum(lengths), lengths)
    array = build_term_array(both)
    at = np.arange(len(ends)) * 2
    return array.take(wrap_array(at)), array.take(wrap_array(at + 1))


def _build_mask(values: NDArray[np.bool_]) -> pa.Array:
    bits = np.packbits(values, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])
