"""Which writing system a letter belongs to, and which ones a language is written in."""

from functools import lru_cache
from unicodedata import name

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
def scripts_of(lang: str) -> frozenset[str]:
    """Give the writing systems of a language; of one that is not listed, Latin."""
    code = lang.replace("_", "-").partition("-")[0].lower()
    found = [script for script, codes in _LANGUAGES.items() if code in codes.split()]
    return frozenset(found or ["LATIN"])


@lru_cache(maxsize=65536)
def script_of(letter: str) -> str:
    """Name the writing system of a letter; signs that are no letters have none.

    >>> script_of("a"), script_of("ж"), script_of("7"), script_of("ª")
    ('LATIN', 'CYRILLIC', '', '')
    """
    if not letter.isalpha():
        return ""
    first = name(letter, "").partition(" ")[0]
    return "" if first in ("FEMININE", "MASCULINE", "MICRO", "MODIFIER") else first
