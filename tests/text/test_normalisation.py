"""Words as names are looked for: each normalisation, in several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.text.normalisation import contains_words, list_number_words, make_normaliser

EQUAL = [  # pairs that are one name, and pairs that are not
    pytest.param("en", "Brévigny", "Brevigny", True, id="accents"),
    pytest.param("fr", "Hélène", "HÉLÈNE", True, id="French capitals with accents"),
    pytest.param("fr", "Hélène", "HELENE", True, id="French capitals without"),
    pytest.param(
        "fr", "l'Œuvre", "l’oeuvre", True, id="French ligature, two apostrophes"
    ),
    pytest.param("de", "Straße", "STRASSE", True, id="German sharp s in capitals"),
    pytest.param("de", "Straße", "STRAẞE", True, id="German capital sharp s"),
    pytest.param("de", "Müller", "MÜLLER", True, id="German umlaut"),
    pytest.param("de", "Müller", "Mueller", False, id="German umlaut written with e"),
    pytest.param("es", "Núñez", "NUÑEZ", True, id="Spanish"),
    pytest.param("es", "¿Ávila?", "avila", True, id="Spanish punctuation"),
    pytest.param("tr", "İzmir", "İZMİR", True, id="Turkish dotted capital"),
    pytest.param("tr", "izmir", "İZMİR", True, id="Turkish dotted small"),
    pytest.param("tr", "ısparta", "ISPARTA", True, id="Turkish dotless"),
    pytest.param("tr", "kır", "KIR", True, id="Turkish dotless inside"),
    pytest.param("tr", "kir", "KIR", False, id="Turkish i is not dotless"),
    pytest.param("tr", "I\u0307zmir", "izmir", True, id="Turkish dot written apart"),
    pytest.param("en", "kir", "KIR", True, id="i and I elsewhere"),
    pytest.param(
        "en", "Diyarbakır", "Diyarbakir", True, id="a Turkish name in English"
    ),
    pytest.param("en", "İstanbul", "Istanbul", True, id="dotted capital in English"),
    pytest.param("pl", "Łódź", "Lodz", True, id="stroke"),
    pytest.param("en", "e\u0301t\u00e9", "ete", True, id="composed and not"),
    pytest.param("en", "twenty-one", "21", True, id="number in words"),
    pytest.param("en", "Twenty one", "21", True, id="without hyphen, capital"),
    pytest.param("en", "twenty", "one", False, id="two numbers"),
    pytest.param("en", "ninety-nine", "99", True, id="the last number in words"),
    pytest.param("fr", "quatre-vingt-dix-neuf", "99", True, id="French 99"),
    pytest.param("fr", "nonante-neuf", "99", True, id="Swiss and Belgian 99"),
    pytest.param("fr", "soixante et onze", "71", True, id="French 71"),
    pytest.param("fr", "vingt et une", "21", True, id="French feminine"),
    pytest.param("de", "einundzwanzig", "21", True, id="German 21"),
    pytest.param("de", "FÜNFUNDDREISSIG", "35", True, id="German 35"),
    pytest.param("es", "treinta y uno", "31", True, id="Spanish 31"),
    pytest.param("es", "veintidós", "22", True, id="Spanish 22"),
    pytest.param("it", "ventuno", "21", False, id="no number words known"),
    pytest.param("en", "2,300", "2300", True, id="English thousands"),
    pytest.param("en", "12,345,678", "12345678", True, id="two separators"),
    pytest.param("en", "2,30", "230", False, id="no thousands"),
    pytest.param("en", "2\u00a0300", "2300", True, id="no-break space"),
    pytest.param("en", "1.400", "1400", False, id="English decimal point"),
    pytest.param("fr", "2 300", "2300", True, id="French thousands"),
    pytest.param("fr", "2\u202f300", "2300", True, id="French narrow space"),
    pytest.param("de", "2.300", "2300", True, id="German thousands"),
    pytest.param("de", "1,5", "15", False, id="German decimal comma"),
    pytest.param("de", "2’300", "2300", True, id="Swiss thousands"),
    pytest.param("en", "٢٣", "23", True, id="Arabic digits"),
    pytest.param("en", "Mary's", "Mary", True, id="possessive"),
    pytest.param(
        "en", "Mary’s", "MARY", True, id="possessive with the other apostrophe"
    ),
    pytest.param("en", "James'", "James", True, id="possessive of a name in s"),
    pytest.param("en", "O'Brien", "Brien", False, id="an apostrophe inside"),
    pytest.param("en", "U.S.", "U S", True, id="points"),
    pytest.param("en", "5 %", "5%", True, id="per cent"),
    pytest.param("en", "5 %", "5", False, id="per cent is a word"),
    pytest.param("zh", "中国 人", "中国人", True, id="Chinese by characters"),
    pytest.param("hi", "दिल्ली", "दल्ल", False, id="vowel signs of Hindi stay"),
]


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
        again = make_normaliser(lang)(" ".join(words))
        assert [w for w in again if "." not in w] == [w for w in words if "." not in w]


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
