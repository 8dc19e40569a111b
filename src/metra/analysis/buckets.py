"""Scores by kind of segment or word: short or long, rare or frequent, by document or label."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from metra.analysis.collection import CollectedCorpus, Ids, NumberedCorpus, TokenStream
from metra.analysis.word_diff import get_preparation
from metra.corpus.outputs import Corpus
from metra.errors import (
    CorpusError,
    LengthError,
    OptionError,
    UnknownNameError,
    no_such,
)
from metra.metrics import unigram
from metra.metrics.record import Array, Metric
from metra.scoring.statistics import CHUNK, CorpusStatistics
from metra.stats import defaults, resampling, totals
from metra.stats.paired_tests import LEAST_UNITS
from metra.text.columns import pack
from metra.text.preparation import Preparation, prepare

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
class BucketSpec:
    """A way to part the test set: its kind, and the bounds between the parts."""

    kind: str
    bounds: Sequence[float]


@dataclass(frozen=True, slots=True)
class SegmentPartition:
    """The part that each segment belongs to, and the parts' names in order."""

    title: str
    names: Sequence[str]
    #: For each segment, the place of its part in `names`.
    places: Ids


def parse_bucket_spec(spec: str) -> BucketSpec:
    """Read KIND or KIND:bound,bound,…

    >>> parse_bucket_spec("length:10,20")
    BucketSpec(kind='length', bounds=(10.0, 20.0))
    """
    kind, _, rest = spec.partition(":")
    known = [name for name in KINDS if name != "label"]
    if kind not in known:
        raise UnknownNameError(no_such("kind of bucket", kind, known))
    usual = KINDS[kind]
    if not rest:
        return BucketSpec(kind, usual or ())
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
    return BucketSpec(kind, bounds)


def check_bucket_spec(how: BucketSpec, corpus: Corpus | CollectedCorpus) -> None:
    """Refuse buckets by what is not known."""
    if how.kind == "document" and not corpus.has_documents:
        msg = (
            "Buckets by document need documents, but none are known; give `documents`."
        )
        raise CorpusError(msg)
    if how.kind == "source-length" and not corpus.has_source:
        msg = "Buckets by source length need the source; give it with `source`."
        raise CorpusError(msg)


def partition_segments(
    how: BucketSpec,
    collected: CollectedCorpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
) -> SegmentPartition:
    """Part the test set by something that is known of every segment."""
    check_bucket_spec(how, collected)
    if how.kind == "document":
        return _partition_by_name("document", sheets.documents)
    if how.kind == "score":
        return _partition_by_score(how.bounds, metrics, sheets)
    preparation = get_preparation(next(iter(metrics.values())))
    if how.kind == "source-length":
        title, counts = "source length", collected.source_lengths(preparation)
    else:
        title, counts = "reference length", collected.reference_lengths(preparation)
    return _partition_by_bounds(f"{title} in words", counts, how.bounds)


def partition_by_labels(
    name: str, labels: Sequence[Any], sheets: CorpusStatistics
) -> SegmentPartition:
    """Part the test set by labels that someone has given to its segments."""
    if len(labels) != sheets.segments:
        msg = (
            f"There are {len(labels)} labels {name!r} but {sheets.segments} segments; "
            "expected one label for each segment, in the same order."
        )
        raise LengthError(msg)
    return _partition_by_name(name, [str(label) for label in labels])


def _partition_by_name(title: str, labels: Sequence[str]) -> SegmentPartition:
    names = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    return SegmentPartition(
        title, list(names), np.array([names[label] for label in labels], np.int64)
    )


def _partition_by_score(
    bounds: Sequence[float], metrics: Mapping[str, Metric], sheets: CorpusStatistics
) -> SegmentPartition:
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
        return _partition_by_bounds(f"mean {spec} of the systems", mean, bounds)
    # Four parts of nearly equal size; equal scores stay together.
    quarters = np.quantile(mean, [0.25, 0.5, 0.75])
    names = ["lowest quarter", "second", "third", "highest quarter"]
    places: Ids = np.asarray(np.searchsorted(quarters, mean), np.int64)
    return SegmentPartition(f"mean {spec} of the systems", names, places)


def _partition_by_bounds(
    title: str, values: Array, bounds: Sequence[float]
) -> SegmentPartition:
    places: Ids = np.searchsorted(np.asarray(bounds), values, side="right")
    return SegmentPartition(title, name_ranges(bounds), places)


def name_ranges(bounds: Sequence[float]) -> list[str]:
    """Name the ranges between bounds, which belong to the range above them.

    >>> name_ranges([1, 2, 10])
    ['< 1', '1', '2–9', '≥ 10']
    """
    names = [f"< {bounds[0]:g}"]
    for low, high in pairwise(bounds):
        if low == int(low) and high == int(high):
            names.append(f"{low:g}" if high == low + 1 else f"{low:g}–{high - 1:g}")
        else:
            names.append(f"{low:g} to < {high:g}")
    return [*names, f"≥ {bounds[-1]:g}"]


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


def score_buckets(
    collected: CollectedCorpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    spec: str,
    *,
    baseline: str | None = None,
    frequency_corpus: Sequence[str] | None = None,
    trials: int = defaults.TRIALS,
    seed: int = defaults.SEED,
) -> Buckets:
    """Part the test set as `spec` says, and score every system in every part.

    Buckets by frequency count words in `frequency_corpus`, or else in the references. The
    metrics are fitted ones, and the sheets hold their rows.
    """
    how = parse_bucket_spec(spec)
    rng = np.random.default_rng(seed)
    if how.kind == "frequency":
        preparation = get_preparation(next(iter(metrics.values())))
        return _score_frequency_buckets(
            collected, how, preparation, frequency_corpus, baseline, trials, rng
        )
    parts = partition_segments(how, collected, metrics, sheets)
    return _score_partition(
        how.kind, parts, collected, metrics, sheets, baseline, trials, rng
    )


def score_label_buckets(
    collected: CollectedCorpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    name: str,
    labels: Sequence[str],
    *,
    baseline: str | None = None,
    trials: int = defaults.TRIALS,
    seed: int = defaults.SEED,
) -> Buckets:
    """Part the test set by labels, one a segment, and score every system in every part."""
    parts = partition_by_labels(name, labels, sheets)
    rng = np.random.default_rng(seed)
    return _score_partition(
        "label", parts, collected, metrics, sheets, baseline, trials, rng
    )


def _score_partition(
    kind: str,
    parts: SegmentPartition,
    collected: CollectedCorpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    baseline: str | None,
    trials: int,
    rng: "np.random.Generator",
) -> Buckets:
    """Score the segments of each part."""
    keys = [(name, spec) for name in collected.systems for spec in metrics]
    aggregates = {key: metrics[key[1]].aggregate for key in keys}
    buckets = []
    for number, label in enumerate(parts.names):
        inside = np.flatnonzero(parts.places == number)
        if not len(inside):
            continue
        rows = {key: sheets.tallies[key].rows[inside] for key in keys}
        buckets.append(
            Bucket(
                label=label,
                count=len(inside),
                small=len(inside) < SMALL,
                scores=_score_systems(rows, aggregates, baseline, trials, rng),
            )
        )
    return Buckets(
        kind=kind,
        title=parts.title,
        unit="segments",
        directions={spec: metric.higher_is_better for spec, metric in metrics.items()},
        systems=collected.systems,
        baseline=baseline,
        buckets=buckets,
    )


Key = tuple[str, str]


def _score_systems(
    rows: Mapping[Key, Array],
    aggregates: Mapping[Key, Callable[[Array], Array]],
    baseline: str | None,
    trials: int,
    rng: "np.random.Generator",
) -> dict[str, dict[str, BucketScore]]:
    """Score all systems by all metrics, with intervals from shared draws."""
    scores = {key: float(aggregates[key](totals.sum_rows(rows[key]))) for key in rows}
    bases = {key: key if baseline is None else (baseline, key[1]) for key in rows}
    intervals: dict[Key, Interval | None] = dict.fromkeys(rows)
    difference_intervals = intervals
    if len(next(iter(rows.values()))) >= LEAST_UNITS:
        samples = [resampling.Sample(rows[key], aggregates[key]) for key in rows]
        drawn = np.array(resampling.bootstrap_scores(samples, trials=trials, rng=rng))
        places = {key: place for place, key in enumerate(rows)}
        base_places = [places[bases[key]] for key in rows]
        difference_intervals = _compute_intervals(rows, drawn - drawn[base_places])
        intervals = _compute_intervals(rows, drawn)
    table: dict[str, dict[str, BucketScore]] = {}
    for key in rows:
        system, spec = key
        is_base = bases[key] == key
        table.setdefault(system, {})[spec] = BucketScore(
            score=scores[key],
            interval=intervals[key],
            difference=None if is_base else scores[key] - scores[bases[key]],
            difference_interval=None if is_base else difference_intervals[key],
        )
    return table


def _compute_intervals(
    keys: Iterable[Key], scores: Array
) -> "dict[Key, Interval | None]":
    """Give the interval of each row of resampled scores."""
    return dict(zip(keys, resampling.intervals_of_rows(scores), strict=True))


#: What frequency buckets are scored by, and how much recall weighs in it.
MEANS = {"precision": 0.0, "recall": 1.0, "f1": 0.5}


def _score_frequency_buckets(
    collected: CollectedCorpus,
    how: BucketSpec,
    preparation: Preparation,
    frequency_corpus: Sequence[str] | None,
    baseline: str | None,
    trials: int,
    rng: "np.random.Generator",
) -> Buckets:
    """Score the words of each class of frequency by how well they are matched."""
    words = collected.words(preparation)
    if frequency_corpus is None:
        where = "in the references"
        frequencies = _count_reference_words(words)
    else:
        where = "in the corpus given"
        frequencies = _count_corpus_words(frequency_corpus, words, preparation)
    classes = np.searchsorted(how.bounds, frequencies, side="right")
    names = name_ranges(how.bounds)
    rows = _count_class_matches(words, classes, len(names))
    sizes = np.mean(
        [np.bincount(classes[ref.ids], minlength=len(names)) for ref in words.refs],
        axis=0,
    )
    buckets = []
    for number, label in enumerate(names):
        size = float(sizes[number])
        if not size:
            continue  # nothing to be found: such words of an output match nothing
        # The means share their rows, which are then resampled once.
        of_class = {name: table[:, number] for name, table in rows.items()}
        keys = [(name, mean) for name in of_class for mean in MEANS]
        aggregates = {
            (name, mean): partial(unigram.aggregate, recall_weight=MEANS[mean])
            for name, mean in keys
        }
        scores = _score_systems(
            {(name, mean): of_class[name] for name, mean in keys},
            aggregates,
            baseline,
            trials,
            rng,
        )
        buckets.append(
            Bucket(label=label, count=round(size), small=size < SMALL, scores=scores)
        )
    return Buckets(
        kind="frequency",
        title=f"word frequency {where}",
        unit="words",
        directions=dict.fromkeys(MEANS, True),
        systems=collected.systems,
        baseline=baseline,
        buckets=buckets,
    )


def _count_reference_words(words: NumberedCorpus) -> Array:
    """Count every word in all references together."""
    counts = [np.bincount(ref.ids, minlength=len(words.words)) for ref in words.refs]
    return np.sum(counts, axis=0).astype(np.float64)


def _count_corpus_words(
    corpus: Sequence[str], words: NumberedCorpus, preparation: Preparation
) -> Array:
    """Count the words of the test set in another corpus, cut into words in the same way."""
    counts: Counter[str] = Counter()
    for start in range(0, len(corpus), CHUNK):
        part: list[str | None] = list(corpus[start : start + CHUNK])
        tokens = prepare(pack(part, "the corpus", first=start), preparation)
        for index in range(len(tokens)):
            counts.update(tokens[index] or ())
    return np.array([counts[word] for word in words.words], np.float64)


def _count_class_matches(
    words: NumberedCorpus, classes: Ids, count: int
) -> dict[str, Array]:
    """Count [matches, output words, reference words] by class: (segments, classes, 3).

    Each output is held against the reference with which its words agree best (by F1 over
    all its words), the first of equals.
    """
    refs = [_ClassCounts(ref, classes, count) for ref in words.refs]
    rows: dict[str, Array] = {}
    for name, stream in words.systems.items():
        output = _ClassCounts(stream, classes, count)
        matches = [output.count_matches(ref) for ref in refs]
        f1 = [
            2 * matched.sum(1) / np.maximum(stream.lengths + ref.lengths, 1)
            for matched, ref in zip(matches, words.refs, strict=True)
        ]
        best, segments = np.argmax(f1, axis=0), np.arange(len(stream.lengths))
        rows[name] = np.stack(
            [
                np.stack(matches)[best, segments],
                output.words,
                np.stack([ref.words for ref in refs])[best, segments],
            ],
            axis=2,
        ).astype(np.float64)
    return rows


class _ClassCounts:
    """One stream's words by segment and class."""

    def __init__(self, stream: TokenStream, classes: Ids, count: int) -> None:
        self._classes = classes
        size = len(stream.lengths)
        segments = stream.segments()
        cells = segments * count + classes[stream.ids]
        #: How many words each segment has of each class: (segments, classes).
        self.words = np.bincount(cells, minlength=size * count).reshape(size, count)
        keys = segments * max(len(classes), 1) + stream.ids
        #: Each word in each segment as one number, and how often it is there.
        self._keys, self._counts = np.unique(keys, return_counts=True)

    def count_matches(self, other: "_ClassCounts") -> Ids:
        """Count the words of each class that both have, one to one, in each segment."""
        places = np.searchsorted(other._keys, self._keys)
        places = np.minimum(places, max(len(other._keys) - 1, 0))
        common = np.zeros(len(self._keys), np.int64)
        if len(other._keys):
            shared = other._keys[places] == self._keys
            common = np.where(
                shared, np.minimum(self._counts, other._counts[places]), 0
            )
        size, count = self.words.shape
        segments, ids = np.divmod(self._keys, max(len(self._classes), 1))
        cells = segments * count + self._classes[ids]
        # Counts stay whole numbers in float64.
        matches = np.bincount(cells, common, size * count)
        return matches.astype(np.int64).reshape(size, count)
