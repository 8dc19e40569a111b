"""Transfer rules: what a pattern of the source must become in the output.

A TOML file with a table for each rule:

    [[rule]]
    name = "adjective before its noun"
    source = "NOUN ADJ"
    target = "ADJ NOUN"

`source` and `target` are patterns (annotations/patterns.py says what can stand in them), or
lists of patterns of which one must fit.
"""

from dataclasses import dataclass

from metra.annotations.patterns import Pattern, compiled
from metra.annotations.toml_file import read_toml
from metra.errors import FormatError


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: patterns of the source, and patterns of which the output must have one."""

    name: str
    source: tuple[Pattern, ...]
    target: tuple[Pattern, ...]


def read_rules(path: str) -> list[Rule]:
    """Read a file of rules; FormatError says what is wrong and in which rule."""
    data = read_toml(path, "transfer rules")
    entries = data.get("rule")
    if not isinstance(entries, list) or not entries or set(data) != {"rule"}:
        found = ", ".join(data) or "nothing"
        msg = f"{path} has {found}; expected tables [[rule]] and nothing else."
        raise FormatError(msg)
    rules = [_rule(entry, f"{path}, rule {at}") for at, entry in enumerate(entries, 1)]
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            msg = f"{path} has two rules named {name!r}; give each a name of its own."
            raise FormatError(msg)
    return rules


def _rule(entry: object, place: str) -> Rule:
    keys = ("name", "source", "target")
    if not isinstance(entry, dict) or set(entry) != set(keys):
        found = ", ".join(entry) if isinstance(entry, dict) else repr(entry)
        msg = f"{place}: it has {found}; expected {', '.join(keys)}."
        raise FormatError(msg)
    name = entry["name"]
    if not isinstance(name, str) or not name:
        msg = f"{place}: the name is {name!r}; expected a text."
        raise FormatError(msg)
    source, target = (_patterns(entry[key], f"{place}, {key}") for key in keys[1:])
    return Rule(name, source, target)


def _patterns(value: object, place: str) -> tuple[Pattern, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed:
        msg = f"{place}: {value!r}; expected a pattern or a list of patterns."
        raise FormatError(msg)
    found = []
    for text in listed:
        if not isinstance(text, str):
            msg = f"{place}: {text!r}; expected a pattern, such as 'NOUN ADJ'."
            raise FormatError(msg)
        try:
            found.append(compiled(text))
        except FormatError as error:
            msg = f"{place}: {error}."
            raise FormatError(msg) from None
    return tuple(found)
