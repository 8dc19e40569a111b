"""The segments whose score changed most from one system to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metra.analysis.buckets import average_reference_lengths
from metra.analysis.word_diff import WordDiff, diff_words, get_preparation
from metra.corpus.outputs import Corpus
from metra.errors import OptionError, UnknownNameError, no_such
from metra.metrics.record import Array, Metric
from metra.scoring.statistics import CHUNK, CorpusStatistics
from metra.text.preparation import Preparation


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A segment's score by one metric before and after."""

    before: float
    after: float
    #: How much better it became, whichever way the metric points: negative is worse.
    gain: float
    #: How much better the corpus score of the baseline would be with this segment alone
    #: taken from the system: long segments weigh more.
    impact: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentChange:
    """One segment in two systems' outputs."""

    #: Counted from 1.
    number: int
    document: str | None
    source: str | None
    #: None where a reference is missing.
    references: Sequence[str | None]
    before: str
    after: str
    #: By metric spec as given, for every metric, in their order.
    scores: Mapping[str, ScoreChange]
    #: Words of the references on average, as the metric's tokeniser cuts them.
    words: float
    diff: WordDiff


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemChanges:
    """The segments that one system does better or worse than the baseline, most first.

    Segments whose scores changed equally much come in the order of the corpus.
    """

    baseline: str
    system: str
    #: The metric that sorts, as given, and its signature for single segments.
    spec: str
    #: "gain", the change of the segment's own score, or "impact", that of the corpus.
    order: str
    signature: str
    #: All metrics' specs with their directions: True where higher is better.
    directions: Mapping[str, bool]
    improved: Sequence[SegmentChange]
    worsened: Sequence[SegmentChange]
    #: How many segments improved, worsened or stayed the same by that metric, among all
    #: that were looked at, listed or not.
    improved_count: int
    worsened_count: int
    equal_count: int
    #: How many were not looked at because their references are shorter than `min_words`.
    short_count: int
    #: Segments whose own score changed by less than this are not listed.
    min_change: float
    min_words: int


ORDERS = ("gain", "impact")


def find_changes(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    *,
    baseline: str,
    systems: Sequence[str],
    by: str | None = None,
    order: str = "gain",
    most: int | None = 10,
    min_change: float = 0.0,
    min_words: int = 0,
) -> list[SystemChanges]:
    """Find the segments that each system does better or worse than the baseline.

    The metrics are fitted ones and the sheets hold their rows for every system.
    """
    spec = choose_sort_metric(metrics, by)
    if order not in ORDERS:
        msg = f"Changes cannot be sorted by {order!r}; expected {' or '.join(ORDERS)}."
        raise OptionError(msg)
    preparation = get_preparation(metrics[spec])
    lengths = np.concatenate(
        [
            average_reference_lengths(chunk, preparation)
            for chunk in corpus.chunks(CHUNK)
        ]
    )
    looked_at = lengths >= min_words
    found = {}
    for system in systems:
        scores = {
            name: _pair_scores(metric, sheets, name, baseline, system)
            for name, metric in metrics.items()
        }
        found[system] = (
            scores,
            _sort_changes(scores[spec], order, min_change, looked_at),
        )
    numbers = {
        at for _, sides in found.values() for side in sides for at in side[:most]
    }
    texts = _read_segment_texts(corpus, numbers)

    def listed(system: str, chosen: Sequence[int]) -> list[SegmentChange]:
        scores, _ = found[system]
        return [
            _build_change(
                at, texts[at], baseline, system, scores, float(lengths[at]), preparation
            )
            for at in chosen[:most]
        ]

    single = metrics[spec].for_segments or metrics[spec]
    return [
        SystemChanges(
            baseline=baseline,
            system=system,
            spec=spec,
            order=order,
            signature=single.signature(nrefs=sheets.nrefs),
            directions={
                name: metric.higher_is_better for name, metric in metrics.items()
            },
            improved=listed(system, improved),
            worsened=listed(system, worsened),
            improved_count=int((gains[looked_at] > 0).sum()),
            worsened_count=int((gains[looked_at] < 0).sum()),
            equal_count=int((gains[looked_at] == 0).sum()),
            short_count=int((~looked_at).sum()),
            min_change=min_change,
            min_words=min_words,
        )
        for system, (scores, (improved, worsened)) in found.items()
        for gains in [scores[spec].gain]
    ]


def choose_sort_metric(metrics: Mapping[str, Metric], by: str | None) -> str:
    """Give the spec of the metric that was named, or of the first."""
    if by is None:
        return next(iter(metrics))
    if by not in metrics:
        raise UnknownNameError(no_such("metric", by, metrics))
    return by


@dataclass(frozen=True, slots=True)
class _PairedScores:
    """Every segment's scores before and after by one metric."""

    before: Array
    after: Array
    gain: Array
    impact: Array


def _pair_scores(
    metric: Metric, sheets: CorpusStatistics, spec: str, baseline: str, system: str
) -> _PairedScores:
    single = metric.for_segments or metric
    one, other = sheets.tallies[baseline, spec], sheets.tallies[system, spec]
    before, after = single.aggregate(one.rows), single.aggregate(other.rows)
    sign = 1 if metric.higher_is_better else -1
    swapped = metric.aggregate(one.total + (other.rows - one.rows))
    impact = swapped - metric.aggregate(one.total)
    # Adding up in another order may leave a trace where nothing has changed.
    impact[(one.rows == other.rows).all(1)] = 0
    return _PairedScores(before, after, sign * (after - before), sign * impact)


def _sort_changes(
    scores: _PairedScores, order: str, min_change: float, looked_at: NDArray[np.bool_]
) -> tuple[list[int], list[int]]:
    """List the segments that improved and those that worsened, the largest change first."""
    value = scores.gain if order == "gain" else scores.impact
    enough = looked_at & (abs(scores.gain) >= min_change)
    sides = []
    for sign in (1, -1):
        places = np.flatnonzero(enough & (sign * value > 0))
        largest_first = np.argsort(-abs(value[places]), kind="stable")
        sides.append(places[largest_first].tolist())
    return sides[0], sides[1]


@dataclass(frozen=True, slots=True)
class _SegmentTexts:
    """What was written for one segment."""

    document: str | None
    source: str | None
    references: Sequence[str | None]
    outputs: Mapping[str, str]


def _read_segment_texts(corpus: Corpus, wanted: set[int]) -> dict[int, _SegmentTexts]:
    """Read the corpus once more and keep what is wanted."""
    found = {}
    for chunk in corpus.chunks(CHUNK):
        for at in range(len(chunk)):
            if chunk.first + at in wanted:
                found[chunk.first + at] = _SegmentTexts(
                    chunk.documents[at] if chunk.documents else None,
                    chunk.source.text[at] if chunk.source else None,
                    [column.text[at] for column in chunk.refs],
                    {name: col.text[at] or "" for name, col in chunk.systems.items()},
                )
    return found


def _build_change(
    at: int,
    texts: _SegmentTexts,
    baseline: str,
    system: str,
    scores: Mapping[str, _PairedScores],
    words: float,
    preparation: Preparation,
) -> SegmentChange:
    before, after = texts.outputs[baseline], texts.outputs[system]
    return SegmentChange(
        number=at + 1,
        document=texts.document,
        source=texts.source,
        references=texts.references,
        before=before,
        after=after,
        scores={
            spec: ScoreChange(
                before=float(entry.before[at]),
                after=float(entry.after[at]),
                gain=float(entry.gain[at]),
                impact=float(entry.impact[at]),
            )
            for spec, entry in scores.items()
        },
        words=words,
        diff=diff_words(before, after, texts.references, preparation),
    )
