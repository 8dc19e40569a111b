"""Salience of words in their documents: counts, tf.idf and S-scores."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra._core import BadLine, Information, Salience, Tokens, WordWeights, logarithms
from metra.errors import CorpusError

__all__ = ["BadLine", "Information", "Salience", "Tokens", "WordWeights"]


Array: TypeAlias = NDArray[np.float64]


_NO_WEIGHTS = (
    "Every word has weight zero; S-scores are at most about ln(N - 1) and need more "
    "documents, and min_salience and max_salience must leave some words."
)


def build_word_weights(
    counts: Salience,
    salience: str | Array,
    *,
    floor: float,
    least: float | None,
    most: float | None,
    oov: float | None,
    heaviest: float = 0.0,
) -> WordWeights:
    """Make weights of salience, given by its column's name or as a number for each entry.

    None is below the floor, those outside the range are 0, and a word outside its
    document's list weighs `oov`, or what the lightest word of that list weighs. `heaviest`
    is the largest weight in other documents of the corpus.
    """
    weights = counts.weighed(salience, floor=floor, least=least, most=most, unknown=oov)
    if max(weights.heaviest, heaviest) <= 0:
        raise CorpusError(_NO_WEIGHTS)
    return weights


class DocumentWords(NamedTuple):
    """Words of some documents with what their weights depend on: arrays, an entry a word."""

    #: How often the document has the word, how many documents do, and how often all do.
    tf: Array
    df: Array
    everywhere: Array
    length: Array
    #: How many documents there are, and words in all of them.
    documents: float
    words: float


def weigh_words(words: DocumentWords, column: str) -> Array:
    """Return the salience of words, with the digits that the kernel has."""
    if column == "tf.idf":
        return compute_tfidf(words.tf, words.df, words.documents)
    p_doc, p_corp = words.tf / words.length, words.everywhere / words.words
    elsewhere = np.maximum(words.words - words.length, 1.0)
    p_rest = (words.everywhere - words.tf) / elsewhere
    share_without = (words.documents - words.df) / words.documents
    product = (p_doc - p_rest) * share_without / p_corp
    # S is the logarithm of the product; words without a product above 0 have no S.
    is_salient = product > 0
    s_scores = _take_logarithms(np.where(is_salient, product, 1))
    return np.where(is_salient, s_scores, np.nan)


def limit_weights(
    salience: Array, *, floor: float, least: float | None, most: float | None
) -> Array:
    """Return weights: none below the floor, 0 outside the range."""
    raised = np.fmax(salience, floor)
    is_outside = raised < (least or 0.0)
    is_outside |= raised > (np.inf if most is None else most)
    return np.where(is_outside, 0.0, raised)


def compute_tfidf(tf: Array, df: Array, size: Array | float) -> Array:
    """Return (1 + ln tf) · ln(N / df) of words of N documents.

    >>> compute_tfidf(np.array([1.0, 2.0]), np.array([1.0, 2.0]), 2).round(4).tolist()
    [0.6931, 0.0]
    """
    return (1 + _take_logarithms(tf)) * _take_logarithms(size / df)


def _take_logarithms(values: Array) -> Array:
    """Return natural logarithms as the kernels have them; numpy's last digit may differ."""
    return logarithms(np.ascontiguousarray(values, np.float64))
