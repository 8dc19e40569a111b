"""The registry: every measure by name. Adding one is a line here."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

from metra.errors import UnknownNameError, no_such
from metra.measure import Metric, parse_spec

# name: module of this package that holds the factory of the same name
BUILT_IN = {
    "bleu": "bleu",
    "nist": "nist",
    "chrf": "chrf",
    "ter": "ter",
    "wer": "wer",
    "per": "per",
    "ser": "ser",
    "cer": "cer",
    "precision": "unigram",
    "recall": "unigram",
    "f1": "unigram",
    "fmean": "unigram",
    "gtm": "gtm",
    "meteor": "meteor",
    "ltv": "ltv",
    "syntax": "syntax",
    "xscore": "xscore",
    "transfer": "transfer",
    "ie": "ie",
    "quality": "quality",
    "entities": "entities",
    "terminology": "terminology",
    "untranslated": "untranslated",
    "mwer": "mwer",
    "evaltrans": "evaltrans",
}


def names() -> list[str]:
    """List the measures there are, third parties' included."""
    return [*BUILT_IN, *(name for name in _third_party() if name not in BUILT_IN)]


def factory(name: str) -> Callable[..., Metric]:
    """Find the function that makes the measure."""
    if name in BUILT_IN:
        return getattr(import_module(f"metra.metrics.{BUILT_IN[name]}"), name)
    entries = _third_party()
    if name not in entries:
        raise UnknownNameError(no_such("metric", name, names()))
    return entries[name].load()


@lru_cache(maxsize=1024)
def metric(spec: str) -> Metric:
    """Make a measure from `NAME` or `NAME:option=value,…`.

    >>> metric("bleu:tok=intl").options["tok"]
    'intl'
    """
    name, options = parse_spec(spec)
    return factory(name)(**options)


def _third_party() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="metra.metrics")}
