"""chrF: sacreBLEU's own test vectors, the pieces of a score, options and their errors."""

import pytest

import metra
from metra.errors import OptionError, UnknownNameError

# Values from the tests of sacreBLEU 2.6.0, which gives them to four digits; beta is 3.
EPSILON = [
    pytest.param(["abcdefg"], ["hijklmnop"], 0.0, id="nothing in common"),
    pytest.param(["a"], ["b"], 0.0, id="one other letter"),
    pytest.param([""], ["b"], 0.0, id="empty output, one order"),
    pytest.param([""], ["ref"], 0.0, id="empty output, three orders"),
    pytest.param([""], ["reference"], 0.0, id="empty output, all orders"),
    pytest.param(["aa"], ["ab"], 8.3333, id="half of the letters"),
    pytest.param(["a", "b"], ["a", "c"], 8.3333, id="half of the segments"),
    pytest.param(["a"], ["a"], 16.6667, id="one of six orders"),
    pytest.param(["a b c"], ["a b c"], 50.0, id="three of six orders"),
    pytest.param(["a b c"], ["abc"], 50.0, id="blanks do not count"),
    pytest.param(
        [
            " risk assessment must be made of those who are qualified and expertise in "
            "the sector - these are the scientists ."
        ],
        [
            "risk assessment has to be undertaken by those who are qualified and expert "
            "in that area - that is the scientists ."
        ],
        63.361730,
        id="tokenised, a blank in front",
    ),
    pytest.param(
        [
            " Die    Beziehung zwischen  Obama und Netanjahu ist nicht gerade  "
            "freundlich. "
        ],
        [
            "Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade "
            "freundschaftlich."
        ],
        64.1302698,
        id="runs of blanks",
    ),
    pytest.param(
        ["Niemand hat die Absicht, eine Mauer zu errichten"],
        ["Niemand hat die Absicht, eine Mauer zu errichten"],
        100.0,
        id="identical",
    ),
]
EFFECTIVE = [
    pytest.param(["a"], ["a"], 100.0, id="one order"),
    pytest.param([""], ["reference"], 0.0, id="empty output, all orders"),
    pytest.param(["a b c"], ["a b c"], 100.0, id="three orders"),
    pytest.param(["a b c"], ["abc"], 100.0, id="blanks do not count"),
    pytest.param([""], ["c"], 0.0, id="empty output, one order"),
    pytest.param(["a", "b"], ["a", "c"], 50.0, id="half of the segments"),
    pytest.param(["aa"], ["ab"], 25.0, id="half of the letters, none of the pairs"),
]
WHITESPACE = [
    pytest.param(
        ["Die Beziehung zwischen Obama und Netanjahu ist nicht gerade freundlich."],
        [
            "Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade "
            "freundschaftlich."
        ],
        67.3481606,
        id="German",
    ),
    pytest.param(
        [
            "risk assessment must be made of those who are qualified and expertise in "
            "the sector - these are the scientists ."
        ],
        [
            "risk assessment has to be undertaken by those who are qualified and expert "
            "in that area - that is the scientists ."
        ],
        65.2414427,
        id="English",
    ),
]
SENTENCES = [  # beta is 2
    pytest.param(
        "Co nás nejvíc trápí, protože lékaři si vybírají, kdo bude žít a kdo zemře.",
        "Nejvíce smutní jsme z toho, že musíme rozhodovat o tom, kdo bude žít a kdo "
        "zemře.",
        39.14078509,
        id="little in common",
    ),
    pytest.param(
        "Nebo prostě nemají vybavení, které by jim pomohlo, uvedli lékaři.",
        "A někdy nemáme ani potřebný materiál, abychom jim pomohli, popsali lékaři.",
        31.22557079,
        id="less in common",
    ),
    pytest.param(
        "Lapali po dechu, jejich životy skončily dřív, než skutečně začaly.",
        "Lapali po dechu a pak jejich život skončil - dřív, než skutečně mohl začít, "
        "připomněli.",
        57.15704367,
        id="more in common",
    ),
]


@pytest.mark.parametrize(("hyps", "refs", "expected"), EPSILON)
def test_sacrebleu_epsilon(hyps, refs, expected):
    score = metra.score(hyps, [refs], "chrf:beta=3,eps=yes").score
    assert score == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("hyps", "refs", "expected"), EFFECTIVE)
def test_sacrebleu_effective_order(hyps, refs, expected):
    score = metra.score(hyps, [refs], "chrf:beta=3").score
    assert score == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("hyps", "refs", "expected"), WHITESPACE)
def test_sacrebleu_white_space(hyps, refs, expected):
    score = metra.score(hyps, [refs], "chrf:beta=3,whitespace=yes").score
    assert score == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("hyp", "ref", "expected"), SENTENCES)
def test_sacrebleu_sentences(hyp, ref, expected):
    score = metra.metric("chrf:eps=yes").sentence(hyp, [ref])
    assert score == pytest.approx(expected, abs=1e-4)


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


def test_an_order_the_reference_lacks_does_not_count():
    rows = metra.metric("chrf:n=2").rows(metra.Batch(["abc"], [["a"]]))
    assert rows.tolist() == [[3, 1, 1, 0, 0, 0]]


def test_words_of_chrf_plus_plus():
    metric = metra.metric("chrf:n=0,word_order=2")
    batch = metra.Batch(['(hi) "you, there'], [["(hi you , ) there"]])
    # Words: (hi ) "you , there, and (hi, since it ends in no mark, gives up its bracket.
    assert metric.rows(batch).tolist() == [[5, 6, 3, 4, 5, 0]]


def test_the_best_reference_counts():
    metric = metra.metric("chrf:n=1")
    rows = metric.rows(metra.Batch(["abab"], [["xyz"], ["ab"], ["ba"], ["axbx"]]))
    assert rows.tolist() == [[4, 2, 2]]
    one_missing = metra.Batch(
        ["abab", "c"], refs_per_segment=[[None, "ab"], ["c", None]]
    )
    assert metric.rows(one_missing).tolist() == [[4, 2, 2], [1, 1, 1]]


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


def test_there_is_no_tokeniser_to_choose():
    with pytest.raises(UnknownNameError, match="chrf has no option named 'tok'"):
        metra.metric("chrf:tok=13a")
