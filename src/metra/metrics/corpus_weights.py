"""Weights that metrics count from the references of a whole corpus, at once or in parts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.corpus.batch import Batch, CorpusChunk
from metra.errors import UnfittedError
from metra.metrics.record import AnyBatch, Array, Metric
from metra.text.salience import DocumentWords

#: The byte between the words of a term.
SEPARATOR = 0xFF

#: Arrays of numbers by their names, as a file keeps them.
Tables: TypeAlias = Mapping[str, Any]


class TermCounts(NamedTuple):
    """What a metric counts to find its weights: keys with whole numbers, which add up.

    The keys lie one behind the other in `keys`; `ends` says where each ends. Keys of several
    words have the byte 0xFF between them, which no UTF-8 has.
    """

    keys: bytes
    ends: NDArray[np.int64]
    counts: NDArray[Any]


@dataclass(frozen=True, slots=True)
class TermExchange:
    """How chunks of rows get their weights where no memory holds all terms of a corpus.

    Terms belong to partitions. A partition adds up what all chunks counted of its terms, and
    answers each chunk with a number for every term that it asked about.
    """

    #: The terms of some rows, with what the references of these rows count; 0 where a term
    #: is only asked about.
    request: Callable[[Sequence[CorpusChunk]], TermCounts]
    #: The metric for some rows: from their terms, the answers, and the words of the corpus.
    apply: Callable[[TermCounts, Array, float], Metric]
    #: Where terms are pairs of a document and a word, and weights are answered: what the
    #: words of documents weigh, and those that a document does not have, from its weights.
    weigh: tuple[Callable[[DocumentWords], Array], Callable[[Array], float]] | None = (
        None
    )
    #: Refuses a corpus by its number of documents, and whether any word weighs something.
    check: Callable[[float, bool], None] = lambda *_: None


def find_separators(terms: TermCounts) -> NDArray[np.int64]:
    """Find where the first word of each term ends."""
    ends = np.asarray(terms.ends, np.int64)
    places = np.flatnonzero(np.frombuffer(terms.keys, np.uint8) == SEPARATOR)
    first = np.searchsorted(places, np.concatenate([[0], ends[:-1]]))
    return np.minimum(np.append(places, len(terms.keys))[first], ends)


def sum_words(terms: TermCounts) -> float:
    """Add up the counts of terms of one word."""
    return float(np.asarray(terms.counts)[find_separators(terms) == terms.ends].sum())


@dataclass(frozen=True, slots=True)
class TwoPassFit:
    """`fit` in two steps, for a corpus whose parts are counted in different places.

    The counts are of a kind of the metric's own; their `terms()` give what adds up.
    """

    #: Counts what the references of all batches have.
    count_all: Callable[[Iterable[Batch]], Any]
    #: The counts from the sums of all terms, in the order of the keys' bytes.
    from_terms: Callable[[TermCounts], Any]
    #: The counts as arrays to be kept in a file, and from such arrays, which is much quicker
    #: than to count again.
    to_tables: Callable[[Any], Tables]
    from_tables: Callable[[Tables], Any]
    #: The metric with the weights of such counts. It has no `fit` and no `weighing` itself.
    apply: Callable[[Any], Metric]
    #: For a corpus whose terms no memory holds; None where there are never so many.
    exchange: "TermExchange | None" = None

    def fit(self, batches: Iterable[Batch]) -> Metric:
        """Return the metric with the weights of these batches' references."""
        return self.apply(self.count_all(batches))

    def count(self, batch: Batch) -> TermCounts:
        """Return what the references of a batch have, in no order, each key once."""
        return TermCounts(*self.count_all([batch]).terms())

    def weigh(self, terms: TermCounts) -> Metric:
        """Return the metric with the weights of terms that were added up."""
        return self.apply(self.from_terms(terms))

    def tables(self, batches: Iterable[Batch]) -> Tables:
        """Return what all batches have as arrays to be kept in a file."""
        return self.to_tables(self.count_all(batches))

    def restore(self, tables: Tables) -> Metric:
        """Return the metric with the weights of such arrays."""
        return self.apply(self.from_tables(tables))


def refuse_unfitted(name: str) -> Callable[[AnyBatch], Array]:
    """Return the `rows` of a metric that has to be fitted first: they refuse."""

    def rows(_: AnyBatch) -> Array:
        msg = (
            f"{name} needs weights from the references of the whole test set; use the "
            "metric that metric.fit([metra.Batch(hyps, refs)]) returns."
        )
        raise UnfittedError(msg)

    return rows
