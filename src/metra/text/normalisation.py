"""Words as names and terms are compared: without accents, case, separators, possessives.

Numbers under a hundred in words are written in digits, for the languages listed here.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from metra.text.scripts import EAST_ASIAN
from metra.text.words import strip_categories

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
_EAST_ASIAN = re.compile(f"[{EAST_ASIAN}]")


@cache
def make_normaliser(lang: str) -> Callable[[str], tuple[str, ...]]:
    """Return the function that cuts a text into normalised words.

    >>> make_normaliser("en")("Brévigny's twenty-one shops, 2,300 people")
    ('brevigny', '21', 'shops', '2300', 'people')
    """
    decimal, grouping = (r"\.", ",") if lang in _POINT else (",", ". ")
    groups = re.compile(rf"(?<![\d.,])\d{{1,3}}(?:[{grouping}{_NARROW}]\d{{3}})+(?!\d)")
    fraction = re.compile(rf"(?<=\d){decimal}(?=\d)")
    words = list_number_words(lang)

    def normalise(text: str) -> tuple[str, ...]:
        if not text.isascii():  # the digits of any script become 0 to 9
            text = "".join(str(int(c)) if c.isdecimal() else c for c in text)
        text = _POSSESSIVE.sub("", text)
        text = groups.sub(lambda number: re.sub(r"\D", "", number[0]), text)
        text = fraction.sub("\ue000", text)
        return tuple(
            _replace_number_words(list(_split_runs(_fold_case(text, lang))), words)
        )

    return normalise


def fold_text(text: str) -> str:
    """Return a short text without differences of case, composition and blanks.

    >>> fold_text("Cafe\\u0301") == fold_text("CAFÉ")
    True
    """
    composed = unicodedata.normalize("NFC", text).casefold()
    return " ".join(unicodedata.normalize("NFC", composed).split())


def normalise_answer(text: str) -> str:
    """Return a folded text without punctuation at its ends, to compare answers and fillers.

    >>> normalise_answer(" In 1987. ")
    'in 1987'
    """
    folded = fold_text(text)
    # A text of punctuation alone is compared as it is.
    return folded[slice(*strip_categories(folded, "PZ"))] or folded


def contains_words(words: Sequence[str], within: Sequence[str]) -> bool:
    """Return True if words stand next to each other, in their order, within others."""
    size = len(words)
    return any(
        within[start] == words[0] and within[start : start + size] == words
        for start in range(len(within) - size + 1)
    )


@cache
def list_number_words(lang: str) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return the ways to write a number in words, by their first word, the longest first.

    Known are English, French, German and Spanish; for other languages it is empty.
    """
    by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, value in (
        _name_numbers(lang) if lang in _read_number_words() else {}
    ).items():
        words = tuple(phrase.split())
        by_first.setdefault(words[0], []).append((words, str(value)))
    for entries in by_first.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return by_first


def _fold_case(text: str, lang: str) -> str:
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


def _split_runs(text: str) -> Iterator[str]:
    """Cut into runs of letters, numbers, signs, and single characters of East Asia."""
    for kind, run in groupby(text, _classify_character):
        if kind in ("sign", "alone"):
            yield from run
        elif kind:
            yield "".join(run).replace("\ue000", ".")


@lru_cache(maxsize=65536)
def _classify_character(c: str) -> str:
    if c.isdecimal() or c == "\ue000":
        return "number"
    if c in _SIGNS:
        return "sign"
    if _EAST_ASIAN.match(c):
        return "alone" if c.isalnum() else ""
    return "letter" if c.isalnum() or unicodedata.category(c)[0] == "M" else ""


def _replace_number_words(
    words: list[str], known: dict[str, list[tuple[tuple[str, ...], str]]]
) -> Iterator[str]:
    start = 0
    while start < len(words):
        for phrase, value in known.get(words[start], ()):
            if tuple(words[start : start + len(phrase)]) == phrase:
                yield value
                start += len(phrase)
                break
        else:
            yield words[start]
            start += 1


@cache
def _read_number_words() -> dict[str, dict[str, Any]]:
    text = Path(__file__).with_name("number_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _name_numbers(lang: str) -> dict[str, int]:
    names = _read_number_words()[lang]
    small, tens = names["units"].split(), names["tens"].split()
    units = {word: value for value, word in enumerate(small)}
    first_ten = 3 if lang == "es" else 2
    starts = {ten: 10 * count for count, ten in enumerate(tens, first_ten)}
    if lang == "fr":
        return _name_french_numbers(units, starts)
    numbers = units | starts | names.get("others", {})
    after_ten = [
        *((one, 1) for one in names["ones"]),
        *zip(small[2:10], range(2, 10), strict=True),
    ]
    for ten, value in starts.items():
        for word, unit in after_ten:
            numbers[names["compound"].format(ten=ten, unit=word)] = value + unit
    return numbers


def _name_french_numbers(
    units: dict[str, int], starts: dict[str, int]
) -> dict[str, int]:
    units = units | {"une": 1, "dix sept": 17, "dix huit": 18, "dix neuf": 19}
    # Belgium and Switzerland count on in tens.
    starts |= {"septante": 70, "huitante": 80, "octante": 80, "nonante": 90}
    starts |= {"quatre vingt": 80}
    numbers = units | starts | {"quatre vingts": 80}
    for start, value in starts.items():
        # soixante-dix, quatre-vingt-onze: the teens follow these two as units do.
        teens = value == 60 or start == "quatre vingt"
        for word, unit in units.items():
            if 0 < unit < (20 if teens else 10):
                numbers[f"{start} {word}"] = value + unit
                if unit % 10 == 1:
                    numbers[f"{start} et {word}"] = value + unit
    return numbers
