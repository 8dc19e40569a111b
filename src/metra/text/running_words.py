"""The words of running text, with what tells names, numbers and addresses apart."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

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
_BETWEEN = " \t\u00a0\u202f\"'“”„«»‘’()[]*—–-"
_WINDOW = 24
_IS_ADDRESS = re.compile(_ADDRESS)
_EAST_CHARACTER = re.compile(rf"[{_EAST}]")


class Word(NamedTuple):
    """A word as it is written.

    `letters` is false of numbers, addresses, words with digits and single letters;
    `is_name` is true of words with a capital that do not begin a sentence.
    """

    text: str
    letters: bool
    is_name: bool


def running_words(text: str) -> list[Word]:
    """Cut a text into words, left to right.

    >>> [word.text for word in running_words("Le chat, c'est l'ami n° 2 (www.chat.fr)")]
    ['Le', 'chat', "c'est", "l'ami", 'n', '2', 'www.chat.fr']
    """
    return list(_words(text))


def parts_of_words(words: Iterable[str]) -> Iterator[str]:
    """Give words in folded case, and their parts beside apostrophes and hyphens."""
    for word in words:
        yield from _parts(word)


@lru_cache(maxsize=1 << 18)
def _parts(word: str) -> tuple[str, ...]:
    folded = word.casefold()
    parts = re.split(r"['’‑-]", folded)
    return (folded, *filter(None, parts)) if len(parts) > 1 else (folded,)


def _words(text: str) -> Iterator[Word]:
    for found in _WORD.finditer(text):
        word = found[0]
        letters, capital = _kind(word)
        is_name = capital and not _begins_sentence(text, found.start())
        yield Word(word, letters, is_name)


@lru_cache(maxsize=1 << 18)
def _kind(word: str) -> tuple[bool, bool]:
    """Tell whether a word is more than a letter, a number or an address; has a capital."""
    alone = len(word) == 1 and not _EAST_CHARACTER.match(word)
    if alone or _IS_ADDRESS.fullmatch(word) or any(c.isdigit() for c in word):
        return False, False
    return True, any(c.isupper() for c in word)


def _begins_sentence(text: str, start: int) -> bool:
    """Tell whether a word is the first of a sentence; Dr. and the like end none."""
    before = text[max(0, start - _WINDOW) : start].rstrip(_BETWEEN)
    if not before:
        return start <= _WINDOW
    if before[-1] != ".":
        return before[-1] in "!?…:。！？："
    last = re.split(r"[\s.]", before[:-1])[-1]
    return not (len(last) <= 3 and last[:1].isupper())
