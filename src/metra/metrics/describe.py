"""Metrics explained, from their factories' docstrings and parameters alone."""

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
    """A metric as a user sees it."""

    name: str
    summary: str
    definition: str
    options: tuple[Option, ...]


def read_description(name: str) -> Description:
    """Read a metric's docstring: first line, body, and an `Options:` block."""
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
    """Name every metric with its first line."""
    metrics = [read_description(name) for name in registry.list_metrics()]
    left = max(len(metric.name) for metric in metrics)
    return "\n".join(f"{metric.name:{left}}  {metric.summary}" for metric in metrics)


def describe_metric(name: str) -> str:
    """Explain one metric for the terminal."""
    description = read_description(name)
    left = max((len(option.name) for option in description.options), default=0)
    lines = [
        f"{description.name}: {description.summary}",
        "",
        description.definition,
        "",
    ]
    lines.append(f"Options, as in {description.name}:{_format_example(description)}")
    for option in description.options:
        lines.append(f"  {option.name:{left}}  {option.meaning}")
        values = f"one of {', '.join(option.choices)}; " if option.choices else ""
        lines.append(f"  {'':{left}}  {values}default {option.default}")
    return "\n".join(lines)


def _format_example(description: Description) -> str:
    given = [option for option in description.options if option.default != "none"]
    return ",".join(f"{option.name}={option.default}" for option in given[:2])


def _build_option(parameter: Parameter, meaning: str) -> Option:
    default = (
        "none" if parameter.default in (None, "") else format_value(parameter.default)
    )
    return Option(parameter.name, meaning, default, tuple(parameter.choices()))


def _parse_meanings(listed: str) -> dict[str, str]:
    meanings: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(listed).split("\n"):
        entry = re.match(r"(\w+): (.+)", line)
        if entry:
            name = entry[1]
            meanings[name] = entry[2]
        elif name and line.strip():
            meanings[name] += " " + line.strip()
    return meanings
