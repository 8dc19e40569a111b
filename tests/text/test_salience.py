"""Salience: a corpus worked out by hand, and plain Python beside the kernel."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.text.salience import Salience, Tokens

# Twelve tokens: a four times in three documents, b three times in two, e three times in
# one, c and d once each.
TOY = {"one": "a a b c", "two": "a b b d", "three": "a e e e"}

BY_HAND = [  # document, word, tf, df, P_doc, P_rest, P_corp, tf.idf, S
    ("one", "a", 2, 3, 2 / 4, 2 / 8, 4 / 12, 0.0, None),
    ("one", "b", 1, 2, 1 / 4, 2 / 8, 3 / 12, math.log(1.5), None),
    ("one", "c", 1, 1, 1 / 4, 0, 1 / 12, math.log(3), math.log(2)),
    ("two", "a", 1, 3, 1 / 4, 3 / 8, 4 / 12, 0.0, None),
    ("two", "b", 2, 2, 2 / 4, 1 / 8, 3 / 12, 0.6865117470946309, math.log(0.5)),
    ("two", "d", 1, 1, 1 / 4, 0, 1 / 12, math.log(3), math.log(2)),
    ("three", "a", 1, 3, 1 / 4, 3 / 8, 4 / 12, 0.0, None),
    ("three", "e", 3, 1, 3 / 4, 0, 3 / 12, 2.305561, math.log(2)),
]


NUMBERS = ("tf", "df", "P_doc", "P_rest", "P_corp", "tf.idf", "S")


def count_words(documents: dict[str, str]) -> Salience:
    tokens = Tokens([text.split() for text in documents.values()])
    return Salience([(tokens, list(documents))])


def entries(counts: Salience) -> dict[tuple[str, str], tuple[float | None, ...]]:
    columns = (counts.column(name) for name in ("document", "word", *NUMBERS))
    return {
        (counts.documents[int(document)], counts.words[int(word)]): tuple(
            None if np.isnan(number) else float(number) for number in row
        )
        for document, word, *row in zip(*columns, strict=True)
    }


def test_the_toy_corpus_comes_out_as_by_hand():
    found = entries(count_words(TOY))
    assert list(found) == [(document, word) for document, word, *_ in BY_HAND]
    for document, word, *numbers in BY_HAND:
        for value, expected in zip(found[document, word], numbers, strict=True):
            assert value == pytest.approx(expected, abs=1e-6), (document, word)


def twin(documents: dict[str, list[str]]) -> dict[tuple[str, str], tuple]:
    """The definitions, word for word."""
    counts = {name: Counter(words) for name, words in documents.items()}
    corpus = sum(counts.values(), Counter())
    rows = {}
    for name, count in counts.items():
        rest = corpus - count
        for word, tf in count.items():
            df = sum(word in other for other in counts.values())
            p_doc = tf / count.total()
            p_rest = rest[word] / rest.total() if rest else 0.0
            p_corp = corpus[word] / corpus.total()
            tfidf = (1 + math.log(tf)) * math.log(len(counts) / df)
            product = (p_doc - p_rest) * (len(counts) - df) / len(counts) / p_corp
            s = math.log(product) if product > 1e-15 else None
            rows[name, word] = (tf, df, p_doc, p_rest, p_corp, tfidf, s)
    return rows


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "long-words-of-twenty-letters"]))


@given(st.lists(st.tuples(st.sampled_from("xyz"), WORDS), min_size=1, max_size=12))
def test_the_kernel_counts_as_its_twin(segments):
    documents: dict[str, list[str]] = {}
    for name, words in segments:
        documents.setdefault(name, []).extend(words)
    half = len(segments) // 2
    found = Salience(
        (Tokens([words for _, words in part]), [name for name, _ in part])
        for part in (segments[:half], segments[half:])
    )
    assert found.documents == list(documents)
    expected = twin(documents)
    for key, numbers in entries(found).items():
        for value, other in zip(numbers, expected.pop(key), strict=True):
            if value is None or other is None:
                # A difference of two equal frequencies may be a rounding error.
                assert other is None or other < -30
                assert value is None or value < -30
            else:
                assert value == pytest.approx(other, rel=1e-9, abs=1e-12)
    assert not expected


def test_columns_must_be_of_one_length():
    tokens = Tokens([["a"], ["b"]])
    with pytest.raises(ValueError, match="1 entries where 2 are expected"):
        Salience([(tokens, ["one"])])
    salience = Salience([(tokens, ["one", "two"])])
    with pytest.raises(ValueError, match="1 entries where 2"):
        salience.weighed(np.ones(1), floor=0)
    with pytest.raises(ValueError, match="no column named"):
        salience.column("x")
