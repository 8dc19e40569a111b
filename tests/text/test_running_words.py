"""Words of running text: cut, and told apart from names, numbers and addresses."""

import pytest

from metra.text.words import find_running_words, split_word_parts

CASES = [  # text, words that can be judged, names among them
    pytest.param("a 1 3mm b2 x", [], [], id="single letters and numbers"),
    pytest.param("see http://x.org/y, me@x.org www.z.fr now", ["see", "now"], [],
                 id="addresses"),
    pytest.param("L'eau d’Anne", ["L'eau", "d’Anne"], ["d’Anne"], id="apostrophes"),
    pytest.param("well-known", ["well-known"], [], id="hyphen"),
    pytest.param("The Cat sat.", ["The", "Cat", "sat"], ["Cat"], id="inside"),
    pytest.param("Oh! The cat: The dog. The end", ["Oh", "The", "cat", "The", "dog", "The",
                 "end"], [], id="beginnings of sentences"),
    pytest.param('"The cat" (Mary)', ["The", "cat", "Mary"], ["Mary"], id="quotes"),
    pytest.param("He met Dr. Benhaddou", ["He", "met", "Dr", "Benhaddou"],
                 ["Dr", "Benhaddou"], id="abbreviation"),
    pytest.param("x" * 30 + " Mary", ["x" * 30, "Mary"], ["Mary"], id="a long word before"),
    pytest.param("中国 Abc人", ["中", "国", "Abc", "人"], ["Abc"], id="Chinese"),
    pytest.param("ﾊﾞｽに", ["ﾊﾞ", "ｽ", "に"], [], id="half-width Japanese"),
    pytest.param("हिन्दी में", ["हिन्दी", "में"], [], id="Hindi"),
    pytest.param("iPhone", ["iPhone"], [], id="a capital inside, at the beginning"),
    pytest.param("", [], [], id="nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words", "names"), CASES)
def test_words(text, words, names):
    found = [word for word in find_running_words(text) if word.letters]
    assert [word.text for word in found] == words
    assert [word.text for word in found if word.is_name] == names


def test_parts():
    assert list(split_word_parts(["L'Eau", "a-b", "c"])) == [
        *("l'eau", "l", "eau"),
        *("a-b", "a", "b"),
        "c",
    ]
