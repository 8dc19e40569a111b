"""Lemmas and stemmers: forms of one word are told from other words, in many languages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import simplemma
import Stemmer
from tests.tables import load_cases

import metra
from metra._core import Tokens, TypeMap
from metra.campaign.protocols.effort import Chips, get_changes
from metra.errors import UnknownNameError
from metra.text import lemmas
from metra.text.columns import pack
from metra.text.lemmas import count_form_changes, find_word_forms, list_lemma_languages
from metra.text.preparation import make_preparation, prepare

# Forms of one word: inflection is no change.
SAME = load_cases("lemmas: forms of one word")
# Other words, though some share their beginning or their stem.
OTHER = load_cases("lemmas: other words")


def count_changes(language, before, after):
    """Changes that `syntax` counts, and those of a correction that somebody typed."""
    hyp, ref = f"x {before} y .", f"x {after} y ."
    syntax = metra.metric(f"syntax:stem=lemma@{language}")
    inferred = syntax.sentence(hyp, [ref]) * 4 / 100
    value = Chips(language=language).check({"text": ref}, "syntax", {"output": hyp})
    assert get_changes(value).total == inferred
    return inferred, value["key"]["inflections"]


@pytest.mark.seed("5.31")
@pytest.mark.parametrize(("language", "before", "after"), SAME)
def test_forms_of_a_word_are_no_change(language, before, after):
    assert count_changes(language, before, after) == (0, 1)
    assert count_changes(language, after, before) == (0, 1)


@pytest.mark.parametrize(("language", "before", "after"), OTHER)
def test_other_words_are(language, before, after):
    assert count_changes(language, before, after) == (1, 0)


def test_letter_case_still_counts_unless_it_is_folded():
    syntax, folded = (
        metra.metric(f"syntax:case={case}") for case in ("mixed", "lower")
    )
    assert syntax.sentence("Go home", ["went home"]) == 50
    assert syntax.sentence("Go home", ["Went home"]) == 0
    assert syntax.sentence("GO home", ["Went home"]) == 50
    assert folded.sentence("GO home", ["Went home"]) == 0


def test_any_metric_can_compare_lemmas():
    found = metra.score(["he went"], [["he goes"]], "wer:stem=lemma@en")
    assert found.score == 0
    version = simplemma.__version__
    assert f"|stem:lemma@en[simplemma {version}]|" in found.signature


def test_the_signature_of_syntax_and_a_typed_correction_name_the_library():
    version = simplemma.__version__
    signature = metra.metric("syntax").signature()
    assert f"|stem:lemma@en[simplemma {version}]|" in signature
    key = Chips(language="en-GB").build_key({"output": "a"})
    assert (key["forms"], key["library"]) == ("lemma@en", f"simplemma {version}")


def test_languages_without_a_table_have_stems():
    language = next(filter(_has_only_stems, ("ta", "yi", "ne", "eu")))
    forms = find_word_forms(language)
    assert forms.library == f"PyStemmer {Stemmer.version()}"
    signature = metra.metric(f"syntax:stem=lemma@{language}").signature()
    assert f"|stem:lemma@{language}[PyStemmer {Stemmer.version()}]|" in signature


def _has_only_stems(code):
    return code not in list_lemma_languages() and find_word_forms(code).name


def test_languages_with_neither():
    assert find_word_forms("ja") == lemmas.WordForms()
    assert count_form_changes(["犬"], ["猫"], "") == 0
    with pytest.raises(UnknownNameError) as caught:
        metra.metric("syntax:stem=lemma@ja")
    assert str(caught.value) == (
        "No lemmas or stemmer for 'lemma@ja'; expected a language code such as "
        "lemma@en, or no to compare words as they are."
    )


def test_regions_and_languages_in_the_table_of_another():
    assert find_word_forms("en_GB").name == "lemma@en"
    assert find_word_forms("no").library.startswith("simplemma ")
    assert count_form_changes(["kuće"], ["kuća"], find_word_forms("hr").name) == 1


def test_answers_of_older_versions_name_a_stemmer():
    asks = Chips(language="en").relax_rules()
    key = {"tokens": ["he", "go", "open"], "counted": "blanks", "stems": "en"}
    value = asks.check({"text": "he go opens", "key": key}, "syntax", {})
    assert get_changes(value).total == 0
    # A stem is all that was known then.
    value = asks.check({"text": "he goes opens", "key": key}, "syntax", {})
    assert get_changes(value).total == 1


def test_german_nouns_are_told_by_their_capital():
    reduce = find_word_forms("de").reduce
    assert reduce(["Haus", "Häuser", "Geht", "ging"]) == [
        "Haus",
        "Haus",
        "Gehen",
        "gehen",
    ]


def test_nothing_and_signs_stay():
    chosen = make_preparation(tok="none", case="mixed", stem="lemma@en")
    from metra.text.columns import pack

    tokens = prepare(pack(["", ". , 1987 ’s", None], "text"), chosen)
    assert [tokens[at] for at in range(3)][::2] == [[], None]
    assert tokens[1][:3] == [".", ",", "1987"]


def test_the_package_is_loaded_only_when_it_is_asked_for():
    code = (
        "import sys, metra; metra.score(['a'], [['a']], 'bleu:stem=english'); "
        "print('simplemma' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_the_documentation_lists_the_languages():
    page = Path(__file__).parents[2] / "docs" / "text.md"
    listed = (
        page.read_text(encoding="utf-8").partition("## Lemmas")[2].partition("\n## ")[0]
    )
    codes = re.findall(r"`([a-z]{2,3})`", listed)
    assert codes == list_lemma_languages()


def stems(text: str, stem: str, tok: str = "none") -> list[str]:
    chosen = make_preparation(tok=tok, case="mixed", stem=stem)
    return prepare(pack([text], "text"), chosen)[0]


def test_the_newer_english_algorithm_is_another_one():
    assert stems("generously", "porter") == ["gener"]
    assert stems("generously", "english") == ["generous"]


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
