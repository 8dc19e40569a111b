"""chrF by hand: the pieces of a score, options and their errors."""

import metra


def test_the_first_of_equally_good_references_counts():
    # 2 · 2 / (4 + 8) and 2 · 1 / (4 + 2) are both a third.
    refs = [["abwxyzwx"], ["ay"]]
    metric = metra.metric("chrf:n=1,beta=1")
    assert metric.rows(metra.Batch(["abcd"], refs)).tolist() == [[4, 8, 2]]
    assert metric.rows(metra.Batch(["abcd"], refs[::-1])).tolist() == [[4, 2, 1]]


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
