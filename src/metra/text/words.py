"""Words of a text as readers count them, with their places.

Words are what stands between blanks. Chinese, Japanese, Thai and other scripts put no blanks
between words, and to find them takes a dictionary, whose words change with its version: there
each letter counts, with the marks on it, and of Tibetan each syllable. Whoever counts says how.

Numbers under a hundred in words, without accents and in lower case, as tokens.
Words as names and terms are looked for: without accents, case, separators, possessives.
The words of running text, with what tells names, numbers and addresses apart.
Words as the ISLE workbook counts them for minimal correction.
Numbers in a text, written so that 2,300 and 2 300 and ２３００ are the same.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import category

from metra.text.offsets import Span
from metra.text.scripts import get_alphabetic_script

#: Scripts that put no blanks between words.
UNSPACED = frozenset(
    (
        *("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"),
        *("THAI", "LAO", "KHMER", "MYANMAR", "JAVANESE", "BALINESE"),
    )
)
#: Signs that put the next letter under the one before: both are one.
_STACKING = "\u17d2\u1039\ua9c0\u1b44"
#: Signs between the syllables of Tibetan.
_BETWEEN = "\u0f0b\u0f0c"

Counted: TypeAlias = Literal["blanks", "letters", "both"]


def find_words(text: str) -> list[Span]:
    """Find what stands between blanks, without the punctuation around it.

    >>> text = "He paid 1.50 (in cash)."
    >>> [text[span.start:span.end] for span in find_words(text)]
    ['He', 'paid', '1.50', 'in', 'cash']
    >>> len(find_words("市場が開く")), len(find_words("ตลาดเปิด"))
    (5, 7)
    """
    found: list[Span] = []
    start: int | None = None
    at = 0
    while at < len(text):
        alone = _is_unspaced(text[at])
        ends = alone or text[at].isspace() or text[at] in _BETWEEN
        if ends and start is not None:
            found += _strip_punctuation(text, start, at)
            start = None
        if alone:
            end = _find_letter_end(text, at)
            found.append(Span(at, end))
            at = end
            continue
        if start is None and not ends:
            start = at
        at += 1
    if start is not None:
        found += _strip_punctuation(text, start, len(text))
    return found


def recognise_spacing(text: str) -> Counted:
    """Say by what the words of a text are told apart.

    >>> [recognise_spacing(text) for text in ("It opens.", "市場が開く。", "BBC の人")]
    ['blanks', 'letters', 'both']
    """
    alone = {_is_unspaced(text[span.start]) for span in find_words(text)}
    if alone == {True}:
        return "letters"
    return "both" if True in alone else "blanks"


def is_unspaced(text: str) -> bool:
    """Whether most of a text is written without blanks between words.

    >>> is_unspaced("BBC の人々"), is_unspaced("The word 市 is a letter.")
    (True, False)
    """
    alone = [_is_unspaced(text[span.start]) for span in find_words(text)]
    return 2 * sum(alone) > len(alone)


def split_words(text: str) -> list[str]:
    """Cut at blanks and, in scripts that have none, between letters and signs.

    >>> split_words("The market, 市場。")
    ['The', 'market,', '市', '場', '。']
    """
    return [piece for token in text.split() for piece in split_token(token)]


def split_token(token: str) -> list[str]:
    """Cut what stands between blanks, if it has letters of a script without blanks."""
    if not any(map(_is_unspaced, token)):
        return [token]
    edges = {0, len(token), *(edge for span in find_words(token) for edge in span)}
    return [token[start:end] for start, end in pairwise(sorted(edges))]


def join_words(tokens: Sequence[str]) -> str:
    """Put words side by side again, with blanks only where scripts have them.

    >>> join_words(["The", "market"]), join_words(["市", "場"])
    ('The market', '市場')
    """
    found = list(tokens[:1])
    for one, other in pairwise(tokens):
        found += [other] if _is_unspaced_pair(one, other) else [" ", other]
    return "".join(found)


def _is_unspaced_pair(one: str, other: str) -> bool:
    """Whether a letter of a script without blanks meets another, or a sign."""
    last = next((sign for sign in reversed(one) if category(sign)[0] != "M"), " ")
    ends = last, other[:1] or " "
    alone = [_is_unspaced(sign) for sign in ends]
    return any(alone) and all(
        is_alone or category(sign)[0] == "P"
        for is_alone, sign in zip(alone, ends, strict=True)
    )


def _is_unspaced(sign: str) -> bool:
    return get_alphabetic_script(sign) in UNSPACED


def _find_letter_end(text: str, at: int) -> int:
    """Where a letter ends, with its marks and with letters that are stacked on it."""
    end = at + 1
    while end < len(text):
        stacked = text[end - 1] in _STACKING and text[end].isalpha()
        if not (stacked or category(text[end])[0] == "M"):
            break
        end += 1
    return end


def _strip_punctuation(text: str, start: int, end: int) -> list[Span]:
    """Leave punctuation and signs at the ends out; nothing may be left."""
    while start < end and _is_outside_word(text[start]):
        start += 1
    while start < end and _is_outside_word(text[end - 1]):
        end -= 1
    return [Span(start, end)] if start < end else []


def _is_outside_word(sign: str) -> bool:
    """Whether it is no part of a word: punctuation, or a sign such as €; emoji are signs."""
    return category(sign)[0] in "PSC"


_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen",
    "twenty thirty forty fifty sixty seventy eighty ninety",
)
_FRENCH = (
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze "
    "quinze seize",
    "vingt trente quarante cinquante soixante",
)
_GERMAN = (
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn "
    "vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn",
    "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
)
_SPANISH = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce "
    "quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos "
    "veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve",
    "treinta cuarenta cincuenta sesenta setenta ochenta noventa",
)


@cache
def list_number_words(lang: str) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Give the ways to write a number in words, by their first word, the longest first.

    Known are English, French, German and Spanish; for other languages it is empty.
    """
    makers = {
        "en": _name_english_numbers,
        "fr": _name_french_numbers,
        "de": _name_german_numbers,
        "es": _name_spanish_numbers,
    }
    maker = makers.get(lang)
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, value in maker().items() if maker else ():
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append((words, str(value)))
    for entries in found.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return found


def _name_english_numbers() -> dict[str, int]:
    small, tens = (part.split() for part in _ENGLISH)
    found = {word: value for value, word in enumerate(small)}
    for at, ten in enumerate(tens, 2):
        found[ten] = 10 * at
        found |= {f"{ten} {small[unit]}": 10 * at + unit for unit in range(1, 10)}
    return found


def _name_french_numbers() -> dict[str, int]:
    small, tens = (part.split() for part in _FRENCH)
    units = {word: value for value, word in enumerate(small)} | {"une": 1}
    units |= {f"dix {small[unit]}": 10 + unit for unit in (7, 8, 9)}
    starts = {ten: 10 * at for at, ten in enumerate(tens, 2)}
    # Belgium and Switzerland count on in tens.
    starts |= {"septante": 70, "huitante": 80, "octante": 80, "nonante": 90}
    starts |= {"quatre vingt": 80}
    found = units | starts | {"quatre vingts": 80}
    for start, value in starts.items():
        # soixante-dix, quatre-vingt-onze: the teens follow these two as units do.
        teens = value == 60 or start == "quatre vingt"
        for word, unit in units.items():
            if 0 < unit < (20 if teens else 10):
                found[f"{start} {word}"] = value + unit
                if unit % 10 == 1:
                    found[f"{start} et {word}"] = value + unit
    return found


def _name_german_numbers() -> dict[str, int]:
    small, tens = (part.split() for part in _GERMAN)
    found = {word: value for value, word in enumerate(small)}
    found |= dict.fromkeys(("ein", "eine", "einen", "einem", "einer", "eines"), 1)
    units = ["", "ein", *small[2:10]]
    for at, ten in enumerate(tens, 2):
        found[ten] = 10 * at
        found |= {f"{units[unit]}und{ten}": 10 * at + unit for unit in range(1, 10)}
    return found


def _name_spanish_numbers() -> dict[str, int]:
    small, tens = (part.split() for part in _SPANISH)
    found = {word: value for value, word in enumerate(small)}
    units = [*enumerate(small[1:10], 1), (1, "un"), (1, "una")]
    found |= {"un": 1, "una": 1, "veintiun": 21, "veintiuna": 21}
    for at, ten in enumerate(tens, 3):
        found[ten] = 10 * at
        found |= {f"{ten} y {word}": 10 * at + unit for unit, word in units}
    return found


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
def make_normaliser(lang: str) -> Callable[[str], tuple[str, ...]]:
    """Give the function that cuts a text into normalised words.

    >>> make_normaliser("en")("Brévigny's twenty-one shops, 2,300 people")
    ('brevigny', '21', 'shops', '2300', 'people')
    """
    decimal, grouping = (r"\.", ",") if lang in _POINT else (",", ". ")
    groups = re.compile(rf"(?<![\d.,])\d{{1,3}}(?:[{grouping}{_NARROW}]\d{{3}})+(?!\d)")
    fraction = re.compile(rf"(?<=\d){decimal}(?=\d)")
    words = list_number_words(lang)

    def normalise(text: str) -> tuple[str, ...]:
        text = _POSSESSIVE.sub("", _normalise_digits(text))
        text = groups.sub(lambda found: re.sub(r"\D", "", found[0]), text)
        text = fraction.sub("\ue000", text)
        return tuple(
            _replace_number_words(list(_split_runs(_fold_case(text, lang))), words)
        )

    return normalise


def contains_words(words: Sequence[str], within: Sequence[str]) -> bool:
    """Tell whether words stand next to each other, in their order, within others."""
    size = len(words)
    return any(
        within[at] == words[0] and within[at : at + size] == words
        for at in range(len(within) - size + 1)
    )


def _normalise_digits(text: str) -> str:
    """Write the digits of any script as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


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
    run = ""
    kind = ""
    for c in text:
        here = _classify_character(c)
        if run and (here != kind or here in ("sign", "alone")):
            yield run
            run = ""
        if here:
            run += "." if c == "\ue000" else c
        kind = here
    if run:
        yield run


def _classify_character(c: str) -> str:
    if c.isdecimal() or c == "\ue000":
        return "number"
    if c in _SIGNS:
        return "sign"
    if "\u2e80" <= c <= "\ua4cf" or "\uf900" <= c <= "\ufaff" or c >= "\U00020000":
        return "alone" if c.isalnum() else ""
    return "letter" if c.isalnum() or unicodedata.category(c)[0] == "M" else ""


def _replace_number_words(
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


# Signs on letters, which `\w` leaves out, and the two joiners.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0e31-\u0eff"
    "\u1000-\u109f\u1780-\u17ff\u200c\u200d"
)
# An address ends before the signs of the sentence that it stands in.
_ADDRESS = r"(?:https?://|www\.)\S*[\w/]|[\w.+-]+@[\w-]+\.[\w.-]*\w"
# Characters that are words by themselves where no blanks are written.
_EAST = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_LETTER = rf"[^\W_{_EAST}]|[{_MARKS}]"
_WORD = re.compile(rf"{_ADDRESS}|[{_EAST}]|(?:{_LETTER})+(?:['’‑-](?:{_LETTER})+)*")
# What may stand between a sentence's end and the next sentence's first word.
_RUNNING_WORDS_BETWEEN = " \t\u00a0\u202f\"'“”„«»‘’()[]*—–-"
_WINDOW = 24
_IS_ADDRESS = re.compile(_ADDRESS)
_EAST_CHARACTER = re.compile(rf"[{_EAST}]")


class RunningWord(NamedTuple):
    """A word as it is written.

    `letters` is false of numbers, addresses, words with digits and single letters;
    `is_name` is true of words with a capital that do not begin a sentence.
    """

    text: str
    letters: bool
    is_name: bool


def find_running_words(text: str) -> list[RunningWord]:
    """Cut a text into words, left to right.

    >>> [word.text for word in find_running_words("Le chat, c'est l'ami n° 2 (www.chat.fr)")]
    ['Le', 'chat', "c'est", "l'ami", 'n', '2', 'www.chat.fr']
    """
    return list(_find_running_words(text))


def split_word_parts(words: Iterable[str]) -> Iterator[str]:
    """Give words in folded case, and their parts beside apostrophes and hyphens."""
    for word in words:
        yield from _split_parts(word)


@lru_cache(maxsize=1 << 18)
def _split_parts(word: str) -> tuple[str, ...]:
    folded = word.casefold()
    parts = re.split(r"['’‑-]", folded)
    return (folded, *filter(None, parts)) if len(parts) > 1 else (folded,)


def _find_running_words(text: str) -> Iterator[RunningWord]:
    for found in _WORD.finditer(text):
        word = found[0]
        letters, capital = _classify_word(word)
        is_name = capital and not _begins_sentence(text, found.start())
        yield RunningWord(word, letters, is_name)


@lru_cache(maxsize=1 << 18)
def _classify_word(word: str) -> tuple[bool, bool]:
    """Tell whether a word is more than a letter, a number or an address; has a capital."""
    alone = len(word) == 1 and not _EAST_CHARACTER.match(word)
    if alone or _IS_ADDRESS.fullmatch(word) or any(c.isdigit() for c in word):
        return False, False
    return True, any(c.isupper() for c in word)


def _begins_sentence(text: str, start: int) -> bool:
    """Tell whether a word is the first of a sentence; Dr. and the like end none."""
    before = text[max(0, start - _WINDOW) : start].rstrip(_RUNNING_WORDS_BETWEEN)
    if not before:
        return start <= _WINDOW
    if before[-1] != ".":
        return before[-1] in "!?…:。！？："
    last = re.split(r"[\s.]", before[:-1])[-1]
    return not (len(last) <= 3 and last[:1].isupper())


BETWEEN_LETTERS = "'’‐-"
BETWEEN_DIGITS = ".,:"


def tokenize_words(segment: str) -> list[str]:
    """Cut at white space, with every punctuation mark a token of its own.

    Apostrophes and hyphens between letters or digits, and points, commas and colons
    between digits, are spelling and stay in their word.

    >>> tokenize_words("He said (twice): don't pay 1.50!")
    ['He', 'said', '(', 'twice', ')', ':', "don't", 'pay', '1.50', '!']
    """
    tokens: list[str] = []
    for word in segment.split():
        if word.isalnum():
            tokens.append(word)
        else:
            tokens += _split_punctuation(word)
    return tokens


def _split_punctuation(word: str) -> list[str]:
    edges = [0]
    for at, sign in enumerate(word):
        if category(sign).startswith("P") and not _is_inside_word(word, at):
            edges += [at, at + 1]
    return [
        word[start:stop]
        for start, stop in pairwise([*edges, len(word)])
        if start < stop
    ]


def _is_inside_word(word: str, at: int) -> bool:
    """Whether the mark stands inside a word or a number."""
    sides = word[max(at - 1, 0) : at] + word[at + 1 : at + 2]
    if len(sides) < 2:
        return False
    return (word[at] in BETWEEN_LETTERS and sides.isalnum()) or (
        word[at] in BETWEEN_DIGITS and sides.isdigit()
    )


# A number with its digits in groups of three, or with one sign between digits. What has more
# signs is a date, a version or the like, and is read part by part. A blank joins groups of
# three only, so that "in 2012 30 people" stays two numbers.
_SIGN = "[.,'\u2019\u066b\u066c\u00b7\uff0c\uff0e]"
_BLANK = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(
    rf"(?<!\d{_SIGN})\d{{1,3}}(?:(?:{_SIGN}|{_BLANK})\d{{3}})+(?!\d)(?:{_SIGN}\d+)?(?!{_SIGN}?\d)"
    rf"|(?<!\d{_SIGN})\d+{_SIGN}\d+(?!{_SIGN}?\d)"
    r"|\d+"
)
_DIGITS = re.compile(rf"\d(?:(?:{_SIGN}|{_BLANK})?\d)*")


def find_numbers(text: str) -> list[str]:
    """List the numbers of two digits and more, digits only.

    What stands between the digits is left out, because languages differ in it, and so are
    zeros in front. Numbers of one digit do not count: they are often written as words.

    >>> find_numbers("Le 12 novembre, 2 300 personnes; 1,8 million à 08:30 (7 non)")
    ['12', '2300', '18', '30']
    """
    numbers: list[str] = []
    # Runs of digits are found many times faster than numbers, and hold whole numbers.
    for run in _DIGITS.findall(text):
        for number in _NUMBER.findall(run) if len(run) > 1 else ():
            digits = "".join(str(int(c)) for c in number if c.isdecimal()).lstrip("0")
            if len(digits) > 1:
                numbers.append(digits)
    return numbers
