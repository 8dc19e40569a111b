"""Parts of answers, checked one by one, and the scores that answers give."""

from collections.abc import Iterable, Mapping
from math import nan
from typing import Any
from unicodedata import category

from metra.errors import FormatError, OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.normalisation import fold_text

#: What an answer is scored against; it is added when an answer is checked and never goes
#: back to a judge.
KEY = "key"
_LONGEST = 200_000


def get_table(value: object, name: str, expected: str) -> Mapping[str, Any]:
    """Return a table, or raise an error that says what should be in it."""
    if not isinstance(value, Mapping):
        msg = f"{name} is {value!r}; expected an entry {expected}."
        raise OptionError(msg)
    return value


def get_text(value: Mapping[str, Any], entry: str, name: str) -> str:
    """Return an entry that is a text."""
    text = value.get(entry)
    if not isinstance(text, str) or len(text) > _LONGEST:
        msg = f"{name}: {entry} is {_shorten_value(text)}; expected a text."
        raise OptionError(msg)
    return text


def get_texts(value: Mapping[str, Any], entry: str, name: str, count: int) -> list[str]:
    """Return an entry that is a list of `count` texts, stripped."""
    texts = value.get(entry)
    if (
        not isinstance(texts, list)
        or not all(isinstance(text, str) for text in texts)
        or len(texts) != count
    ):
        shown = _shorten_value(texts)
        msg = f"{name}: {entry} is {shown}; expected {count} texts in a list."
        raise OptionError(msg)
    return [text.strip() for text in texts]


def get_count(value: Mapping[str, Any], entry: str, name: str) -> int:
    """Return a count or a number of milliseconds; a missing entry is 0."""
    count = value.get(entry, 0)
    if type(count) is not int or count < 0:
        msg = f"{name}: {entry} is {count!r}; expected a whole number, 0 or more."
        raise OptionError(msg)
    return count


def get_counts(
    value: Mapping[str, Any], entry: str, name: str, known: Iterable[str] | None
) -> dict[str, int]:
    """Return a table of counts without those that are 0."""
    counts = get_table(value.get(entry, {}), f"{name}: {entry}", "for each count")
    known = set(counts) if known is None else set(known)
    for what in counts:
        if not isinstance(what, str) or what not in known or len(what) > 40:
            msg = (
                f"{name}: {entry} counts {what!r}; expected {', '.join(sorted(known))}."
            )
            raise OptionError(msg)
    return {
        what: get_count(counts, what, f"{name}: {entry}")
        for what in counts
        if counts[what]
    }


def get_key(value: object, name: str) -> dict[str, Any]:
    """Return the key of an answer that was checked before."""
    key = value.get(KEY) if isinstance(value, Mapping) else None
    if not isinstance(key, dict):
        msg = f"{name} has no {KEY}; expected an answer as metra exported it."
        raise OptionError(msg)
    return key


def check_span(
    entry: Mapping[str, Any], place: str, length: int, of: str, runs: str = "runs"
) -> dict[str, int]:
    """Return start and end of a span in code points that lies within a text."""
    start, end = entry.get("start"), entry.get("end")
    if type(start) is int and type(end) is int and 0 <= start < end <= length:
        return {"start": start, "end": end}
    msg = (
        f"{place} {runs} from {start!r} to {end!r}; expected a stretch within the "
        f"{length} characters of the {of}, its end after its start."
    )
    raise OptionError(msg)


def locate_quote(text: object, output: str, place: str) -> dict[str, int]:
    """Return start and end of quoted words in an output."""
    start = output.find(text) if isinstance(text, str) and text else -1
    if start < 0:
        msg = f"{place} marks {text!r}, which its output does not hold."
        raise FormatError(msg)
    return {"start": start, "end": start + len(str(text))}


def fill_verdicts(
    value: Mapping[str, Any], entry: str, shares: Mapping[int, float]
) -> dict[str, Any]:
    """Return an answer whose key has the shares of second judges, by number."""
    verdicts = list(value[KEY][entry])
    for number, share in shares.items():
        verdicts[number] = share
    return {**value, KEY: value[KEY] | {entry: verdicts}}


def _shorten_value(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) < 60 else f"{shown[:57]}…"


def make_undefined(
    scorer: str, reason: str, *, higher_is_better: bool = True
) -> OutputScore:
    """Return the reason why there is no score; no number stands in for it.

    >>> make_undefined("cloze-close", "every gap has the exact word").is_defined
    False
    """
    return OutputScore(scorer, nan, nan, higher_is_better, reason)


def score_error_rate(
    scorer: str, native: float, *, worst: float = 100.0
) -> OutputScore:
    """Return the score of a cost: nothing is 100, `worst` and more are 0.

    >>> score_error_rate("hter", 25.0).hundred
    75.0
    """
    return OutputScore(scorer, native, 100 * max(0.0, 1 - native / worst), False)


def strip_punctuation(text: str) -> str:
    """Return a folded text without punctuation at its ends, to compare answers.

    >>> strip_punctuation(" In 1987. ")
    'in 1987'
    """
    folded = fold_text(text)
    start, end = 0, len(folded)
    while start < end and category(folded[start])[0] in "PZ":
        start += 1
    while start < end and category(folded[end - 1])[0] in "PZ":
        end -= 1
    return folded[start:end]
