"""Words of a text, in the ways that differ for a reason.

Readers count what stands between blanks (`find_words`). Chinese, Japanese, Thai and other
scripts put no blanks between words, and to find them takes a dictionary, whose words change
with its version: there each letter counts, with the marks on it, and of Tibetan each
syllable. The ISLE workbook counts punctuation marks, too (`tokenize_words`); dictionaries
have no numbers and addresses (`find_running_words`). Words as names and terms are compared
are in `metra.text.normalisation`; the tokenisers that metrics choose among, in
`metra.text.tokenizers`.

Spans of characters are in code points. Browsers count UTF-16 units, in which most emoji
take two; some programs store the last character of a span instead of the position after it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias
from unicodedata import category

from metra import _core
from metra.text.scripts import EAST_ASIAN, SOUND_MARKS, is_unspaced_letter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Signs that put the next letter under the one before: both are one.
_STACKING = "\u17d2\u1039\ua9c0\u1b44"
#: Joiners, half-width marks of sound, and the vowels of Thai and Lao that are written
#: around the letter before: Unicode's grapheme clusters have them in one.
_ATTACHED = f"\u200c\u200d\u0e33\u0eb3{SOUND_MARKS}"
#: Signs between the syllables of Tibetan.
_BETWEEN_SYLLABLES = "\u0f0b\u0f0c"
#: Letters that are a word at least, for scripts without blanks.
LETTERS_PER_WORD = 10

#: How words were counted: between blanks, each letter, or both in one text.
Counted: TypeAlias = Literal["blanks", "letters", "both"]


class Span(NamedTuple):
    """From `start` up to, but without, `end`, in code points."""

    start: int
    end: int


def find_words(text: str) -> list[Span]:
    """Find what stands between blanks, without the punctuation around it.

    >>> text = "He paid 1.50 (in cash)."
    >>> [text[span.start:span.end] for span in find_words(text)]
    ['He', 'paid', '1.50', 'in', 'cash']
    >>> len(find_words("市場が開く")), len(find_words("ตลาดเปิด"))
    (5, 7)
    """
    words: list[Span] = []
    start = position = 0
    while position < len(text):
        sign, end = text[position], position + 1
        if is_unspaced_letter(sign):
            end = _find_letter_end(text, position)
            words += [*_strip_punctuation(text, start, position), Span(position, end)]
            start = end
        elif sign.isspace() or sign in _BETWEEN_SYLLABLES:
            words += _strip_punctuation(text, start, position)
            start = end
        position = end
    return words + _strip_punctuation(text, start, len(text))


def recognise_spacing(text: str) -> Counted:
    """Say by what the words of a text are told apart.

    >>> [recognise_spacing(text) for text in ("It opens.", "市場が開く。", "BBC の人")]
    ['blanks', 'letters', 'both']
    """
    alone = _list_unspaced(text)
    return "letters" if alone and all(alone) else "both" if any(alone) else "blanks"


def is_unspaced(text: str) -> bool:
    """Return True if most of a text is written without blanks between words.

    >>> is_unspaced("BBC の人々"), is_unspaced("The word 市 is a letter.")
    (True, False)
    """
    alone = _list_unspaced(text)
    return 2 * sum(alone) > len(alone)


def split_words(text: str) -> list[str]:
    """Cut at blanks and, in scripts that have none, between letters and signs.

    >>> split_words("The market, 市場。")
    ['The', 'market,', '市', '場', '。']
    """
    return [piece for token in text.split() for piece in _split_token(token)]


def join_words(words: Sequence[str]) -> str:
    """Put words side by side again, with blanks only where scripts have them.

    >>> join_words(["The", "market"]), join_words(["市", "場"])
    ('The market', '市場')
    """
    pieces = list(words[:1])
    for left, right in pairwise(words):
        pieces += [right] if _is_unspaced_pair(left, right) else [" ", right]
    return "".join(pieces)


def find_pieces(token: str) -> list[Span]:
    """Cut a token at the edges of its words, as `find_words` has them.

    Nothing is left out; a token of a script with blanks is one piece.

    >>> token = "BBCの人々。"
    >>> [token[span.start:span.end] for span in find_pieces(token)]
    ['BBC', 'の', '人', '々', '。']
    """
    if not any(is_unspaced_letter(c) or c in _BETWEEN_SYLLABLES for c in token):
        return [Span(0, len(token))]
    edges = {0, len(token), *(edge for span in find_words(token) for edge in span)}
    return [Span(start, end) for start, end in pairwise(sorted(edges))]


def tokenize_words(segment: str) -> list[str]:
    """Cut at white space, with every punctuation mark a token of its own.

    Apostrophes and hyphens between letters or digits, and points, commas and colons
    between digits, are spelling and stay in their word.

    >>> tokenize_words("He said (twice): don't pay 1.50!")
    ['He', 'said', '(', 'twice', ')', ':', "don't", 'pay', '1.50', '!']
    """
    return [
        token
        for word in segment.split()
        for token in ([word] if word.isalnum() else _split_punctuation(word))
    ]


def tokenize_ascii(text: str) -> list[str]:
    """List the runs of the letters a to z and digits in lower-cased text, as ROUGE does.

    >>> tokenize_ascii("Don't pay 1.50 (café)!")
    ['don', 't', 'pay', '1', '50', 'caf']
    """
    return re.findall("[a-z0-9]+", text.lower())


def split_workbook_words(text: str) -> list[str]:
    """Cut as `tokenize_words`; letters of scripts without blanks are words of their own.

    >>> split_workbook_words("Mary (in town) left.")
    ['Mary', '(', 'in', 'town', ')', 'left', '.']
    >>> split_workbook_words("市場が開く。")
    ['市', '場', 'が', '開', 'く', '。']
    """
    return [piece for token in tokenize_words(text) for piece in _split_token(token)]


class RunningWord(NamedTuple):
    """A word as it is written.

    `letters` is false of numbers, addresses, words with digits and single letters;
    `is_name` is true of words with a capital that do not begin a sentence.
    """

    text: str
    letters: bool
    is_name: bool


# Signs on letters, which `\w` leaves out, and the two joiners.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0e31-\u0eff"
    "\u1000-\u109f\u1780-\u17ff\u200c\u200d"
)
# An address ends before the signs of the sentence that it stands in.
_ADDRESS = r"(?:https?://|www\.)\S*[\w/]|[\w.+-]+@[\w-]+\.[\w.-]*\w"
_LETTER = rf"[^\W_{EAST_ASIAN}]|[{_MARKS}]"
_RUNNING_WORD = re.compile(
    rf"{_ADDRESS}|[{EAST_ASIAN}][{SOUND_MARKS}]?"
    rf"|(?:{_LETTER})+(?:['’‑-](?:{_LETTER})+)*"
)
_IS_ADDRESS = re.compile(_ADDRESS)
_EAST_ASIAN_LETTER = re.compile(f"[{EAST_ASIAN}]")
# What may stand between a sentence's end and the next sentence's first word.
_BETWEEN_SENTENCES = " \t\u00a0\u202f\"'“”„«»‘’()[]*—–-"
# How far before a word the end of a sentence is looked for.
_REACH = 24


def find_running_words(text: str) -> list[RunningWord]:
    """Cut a text into words, left to right.

    >>> [word.text for word in find_running_words("Le chat, c'est l'ami n° 2 (www.chat.fr)")]
    ['Le', 'chat', "c'est", "l'ami", 'n', '2', 'www.chat.fr']
    """
    words = []
    for match in _RUNNING_WORD.finditer(text):
        letters, capital = _classify_word(match[0])
        is_name = capital and not _begins_sentence(text, match.start())
        words.append(RunningWord(match[0], letters, is_name))
    return words


def split_word_parts(words: Iterable[str]) -> Iterator[str]:
    """Give words in folded case, and their parts beside apostrophes and hyphens."""
    for word in words:
        yield from _split_parts(word)


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
_LETTERS = re.compile(r"[^\W\d_]{2,}")


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


def find_upper_case_words(text: str) -> list[str]:
    """List the words of two or more letters, all of them capitals.

    Letters of scripts without capitals stand between words, as signs do.

    >>> find_upper_case_words("I SAW the UN's ÉTAT-major, AND Åsa 联合国UN是")
    ['SAW', 'UN', 'ÉTAT', 'AND', 'UN']
    """
    words = (word for word in _LETTERS.findall(text) if word.isupper())
    capitals = ("".join(c if c.isupper() else " " for c in word) for word in words)
    return [word for run in capitals for word in run.split() if len(word) > 1]


def count_words_to_read(texts: Sequence[str]) -> "NDArray[np.float64]":
    """Count each text's words at the least; where a script has no blanks, ten letters are one.

    >>> count_words_to_read(["a b c", "これは空白のない日本語です。"]).tolist()
    [3.0, 1.4]
    """
    import numpy as np

    letters = np.array([len(text) for text in texts], np.float64)
    return np.maximum(_core.word_counts(texts), letters / LETTERS_PER_WORD)


def _list_unspaced(text: str) -> list[bool]:
    """Say of each word whether it is of a script without blanks."""
    return [is_unspaced_letter(text[span.start]) for span in find_words(text)]


def _split_token(token: str) -> list[str]:
    """Cut what stands between blanks, if it has letters of a script without blanks."""
    if not any(map(is_unspaced_letter, token)):
        return [token]
    return [token[start:end] for start, end in find_pieces(token)]


def _is_unspaced_pair(left: str, right: str) -> bool:
    """Return True if a letter of a script without blanks meets another, or a sign."""
    last = next((sign for sign in reversed(left) if category(sign)[0] != "M"), " ")
    ends = last, right[:1] or " "
    others = [sign for sign in ends if not is_unspaced_letter(sign)]
    return len(others) < 2 and all(category(sign)[0] == "P" for sign in others)


def _find_letter_end(text: str, start: int) -> int:
    """Find where a letter ends, with its marks and with letters stacked on it."""
    end = start + 1
    while end < len(text):
        stacked = text[end - 1] in _STACKING and text[end].isalpha()
        if not (stacked or category(text[end])[0] == "M" or text[end] in _ATTACHED):
            break
        end += 1
    return end


def strip_categories(
    text: str, kinds: str, start: int = 0, end: int | None = None
) -> Span:
    """Leave out characters of Unicode's categories at both ends; nothing may be left.

    >>> strip_categories("(Market,", "PS")
    Span(start=1, end=7)
    """
    end = len(text) if end is None else end
    while start < end and category(text[start])[0] in kinds:
        start += 1
    while start < end and category(text[end - 1])[0] in kinds:
        end -= 1
    return Span(start, end)


def _strip_punctuation(text: str, start: int, end: int) -> list[Span]:
    """Leave punctuation and signs (€, emoji) at the ends out."""
    span = strip_categories(text, "PSC", start, end)
    return [span] if span.start < span.end else []


def _split_punctuation(word: str) -> list[str]:
    edges = [0]
    for position, sign in enumerate(word):
        if category(sign).startswith("P") and not _is_inside_word(word, position):
            edges += [position, position + 1]
    pieces = (word[start:stop] for start, stop in pairwise([*edges, len(word)]))
    return list(filter(None, pieces))


def _is_inside_word(word: str, position: int) -> bool:
    """Return True if the mark stands inside a word or a number."""
    sides = word[max(position - 1, 0) : position] + word[position + 1 : position + 2]
    is_spelling = sides.isalnum() and word[position] in "'’‐-"
    is_number = sides.isdigit() and word[position] in ".,:"
    return len(sides) == 2 and (is_spelling or is_number)


@lru_cache(maxsize=1 << 18)
def _classify_word(word: str) -> tuple[bool, bool]:
    """Tell whether a word is more than a letter, a number or an address; has a capital."""
    alone = len(word) == 1 and not _EAST_ASIAN_LETTER.match(word)
    if alone or _IS_ADDRESS.fullmatch(word) or any(c.isdigit() for c in word):
        return False, False
    return True, any(c.isupper() for c in word)


def _begins_sentence(text: str, start: int) -> bool:
    """Return True if a word is the first of a sentence; Dr. and the like end none."""
    before = text[max(0, start - _REACH) : start].rstrip(_BETWEEN_SENTENCES)
    if not before:
        return start <= _REACH
    if before[-1] != ".":
        return before[-1] in "!?…:。！？："
    last = re.split(r"[\s.]", before[:-1])[-1]
    return not (len(last) <= 3 and last[:1].isupper())


@lru_cache(maxsize=1 << 18)
def _split_parts(word: str) -> tuple[str, ...]:
    folded = word.casefold()
    parts = re.split(r"['’‑-]", folded)
    return (folded, *filter(None, parts)) if len(parts) > 1 else (folded,)


def to_utf16_inclusive(text: str, span: Span) -> tuple[int, int]:
    """Count a span in UTF-16 units, as its first and its last one.

    >>> to_utf16_inclusive("a😀b", Span(1, 2))
    (1, 2)
    """
    before, inside = text[: span.start], text[span.start : span.end]
    first = _count_all_units(before)
    return first, first + _count_all_units(inside) - 1


def from_utf16_inclusive(text: str, first: int, last: int) -> Span:
    """Undo `to_utf16_inclusive`; half of a character counts as the whole of it.

    >>> from_utf16_inclusive("a😀b", 1, 1)
    Span(start=1, end=2)
    """
    edges = list(accumulate(map(_count_units, text), initial=0))
    start = max(bisect_right(edges, first) - 1, 0)
    return Span(start, min(bisect_left(edges, last + 1), len(text)))


def _count_all_units(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_count_units, text))


def _count_units(character: str) -> int:
    return 1 + (character > "\uffff")
