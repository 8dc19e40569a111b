"""The script of each letter, and the scripts of each language."""

import re
from pathlib import Path

import pytest

import metra
from metra.text.scripts import (
    UNSPACED,
    get_script,
    is_language_code,
    is_unspaced_letter,
    list_scripts,
)


def test_languages():
    assert list_scripts("en") == list_scripts("xx") == {"LATIN"}
    assert list_scripts("ru-RU") == {"CYRILLIC"}
    assert list_scripts("ja") == {"CJK", "HIRAGANA", "KATAKANA"}


@pytest.mark.parametrize(
    ("letters", "script"),
    [
        ("AßaéＡﬁ", "LATIN"),
        ("жЁ", "CYRILLIC"),
        ("中々〆\uf900", "CJK"),
        ("ゟあ", "HIRAGANA"),
        ("テﾃーｰ", "KATAKANA"),
        ("한ﾱ", "HANGUL"),
        ("ا", "ARABIC"),
        ("ก", "THAI"),
        ("1µªᵃ𝐚ℝ.\u0301👍\ue000", ""),
    ],
)
def test_letters(letters, script):
    assert {get_script(letter) for letter in letters} == {script}


def test_scripts_without_blanks():
    assert all(map(is_unspaced_letter, "市がテﾃ々กມក"))
    assert not any(map(is_unspaced_letter, "aж한བ1。"))


@pytest.mark.parametrize(
    ("script", "lists"),
    [("web/static/steps/words.js", 2), ("report/html/static/diff.js", 1)],
)
def test_browsers_have_the_same_scripts_without_blanks(script, lists):
    text = (Path(metra.__file__).parent / script).read_text(encoding="utf-8")
    classes = re.findall(r"\[((?:[\\\s+\"]*p\{Script=\w+\})+)\]", text)
    expected = {name.title().replace("Cjk", "Han") for name in UNSPACED}
    assert len(classes) == lists
    assert [{*re.findall(r"Script=(\w+)", each)} for each in classes] == [
        expected
    ] * lists


@pytest.mark.parametrize(
    "code",
    [  # examples of RFC 5646, appendix A, and codes that test sets have
        *("de", "fr", "ja", "zh-Hant", "sr-Latn", "zh-cmn-Hans-CN", "sl-rozaj-biske"),
        *(
            "de-CH-1901",
            "hy-Latn-IT-arevela",
            "es-419",
            "x-whatever",
            "de-Latn-DE-1996",
        ),
        *("en-US-u-islamcal", "zh-CN-a-myext-x-private", "qaa-Qaaa-QM-x-southern"),
        *("und", "eng", "zh_Hans", "EN"),
    ],
)
def test_language_codes(code):
    assert is_language_code(code)


@pytest.mark.parametrize(
    "code",
    [
        *("", "d", "a-DE", "de-419-DE", "ar-a-", "../../x", "en/de", "en\n", "ünd"),
        *("en-", "-en", "en--de", "123", "en de", "languages-of-the-world", "en\0"),
    ],
)
def test_what_is_no_language_code(code):
    assert not is_language_code(code)
