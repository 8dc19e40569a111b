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
    [("web/static/steps/words.js", 2), ("kit/explorer/words.js", 1)],
)
def test_browsers_have_the_same_scripts_without_blanks(script, lists):
    text = (Path(metra.__file__).parent / script).read_text(encoding="utf-8")
    classes = re.findall(r"\[((?:[\\\s+\"]*p\{Script=\w+\})+)\]", text)
    expected = {name.title().replace("Cjk", "Han") for name in UNSPACED}
    assert len(classes) == lists
    assert [{*re.findall(r"Script=(\w+)", each)} for each in classes] == [
        expected
    ] * lists


LANGUAGES = (
    "de zh-Hant zh-cmn-Hans-CN de-CH-1901 es-419 en-US-u-islamcal und zh_Hans EN"
)
OTHERS = ("", "d", "a-DE", "ar-a-", "../../x", "en/de", "en\n", "ünd", "en-", "-en",
          "en--de", "123", "en de", "english", "languages-of-the-world", "en\0")  # fmt: skip


@pytest.mark.parametrize("code", LANGUAGES.split())
def test_language_codes(code):
    assert is_language_code(code)


@pytest.mark.parametrize("code", OTHERS)
def test_what_is_no_language_code(code):
    assert not is_language_code(code)
