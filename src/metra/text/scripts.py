"""Writing systems: of each letter, of each language, and which of them have no blanks."""

import re
from collections import Counter
from functools import lru_cache
from unicodedata import category, name

#: Scripts whose letters stand without blanks between words.
UNSPACED = {
    *("CJK", "HIRAGANA", "KATAKANA"),
    *("THAI", "LAO", "KHMER", "MYANMAR", "JAVANESE", "BALINESE"),
}
#: Letters of Chinese and Japanese, of which each counts as a word where words are looked
#: up: ranges of a regular expression.
EAST_ASIAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    "\uff66-\uff9d\U00020000-\U0003ffff"
)
#: The half-width marks of sound, which Unicode calls letters: part of the letter before.
SOUND_MARKS = "\uff9e\uff9f"

# Scripts with the languages that are written in them.
_LANGUAGES = """
CYRILLIC ru uk bg be mk sr kk ky mn tg; GREEK el; ARABIC ar fa ur ps ug; HEBREW he yi;
DEVANAGARI hi mr ne sa; BENGALI bn as; GURMUKHI pa; GUJARATI gu; TAMIL ta; TELUGU te;
KANNADA kn; MALAYALAM ml; SINHALA si; THAI th; LAO lo; KHMER km; MYANMAR my; GEORGIAN ka;
ARMENIAN hy; ETHIOPIC am ti; HANGUL ko; CJK zh ja ko; HIRAGANA ja; KATAKANA ja;
LATIN sr kk mn
"""
# Words before the script in a letter's name that say how it is written, not in what.
_FORMS = {"FULLWIDTH", "HALFWIDTH", "SMALL", "CAPITAL"}
# Signs that are made of letters, and marks that belong to letters of several scripts.
_SIGNS = {
    *("MODIFIER", "MATHEMATICAL", "FEMININE", "MASCULINE", "SCRIPT"),
    *("DOUBLE-STRUCK", "BLACK-LETTER", "MICRO", "KELVIN", "ANGSTROM", "OHM"),
}
# 々 and 〆 are written among Chinese characters; ー is of both kinds of kana.
_SAME = {"IDEOGRAPHIC": "CJK", "KATAKANA-HIRAGANA": "KATAKANA"}


@lru_cache(maxsize=65536)
def get_script(letter: str) -> str:
    """Return the script of a letter, "" for other characters and for signs made of letters.

    >>> [get_script(letter) for letter in "éж漢々ﾃＡ5ª"]
    ['LATIN', 'CYRILLIC', 'CJK', 'CJK', 'KATAKANA', 'LATIN', '', '']
    """
    if category(letter)[0] != "L":
        return ""
    words = name(letter, "").split()
    while words and words[0] in _FORMS:
        del words[0]
    if not words or words[0] in _SIGNS:
        return ""
    return _SAME.get(words[0], words[0])


def count_script_letters(text: str | Counter[str]) -> Counter[str]:
    """Count the letters of each script in a text, or in its counts of characters."""
    counts: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        counts[get_script(letter)] += count
    del counts[""]
    return counts


def get_language(code: str) -> str:
    """Return the language of a code such as pt-BR or zh_Hans.

    >>> get_language("pt-BR"), get_language("zh_Hans")
    ('pt', 'zh')
    """
    return code.replace("_", "-").partition("-")[0].lower()


@lru_cache(maxsize=64)
def list_scripts(lang: str) -> frozenset[str]:
    """Return the scripts of a language; Latin if it is not listed."""
    entries = (entry.split() for entry in _LANGUAGES.split(";"))
    scripts = [script for script, *codes in entries if get_language(lang) in codes]
    return frozenset(scripts or ["LATIN"])


def is_language_code(code: str) -> bool:
    """Return True if a code has the form of BCP 47; _ may stand for the hyphen.

    >>> [is_language_code(code) for code in ("fr", "zh_Hans-CN", "../x", "")]
    [True, True, False, False]
    """
    # A language, then a script, region and the like.
    pattern = r"[a-z]{2,3}(?:[-_][a-z\d]{1,8})*"
    return re.fullmatch(pattern, code, re.ASCII | re.IGNORECASE) is not None


def is_unspaced_letter(letter: str) -> bool:
    """Return True if it is a letter of a script that puts no blanks between words."""
    return get_script(letter) in UNSPACED
