"""Profiles: every trait by hand, every reading by its bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.analysis.collection import TokenStream
from metra.analysis.profiles import (
    TRAITS,
    _count_repeats,
    build_profiles,
    describe_profile,
    has_loop,
    list_notable_traits,
    read_punctuation,
)
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.text.preparation import Preparation
from metra.text.scripts import count_script_letters
from metra.text.words import find_numbers


def found(refs, source=None, **outputs):
    corpus = Outputs(EvalSet(refs, source), outputs)
    return build_profiles(corpus)


def traits(refs, source=None, **outputs):
    (profile,) = found(refs, source, **outputs).profiles
    return {name: entry.value for name, entry in profile.traits.items()}


def test_lengths_and_matches():
    one = traits(["a b c d", "e f"], hyp=["a b x", "e f g"])
    assert one["length_ratio"] == 1
    assert one["precision"] == pytest.approx(100 * 4 / 6)
    assert one["recall"] == pytest.approx(100 * 4 / 6)
    two = traits([["a b c d"], ["a b"]], hyp=["a b"])
    assert two["length_ratio"] == pytest.approx(2 / 3)
    assert (two["precision"], two["recall"]) == (100, 100)


def test_copied_words_are_those_that_no_reference_has():
    one = traits(["the hall of Paris 12"], ["la halle de Paris 12 ."],
                 hyp=["the halle de Paris 12 halle"])  # fmt: skip
    assert one["copied"] == pytest.approx(100 * 2 / 6)
    assert traits(["a"], hyp=["a"])["copied"] is None


def test_empty_outputs_count_where_something_was_expected():
    profile = found(["a", "b", ""], hyp=["", "b", ""]).profiles[0]
    assert profile.traits["empty"].value == pytest.approx(100 / 3)
    assert profile.traits["empty"].segments == [1]
    assert "1 empty output" in profile.reading


def test_loops_that_a_reference_has_are_none():
    text = "no no no no no no"
    assert traits(["no"], hyp=[text])["loops"] == 100
    assert traits([text], hyp=[text])["loops"] == 0


def test_stammering_is_no_loop():
    # Signs between the words do not count.
    assert traits(["dass"], hyp=["dass, dass, dass, ja."])["loops"] == 0
    assert traits(["dass"], hyp=["dass, dass; dass dass. dass, dass"])["loops"] == 100


def test_letters_of_a_script_that_is_not_expected():
    one = traits(["abc" * 100, "х ghi"], hyp=["abc дef", "х ghi"])
    # Seven characters and five; the second segment's own reference has the letter.
    assert one["foreign"] == pytest.approx(100 * 1 / 12)
    often = traits(["abc" * 10, "х ghi"], hyp=["abc дef", "х ghi"])
    assert often["foreign"] == 0
    assert traits(["漢字 kanji"], hyp=["漢字かな"])["foreign"] == pytest.approx(50)


#: By trait: references, source, output and the value.
SINGLE = {
    "upper_case": {
        "capitals": ("the cat sat", None, "THE CAT sat x", 50),
        "the reference has it": ("the UN sat", None, "the UN sat x", 0),
        "the source has it": ("the cat", "UN chat", "the UN cat x", 0),
        "more often than the reference": ("no UN", None, "UN UN", 0),
        "single letters are no words": ("a cat", None, "A Cat I DO", 25),
        "Cyrillic": ("кот", None, "КОТ и ПЁС .", 50),
        "Greek": ("γάτα", None, "ΓΆΤΑ α", 50),
        "a script without capitals": ("قطة", None, "قطة كلب", 0),
        "beside such letters": ("联合国", None, "联合国UN是", 100),
        "a single one among them": ("联合", None, "联A合BB", 100),
        "no words": ("a", None, "", 0),
    },
    "numbers": {
        "there": ("in 2012", None, "im Jahr 2012", 0),
        "one wrong, one missing": ("in 2012", None, "in 2021", 100),
        "missing": ("in 2012", None, "", 100),
        "made up": ("no number", None, "12 numbers", 100),
        "separators": ("2,300", "2 300", "2.300", 0),
        "the source has it": ("x", "40", "40", 0),
        "not in all, so not missing": ("40", "x", "y", 0),
        "small numbers are words": ("7 cats", None, "seven cats", 0),
        "once too few": ("12 and 12", None, "12", 50),
        "no numbers at all": ("x", None, "y", 0),
    },
    "punctuation": {
        "another end": ("Why?", None, "Why.", 100),
        "a blank": ("Why?", None, "Why ?", 0),
        "another script": ("Why?", None, "为什么？", 0),
        "a stop inside quotes": ("He said “no”.", None, 'He said "no."', 0),
        "quotes": ("He said no.", None, 'He said "no".', 100),
        "brackets are alike": ("(a)", None, "[a]", 0),
        "commas do not count": ("a, b", None, "a b", 0),
        "quotes are alike": ("‘a’ b", None, '"a" b', 0),
        "the source explains it": ("Why", "Pourquoi ?", "Why?", 0),
    },
}


@pytest.mark.seed("2.28")
@pytest.mark.parametrize(
    ("trait", "case"), [(trait, case) for trait in SINGLE for case in SINGLE[trait]]
)
def test_a_trait_of_one_segment(trait, case):
    ref, source, hyp, expected = SINGLE[trait][case]
    sources = None if source is None else [source]
    assert traits([ref], sources, hyp=[hyp])[trait] == expected


def test_capitals_are_those_of_the_text_whatever_is_compared():
    corpus = Outputs(EvalSet(["the cat", "x"]), {"one": ["THE cat", "x"]})
    lower = Preparation(tok="13a", case="lower", stem="no")
    (profile,) = build_profiles(corpus, preparation=lower).profiles
    trait = profile.traits["upper_case"]
    assert (trait.value, trait.segments) == (pytest.approx(100 / 3), [1])
    assert profile.reading == "writes words in capitals"


def test_segments_that_show_a_trait_are_named():
    profile = found(["in 2012", "x", "40"], hyp=["in 2012", "x", "41"]).profiles[0]
    assert profile.traits["numbers"].segments == [3]
    assert profile.traits["length_ratio"].segments == ()


@pytest.mark.parametrize("text", ["", " ", "👍🏽", "שלום", "\u200d"])
def test_odd_texts_have_profiles(text):
    one = traits([text], [text], hyp=[text])
    assert set(one) == {trait.name for trait in TRAITS}
    assert one["empty"] == 0


def test_no_words_anywhere():
    one = traits([""], hyp=[""])
    assert (one["length_ratio"], one["precision"]) == (0, 0)


def test_every_preparation_is_named():
    corpus = Outputs(EvalSet(["A"]), {"hyp": ["a"]})
    one = build_profiles(corpus, preparation=Preparation("none", "lower", "no"))
    assert one.preparation == "tok:none|case:lower|stem:no"
    assert one.profiles[0].traits["precision"].value == 100


USUAL = {trait.name: 0.0 for trait in TRAITS}
USUAL |= {"length_ratio": 1.0, "precision": 70.0, "recall": 70.0}


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, []),
        ({"length_ratio": 0.94}, ["short"]),
        ({"length_ratio": 0.95}, []),
        ({"length_ratio": 1.06}, ["long"]),
        ({"precision": 72}, ["precise"]),
        ({"precision": 71.9}, []),
        ({"precision": 68, "recall": 72}, ["imprecise", "complete"]),
        ({"recall": 60}, ["incomplete"]),
        ({"empty": 0.1, "loops": 0.1}, ["empty", "loops"]),
        ({"copied": 1.9}, []),
        ({"copied": 2}, ["copied"]),
        ({"copied": None}, []),
        ({"numbers": 10, "punctuation": 20}, ["numbers", "punctuation"]),
    ],
)
def test_what_stands_out(own, expected):
    assert list_notable_traits(USUAL | own, [USUAL, USUAL]) == expected


def test_what_all_do_does_not_stand_out():
    others = [USUAL | {"numbers": 20.0}] * 2
    assert list_notable_traits(USUAL | {"numbers": 25.0}, others) == []
    assert list_notable_traits(USUAL | {"numbers": 30.0}, others) == ["numbers"]


def test_alone_nothing_is_said_about_precision():
    assert list_notable_traits(USUAL | {"precision": 90.0}, []) == []


@pytest.mark.parametrize(
    ("words", "others", "expected"),
    [
        ("", 0, "nothing stands out"),
        ("", 1, "similar to the other system"),
        ("", 2, "similar to the others"),
        ("short precise", 2, "short but more precise than the others"),
        ("long imprecise", 2, "long and less precise than the others"),
        (
            *("long complete imprecise", 2),
            "long, more complete but less precise than the others",
        ),
        (
            *("short imprecise incomplete", 2),
            "short, less precise and less complete than the others",
        ),
        ("precise complete", 2, "more precise and more complete than the others"),
        ("short", 2, "short"),
        (
            *("precise incomplete", 1),
            "more precise but less complete than the other system",
        ),
        ("loops copied", 2, "loops in 1 segment; leaves source words untranslated"),
    ],
)
def test_readings(words, others, expected):
    said = describe_profile(words.split(), empty=2, loops=1, others=others)
    assert said == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("2,300 and 2.300 and 2 300 and 2\u202f300", ["2300"] * 4),
        ("in 2012 30 people", ["2012", "30"]),
        ("1 2 3", []),
        ("٢٣٠٠ ２３００ २३००", ["2300"] * 3),
        ("08:30, 13:45", ["30", "13", "45"]),
        ("a 2:0 win", []),
        ("12/11/2020, 12.11.2020", ["12", "11", "2020"] * 2),
        ("1.8 and 1,80", ["18", "180"]),
        ("192.168.1.1", ["192", "168"]),
        ("1,234.56 is 1.234,56", ["123456"] * 2),
        ("In 2012.", ["2012"]),
        ("1'000’000", ["1000000"]),
        ("3 000 000,50", ["300000050"]),
        ("5-10", ["10"]),
        ("007", []),
    ],
)
def test_numbers(text, expected):
    assert find_numbers(text) == expected


def test_punctuation_of_nothing():
    assert read_punctuation(["", None]).tolist() == [[0] * 6, [-1] * 6]


def test_letters_are_counted_by_script():
    assert count_script_letters("abc дом, 12!") == {"LATIN": 3, "CYRILLIC": 3}


def test_without_references_some_traits_cannot_be_told():
    outputs = {"one": ["THE cat 12 sat", "a b a b a b a b", ""], "two": ["x", "y", "z"]}
    told = {}
    for source in (None, ["le chat 13", "b?", "c"]):
        profiles = build_profiles(Outputs(EvalSet(source=source), outputs))
        (one, _) = profiles.profiles
        told[source is None] = {
            name for name, trait in one.traits.items() if trait.value is not None
        }
        assert profiles.reference_words == 0
        assert one.traits["empty"].segments == [3]
        assert one.traits["loops"].segments == [2]
    always = {"repeated", "loops", "empty"}
    assert told[True] == always
    assert told[False] == always | {"upper_case", "numbers", "punctuation"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", False, id="empty"),
        pytest.param("a a a a a", False, id="five of a word may be meant"),
        pytest.param("a a a a a a", True, id="six of a word"),
        pytest.param("x a b a b a b y", True, id="two words three times"),
        pytest.param("a b a b c a b", False, id="not in a row"),
        pytest.param("a b c a b c a b", False, id="not quite three times"),
        pytest.param("a b c a b c a b c", True, id="three words three times"),
        pytest.param(" ".join("abcdefghij" * 3), True, id="ten words"),
        pytest.param(" ".join("abcdefghijk" * 3), False, id="eleven words are a text"),
    ],
)
def test_loops(text, expected):
    assert has_loop(text.split()) is expected


def plain_loops(words):
    return any(
        words[start : start + times * size] == words[start : start + size] * times
        for size in range(1, 11)
        for times in [max(3, -(-6 // size))]
        for start in range(len(words) - times * size + 1)
    )


@given(st.lists(st.sampled_from("ab"), max_size=14))
def test_loops_as_the_definition_says(words):
    assert has_loop(words) == plain_loops(words)


SEGMENTS = st.lists(st.lists(st.sampled_from([0, 1]), max_size=14), max_size=4)


@given(SEGMENTS)
def test_repeated_ngrams_by_counting(segments):
    ids = np.array([word for words in segments for word in words], np.int32)
    lengths = np.array([len(words) for words in segments], np.int64)
    repeated, ngrams = _count_repeats(TokenStream(ids, lengths, 2))
    for at, words in enumerate(segments):
        grams = [tuple(words[start : start + 4]) for start in range(len(words) - 3)]
        again = sum(gram in grams[:place] for place, gram in enumerate(grams))
        assert (repeated[at], ngrams[at]) == (again, len(grams))
        assert not has_loop(words) or again > 0
