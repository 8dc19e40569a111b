"""Words as names are looked for: each normalisation, in several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.text.normalisation import contains_words, list_number_words, make_normaliser

EQUAL = load_cases("names: equal")


@pytest.mark.parametrize(("lang", "one", "other", "equal"), EQUAL)
def test_one_name_or_two(lang, one, other, equal):
    normalise = make_normaliser(lang)
    assert (normalise(one) == normalise(other)) is equal
    assert normalise(one)


def test_every_number_under_a_hundred_has_words():
    for lang in ("en", "fr", "de", "es"):
        values = {v for entries in list_number_words(lang).values() for _, v in entries}
        assert values == {str(value) for value in range(100)}


@given(st.sampled_from(["en", "fr", "tr", "de"]), st.text())
def test_normalised_words_are_left_alone(lang, text):
    words = make_normaliser(lang)(text)
    assert all(word and not word.isspace() for word in words)
    if lang != "tr":  # ı stays what it is, but I is not what i was
        whole = tuple(word for word in words if "." not in word)  # a point is not 0,5's
        # What stands between keeps two numbers from being one, as in 1 000.
        assert make_normaliser(lang)(" | ".join(whole)) == whole


@pytest.mark.parametrize(
    ("words", "within", "expected"),
    [
        pytest.param("a b", "x a b y", True, id="inside"),
        pytest.param("a b", "a x b", False, id="apart"),
        pytest.param("a b", "b a", False, id="the other way round"),
        pytest.param("a", "", False, id="nothing"),
        pytest.param("a b", "a a b", True, id="after a false start"),
    ],
)
def test_occurs(words, within, expected):
    assert contains_words(tuple(words.split()), tuple(within.split())) is expected
