"""chrF by hand: the pieces of a score, options and their errors."""

import pytest

import metra
from metra.errors import OptionError


def test_a_score_by_hand():
    # "abab" and "abc": a, b once each of twice, ab once of twice, nothing of order 3.
    metric = metra.metric("chrf:n=3")
    rows = metric.rows(metra.Batch(["ab ab"], [["abc"]]))
    assert metric.columns[:4] == (
        "char_1_hyp",
        "char_1_ref",
        "char_1_match",
        "char_2_hyp",
    )
    assert rows.tolist() == [[4, 3, 2, 3, 2, 1, 2, 1, 0]]
    precision, recall = (2 / 4 + 1 / 3 + 0) / 3, (2 / 3 + 1 / 2 + 0) / 3
    expected = 100 * 5 * precision * recall / (4 * precision + recall)
    assert float(metric.aggregate(rows[0])) == pytest.approx(expected, abs=1e-12)


def test_the_first_of_equally_good_references_counts():
    # 2 · 2 / (4 + 8) and 2 · 1 / (4 + 2) are both a third.
    refs = [["abwxyzwx"], ["ay"]]
    metric = metra.metric("chrf:n=1,beta=1")
    assert metric.rows(metra.Batch(["abcd"], refs)).tolist() == [[4, 8, 2]]
    assert metric.rows(metra.Batch(["abcd"], refs[::-1])).tolist() == [[4, 2, 1]]


def test_parts():
    parts = metra.score(["ab ab"], [["abc"]], "chrf:n=2,word_order=1").parts
    assert parts["char_precisions"] == pytest.approx([50, 100 / 3])
    assert parts["char_recalls"] == pytest.approx([200 / 3, 50])
    assert parts["word_precisions"] == [0]
    assert parts["word_recalls"] == [0]
    assert parts["precision"] == pytest.approx((50 + 100 / 3) / 3)
    assert parts["recall"] == pytest.approx((200 / 3 + 50) / 3)
    nothing = metra.score([""], [["abc"]], "chrf").parts
    assert nothing["precision"] == nothing["recall"] == 0
    assert "word_recalls" not in nothing


def test_stems():
    hyp, ref = "The runners (running)", "the runner's runs !"
    stemmed = metra.score([hyp], [[ref]], "chrf:stem=english,case=lower,whitespace=yes")
    # As the Snowball stemmer leaves the words that chrF++ would see.
    by_hand = metra.score(
        ["the runner (run )"], [["the runner run !"]], "chrf:whitespace=yes"
    )
    assert stemmed.rows.tolist() == by_hand.rows.tolist()
    words = metra.score([hyp], [[ref]], "chrf:stem=english,case=lower,word_order=2,n=0")
    assert words.rows.tolist() == [[4, 4, 2, 3, 3, 1]]
    assert "stem:english[PyStemmer" in stemmed.signature


def test_no_ngrams_at_all_are_refused():
    with pytest.raises(OptionError) as error:
        metra.metric("chrf:n=0")
    assert str(error.value) == (
        "chrf: n=0 with word_order=0 is not possible; expected whole numbers of at "
        "least 0, one of them at least 1."
    )
