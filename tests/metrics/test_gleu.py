"""GLEU: golden values, the slow plain definition, and nltk."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra

CASES = [  # by hand: matching n-grams of 1 to 4 words over those of the longer side
    pytest.param("a b c d", ["a b c d"], 100, id="identical"),
    pytest.param("a b c", ["a b c d"], 100 * 6 / 10, id="short output: recall"),
    pytest.param("a b c d", ["a b c"], 100 * 6 / 10, id="long output: precision"),
    pytest.param("a a a", ["a b"], 100 * 1 / 6, id="matches are clipped"),
    pytest.param("a b", ["b a"], 100 * 2 / 3, id="order counts for longer n-grams"),
    pytest.param("a b", ["x", "a b c"], 100 * 3 / 6, id="best reference"),
    pytest.param("a", ["", "b"], 0, id="no match"),
    pytest.param("", ["a"], 0, id="empty output"),
    pytest.param("a", [""], 0, id="empty reference"),
    pytest.param("", [""], 0, id="both empty"),
    pytest.param("ΟΔΟΣ א", ["ΟΔΟΣ א"], 100, id="other scripts"),
]


@pytest.mark.parametrize(("hyp", "refs", "expected"), CASES)
def test_segment(hyp, refs, expected):
    score = metra.metric("gleu").sentence(hyp, refs)
    assert score == pytest.approx(expected, abs=1e-9)


def test_corpus_divides_sums():
    # 6 of 10 n-grams, and 0 of 1.
    result = metra.score(["a b c", "x"], [["a b c d", "y"]], "gleu")
    assert result.score == pytest.approx(100 * 6 / 11)
    assert result.parts == {"matches": 6, "ngrams": 11}


def test_missing_references_are_skipped():
    batch = metra.Batch(["a b"], refs_per_segment=[[None, "a x", None, "a b c"]])
    assert metra.metric("gleu").rows(batch).tolist() == [[3, 6]]


def test_of_equal_references_the_first_counts():
    batch = metra.Batch(["a b"], refs_per_segment=[["a x", "a c d", "x y"]])
    assert metra.metric("gleu:n=1").rows(batch).tolist() == [[1, 2]]


def test_orders():
    # Of 2 bigrams and 1 trigram, the first bigram matches.
    score = metra.metric("gleu:shortest=2,n=3").sentence("a b x", ["a b c"])
    assert score == pytest.approx(100 / 3)


def test_orders_that_cannot_be():
    with pytest.raises(metra.MetraError) as caught:
        metra.metric("gleu:shortest=3,n=2")
    assert str(caught.value) == (
        "gleu: shortest=3 is not possible; expected at most n=2."
    )


def count_ngrams(words, shortest, n):
    return Counter(
        tuple(words[at : at + order])
        for order in range(shortest, n + 1)
        for at in range(len(words) - order + 1)
    )


def plain_row(hyp, refs, shortest, n):
    best = (0, 0)
    grams = count_ngrams(hyp, shortest, n)
    for ref in refs:
        others = count_ngrams(ref, shortest, n)
        row = ((grams & others).total(), max(grams.total(), others.total()))
        if row[1] and (not best[1] or row[0] / row[1] > best[0] / best[1]):
            best = row
    return list(best)


WORDS = st.lists(st.sampled_from("abcd"), max_size=12)
SEGMENTS = st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4)
ORDERS = st.sampled_from([(1, 4), (1, 1), (2, 3), (3, 8)])


@settings(deadline=None)
@given(SEGMENTS, ORDERS, st.integers(1, 2))
def test_equals_the_plain_definition(segments, orders, count):
    batch = metra.Batch(
        [" ".join(hyp) for hyp, *_ in segments],
        refs_per_segment=[list(map(" ".join, refs[:count])) for _, *refs in segments],
    )
    rows = metra.metric(f"gleu:tok=none,shortest={orders[0]},n={orders[1]}").rows(batch)
    expected = [plain_row(hyp, refs[:count], *orders) for hyp, *refs in segments]
    assert rows.tolist() == expected


@settings(deadline=None)
@given(SEGMENTS, ORDERS)
def test_equals_nltk(segments, orders):
    nltk = pytest.importorskip("nltk.translate.gleu_score", reason="nltk is missing")
    outputs = [hyp for hyp, *_ in segments]
    references = [refs for _, *refs in segments]
    result = metra.score(
        list(map(" ".join, outputs)),
        metric=f"gleu:tok=none,shortest={orders[0]},n={orders[1]}",
        refs_per_segment=[list(map(" ".join, refs)) for refs in references],
    )
    theirs = nltk.corpus_gleu(references, outputs, *orders)
    assert result.score == pytest.approx(100 * theirs, abs=1e-9)
    for score, refs, hyp in zip(result.segments, references, outputs, strict=True):
        alone = nltk.sentence_gleu(refs, hyp, *orders)
        assert score == pytest.approx(100 * alone, abs=1e-9)


def test_a_batch_without_references_is_refused():
    with pytest.raises(metra.MetraError, match="The batch has no references"):
        metra.metric("gleu").rows(metra.Batch(["a"]))
