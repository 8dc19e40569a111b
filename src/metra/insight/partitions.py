"""Ways to part a test set: by length, by document, by label, by how hard it seems to be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from metra.corpus import Corpus
from metra.counting import CHUNK, Sheets
from metra.errors import (
    CorpusError,
    LengthError,
    OptionError,
    UnknownNameError,
    no_such,
)
from metra.insight.lengths import reference_lengths, word_counts
from metra.insight.vocabulary import Ids
from metra.insight.words import preparation_of
from metra.measure import Array, Metric

LENGTHS = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)
FREQUENCIES = (1.0, 2.0, 3.0, 5.0, 10.0, 100.0, 1000.0)
#: What can be asked for, and with which bounds if none are given.
KINDS: dict[str, tuple[float, ...] | None] = {
    "length": LENGTHS,
    "source-length": LENGTHS,
    "frequency": FREQUENCIES,
    "score": (),
    "document": None,
    "label": None,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A way to part the test set: its kind, and the bounds between the parts."""

    kind: str
    bounds: Sequence[float]


@dataclass(frozen=True, slots=True)
class Parts:
    """The part that each segment belongs to, and the parts' names in order."""

    title: str
    names: Sequence[str]
    #: For each segment, the place of its part in `names`.
    places: Ids


def asked(spec: str) -> Asked:
    """Read KIND or KIND:bound,bound,…

    >>> asked("length:10,20")
    Asked(kind='length', bounds=(10.0, 20.0))
    """
    kind, _, rest = spec.partition(":")
    known = [name for name in KINDS if name != "label"]
    if kind not in known:
        raise UnknownNameError(no_such("kind of bucket", kind, known))
    usual = KINDS[kind]
    if not rest:
        return Asked(kind, usual or ())
    if usual is None:
        msg = f"Buckets by {kind} have no bounds; ask for {kind!r} alone."
        raise OptionError(msg)
    try:
        bounds = tuple(float(bound) for bound in rest.split(","))
    except ValueError:
        bounds = ()
    if (
        not bounds
        or not all(np.isfinite(bounds))
        or list(bounds) != sorted(set(bounds))
    ):
        msg = f"{spec!r} has no bounds that rise; expected numbers such as {kind}:10,20,40."
        raise OptionError(msg)
    return Asked(kind, bounds)


def check_asked(how: Asked, corpus: Corpus) -> None:
    """Refuse buckets by what is not known."""
    if how.kind == "document" and not corpus.has_documents:
        msg = "Buckets by document need documents, but none are known; give --docs."
        raise CorpusError(msg)
    if how.kind == "source-length" and not corpus.has_source:
        msg = "Buckets by source length need the source; give it with -s FILE."
        raise CorpusError(msg)


def parted(
    how: Asked, corpus: Corpus, metrics: Mapping[str, Metric], sheets: Sheets
) -> Parts:
    """Part the test set by something that is known of every segment."""
    check_asked(how, corpus)
    if how.kind == "document":
        return _by_name("document", sheets.documents)
    if how.kind == "score":
        return _by_score(how.bounds, metrics, sheets)
    preparation = preparation_of(next(iter(metrics.values())))
    if how.kind == "source-length":
        counts = [
            word_counts(chunk.source, preparation)
            for chunk in corpus.chunks(CHUNK)
            if chunk.source is not None
        ]
        title = "source length in words"
    else:
        counts = [
            reference_lengths(chunk, preparation) for chunk in corpus.chunks(CHUNK)
        ]
        title = "reference length in words"
    return _by_bounds(title, np.concatenate(counts), how.bounds)


def labelled(name: str, labels: Sequence[Any], sheets: Sheets) -> Parts:
    """Part the test set by labels that someone has given to its segments."""
    if len(labels) != sheets.segments:
        msg = (
            f"There are {len(labels)} labels {name!r} but {sheets.segments} segments; "
            "expected one label for each segment, in the same order."
        )
        raise LengthError(msg)
    return _by_name(name, [str(label) for label in labels])


def _by_name(title: str, labels: Sequence[str]) -> Parts:
    names = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    return Parts(
        title, list(names), np.array([names[label] for label in labels], np.int64)
    )


def _by_score(
    bounds: Sequence[float], metrics: Mapping[str, Metric], sheets: Sheets
) -> Parts:
    """Part by the mean of all systems' scores, which favours none of them."""
    spec, metric = next(iter(metrics.items()))
    single = metric.for_segments or metric
    scores = [
        single.aggregate(tally.rows)
        for (_, name), tally in sheets.tallies.items()
        if name == spec
    ]
    mean = np.mean(scores, axis=0)
    if bounds:
        return _by_bounds(f"mean {spec} of the systems", mean, bounds)
    # Four parts of nearly equal size; equal scores stay together.
    quarters = np.quantile(mean, [0.25, 0.5, 0.75])
    names = ["lowest quarter", "second", "third", "highest quarter"]
    places: Ids = np.asarray(np.searchsorted(quarters, mean), np.int64)
    return Parts(f"mean {spec} of the systems", names, places)


def _by_bounds(title: str, values: Array, bounds: Sequence[float]) -> Parts:
    places: Ids = np.searchsorted(np.asarray(bounds), values, side="right")
    return Parts(title, range_names(bounds), places)


def range_names(bounds: Sequence[float]) -> list[str]:
    """Name the ranges between bounds, which belong to the range above them.

    >>> range_names([1, 2, 10])
    ['< 1', '1', '2–9', '≥ 10']
    """
    names = [f"< {bounds[0]:g}"]
    for low, high in pairwise(bounds):
        if low == int(low) and high == int(high):
            names.append(f"{low:g}" if high == low + 1 else f"{low:g}–{high - 1:g}")
        else:
            names.append(f"{low:g} to < {high:g}")
    return [*names, f"≥ {bounds[-1]:g}"]
