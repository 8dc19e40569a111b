"""Measures explained, from their factories' docstrings and parameters alone."""

import inspect
import re
from dataclasses import dataclass

from metra.metrics import registry
from metra.metrics.options import Parameter, format_value, read_parameters


@dataclass(frozen=True, slots=True)
class Option:
    """An option as a user sees it."""

    name: str
    meaning: str
    default: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A measure as a user sees it."""

    name: str
    summary: str
    definition: str
    options: tuple[Option, ...]


def read_description(name: str) -> Description:
    """Read a measure's docstring: first line, body, and an `Options:` block."""
    factory = registry.find_factory(name)
    doc = inspect.getdoc(factory) or ""
    body, _, listed = doc.partition("\nOptions:\n")
    summary, _, definition = body.partition("\n")
    meanings = _parse_meanings(listed)
    options = tuple(
        _build_option(parameter, meanings.get(parameter.name, ""))
        for parameter in read_parameters(factory).values()
    )
    return Description(name, summary.strip(), definition.strip(), options)


def format_overview() -> str:
    """Name every measure with its first line."""
    found = [read_description(name) for name in registry.list_metrics()]
    left = max(len(entry.name) for entry in found)
    return "\n".join(f"{entry.name:{left}}  {entry.summary}" for entry in found)


def describe_metric(name: str) -> str:
    """Explain one measure for the terminal."""
    found = read_description(name)
    left = max((len(option.name) for option in found.options), default=0)
    lines = [f"{found.name}: {found.summary}", "", found.definition, ""]
    lines.append(f"Options, as in {found.name}:{_format_example(found)}")
    for option in found.options:
        lines.append(f"  {option.name:{left}}  {option.meaning}")
        values = f"one of {', '.join(option.choices)}; " if option.choices else ""
        lines.append(f"  {'':{left}}  {values}default {option.default}")
    return "\n".join(lines)


def _format_example(found: Description) -> str:
    given = [option for option in found.options if option.default != "none"]
    return ",".join(f"{option.name}={option.default}" for option in given[:2])


def _build_option(parameter: Parameter, meaning: str) -> Option:
    default = (
        "none" if parameter.default in (None, "") else format_value(parameter.default)
    )
    return Option(parameter.name, meaning, default, tuple(parameter.choices()))


def _parse_meanings(listed: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(listed).split("\n"):
        entry = re.match(r"(\w+): (.+)", line)
        if entry:
            name = entry[1]
            found[name] = entry[2]
        elif name and line.strip():
            found[name] += " " + line.strip()
    return found
