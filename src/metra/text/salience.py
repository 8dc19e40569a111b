"""Salience of words in their documents: counts, tf.idf and S-scores."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra._core import BadLine, Information, Salience, Tokens, WordWeights
from metra.errors import CorpusError

__all__ = ["BadLine", "Frequencies", "Information", "Tokens", "WordWeights"]


Array: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int64]


class Frequencies:
    """How often each word occurs in each document: one entry for each pair that occurs.

    The entries of a document are together, documents in order of first appearance.

    >>> frequencies = Frequencies([(Tokens([["a", "b", "b"], ["a"]]), ["one", "two"])])
    >>> frequencies.tf.tolist(), frequencies.df.tolist(), frequencies.tfidf.round(4).tolist()
    ([1, 2, 1], [2, 1, 2], [0.0, 1.1736, 0.0])
    """

    def __init__(self, texts: Iterable[tuple[Tokens, list[str]]]) -> None:
        """Count the words of segments, given with the name of each segment's document."""
        self.salience = Salience(texts)

    def terms(self) -> tuple[bytes, Index, Index]:
        """Return what was counted as keys with numbers that add up."""
        return self.salience.terms()

    @classmethod
    def from_terms(cls, terms: tuple[bytes, Index, Index]) -> "Frequencies":
        """Take such terms back, added up, those of a document together."""
        return cls._wrap(Salience.learnt(*terms))

    def tables(self) -> dict[str, Any]:
        """Return everything that was counted as arrays, for `from_tables` to take back."""
        (words, ends), documents, starts, entries = self.salience.tables()
        encoded = [name.encode() for name in documents]
        return {
            "words": words,
            "ends": ends,
            "documents": np.frombuffer(b"".join(encoded), np.uint8),
            "document_ends": np.cumsum([len(name) for name in encoded], dtype=np.int64),
            "starts": starts,
            "entries": entries,
        }

    @classmethod
    def from_tables(cls, tables: Mapping[str, Any]) -> "Frequencies":
        """Take such arrays back, which is quicker than to count again."""
        data = tables["documents"].tobytes()
        ends = tables["document_ends"].tolist()
        documents = [data[a:b].decode() for a, b in pairwise([0, *ends])]
        words = tables["words"], tables["ends"]
        return cls._wrap(
            Salience.of_tables(words, documents, tables["starts"], tables["entries"])
        )

    @classmethod
    def _wrap(cls, salience: Salience) -> "Frequencies":
        frequencies = cls.__new__(cls)
        frequencies.salience = salience
        return frequencies

    def _read_counts(self, column: str) -> Index:
        return self.salience.column(column).astype(np.int64)

    #: The names of the documents, and the words, by number.
    documents = cached_property(lambda self: self.salience.documents)
    words = cached_property(lambda self: self.salience.words)
    #: For each entry the number of its word and of its document.
    word = cached_property(lambda self: self._read_counts("word"))
    document = cached_property(lambda self: self._read_counts("document"))
    #: How often its word occurs in its document, and how many documents have the word.
    tf = cached_property(lambda self: self._read_counts("tf"))
    df = cached_property(lambda self: self._read_counts("df"))
    #: The relative frequency of its word in its document, in the other documents together
    #: (0 where there are no others), and in the whole corpus.
    p_doc = cached_property(lambda self: self.salience.column("P_doc"))
    p_rest = cached_property(lambda self: self.salience.column("P_rest"))
    p_corp = cached_property(lambda self: self.salience.column("P_corp"))
    #: Its tf.idf: (1 + ln tf) · ln(N / df).
    tfidf = cached_property(lambda self: self.salience.column("tf.idf"))
    #: Its S-score: ln[(p_doc - p_rest) · (N - df)/N / p_corp]. NaN where the product is not
    #: above 0: the word is no more frequent in this document than in the rest, or every
    #: document has it.
    s = cached_property(lambda self: self.salience.column("S"))


def build_word_weights(
    frequencies: Frequencies,
    salience: str | Array,
    *,
    floor: float,
    least: float | None,
    most: float | None,
    oov: float | None,
) -> WordWeights:
    """Make weights of salience, given by its column's name or as a number for each entry.

    None is below the floor, those outside the range are 0, and a word that is not in its
    document's list weighs `oov`, or what the lightest word of that list weighs.
    """
    weights = frequencies.salience.weighed(
        salience, floor=floor, least=least, most=most, unknown=oov
    )
    if weights is None:
        msg = (
            "No word weighs anything; S-scores need more documents, since they are at most "
            "ln(N - 1) or thereabouts, and min_salience and max_salience must leave some words."
        )
        raise CorpusError(msg)
    return weights
