"""Minimal correction, as the ISLE workbook counts it."""

import pytest

import metra
from metra.corpus.batch import Batch
from metra.metrics import registry
from metra.text.words import tokenize_words

WORDS = [
    pytest.param(
        "Mary, who had gone to see the fountain (in the center of town), "
        "said that it was turned off.",
        24,
        id="the workbook's sentence",
    ),
    pytest.param("", 0, id="nothing"),
    pytest.param("« Oui ! »", 4, id="each of a pair of quotation marks"),
    pytest.param("don't l’eau well-known", 3, id="marks of spelling"),
    pytest.param("1.8 13:30 2,300", 3, id="marks inside numbers"),
    pytest.param("wait... no—yes and/or [x]", 13, id="marks that stand by themselves"),
    pytest.param("'tis dogs' -5 .5", 8, id="marks at the edge of a word"),
    pytest.param("5% of €7", 4, id="a per cent sign is punctuation, a currency is not"),
]


@pytest.mark.parametrize(("sentence", "count"), WORDS)
def test_words(sentence, count):
    assert len(tokenize_words(sentence)) == count
    assert "".join(tokenize_words(sentence)) == "".join(sentence.split())


CASES = [  # worked out by hand
    pytest.param(
        "He walk home.", ["He walks home."], 0, id="inflection does not count"
    ),
    pytest.param("He run home.", ["He walks home."], 25, id="another word does"),
    pytest.param("He home.", ["He goes home."], 100 / 3, id="one added to three"),
    pytest.param("He goes goes home.", ["He goes home."], 20, id="one of five deleted"),
    pytest.param("Home he.", ["He home ."], 200 / 3, id="case counts: two replaced"),
    pytest.param(
        "in the morning yesterday he came home late.",
        ["he came home late in morning yesterday."],
        400 / 9,
        id="1 deletion and 3 moves of 9",
    ),
    pytest.param("a b", ["x y", "a c"], 50, id="the easier correction"),
    pytest.param("", ["a b"], 200, id="an empty output counts as one word"),
]


@pytest.mark.seed("5.29")
@pytest.mark.parametrize(("hyp", "refs", "expected"), CASES)
def test_sentence(hyp, refs, expected):
    assert registry.metric("syntax").sentence(hyp, refs) == pytest.approx(expected)


def test_inflection_counts_without_stems():
    assert registry.metric("syntax:stem=no").sentence("He walk .", ["He walks ."]) > 33


def test_mean_of_sentences_and_ratio_of_the_corpus():
    hyps, refs = ["a b c d e f g h i j", "x y"], [["a b c d e f g h i k", "x z"]]
    mean = metra.score(hyps, refs, "syntax")
    assert mean.score == pytest.approx((10 + 50) / 2)
    assert mean.parts["sentence_mean"] == mean.score
    assert mean.parts["corpus_ratio"] == pytest.approx(100 * 2 / 12)
    assert (mean.parts["substitutions"], mean.parts["words"]) == (2, 12)


def test_the_counts_are_marked_as_inferred():
    assert "|operations:inferred|" in registry.metric("syntax").signature()


def test_ties_between_corrections_do_not_hang_on_their_order():
    syntax = registry.metric("syntax")
    one = syntax.rows(Batch(["a b c"], [["b c a"], ["a b x"]]))
    other = syntax.rows(Batch(["a b c"], [["a b x"], ["b c a"]]))
    assert (one == other).all()
