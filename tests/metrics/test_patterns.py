"""Patterns over words: what fits, where, and what cannot be understood."""

import pytest

from metra.errors import FormatError
from metra.formats.annotations.conllu import ParsedWord
from metra.formats.annotations.transfer_rules import (
    compile_pattern,
    find_matches,
    find_phrases,
)


def words(text: str) -> list[ParsedWord]:
    """Words from `form/POS`, with `/lemma` and `/xpos` where they matter."""
    found = []
    for entry in text.split():
        form, upos, *more = entry.split("/")
        lemma, xpos = [*more, form, "_"][:2] if more else (form, "_")
        found.append(ParsedWord(form, lemma, upos, xpos, "_", 0, "dep"))
    return found


SENTENCE = words(
    "The/DET very/ADV old/ADJ stone/NOUN house/NOUN was/AUX/be/VBD slowly/ADV "
    "falling/VERB/fall ,/PUNCT the/DET owner/NOUN said/VERB"
)

FITS = [
    pytest.param("ADJ NOUN", ["old stone"], id="parts of speech"),
    pytest.param("ADJ NOUN+", ["old stone house"], id="as many as there are"),
    pytest.param("DET ADJ? NOUN", ["the owner"], id="may be missing"),
    pytest.param("DET ADV* ADJ* NOUN", ["The very old stone", "the owner"], id="any number"),
    pytest.param("NOUN* NOUN", ["stone house", "owner"], id="gives back what the rest needs"),
    pytest.param("the", ["The", "the"], id="a word, whatever its case"),
    pytest.param("the|owner", ["The", "the", "owner"], id="one of several"),
    pytest.param("lemma=be", ["was"], id="a lemma"),
    pytest.param("xpos=VBD", ["was"], id="a tag of the language"),
    pytest.param("NOUN&!owner", ["stone", "house"], id="both, and not"),
    pytest.param("owner _", ["owner said"], id="any word"),
    pytest.param("NP VP", ["The very old stone house was slowly falling", "the owner said"],
                 id="phrases"),
    pytest.param("falling ,? the", ["falling , the"], id="punctuation is a word"),
    pytest.param("VERB NOUN", [], id="does not fit"),
    pytest.param("said _", [], id="ends at the end"),
    pytest.param("dep=dep&ADJ", ["old"], id="a dependency"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "expected"), FITS)
def test_where_patterns_fit(pattern, expected):
    spans = find_matches([compile_pattern(pattern)], SENTENCE)
    assert [
        " ".join(word.form for word in SENTENCE[start:stop]) for start, stop in spans
    ] == expected


def test_the_first_of_several_patterns_that_fits_counts():
    patterns = [
        compile_pattern("NOUN NOUN"),
        compile_pattern("NOUN"),
        compile_pattern("ADJ NOUN"),
    ]
    assert list(find_matches(patterns, SENTENCE)) == [(2, 4), (4, 5), (10, 11)]


def test_patterns_know_whether_they_need_a_parse():
    needs = {
        "de|d' la?": False,
        "_ of": False,
        "word=I": False,
        "NOUN": True,
        "NP": True,
    }
    needs |= {"the|lemma=be": True, "!NOUN": True, "xpos=NN": True}
    for text, needed in needs.items():
        assert compile_pattern(text).needs_parse == needed, text


FAULTS = [
    pytest.param("", "matches the empty sequence", id="empty"),
    pytest.param(
        "NOUN? ADJ*", "matches the empty sequence", id="nothing that must be there"
    ),
    pytest.param(
        "NOUNS", "'NOUNS' is not a part of speech", id="no such part of speech"
    ),
    pytest.param("tag=NN", "'tag=NN' is not a pattern item", id="no such field"),
    pytest.param("lemma=", "'lemma=' is not a pattern item", id="no value"),
    pytest.param("a||b", "'' is not a pattern item", id="nothing between bars"),
]


@pytest.mark.parametrize(("pattern", "message"), FAULTS)
def test_faulty_patterns_are_refused(pattern, message):
    with pytest.raises(FormatError, match=message):
        compile_pattern(pattern)


PHRASES = [
    pytest.param("she/PRON sleeps/VERB", [(0, 1)], [(1, 2)], id="a pronoun"),
    pytest.param(
        "the/DET two/NUM big/ADJ cats/NOUN", [(0, 4)], [], id="before the noun"
    ),
    pytest.param("eau/NOUN très/ADV froide/ADJ", [(0, 3)], [], id="after the noun"),
    pytest.param(
        "has/AUX not/PART yet/ADV come/VERB", [], [(0, 4)], id="a verb's company"
    ),
    pytest.param("it/PRON is/AUX red/ADJ", [(0, 1)], [(1, 2)], id="a copula"),
    pytest.param(
        "cats/NOUN and/CCONJ dogs/NOUN run/VERB or/CCONJ sleep/VERB",
        [(0, 1), (2, 3)],
        [(3, 4), (5, 6)],
        id="coordination parts phrases",
    ),
]


@pytest.mark.parametrize(("sentence", "nouns", "verbs"), PHRASES)
def test_phrases(sentence, nouns, verbs):
    assert list(find_phrases(words(sentence), "NP")) == nouns
    assert list(find_phrases(words(sentence), "VP")) == verbs
