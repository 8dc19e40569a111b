"""Word diffs: every text comes back as it was, and every word has the right mark."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.analysis.word_diff import PLAIN, diff_words, get_preparation, split_texts
from metra.metrics.registry import metric
from metra.text.preparation import Preparation

SPACED = Preparation("none", "mixed", "no")
# Letters, marks, blanks of several kinds, entities, right-to-left, pictures, no spaces.
TEXTS = st.text("ab.,&quot; \t\u00a0\u2028дשא漢字กำ\u0301\u200d👩🏽", max_size=30)
PREPARATIONS = [
    PLAIN,
    SPACED,
    Preparation("intl", "lower", "no"),
    Preparation("zh", "mixed", "no"),
    Preparation("char", "lower", "no"),
    Preparation("13a", "lower", "porter"),
]


def joined(pieces):
    return "".join(piece.text + piece.space for piece in pieces)


def marks(pieces):
    return [(piece.text, piece.kind, piece.in_reference) for piece in pieces]


@pytest.mark.parametrize("preparation", PREPARATIONS, ids=str)
@given(before=TEXTS, after=TEXTS, reference=TEXTS)
def test_pieces_joined_are_the_texts(preparation, before, after, reference):
    diff = diff_words(before, after, [reference, None], preparation)
    assert joined(diff.before) == before
    assert joined(diff.after) == after
    assert {piece.kind for piece in diff.before} <= {"kept", "changed", "deleted"}
    assert {piece.kind for piece in diff.after} <= {"kept", "changed", "inserted"}


@given(TEXTS)
def test_a_text_against_itself_is_kept_and_in_the_reference(text):
    diff = diff_words(text, text, [text])
    for piece in [*diff.before, *diff.after]:
        assert piece.kind == "kept"
        assert piece.in_reference or not piece.text


WORDS = st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join)


@given(before=WORDS, after=WORDS, refs=st.lists(WORDS, min_size=1, max_size=3))
def test_as_many_words_are_in_the_reference_as_plain_counting_says(before, after, refs):
    diff = diff_words(before, after, refs, SPACED)
    most = Counter()
    for ref in refs:
        most |= Counter(ref.split())
    for text, pieces in ((before, diff.before), (after, diff.after)):
        found = [p.text.split() for p in pieces if p.in_reference]
        expected = Counter(text.split()) & most
        assert Counter(word for words in found for word in words) == expected


@given(before=WORDS, after=WORDS)
def test_kept_words_are_the_same_on_both_sides(before, after):
    diff = diff_words(before, after, [], SPACED)
    kept = [
        [word for p in pieces if p.kind == "kept" for word in p.text.split()]
        for pieces in (diff.before, diff.after)
    ]
    assert kept[0] == kept[1]


#: Texts before and after, the reference; words kept (=), changed (~), deleted (-) and
#: inserted (+), with ! where the reference has them.
BY_HAND = {
    "a wrong word comes": (
        ("the cat sat", "the big cat sat", "the cat sat"),
        ["=!the cat sat"],
        ["=!the", "+big", "=!cat sat"],
    ),
    "a wrong word is put right": (
        ("a red cat.", "a blue cat.", "the blue cat."),
        ["=a", "~red", "=!cat."],
        ["=a", "~!blue", "=!cat."],
    ),
    "letters are words in Chinese": (
        ("我爱北京", "我喜欢北京", "我喜欢北京"),
        ["=!我", "~爱", "=!北京"],
        ["=!我", "~!喜欢", "=!北京"],
    ),
    "right to left, in the order of writing": (
        ("שלום עולם", "שלום לך עולם", "שלום לך"),
        ["=!שלום", "=עולם"],
        ["=!שלום", "+!לך", "=עולם"],
    ),
    "only as often as the reference has it": (
        ("the the the", "the", "a the"),
        ["=!the", "-the the"],
        ["=!the"],
    ),
    "both empty": (("", "", "a"), [], []),
    "nothing before": (("", "a", "a"), [], ["+!a"]),
    "pictures": (
        ("👍🏽 ok", "👍🏽 no", "ok"),
        ["=👍🏽", "~!ok"],
        ["=👍🏽", "~no"],
    ),
}
SIGNS = {"kept": "=", "changed": "~", "deleted": "-", "inserted": "+"}


@pytest.mark.parametrize(("texts", "before", "after"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(texts, before, after):
    *outputs, reference = texts
    diff = diff_words(*outputs, [reference])
    written = [
        [
            f"{SIGNS[kind]}{'!' if right else ''}{text}"
            for text, kind, right in marks(side)
        ]
        for side in (diff.before, diff.after)
    ]
    assert written == [before, after]
    assert diff.exact


def test_outputs_with_nothing_to_do_with_each_other_are_not_cut_into_shreds():
    before, after = "x1 x2 , x3 x4 x5", "y1 , y2 y3 y4 y5"
    assert marks(diff_words(before, after).before) == [(before, "changed", False)]


def test_case_and_stems_count_as_the_preparation_says():
    lowered = Preparation("13a", "lower", "no")
    assert diff_words("The CAT", "the cat", [], lowered).after[0].kind == "kept"
    stemmed = Preparation("13a", "mixed", "porter")
    assert diff_words("cats run", "cat runs", [], stemmed).after[0].kind == "kept"
    assert diff_words("cats", "cat", [], PLAIN).after[0].kind == "changed"


def test_entities_are_what_they_stand_for():
    diff = diff_words("&quot;Hi&quot; he said", '"Hi" he said', [])
    assert marks(diff.before) == [("&quot;Hi&quot; he said", "kept", False)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("漢" * 50_000 + "字" * 50_000, "字漢" * 50_000, id="two letters"),
        pytest.param(" ".join("ab" * 25_000), " ".join("ba" * 25_000), id="two words"),
        pytest.param("x" * 100_000, "y" * 100_000, id="one word"),
    ],
)
def test_a_hundred_thousand_characters_take_no_more_than_a_moment(before, after):
    start = time.thread_time()
    diff = diff_words(before, after, [before])
    assert time.thread_time() - start < 30
    assert joined(diff.before) == before
    assert joined(diff.after) == after


def test_what_was_cut_short_is_said(monkeypatch):
    monkeypatch.setattr("metra.text.diff.MOST_BITS", 1000)
    diff = diff_words(" ".join("abc" * 20), " ".join("cba" * 20))
    assert not diff.exact


def test_words_lie_side_by_side():
    text = "  He said &quot;no&quot;, 漢字ab กำ.  "
    (words,) = split_texts([text], PLAIN)
    rest = text
    for word in words:
        rest = rest.replace(text[word.start : word.stop], "", 1)
    assert rest.strip() == ""
    assert [text[w.start : w.stop] for w in words][-5:] == ["漢", "字", "ab", "กำ", "."]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("bleu:tok=intl,case=lower", Preparation("intl", "lower", "no")),
        ("wer:stem=porter", Preparation("none", "mixed", "porter")),
        ("chrf", PLAIN),
        ("ter", Preparation("none", "lower", "no")),
    ],
)
def test_words_are_the_metrics(spec, expected):
    assert get_preparation(metric(spec)) == expected
