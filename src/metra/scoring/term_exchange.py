"""Terms of a corpus that no memory holds: added up in partitions, answered chunk by chunk.

A chunk of rows needs to know of its own terms only how often the whole corpus has them. So
each chunk sends its terms with its counts to the partitions that they belong to; a partition
adds up what came from all chunks, and answers each with numbers for every term that it sent,
in the same order. Keys stay whole, so that no two are ever taken for the same. These are
functions of Arrow's batches, for files on this machine (`executors.term_files`) and for engines
that send messages (`term_messages`).
"""

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from metra.metrics.corpus_weights import (
    SplitTerms,
    TermCounts,
    TermExchange,
    number_pairs,
    number_terms,
    reorder_numbers,
    sort_by_partition,
)
from metra.metrics.record import Array
from metra.text.salience import DocumentWords

Index: TypeAlias = NDArray[np.int64]

#: A chunk has so many rows at least, and at most.
_ROWS = (32_768, 131_072)
# There are so many chunks at most before they get longer.
_CHUNKS = 4_096
# A partition gets the terms of about so many rows, and there are so many partitions at most.
_PARTITION_ROWS = 32_768
_PARTITIONS = 4_096


def choose_sizes(rows: int) -> tuple[int, int]:
    """Choose the rows of a chunk and the number of partitions, for all rows together.

    >>> choose_sizes(1000), choose_sizes(10**7), choose_sizes(10**9)
    ((32768, 1), (32768, 306), (131072, 4096))
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
    terms: TermCounts, partitions: int
) -> tuple[Index, list[pa.RecordBatch]]:
    """Split terms by partition: their order there, and a batch for each partition."""
    order, split = sort_by_partition(terms, partitions)
    return order, cut_partitions(split)


def cut_partitions(split: SplitTerms) -> list[pa.RecordBatch]:
    """Give a batch for each partition."""
    buffers = [None, pa.py_buffer(split.bounds), pa.py_buffer(split.keys)]
    keys = pa.Array.from_buffers(pa.binary(), len(split.bounds) - 1, buffers)
    table = build_batch(keys, _list_columns(split.counts))
    bounds = split.starts.tolist()
    return [table.slice(start, stop - start) for start, stop in pairwise(bounds)]


def join_answers(answers: Sequence[pa.RecordBatch]) -> Array:
    """Put the answers of all partitions one behind the other."""
    return np.concatenate([read_numbers(batch)[:, 0] for batch in answers])


def answer_partition(
    exchange: TermExchange,
    asked: Iterable[pa.RecordBatch],
    word_answers: Sequence[pa.RecordBatch],
    corpus: Sequence[float],
) -> tuple[list[pa.RecordBatch], list[float]]:
    """Answer all batches of a partition, and give the partition's share of three sums.

    These are documents, words and the largest weight. Where terms are pairs of a document and a
    word, all partitions have answered how many documents have its words, and `corpus` is the
    number of documents and of words.
    """
    if exchange.weigh is None:
        return _answer_ngrams(exchange, asked)
    added = TermSums([*asked])
    lists = DocumentLists(added.terms)
    order, _ = split_terms(lists.count_words(), len(word_answers))
    sums = reorder_numbers(order, join_answers(word_answers).reshape(-1, 2))
    numbers = lists.weigh(*exchange.weigh, sums, corpus)
    whole = [*lists.summarise(), float(numbers.max(initial=0.0))]
    return added.answer(numbers), whole


def _answer_ngrams(
    exchange: TermExchange, asked: Iterable[pa.RecordBatch]
) -> tuple[list[pa.RecordBatch], list[float]]:
    """Add up n-grams batch by batch, none of which is held."""
    if exchange.start_sums is None:
        msg = "terms that are not weighed by document need `start_sums`"
        raise TypeError(msg)
    sums = exchange.start_sums()
    for batch in asked:
        counts = np.ascontiguousarray(read_numbers(batch)[:, 0])
        sums.add(*_read_keys(batch), counts)
    answers = [build_answer(numbers) for numbers in sums.answers()]
    return answers, [0.0, sums.total, 0.0]


def release_memory() -> None:
    """Give free memory back to the system.

    Chunks and partitions allocate blocks of many sizes; the C library keeps these, so that a
    process would hold several times what it uses.
    """
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
        if trim:
            trim(0)


class TermSums:
    """What a partition got from all chunks, added up: terms with their sums, each once."""

    def __init__(self, batches: Sequence[pa.RecordBatch]) -> None:
        """Add up the numbers of equal terms; whole numbers stay exact up to 2⁵³."""
        codes, keys, ends = number_terms([_read_keys(batch) for batch in batches])
        self._codes = np.split(codes, np.cumsum([b.num_rows for b in batches])[:-1])
        numbers = np.concatenate([read_numbers(batch) for batch in batches])
        width = numbers.shape[1]
        sums = np.zeros((len(ends), width))
        for at, column in enumerate(numbers.T if len(codes) else ()):
            sums[:, at] = np.bincount(codes, column, len(ends))
        #: Each term once; counts are one number each, or a row of them.
        self.terms = TermCounts(keys, ends, sums[:, 0] if width == 1 else sums)

    def answer(self, numbers: Array) -> list[pa.RecordBatch]:
        """Give each batch that was added up the numbers of its terms, in their order."""
        return [build_answer(numbers[codes]) for codes in self._codes]


def _read_keys(
    batch: pa.RecordBatch,
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Read the keys of a batch: bytes; where each begins, and where the last ends."""
    keys = batch.column(0)
    _, bounds, values = keys.buffers()
    starts = np.frombuffer(bounds, np.int32) if bounds else np.zeros(1, np.int32)
    data = np.frombuffer(values or b"", np.uint8)
    return data, starts[keys.offset : keys.offset + len(keys) + 1]


def build_batch(keys: pa.Array, numbers: Array) -> pa.RecordBatch:
    """Put keys and columns of numbers together."""
    columns = [wrap_array(column) for column in numbers.T]
    names = [f"number{at}" for at in range(len(columns))]
    return pa.record_batch([keys, *columns], ["term", *names])


def build_answer(numbers: Array) -> pa.RecordBatch:
    """Put the numbers of terms, a row of them for each, one behind the other."""
    return pa.record_batch([wrap_array(numbers.ravel())], ["number0"])


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
        pairs = number_pairs(terms)
        self._tf = np.asarray(terms.counts)
        self._is_entry = self._tf > 0
        self._document, self._documents = pairs.document, pairs.documents
        self._word, self._words = pairs.word, pairs.words

    def summarise(self) -> list[float]:
        """Count the documents, and their words."""
        return [float(self._documents), float(self._tf.sum())]

    def count_words(self) -> TermCounts:
        """Count for each word the documents that have it, and how often they do."""
        size = len(self._words[1])
        tf = self._tf[self._is_entry]
        counts = [
            np.bincount(self._word, minlength=size),
            np.bincount(self._word, tf, size),
        ]
        return TermCounts(*self._words, np.stack(counts, axis=1).astype(np.float64))

    def weigh(
        self,
        weigh: Callable[[DocumentWords], Array],
        weigh_unknown: Callable[[Array], float],
        word_sums: Array,
        whole: Sequence[float],
    ) -> Array:
        """Weigh every term: what is in a document's list, and what is not."""
        tf, document = self._tf[self._is_entry], self._document[self._is_entry]
        lengths: Array = np.bincount(document, tf, self._documents).astype(np.float64)
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
