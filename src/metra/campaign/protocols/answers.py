"""Answers that are tables: their entries, taken out one by one and checked.

What an answer is worth: its native value, and the same between 0 and 100.
When two short texts count as the same: letter case, composition and blanks aside.
"""

from collections.abc import Iterable, Mapping
from math import nan
from typing import Any
from unicodedata import category, normalize

from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore

#: What an answer is scored against; it is added when an answer is checked and never goes
#: back to a judge.
KEY = "key"
_LONGEST = 200_000


def get_table(value: object, name: str, expected: str) -> Mapping[str, Any]:
    """Give a table back, or say what should be in it."""
    if not isinstance(value, Mapping):
        msg = f"{name} is {value!r}; expected an entry {expected}."
        raise OptionError(msg)
    return value


def get_text(value: Mapping[str, Any], entry: str, name: str) -> str:
    """Take out a text."""
    found = value.get(entry)
    if not isinstance(found, str) or len(found) > _LONGEST:
        msg = f"{name}: {entry} is {_shorten_value(found)}; expected a text."
        raise OptionError(msg)
    return found


def get_texts(value: Mapping[str, Any], entry: str, name: str, count: int) -> list[str]:
    """Take out as many texts as asked for."""
    found = value.get(entry)
    listed = isinstance(found, list) and all(isinstance(one, str) for one in found)
    if not listed or len(found) != count:  # type: ignore[arg-type]
        msg = f"{name}: {entry} is {_shorten_value(found)}; expected {count} texts in a list."
        raise OptionError(msg)
    return [one.strip() for one in found]  # type: ignore[union-attr]


def get_count(value: Mapping[str, Any], entry: str, name: str) -> int:
    """Take out a count or a number of milliseconds; what is not there is 0."""
    found = value.get(entry, 0)
    if type(found) is not int or found < 0:
        msg = f"{name}: {entry} is {found!r}; expected a whole number, 0 or more."
        raise OptionError(msg)
    return found


def get_counts(
    value: Mapping[str, Any], entry: str, name: str, known: Iterable[str] | None
) -> dict[str, int]:
    """Take out a table of counts, those of nothing left out."""
    found = get_table(value.get(entry, {}), f"{name}: {entry}", "for each count")
    known = set(found) if known is None else set(known)
    for what in found:
        if not isinstance(what, str) or what not in known or len(what) > 40:
            msg = (
                f"{name}: {entry} counts {what!r}; expected {', '.join(sorted(known))}."
            )
            raise OptionError(msg)
    return {
        what: get_count(found, what, f"{name}: {entry}")
        for what in found
        if found[what]
    }


def get_key(value: object, name: str) -> dict[str, Any]:
    """Take the key out of an answer that was checked before."""
    found = value.get(KEY) if isinstance(value, Mapping) else None
    if not isinstance(found, dict):
        msg = f"{name} has no {KEY}; expected an answer as metra exported it."
        raise OptionError(msg)
    return found


def _shorten_value(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) < 60 else f"{shown[:57]}…"


def make_undefined(
    scorer: str, reason: str, *, higher_is_better: bool = True
) -> OutputScore:
    """Say why there is no score; no number stands in for it.

    >>> make_undefined("cloze-close", "every gap has the exact word").is_defined
    False
    """
    return OutputScore(scorer, nan, nan, higher_is_better, reason)


def score_error_rate(
    scorer: str, native: float, *, worst: float = 100.0
) -> OutputScore:
    """Score a cost: nothing is 100, the worst and what is beyond it are 0.

    >>> score_error_rate("hter", 25.0).hundred
    75.0
    """
    return OutputScore(scorer, native, 100 * max(0.0, 1 - native / worst), False)


def fold_text(text: str) -> str:
    """Fold letter case and the ways to write an accent, and close up blanks.

    >>> fold_text("Cafe\\u0301") == fold_text("CAFÉ")
    True
    """
    once = normalize("NFC", normalize("NFC", text).casefold())
    return " ".join(once.split())


def strip_punctuation(text: str) -> str:
    """Fold, and leave punctuation at the ends out as well, as in an answer to a question.

    >>> strip_punctuation(" In 1987. ")
    'in 1987'
    """
    found = fold_text(text)
    start, end = 0, len(found)
    while start < end and category(found[start])[0] in "PZ":
        start += 1
    while start < end and category(found[end - 1])[0] in "PZ":
        end -= 1
    return found[start:end]
