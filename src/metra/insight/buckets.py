"""Scores by kind of segment or word: short or long, rare or frequent, by document or label."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from metra import infer, pool
from metra.corpus import Corpus
from metra.counting import Sheets
from metra.infer.contrast import LEAST_UNITS
from metra.insight.partitions import (
    Asked,
    Parts,
    asked,
    labelled,
    parted,
    range_names,
)
from metra.insight.vocabulary import numbered
from metra.insight.word_classes import (
    class_rows,
    frequencies_in,
    reference_frequencies,
)
from metra.insight.words import preparation_of
from metra.measure import Array, Metric
from metra.metrics import unigram
from metra.text import Preparation

#: Fewer segments, or words, than this say little.
SMALL = 30

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketScore:
    """One system's score in one bucket."""

    score: float
    #: None where there are too few segments to resample.
    interval: Interval | None
    #: The score minus the baseline's, and its interval; None for the baseline itself and
    #: where there is no baseline.
    difference: float | None = None
    difference_interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """The segments, or words, that have something in common."""

    #: What they have in common, for people: "10-19", "market".
    label: str
    #: How many segments (or words of the references) it holds.
    count: int
    #: Whether that is so few that the scores say little.
    small: bool
    #: By system, then by spec.
    scores: Mapping[str, Mapping[str, BucketScore]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """One way to part the test set, with every system's scores in each part."""

    #: "length", "source-length", "frequency", "document", "label" or "score".
    kind: str
    #: The heading, for people: "reference length in words".
    title: str
    #: What is counted: "segments" or "words".
    unit: str
    #: The metrics' specs, with their directions: True where higher is better.
    directions: Mapping[str, bool]
    systems: Sequence[str]
    baseline: str | None
    buckets: Sequence[Bucket]


def buckets(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: Sheets,
    spec: str,
    *,
    baseline: str | None = None,
    frequency_corpus: Sequence[str] | None = None,
    trials: int = infer.TRIALS,
    seed: int = infer.SEED,
) -> Buckets:
    """Part the test set as `spec` says, and score every system in every part.

    Buckets by frequency count words in `frequency_corpus`, or else in the references. The
    metrics are fitted ones, and the sheets hold their rows.
    """
    how = asked(spec)
    rng = np.random.default_rng(seed)
    if how.kind == "frequency":
        preparation = preparation_of(next(iter(metrics.values())))
        return _by_frequency(
            corpus, how, preparation, frequency_corpus, baseline, trials, rng
        )
    parts = parted(how, corpus, metrics, sheets)
    return _scored(how.kind, parts, corpus, metrics, sheets, baseline, trials, rng)


def label_buckets(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: Sheets,
    name: str,
    labels: Sequence[str],
    *,
    baseline: str | None = None,
    trials: int = infer.TRIALS,
    seed: int = infer.SEED,
) -> Buckets:
    """Part the test set by labels, one a segment, and score every system in every part."""
    parts = labelled(name, labels, sheets)
    rng = np.random.default_rng(seed)
    return _scored("label", parts, corpus, metrics, sheets, baseline, trials, rng)


def _scored(
    kind: str,
    parts: Parts,
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: Sheets,
    baseline: str | None,
    trials: int,
    rng: "np.random.Generator",
) -> Buckets:
    """Score the segments of each part."""
    keys = [(name, spec) for name in corpus.systems for spec in metrics]
    aggregates = {key: metrics[key[1]].aggregate for key in keys}
    found = []
    for at, label in enumerate(parts.names):
        inside = np.flatnonzero(parts.places == at)
        if not len(inside):
            continue
        rows = {key: sheets.tallies[key].rows[inside] for key in keys}
        found.append(
            Bucket(
                label=label,
                count=len(inside),
                small=len(inside) < SMALL,
                scores=_scores(rows, aggregates, baseline, trials, rng),
            )
        )
    return Buckets(
        kind=kind,
        title=parts.title,
        unit="segments",
        directions={spec: metric.higher_is_better for spec, metric in metrics.items()},
        systems=corpus.systems,
        baseline=baseline,
        buckets=found,
    )


Key = tuple[str, str]


def _scores(
    rows: Mapping[Key, Array],
    aggregates: Mapping[Key, Callable[[Array], Array]],
    baseline: str | None,
    trials: int,
    rng: "np.random.Generator",
) -> dict[str, dict[str, BucketScore]]:
    """Score all systems by all metrics, with intervals from shared draws."""
    samples = {key: infer.Sample(rows[key], aggregates[key]) for key in rows}
    scores = {key: float(aggregates[key](pool.total(rows[key]))) for key in rows}
    drawn: dict[Key, Array] = {}
    if len(next(iter(rows.values()))) >= LEAST_UNITS:
        found = infer.bootstrap(list(samples.values()), trials=trials, rng=rng)
        drawn = dict(zip(samples, found, strict=True))
    table: dict[str, dict[str, BucketScore]] = {}
    for system, spec in rows:
        key = system, spec
        base = key if baseline is None else (baseline, spec)
        table.setdefault(system, {})[spec] = BucketScore(
            score=scores[key],
            interval=infer.interval(drawn[key]) if drawn else None,
            difference=scores[key] - scores[base] if base != key else None,
            difference_interval=infer.interval(drawn[key] - drawn[base])
            if drawn and base != key
            else None,
        )
    return table


MEANS = {"precision": 0.0, "recall": 1.0, "f1": 0.5}


def _by_frequency(
    corpus: Corpus,
    how: Asked,
    preparation: Preparation,
    frequency_corpus: Sequence[str] | None,
    baseline: str | None,
    trials: int,
    rng: "np.random.Generator",
) -> Buckets:
    """Score the words of each class of frequency by how well they are matched."""
    text = numbered(corpus, corpus.systems, preparation)
    frequencies = (
        reference_frequencies(text)
        if frequency_corpus is None
        else frequencies_in(frequency_corpus, text, preparation)
    )
    classes = np.searchsorted(how.bounds, frequencies, side="right")
    names = range_names(how.bounds)
    rows = class_rows(text, classes, len(names))
    found = []
    for at, label in enumerate(names):
        words = float(rows.words[at])
        if not words:
            continue  # nothing to be found: such words of an output match nothing
        part = slice(3 * at, 3 * at + 3)
        inside = {
            (name, mean): table[:, part]
            for name, table in rows.systems.items()
            for mean in MEANS
        }
        aggregates = {
            key: partial(unigram.aggregate, recall_weight=MEANS[key[1]])
            for key in inside
        }
        found.append(
            Bucket(
                label=label,
                count=round(words),
                small=words < SMALL,
                scores=_scores(inside, aggregates, baseline, trials, rng),
            )
        )
    where = "in the references" if frequency_corpus is None else "in the corpus given"
    return Buckets(
        kind="frequency",
        title=f"word frequency {where}",
        unit="words",
        directions=dict.fromkeys(MEANS, True),
        systems=corpus.systems,
        baseline=baseline,
        buckets=found,
    )
