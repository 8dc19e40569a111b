"""The registry: every metric by name. Adding one is a word here."""

import os
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

from metra.errors import OptionError, UnknownNameError, no_such
from metra.formats.stream import get_file_state
from metra.metrics.options import parse_spec, read_parameters
from metra.metrics.record import Metric

NAMES = """bleu nist chrf gleu rougel ter wer mer wil wip per ser cer precision recall f1
    fmean gtm meteor ltv syntax xscore transfer ie quality entities terminology untranslated
    mwer evaltrans outside spans llm comet bertscore metricx"""
# Modules of this package that are not named after the one metric that they hold.
_SHARED = {
    **dict.fromkeys(("wer", "mer", "wil", "wip", "per", "ser", "cer"), "error_rates"),
    **dict.fromkeys(("precision", "recall", "f1", "fmean"), "unigram"),
    "rougel": "rouge",
    "mwer": "evaltrans",
    **{name: f"neural.{name}" for name in ("comet", "bertscore", "metricx")},
    "llm": "llm.judge",
}
#: Metrics that need a model of the user's, which metra does not bring along.
WITH_MODEL = frozenset({"comet", "bertscore", "metricx"})
# name: module of this package that holds the factory of the same name
BUILT_IN = {name: _SHARED.get(name, name) for name in NAMES.split()}
_NUMBER = re.compile(r"[-+]?[\d.]*")
_FILES = re.compile(r"[:@]")
_PATH = re.compile(r"[./\\{]")
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
    # Metrics whose names differ in a number, or that metra lacks, give other scores.
    digits = re.sub(r"\D", "", name)
    alike = [known for known in list_metrics() if re.sub(r"\D", "", known) == digits]
    near = () if name.lower() in _ELSEWHERE else alike
    raise UnknownNameError(no_such("metric", name, list_metrics(), near=near))


#: Metrics of other programs with names that are near to one of ours.
_ELSEWHERE = {
    *("bleurt", "hter", "cter", "mbleu", "ibleu", "selfbleu", "hlepor"),
    *("rouge", "rougelsum"),
}


def read_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec, with the metric by the name that it has here.

    >>> read_spec("BLEU:tok=intl"), read_spec("chrF++")
    (('bleu', {'tok': 'intl'}), ('chrf', {'word_order': '2'}))
    """
    name, options = parse_spec(spec)
    if name in BUILT_IN or name in _list_third_party():
        return name, options
    plain = re.sub("[-_ ]", "", name.lower())
    chrf = _CHRF.fullmatch(plain)
    if plain in BUILT_IN or chrf is None:
        return plain if plain in BUILT_IN else name, options
    implied = {"beta": chrf[1], "word_order": str(len(chrf[2])) if chrf[2] else ""}
    implied = {option: value for option, value in implied.items() if value}
    for option in implied.keys() & options:
        msg = f"{spec!r} gives the option {option!r} twice; give it once."
        raise OptionError(msg)
    return "chrf", implied | options


#: Names of chrF with its beta and the order of its words, as sacreBLEU writes them.
_CHRF = re.compile(r"chrf([1-9]?)(\+{0,2}|pp)")


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
    states = tuple(map(_read_state, _list_words(spec))) if _FILES.search(spec) else ()
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
    return tuple(word for word in words if not _NUMBER.fullmatch(word))


def _read_state(word: str) -> object:
    """Return a fingerprint of a file, None if it is none, _UNKNOWN for several files."""
    state = get_file_state(word)
    # A pattern is no file; a folder, or a file that names others, may stay as it is while
    # they change.
    is_whole = word.endswith(".toml") or os.path.isdir(word)
    several = _PATH.search(word) if state is None else is_whole
    return _UNKNOWN if several else state


def _list_third_party() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="metra.metrics")}
