"""Scores by kind of segment or word: short or long, rare or frequent, by document or label."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from metra.analysis.collection import CollectedCorpus, Ids, NumberedCorpus
from metra.metrics import unigram
from metra.metrics.record import Array
from metra.scoring.statistics import CorpusStatistics
from metra.stats import resampling, totals
from metra.stats.arrays import number_names
from metra.stats.defaults import LEAST_UNITS, TRIALS
from metra.text.columns import check_lengths

#: Bounds of lengths and of frequencies; each belongs to the part above it.
LENGTHS = (10, 20, 30, 40, 50, 60)
FREQUENCIES = (1, 2, 3, 5, 10, 100, 1000)


def name_ranges(bounds: Sequence[int]) -> list[str]:
    """Name the ranges between bounds, which belong to the range above them.

    >>> name_ranges([1, 2, 10])
    ['< 1', '1', '2–9', '≥ 10']
    """
    names = [f"< {bounds[0]}"]
    for low, high in pairwise(bounds):
        names.append(f"{low}" if high == low + 1 else f"{low}–{high - 1}")
    return [*names, f"≥ {bounds[-1]}"]


#: Fewer segments, or words, than this say little.
SMALL = 30

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketScore:
    """One system's score in one bucket."""

    score: float
    #: None where there are too few segments to resample.
    interval: Interval | None
    #: The score minus the baseline's, and its interval; None for the baseline itself.
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

    #: "length", "frequency", "document" or "label".
    kind: str
    #: The heading, for people: "reference length in words".
    title: str
    #: What is counted: "segments" or "words".
    unit: str
    #: True by spec if higher is better, False if lower, None for a target.
    directions: Mapping[str, bool | None]
    systems: Sequence[str]
    baseline: str
    buckets: Sequence[Bucket]


def score_buckets(
    collected: CollectedCorpus,
    sheets: CorpusStatistics,
    kind: str,
    *,
    baseline: str,
    labels: Sequence[str] | None = None,
    seed: int,
) -> Buckets:
    """Part the test set by length, document or frequency; score every system in each part.

    With `labels`, one a segment, `kind` is their name. Buckets by frequency count words in
    the references. The sheets hold the rows.
    """
    unit, title = "segments", kind
    metrics = sheets.metrics.items()
    directions = {name: metric.higher_is_better for name, metric in metrics}
    if labels is not None:
        source = f"the column of labels {kind!r}"
        check_lengths({"the corpus": sheets.segments, source: len(labels)})
        kind = "label"
        parts = _split_segments(*number_names([*map(str, labels)]), sheets)
    elif kind == "document":
        parts = _split_segments(*number_names(sheets.documents), sheets)
    elif kind == "frequency":
        unit, title = "words", "word frequency in the references"
        directions = dict.fromkeys(MEANS, True)
        parts = _split_words(collected.words)
    else:
        whose = "reference" if collected.has_references else "output"
        title = f"{whose} length in words"
        places = np.searchsorted(LENGTHS, collected.lengths, side="right")
        parts = _split_segments(name_ranges(LENGTHS), places, sheets)
    rng = np.random.default_rng(seed)
    buckets = [
        Bucket(
            label=label,
            count=round(size),
            small=size < SMALL,
            scores=_score_systems(samples, baseline, rng),
        )
        for label, size, samples in parts
        if size
    ]
    return Buckets(
        kind=kind,
        title=title,
        unit=unit,
        directions=directions,
        systems=collected.systems,
        baseline=baseline,
        buckets=buckets,
    )


Key = tuple[str, str]
#: Parts of the test set: label, size, and what is resampled in it.
Parts: TypeAlias = Iterator[tuple[str, float, dict[Key, resampling.Sample]]]


def _split_segments(
    names: Sequence[str], places: Ids, sheets: CorpusStatistics
) -> Parts:
    for number, label in enumerate(names):
        inside = np.flatnonzero(places == number)
        samples = {
            key: resampling.Sample(tally.rows[inside], sheets.metrics[key[1]].aggregate)
            for key, tally in sheets.tallies.items()
        }
        yield label, len(inside), samples


def _score_systems(
    samples: Mapping[Key, resampling.Sample],
    baseline: str,
    rng: "np.random.Generator",
) -> dict[str, dict[str, BucketScore]]:
    """Score all systems by all metrics, with intervals from shared draws."""
    scores = {
        key: float(sample.aggregate(totals.sum_rows(sample.rows)))
        for key, sample in samples.items()
    }
    bases = {key: (baseline, key[1]) for key in samples}
    intervals: Mapping[Key, Interval | None] = dict.fromkeys(samples)
    difference_intervals = intervals
    if len(next(iter(samples.values())).rows) >= LEAST_UNITS:
        drawn = np.array(
            resampling.bootstrap_scores([*samples.values()], trials=TRIALS, rng=rng)
        )
        places = {key: place for place, key in enumerate(samples)}
        base_places = [places[bases[key]] for key in samples]
        intervals, difference_intervals = (
            dict(zip(samples, resampling.intervals_of_rows(rows), strict=True))
            for rows in (drawn, drawn - drawn[base_places])
        )
    table: dict[str, dict[str, BucketScore]] = {}
    for key, score in scores.items():
        is_base = bases[key] == key
        table.setdefault(key[0], {})[key[1]] = BucketScore(
            score=score,
            interval=intervals[key],
            difference=None if is_base else score - scores[bases[key]],
            difference_interval=None if is_base else difference_intervals[key],
        )
    return table


#: What frequency buckets are scored by, and how much recall weighs in it.
MEANS = {"precision": 0.0, "recall": 1.0, "f1": 0.5}


def _split_words(words: NumberedCorpus) -> Parts:
    """Part the words by their frequency, to be scored by how well they are matched."""
    frequencies = sum(
        np.bincount(ref.ids, minlength=len(words.words)) for ref in words.refs
    )
    classes = np.searchsorted(FREQUENCIES, frequencies, side="right")
    names = name_ranges(FREQUENCIES)
    rows = _count_class_matches(words, classes, len(names))
    counts = [np.bincount(classes[ref.ids], minlength=len(names)) for ref in words.refs]
    aggregates = {
        mean: partial(unigram.aggregate, recall_weight=weight)
        for mean, weight in MEANS.items()
    }
    sizes = np.mean(counts, axis=0).tolist()
    for number, (label, size) in enumerate(zip(names, sizes, strict=True)):
        # The means share their rows, which are then resampled once.
        of_class = {name: table[:, number] for name, table in rows.items()}
        samples = {
            (name, mean): resampling.Sample(class_rows, aggregate)
            for name, class_rows in of_class.items()
            for mean, aggregate in aggregates.items()
        }
        # Without such words in the references there is nothing to match.
        yield label, size, samples


def _count_class_matches(
    words: NumberedCorpus, classes: Ids, count: int
) -> dict[str, Array]:
    """Count [matches, output words, reference words] by class: (segments, classes, 3).

    Each output is held against the reference with which its words agree best (by F1 over
    all its words), the first of equals.
    """

    def count_by_class(segments: Ids, ids: Any, times: Ids | None = None) -> Any:
        size = len(words.refs[0].lengths)
        cells = segments * count + classes[ids]
        return np.bincount(cells, times, size * count).reshape(size, count)

    refs = np.stack([count_by_class(ref.segments, ref.ids) for ref in words.refs])
    rows: dict[str, Array] = {}
    for name, stream in words.systems.items():
        matches, f1 = [], []
        for ref in words.refs:
            cells, both = stream.match_cells(ref.cells)
            matches.append(count_by_class(*divmod(cells, stream.vocabulary), both))
            lengths = np.maximum(stream.lengths + ref.lengths, 1)
            f1.append(2 * matches[-1].sum(1) / lengths)
        best, segments = np.argmax(f1, axis=0), np.arange(len(stream.lengths))
        output = count_by_class(stream.segments, stream.ids)
        chosen = np.stack(matches)[best, segments], output, refs[best, segments]
        rows[name] = np.stack(chosen, axis=2).astype(np.float64)
    return rows
