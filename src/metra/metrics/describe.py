"""Metrics explained, from their factories' docstrings and parameters alone."""

import inspect
import re
from dataclasses import dataclass
from textwrap import dedent

from metra.metrics import registry
from metra.metrics.options import format_value, read_parameters

# What the options mean that many metrics share, where a metric says nothing else.
_SHARED = {
    "n": "maximum length of n-grams.",
    "tok": "tokeniser.",
    "case": "mixed keeps letter case, lower ignores it.",
    "stem": "compare stems (no, porter, or a Snowball language such as english) or "
    "lemmas (lemma@en).",
}


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
    body, _, listed = (inspect.getdoc(factory) or "").partition("\nOptions:\n")
    summary, _, definition = body.partition("\n")
    entries = re.findall(r"^(\w+): (.+(?:\n .+)*)", dedent(listed), re.MULTILINE)
    meanings = {name: re.sub(r"\n +", " ", meaning) for name, meaning in entries}
    options = tuple(
        Option(
            option,
            meanings.get(option, entry.meaning or _SHARED.get(option, "")),
            format_value(entry.default) if entry.default not in (None, "") else "none",
            tuple(entry.choices()),
        )
        for option, entry in read_parameters(factory).items()
    )
    return Description(name, summary.strip(), definition.strip(), options)


def format_overview() -> str:
    """Name every metric with its first line."""
    metrics = [read_description(name) for name in registry.list_metrics()]
    left = max(len(metric.name) for metric in metrics)
    return "\n".join(f"{metric.name:{left}}  {metric.summary}" for metric in metrics)


def describe_metric(name: str) -> str:
    """Explain one metric for the terminal."""
    name = registry.read_spec(name)[0]
    description = read_description(name)
    options = description.options
    given = [option for option in options if option.default != "none"][:2]
    example = ",".join(f"{option.name}={option.default}" for option in given)
    title = f"{name}: {description.summary}"
    lines = [title, "", description.definition, "", f"Options, as in {name}:{example}"]
    left = max((len(option.name) for option in options), default=0)
    for option in options:
        lines.append(f"  {option.name:{left}}  {option.meaning}")
        values = f"one of {', '.join(option.choices)}; " if option.choices else ""
        lines.append(f"  {'':{left}}  {values}default {option.default}")
    return "\n".join(lines)
