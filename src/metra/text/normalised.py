"""Words as names and terms are looked for: without accents, case, separators, possessives.

Reeder et al. 2001, "The naming of things and the confusion of tongues: an MT metric".
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from metra.text.number_words import number_words

# Languages that write 1.5 and 1,000; the others write 1,5 and 1.000 or 1 000.
_POINT = {"en", "zh", "ja", "ko", "th", "he", "hi", "ur", "bn", "ta", "ms", "sw", "ga"}
# Languages in which i and ı are two letters.
_DOTLESS = {"tr", "az"}

_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b|(?<=s)['’](?!\w)", re.IGNORECASE)
# Blanks that keep a number together, and the apostrophe of Switzerland.
_NARROW = "\u00a0\u202f\u2009'’"
_SIGNS = "%€$£¥"
# Letters with a stroke, and ligatures, which Unicode does not take apart.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "œ": "oe", "æ": "ae", "ð": "d"}
)


@cache
def normaliser(lang: str) -> Callable[[str], tuple[str, ...]]:
    """Give the function that cuts a text into normalised words.

    >>> normaliser("en")("Brévigny's twenty-one shops, 2,300 people")
    ('brevigny', '21', 'shops', '2300', 'people')
    """
    decimal, grouping = (r"\.", ",") if lang in _POINT else (",", ". ")
    groups = re.compile(rf"(?<![\d.,])\d{{1,3}}(?:[{grouping}{_NARROW}]\d{{3}})+(?!\d)")
    fraction = re.compile(rf"(?<=\d){decimal}(?=\d)")
    words = number_words(lang)

    def normalise(text: str) -> tuple[str, ...]:
        text = _POSSESSIVE.sub("", _digits(text))
        text = groups.sub(lambda found: re.sub(r"\D", "", found[0]), text)
        text = fraction.sub("\ue000", text)
        return tuple(_with_digits(list(_cut(_folded(text, lang))), words))

    return normalise


def occurs(words: Sequence[str], within: Sequence[str]) -> bool:
    """Tell whether words stand next to each other, in their order, within others."""
    size = len(words)
    return any(
        within[at] == words[0] and within[at : at + size] == words
        for at in range(len(within) - size + 1)
    )


def _digits(text: str) -> str:
    """Write the digits of any script as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def _folded(text: str, lang: str) -> str:
    """Fold case as the language does, and take accents off Latin and Greek letters."""
    if lang in _DOTLESS:
        text = unicodedata.normalize("NFC", text)
        text = text.replace("İ", "i").replace("I", "ı")
    text = text.casefold()
    if text.isascii():
        return text
    if lang not in _DOTLESS:
        text = text.replace("ı", "i")
    kept = []
    plain = False
    for c in unicodedata.normalize("NFD", text):
        if not unicodedata.combining(c):
            plain = c < "\u0250" or "\u0370" <= c < "\u0400"
        elif plain:
            continue
        kept.append(c)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_PLAIN)


def _cut(text: str) -> Iterator[str]:
    """Cut into runs of letters, numbers, signs, and single characters of East Asia."""
    run = ""
    kind = ""
    for c in text:
        here = _kind(c)
        if run and (here != kind or here in ("sign", "alone")):
            yield run
            run = ""
        if here:
            run += "." if c == "\ue000" else c
        kind = here
    if run:
        yield run


def _kind(c: str) -> str:
    if c.isdecimal() or c == "\ue000":
        return "number"
    if c in _SIGNS:
        return "sign"
    if "\u2e80" <= c <= "\ua4cf" or "\uf900" <= c <= "\ufaff" or c >= "\U00020000":
        return "alone" if c.isalnum() else ""
    return "letter" if c.isalnum() or unicodedata.category(c)[0] == "M" else ""


def _with_digits(
    words: list[str], known: dict[str, list[tuple[tuple[str, ...], str]]]
) -> Iterator[str]:
    at = 0
    while at < len(words):
        for phrase, value in known.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                yield value
                at += len(phrase)
                break
        else:
            yield words[at]
            at += 1
