"""Answers that are tables: their entries, taken out one by one and checked."""

from collections.abc import Iterable, Mapping
from typing import Any

from metra.errors import OptionError

#: What an answer is scored against; it is added when an answer is checked and never goes
#: back to a judge.
KEY = "key"
_LONGEST = 200_000


def table(value: object, name: str, expected: str) -> Mapping[str, Any]:
    """Give a table back, or say what should be in it."""
    if not isinstance(value, Mapping):
        msg = f"{name} is {value!r}; expected an entry {expected}."
        raise OptionError(msg)
    return value


def text(value: Mapping[str, Any], entry: str, name: str) -> str:
    """Take out a text."""
    found = value.get(entry)
    if not isinstance(found, str) or len(found) > _LONGEST:
        msg = f"{name}: {entry} is {_short(found)}; expected a text."
        raise OptionError(msg)
    return found


def texts(value: Mapping[str, Any], entry: str, name: str, count: int) -> list[str]:
    """Take out as many texts as asked for."""
    found = value.get(entry)
    listed = isinstance(found, list) and all(isinstance(one, str) for one in found)
    if not listed or len(found) != count:  # type: ignore[arg-type]
        msg = f"{name}: {entry} is {_short(found)}; expected {count} texts in a list."
        raise OptionError(msg)
    return [one.strip() for one in found]  # type: ignore[union-attr]


def whole(value: Mapping[str, Any], entry: str, name: str) -> int:
    """Take out a count or a number of milliseconds; what is not there is 0."""
    found = value.get(entry, 0)
    if type(found) is not int or found < 0:
        msg = f"{name}: {entry} is {found!r}; expected a whole number, 0 or more."
        raise OptionError(msg)
    return found


def counts(
    value: Mapping[str, Any], entry: str, name: str, known: Iterable[str] | None
) -> dict[str, int]:
    """Take out a table of counts, those of nothing left out."""
    found = table(value.get(entry, {}), f"{name}: {entry}", "for each count")
    known = set(found) if known is None else set(known)
    for what in found:
        if not isinstance(what, str) or what not in known or len(what) > 40:
            msg = (
                f"{name}: {entry} counts {what!r}; expected {', '.join(sorted(known))}."
            )
            raise OptionError(msg)
    return {
        what: whole(found, what, f"{name}: {entry}") for what in found if found[what]
    }


def key_of(value: object, name: str) -> dict[str, Any]:
    """Take the key out of an answer that was checked before."""
    found = value.get(KEY) if isinstance(value, Mapping) else None
    if not isinstance(found, dict):
        msg = f"{name} has no {KEY}; expected an answer as metra exported it."
        raise OptionError(msg)
    return found


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) < 60 else f"{shown[:57]}…"
