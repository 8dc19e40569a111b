"""Weights that metrics count from the references of a whole corpus, at once or in parts."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.corpus.batch import Batch
from metra.errors import UnfittedError
from metra.metrics.record import AnyBatch, Array, Fit, Metric

#: The byte between the words of a term.
SEPARATOR = b"\xff"

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


class CorpusTerms(NamedTuple):
    """Terms of some rows with the numbers of the whole corpus."""

    #: Each term once, in the order of the keys' bytes, with its count in the corpus.
    terms: TermCounts
    #: The salience of each term, for metrics with `Fit.weigh`.
    salience: Array
    #: The number of words in the corpus, or the largest weight for metrics with `Fit.weigh`.
    whole: float


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
