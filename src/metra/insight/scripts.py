"""Which script each letter belongs to."""

from collections import Counter
from functools import cache
from unicodedata import category, name

# Forms of letters that say nothing about the script, or belong to several.
_FORMS = frozenset({"FULLWIDTH", "HALFWIDTH", "SMALL", "CAPITAL"})
_NONE = frozenset({"MODIFIER", "MATHEMATICAL", "FEMININE", "MASCULINE", "SCRIPT"})
_NONE |= {"DOUBLE-STRUCK", "BLACK-LETTER", "MICRO", "KELVIN", "ANGSTROM", "OHM"}


@cache
def script(letter: str) -> str:
    """Name a letter's script; nothing for what is no letter, or a sign made of one.

    >>> script("é"), script("ж"), script("漢"), script("5")
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


def letters(text: str) -> Counter[str]:
    """Count the letters of each script."""
    found: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        found[script(letter)] += count
    del found[""]
    return found
