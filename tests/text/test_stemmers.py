"""Stemmers: the original algorithm's own examples, and each word type asked for once."""

import pytest
import Stemmer

import metra
from metra._core import Tokens, TypeMap
from metra.text.columns import pack
from metra.text.preparation import make_preparation, prepare

# Porter 1980, "An algorithm for suffix stripping": an example of each of its rules.
PORTER = """
caresses caress|ponies poni|ties ti|cats cat|feed feed|agreed agre|plastered plaster
bled bled|motoring motor|sing sing|conflated conflat|troubled troubl|sized size
hopping hop|tanned tan|falling fall|hissing hiss|fizzed fizz|failing fail|filing file
happy happi|sky sky|relational relat|conditional condit|rational ration|valenci valenc
hesitanci hesit|digitizer digit|vietnamization vietnam|predication predic|operator oper
feudalism feudal|decisiveness decis|hopefulness hope|callousness callous|formaliti formal
sensitiviti sensit|sensibiliti sensibl|triplicate triplic|formative form|formalize formal
electriciti electr|electrical electr|hopeful hope|goodness good|revival reviv
allowance allow|inference infer|airliner airlin|gyroscopic gyroscop|adjustable adjust
defensible defens|irritant irrit|replacement replac|adjustment adjust|dependent depend
adoption adopt|communism commun|activate activ|homologous homolog|effective effect
bowdlerize bowdler|probate probat|rate rate|cease ceas|controll control|roll roll
"""
EXAMPLES = [
    tuple(pair.split()) for pair in PORTER.strip().replace("\n", "|").split("|")
]


def stems(text: str, stem: str, tok: str = "none") -> list[str]:
    chosen = make_preparation(tok=tok, case="mixed", stem=stem)
    return prepare(pack([text], "text"), chosen)[0]


def test_the_examples_of_the_original_algorithm():
    words, expected = zip(*EXAMPLES, strict=True)
    assert len(words) > 60
    assert stems(" ".join(words), "porter") == list(expected)


def test_the_newer_english_algorithm_is_another_one():
    assert stems("generously", "porter") == ["gener"]
    assert stems("generously", "english") == ["generous"]


def test_other_languages():
    assert stems("Häuser laufen", "german") == ["Haus", "lauf"]
    assert stems("continuellement", "french") == ["continuel"]


def test_no_stemmer_leaves_words_alone():
    assert stems("running cats", "no") == ["running", "cats"]


def test_stems_match_where_words_do_not():
    plain, stemmed = "bleu:tok=none", "bleu:tok=none,stem=porter"
    hyps, refs = ["the cats were running home"], [["the cat was run home"]]
    assert metra.score(hyps, refs, plain).parts["counts"] == [2, 0, 0, 0]
    assert metra.score(hyps, refs, stemmed).parts["counts"] == [4, 2, 0, 0]


def test_each_word_type_is_asked_for_once():
    asked = []

    def upper(words: list[str]) -> list[str]:
        asked.extend(words)
        return [word.upper() for word in words]

    mapped = TypeMap(upper)
    first = mapped(Tokens([["b", "a", "b"], None, ["c", "a"]]))
    second = mapped(Tokens([["a", "d"], []]))
    assert asked == ["b", "a", "c", "d"]
    assert [first[at] for at in range(3)] == [["B", "A", "B"], None, ["C", "A"]]
    assert [second[at] for at in range(2)] == [["A", "D"], []]


def test_words_may_become_empty_or_equal():
    mapped = TypeMap(lambda words: ["" for _ in words])
    assert mapped(Tokens([["a", "b"]]))[0] == ["", ""]


def test_a_function_that_loses_words_is_refused():
    mapped = TypeMap(lambda words: words[:-1])
    with pytest.raises(
        ValueError, match="the function returned another number of words"
    ):
        mapped(Tokens([["a", "b"]]))


def test_an_error_of_the_function_comes_through():
    def fail(_: list[str]) -> list[str]:
        msg = "no such word"
        raise LookupError(msg)

    with pytest.raises(LookupError, match="no such word"):
        TypeMap(fail)(Tokens([["a"]]))


def test_an_unknown_stemmer():
    with pytest.raises(metra.MetraError) as caught:
        metra.metric("bleu:stem=porta")
    message = str(caught.value)
    assert message.startswith(
        "No stemmer named 'porta'. Did you mean 'porter'? Known: "
    )
    assert "english" in message
    assert " no, " in message


def test_the_signature_names_the_library():
    signature = metra.metric("bleu:stem=english").signature()
    assert f"|stem:english[PyStemmer {Stemmer.version()}]|" in signature
    assert "|stem:no|" in metra.metric("bleu").signature()
