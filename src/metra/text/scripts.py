"""Which writing system a letter belongs to, and which ones a language is written in.

Which script each letter belongs to.
"""

from collections import Counter
from functools import cache, lru_cache
from unicodedata import category, name

_LANGUAGES = {
    "CYRILLIC": "ru uk bg be mk sr kk ky mn tg",
    "GREEK": "el",
    "ARABIC": "ar fa ur ps ug",
    "HEBREW": "he yi",
    "DEVANAGARI": "hi mr ne sa",
    "BENGALI": "bn as",
    "GURMUKHI": "pa",
    "GUJARATI": "gu",
    "TAMIL": "ta",
    "TELUGU": "te",
    "KANNADA": "kn",
    "MALAYALAM": "ml",
    "SINHALA": "si",
    "THAI": "th",
    "LAO": "lo",
    "KHMER": "km",
    "MYANMAR": "my",
    "GEORGIAN": "ka",
    "ARMENIAN": "hy",
    "ETHIOPIC": "am ti",
    "HANGUL": "ko",
    "CJK": "zh ja ko",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "KATAKANA-HIRAGANA": "ja",
    "LATIN": "sr kk mn",
}


@lru_cache(maxsize=64)
def list_scripts(lang: str) -> frozenset[str]:
    """Give the writing systems of a language; of one that is not listed, Latin."""
    code = lang.replace("_", "-").partition("-")[0].lower()
    found = [script for script, codes in _LANGUAGES.items() if code in codes.split()]
    return frozenset(found or ["LATIN"])


@lru_cache(maxsize=65536)
def get_alphabetic_script(letter: str) -> str:
    """Name the writing system of a letter; signs that are no letters have none.

    >>> [get_alphabetic_script(letter) for letter in "aж7ª"]
    ['LATIN', 'CYRILLIC', '', '']
    """
    if not letter.isalpha():
        return ""
    first = name(letter, "").partition(" ")[0]
    return "" if first in ("FEMININE", "MASCULINE", "MICRO", "MODIFIER") else first


# Forms of letters that say nothing about the script, or belong to several.
_FORMS = frozenset({"FULLWIDTH", "HALFWIDTH", "SMALL", "CAPITAL"})
_NONE = frozenset({"MODIFIER", "MATHEMATICAL", "FEMININE", "MASCULINE", "SCRIPT"})
_NONE |= {"DOUBLE-STRUCK", "BLACK-LETTER", "MICRO", "KELVIN", "ANGSTROM", "OHM"}


@cache
def get_script(letter: str) -> str:
    """Name a letter's script; nothing for what is no letter, or a sign made of one.

    >>> get_script("é"), get_script("ж"), get_script("漢"), get_script("5")
    ('LATIN', 'CYRILLIC', 'CJK', '')
    """
    if category(letter)[0] != "L":
        return ""
    words = name(letter, "").split()
    while words and words[0] in _FORMS:
        del words[0]
    if not words or words[0] in _NONE:
        return ""
    return words[0].partition("-")[0]


def count_script_letters(text: str) -> Counter[str]:
    """Count the letters of each script."""
    found: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        found[get_script(letter)] += count
    del found[""]
    return found
