"""Weights that metrics count from the references of a whole corpus, at once or in parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra import _core
from metra.corpus.batch import Batch, CorpusChunk
from metra.errors import UnfittedError
from metra.metrics.record import AnyBatch, Array, Fit, Metric
from metra.text.salience import DocumentWords

#: The byte between the words of a term.
SEPARATOR = 0xFF

#: Arrays of numbers by their names, as a file keeps them.
Tables: TypeAlias = Mapping[str, Any]


class TermCounts(NamedTuple):
    """Counts behind a metric's weights: keys with whole numbers, which add up.

    The keys lie one behind the other in `keys`; `ends` says where each ends. Keys of several
    words have the byte 0xFF between them, which no UTF-8 has.
    """

    keys: bytes
    ends: NDArray[np.int64]
    counts: NDArray[Any]


class SplitTerms(NamedTuple):
    """Terms in the order of the partitions that they belong to."""

    #: The keys in that order; where each begins, and where the last ends.
    keys: NDArray[np.uint8]
    bounds: NDArray[np.int32]
    #: Their counts: one number each, or a row of them.
    counts: Array
    #: Where in the order each partition begins, and where the last ends.
    starts: NDArray[np.int64]


class TermRequest(NamedTuple):
    """The terms that a chunk of rows asks about."""

    #: Gives the terms with what the references of these rows count; 0 where a term is only
    #: asked about.
    split: Callable[[], SplitTerms]
    #: Gives the metric for these rows: from the answers, all numbers one behind the other in
    #: the order of the split terms, and the words of the corpus.
    apply: Callable[[Array, float], Metric]


class NgramSums(Protocol):
    """Terms of n-grams from all chunks of a corpus, added up."""

    def add(
        self, bytes: NDArray[np.uint8], bounds: NDArray[np.int32], counts: Array
    ) -> None:
        """Add a chunk's terms, given by where each begins and where the last ends."""

    @property
    def total(self) -> float:
        """Number of words that the terms stand for."""

    def answers(self) -> list[Array]:
        """Give each chunk a row of numbers for each of its terms."""


@dataclass(frozen=True, slots=True)
class TermExchange:
    """Weights of chunks of rows if no memory holds all terms of a corpus.

    Terms belong to partitions. A partition adds up what all chunks counted of its terms, and
    answers each chunk with a number for every term that it asked about.
    """

    #: Finds the terms of some rows, and the partition of each, of so many. Only batches of
    #: these very chunks can be scored with what comes of it.
    request: Callable[[Sequence[CorpusChunk], int], TermRequest]
    #: Makes what adds up terms, where they do not add up one by one.
    start_sums: "Callable[[], NgramSums] | None" = None
    #: Where terms are pairs of a document and a word, and weights are answered: what the
    #: words of documents weigh, and those that a document does not have, from its weights.
    weigh: tuple[Callable[[DocumentWords], Array], Callable[[Array], float]] | None = (
        None
    )
    #: Refuses a corpus by its number of documents, and whether any word weighs something.
    check: Callable[[float, bool], None] = lambda *_: None


def sort_by_partition(
    terms: TermCounts, partitions: int, together: int | None = None
) -> tuple[NDArray[np.int64], SplitTerms]:
    """Sort terms by partition, which their bytes choose: the same on every machine.

    `together` keeps terms together that have the same first words, so many. Also gives the
    place of each among the terms before.
    """
    order, keys, starts = _core.split_terms(
        terms.keys, terms.ends, partitions, together
    )
    counts = np.asarray(terms.counts, np.float64)[order]
    return order, SplitTerms(*keys, counts, starts)


def reorder_numbers(order: NDArray[np.int64], numbers: Array) -> Array:
    """Put numbers of sorted terms into the order that the terms had before."""
    reordered = np.empty_like(numbers)
    reordered[order] = numbers
    return reordered


def number_terms(
    batches: Sequence[tuple[NDArray[np.uint8], NDArray[np.int32]]],
) -> tuple[NDArray[np.int32], bytes, NDArray[np.int64]]:
    """Number different terms: each one's number, the keys by number, and where each ends.

    A batch is bytes, and where in them each term begins and the last ends.
    """
    numbers, keys = _core.number_terms(batches)
    return numbers, *keys


class PairNumbers(NamedTuple):
    """Terms of a document and a word by numbers."""

    #: The number of each term's document, and how many documents there are.
    document: NDArray[np.int32]
    documents: int
    #: The number of the word of each term that counts.
    word: NDArray[np.int32]
    #: The different words, and where each ends.
    words: tuple[bytes, NDArray[np.int64]]


def number_pairs(terms: TermCounts) -> PairNumbers:
    """Number the documents of terms, and the words of those whose count is above 0."""
    return PairNumbers(*_core.split_pairs(*terms[:3]))


def count_batch_terms(fit: Fit, batch: Batch) -> TermCounts:
    """Return the terms of a batch's references, in no order, each key once."""
    return TermCounts(*fit.count([batch]).terms())


def weigh_terms(fit: Fit, terms: TermCounts) -> Metric:
    """Return the metric with the weights of the summed terms of a corpus in parts."""
    if fit.from_terms is None:
        msg = "The metric cannot be fitted to parts of a corpus; fit it to all batches."
        raise UnfittedError(msg)
    return fit.apply(fit.from_terms(terms))


def refuse_unfitted(name: str) -> Callable[[AnyBatch], Array]:
    """Return the `rows` of a metric that has to be fitted first: they refuse."""

    def rows(_: AnyBatch) -> Array:
        msg = (
            f"{name} needs weights from the references of the whole test set; use the "
            "metric that metric.fit([metra.Batch(hyps, refs)]) returns."
        )
        raise UnfittedError(msg)

    return rows
