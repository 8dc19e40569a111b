"""Rules for the entries of TOML tables: the values that fit, and what to say of others."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from metra.errors import FormatError, no_such


class Rule(NamedTuple):
    """The values that an entry may have, and how messages describe them."""

    fits: Callable[[Any], bool]
    expected: str


def check_table(
    given: object,
    rules: Mapping[str, Rule],
    place: str,
    *,
    needed: Collection[str] = (),
    what: str = "entry",
) -> Mapping[str, Any]:
    """Return a table, or refuse an unknown entry, a missing one or one with a wrong value.

    >>> check_table({"every": 6}, {"every": WHOLE}, "cloze")
    {'every': 6}
    """
    if not isinstance(given, Mapping):
        msg = f"{place} is {given!r}; expected a table."
        raise FormatError(msg)
    for name in [*given, *needed]:
        if name not in rules:
            raise FormatError(no_such(what, str(name), rules, owner=place))
        if name not in given:
            msg = f"{place} has no {name}; expected {rules[name].expected}."
            raise FormatError(msg)
        if not rules[name].fits(given[name]):
            msg = (
                f"{place}: {name} is {given[name]!r}; expected {rules[name].expected}."
            )
            raise FormatError(msg)
    return given


SWITCH = Rule(lambda value: isinstance(value, bool), "true or false")
WHOLE = Rule(lambda value: type(value) is int, "a whole number")
NUMBER = Rule(lambda value: type(value) in (int, float), "a number")
STRING = Rule(lambda value: isinstance(value, str), "a text")
TEXT = Rule(lambda value: isinstance(value, str) and bool(value.strip()), "a text")
STRINGS = Rule(
    lambda value: isinstance(value, list | tuple) and all(map(STRING.fits, value)),
    "a list of texts",
)
TABLE = Rule(lambda value: isinstance(value, Mapping), "a table")
#: The rule of options by the type of their default.
BY_TYPE = {bool: SWITCH, int: WHOLE, float: NUMBER, str: STRING, list: STRINGS}


def make_count(least: int) -> Rule:
    """Return the rule of whole numbers from `least` on."""

    expected = f"a whole number, {least} or more"
    return Rule(lambda value: type(value) is int and value >= least, expected)


def make_choice(*names: str) -> Rule:
    """Return the rule of one of some names."""
    *others, last = names
    return Rule(names.__contains__, f"{', '.join(others)} or {last}")
