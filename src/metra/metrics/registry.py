"""The registry: every metric by name, and metrics explained by their docstrings.

Adding a metric is a word here; the rest is declared in its module.
"""

import inspect
import math
import os
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from metra.errors import OptionError, UnknownNameError, no_such
from metra.formats.stream import get_file_state
from metra.metrics.options import format_value, parse_spec, read_parameters
from metra.metrics.record import Metric

NAMES = """bleu nist chrf rougel ter wer per ser cer precision recall f1
    fmean gtm meteor ltv syntax xscore transfer ie quality entities terminology untranslated
    mwer evaltrans outside spans llm comet bertscore metricx"""
# Modules of this package that are not named after the one metric that they hold.
_SHARED = {
    **dict.fromkeys(("wer", "per", "ser", "cer"), "error_rates"),
    **dict.fromkeys(("precision", "recall", "f1", "fmean"), "unigram"),
    "rougel": "rouge",
    "mwer": "evaltrans",
    **{name: f"neural.{name}" for name in ("comet", "bertscore", "metricx")},
    "llm": "llm.judge",
}
# name: module of this package that holds the factory of the same name
BUILT_IN = {name: _SHARED.get(name, name) for name in NAMES.split()}
#: Metrics that need a model of the user's, which metra does not bring along.
WITH_MODEL = frozenset(
    name for name in BUILT_IN if BUILT_IN[name].startswith("neural.")
)
_UNKNOWN = object()


def list_metrics() -> list[str]:
    """List the metrics there are, third parties' included."""
    return [*BUILT_IN, *(name for name in _list_third_party() if name not in BUILT_IN)]


def find_factory(name: str) -> Callable[..., Metric]:
    """Find the function that makes the metric."""
    if name in BUILT_IN:
        return getattr(import_module(f"metra.metrics.{BUILT_IN[name]}"), name)
    entries = _list_third_party()
    if name in entries:
        return entries[name].load()
    if "," in name:
        msg = f"{name!r} names several metrics; give each of them separately."
        raise UnknownNameError(msg)
    if name.lower() in _ELSEWHERE.split():
        msg = (
            f"metra does not compute {name}; give scores of its program as {name}@FILE."
        )
        raise UnknownNameError(msg)
    # Metrics whose names differ in a number give other scores.
    digits = re.sub(r"\D", "", name)
    alike = [known for known in list_metrics() if re.sub(r"\D", "", known) == digits]
    raise UnknownNameError(no_such("metric", name, list_metrics(), near=alike))


#: Metrics of other programs, some with names that are near to one of ours.
_ELSEWHERE = """bleurt hter cter gleu mer wil wip mbleu ibleu selfbleu hlepor rouge
    rougelsum"""


def read_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec, with the metric by the name that it has here.

    >>> read_spec("BLEU:tok=intl"), read_spec("chrF++")
    (('bleu', {'tok': 'intl'}), ('chrf', {'word_order': '2'}))
    """
    name, options = parse_spec(spec)
    if name in BUILT_IN or name in _list_third_party():
        return name, options
    plain = re.sub("[-_ ]", "", name.lower())
    # With its beta and the order of its words, as sacreBLEU writes them.
    chrf = re.fullmatch(r"chrf([1-9]?)(\+{0,2}|pp)", plain)
    if plain in BUILT_IN or chrf is None:
        return plain if plain in BUILT_IN else name, options
    implied = {"beta": chrf[1], "word_order": str(len(chrf[2])) if chrf[2] else ""}
    implied = {option: value for option, value in implied.items() if value}
    for option in implied.keys() & options:
        msg = f"{spec!r} gives the option {option!r} twice; give it once."
        raise OptionError(msg)
    return "chrf", implied | options


def is_signed_option(name: str, option: str) -> bool:
    """Return whether scores of a metric depend on an option; True of unknown ones.

    >>> is_signed_option("bleu", "tok"), is_signed_option("llm", "timeout")
    (True, False)
    """
    if name not in BUILT_IN:
        return True
    entry = read_parameters(find_factory(name)).get(option)
    return entry is None or entry.is_signed


def metric(spec: str, **options: object) -> Metric:
    """Create a metric from `NAME` or `NAME:option=value,…`, or with keyword options.

    The same spec returns the same record as long as the files it reads are unchanged.

    >>> metric("bleu:tok=intl").options["tok"]
    'intl'
    >>> metric("chrf", word_order=2).signature() == metric("chrf:word_order=2").signature()
    True
    """
    if options:
        name, given = read_spec(spec)
        for option in given.keys() & options:
            msg = (
                f"{option} is given by keyword and in the spec {spec!r}; give it once."
            )
            raise OptionError(msg)
        return find_factory(name)(**given, **options)
    words = _list_words(spec) if re.search("[:@]", spec) else ()
    states = tuple(map(_read_state, words))
    make = _make_metric.__wrapped__ if _UNKNOWN in states else _make_metric
    return make(spec, states)


@lru_cache(maxsize=1024)
def _make_metric(spec: str, _: tuple[object, ...]) -> Metric:
    name, options = read_spec(spec)
    return find_factory(name)(**options)


@lru_cache(maxsize=1024)
def _list_words(spec: str) -> tuple[str, ...]:
    """List the options' values in a spec that may be names of files."""
    values = parse_spec(spec)[1].values()
    words = (word for value in values for word in value.split("+"))
    return tuple(word for word in words if not re.fullmatch(r"[-+]?[\d.]*", word))


def _read_state(word: str) -> object:
    """Return a fingerprint of a file, None if it is none, _UNKNOWN for several files."""
    state = get_file_state(word)
    # A pattern is no file; a folder, or a file that names others, may stay as it is while
    # they change.
    is_whole = word.endswith(".toml") or os.path.isdir(word)
    several = re.search(r"[./\\{]", word) if state is None else is_whole
    return _UNKNOWN if several else state


def _list_third_party() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="metra.metrics")}


# Options that many metrics share, where a metric says nothing else.
_MEANINGS = {
    "n": "maximum length of n-grams.",
    "tok": "tokeniser.",
    "case": "mixed keeps letter case, lower ignores it.",
    "stem": "compare stems (no, porter, or a Snowball language such as english) or "
    "lemmas (lemma@en).",
}


class Option(NamedTuple):
    """An option as a user sees it."""

    name: str
    meaning: str
    default: str
    choices: tuple[str, ...]


class Description(NamedTuple):
    """A metric as a user sees it."""

    name: str
    summary: str
    definition: str
    options: tuple[Option, ...]


def read_description(name: str) -> Description:
    """Read a metric's docstring: first line, body, and an `Options:` block."""
    factory = find_factory(name)
    body, _, listed = (inspect.getdoc(factory) or "").partition("\nOptions:\n")
    summary, _, definition = body.partition("\n")
    entries = re.findall(
        r"^(\w+): (.+(?:\n .+)*)", inspect.cleandoc(f"\n{listed}"), re.MULTILINE
    )
    meanings = {name: re.sub(r"\n +", " ", meaning) for name, meaning in entries}
    options = tuple(
        Option(
            option,
            meanings.get(option, entry.meaning or _MEANINGS.get(option, "")),
            format_value(entry.default) if entry.default not in (None, "") else "none",
            tuple(entry.choices()),
        )
        for option, entry in read_parameters(factory).items()
    )
    return Description(name, summary.strip(), definition.strip(), options)


def find_highest_score(name: str) -> float:
    """Return the highest score by the first line of a metric's docstring.

    "0 to 1" is a range, "from 0" and "without limits" have no end; otherwise it is 100.

    >>> find_highest_score("bleu"), find_highest_score("comet"), find_highest_score("nist")
    (100.0, 1.0, inf)
    """
    summary = read_description(name).summary
    stated = re.search(r"\bfrom 0\b(?! to)|without limits|\b0 to ([\d.]*\d)", summary)
    return 100.0 if stated is None else float(stated[1] or math.inf)


def format_overview() -> str:
    """Name every metric with its first line."""
    metrics = [read_description(name) for name in list_metrics()]
    left = max(len(metric.name) for metric in metrics)
    return "\n".join(f"{metric.name:{left}}  {metric.summary}" for metric in metrics)


def describe_metric(name: str) -> str:
    """Explain one metric for the terminal."""
    name = read_spec(name)[0]
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
