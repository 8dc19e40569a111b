"""Parts of answers, checked one by one, and the scores that answers give."""

from collections.abc import Iterable, Mapping
from math import nan
from typing import Any

from metra.errors import OptionError
from metra.scores.table import ScoreRow

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
    """Return an entry with a text."""
    text = value.get(entry)
    if not isinstance(text, str) or len(text) > _LONGEST:
        msg = f"{name}: {entry} is {shorten_value(text)}; expected a text."
        raise OptionError(msg)
    return text


def get_count(value: Mapping[str, Any], entry: str, name: str) -> int:
    """Return a count or a number of milliseconds; a missing entry is 0."""
    count = value.get(entry, 0)
    if type(count) is not int or count < 0:
        msg = f"{name}: {entry} is {count!r}; expected a whole number, 0 or more."
        raise OptionError(msg)
    return count


def get_counts(
    value: Mapping[str, Any], entry: str, name: str, allowed: Iterable[str] | None
) -> dict[str, int]:
    """Return a table of counts above 0."""
    counts = get_table(value.get(entry, {}), f"{name}: {entry}", "for each count")
    allowed = set(counts) if allowed is None else set(allowed)
    for what in counts:
        if not isinstance(what, str) or what not in allowed or len(what) > 40:
            expected = ", ".join(sorted(allowed))
            msg = f"{name}: {entry} counts {what!r}; expected {expected}."
            raise OptionError(msg)
    place = f"{name}: {entry}"
    return {what: get_count(counts, what, place) for what in counts if counts[what]}


def limit_times(entry: Mapping[str, Any], wall_ms: int) -> dict[str, Any]:
    """Return an answer with its times cut to the server's time of the screen."""
    times = ("ms", "idle_ms", "hidden_ms")
    return {
        name: min(value, wall_ms) if name in times and type(value) is int else value
        for name, value in entry.items()
    }


def shorten_value(value: object) -> str:
    """Return a value as messages quote it."""
    shown = repr(value)
    return shown if len(shown) < 60 else f"{shown[:57]}…"


def make_undefined(scorer: str, reason: str, higher: bool = True) -> ScoreRow:
    """Return the reason why there is no score; no number stands in for it.

    >>> make_undefined("cloze-close", "every gap has the exact word").reason
    'every gap has the exact word'
    """
    return ScoreRow(scorer, nan, nan, higher, reason)


def score_error_rate(scorer: str, value: float, worst: float = 100.0) -> ScoreRow:
    """Return the score of a cost: nothing is 100, `worst` and more are 0.

    >>> score_error_rate("hter", 25.0).hundred
    75.0
    """
    return ScoreRow(scorer, value, 100 * max(0.0, 1 - value / worst), False)
