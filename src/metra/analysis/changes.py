"""The segments whose score changed most from one system to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metra.analysis.collection import CollectedCorpus, CorpusTexts
from metra.analysis.distributions import get_segment_scores
from metra.analysis.word_diff import WordDiff, diff_words, get_preparation
from metra.errors import OptionError, UnknownNameError, no_such
from metra.metrics.record import Array, Metric
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics
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
    collected: CollectedCorpus,
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
    single = metrics[spec].for_segments or metrics[spec]
    texts = collected.texts
    lengths = collected.reference_lengths(preparation)
    long_enough = lengths >= min_words

    def compare_with_baseline(system: str) -> SystemChanges:
        scores = {
            name: _pair_scores(metric, sheets, name, baseline, system)
            for name, metric in metrics.items()
        }
        gains = scores[spec].gain[long_enough]

        def list_changes(segments: Sequence[int]) -> list[SegmentChange]:
            return [
                _build_change(
                    segment,
                    texts,
                    (baseline, system),
                    scores,
                    float(lengths[segment]),
                    preparation,
                )
                for segment in segments[:most]
            ]

        improved, worsened = _sort_changes(scores[spec], order, min_change, long_enough)
        return SystemChanges(
            baseline=baseline,
            system=system,
            spec=spec,
            order=order,
            signature=single.signature(nrefs=sheets.nrefs),
            directions={
                name: metric.higher_is_better for name, metric in metrics.items()
            },
            improved=list_changes(improved),
            worsened=list_changes(worsened),
            improved_count=int((gains > 0).sum()),
            worsened_count=int((gains < 0).sum()),
            equal_count=int((gains == 0).sum()),
            short_count=int((~long_enough).sum()),
            min_change=min_change,
            min_words=min_words,
        )

    return [compare_with_baseline(system) for system in systems]


def find_rival(results: Results, baseline: str) -> str | None:
    """Find the best of the other systems by the first metric; None where there is none."""
    ranked = results.ranked(results.specs[0])
    return next((entry.name for entry in ranked if entry.name != baseline), None)


def order_segments(results: Results, baseline: str, rival: str | None) -> list[int]:
    """Order segments, counted from 0, by how much their score by the first metric differs.

    Where there is no rival to compare the baseline with, its worst segments come first.
    """
    spec = results.specs[0]
    before = get_segment_scores(results, baseline, spec)
    if rival is None:
        sign = 1 if results[baseline][spec].higher_is_better else -1
        return np.argsort(sign * before, kind="stable").tolist()
    differences = np.abs(get_segment_scores(results, rival, spec) - before)
    return np.argsort(-differences, kind="stable").tolist()


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
    scores: _PairedScores, order: str, min_change: float, long_enough: NDArray[np.bool_]
) -> tuple[list[int], list[int]]:
    """List the segments that improved and those that worsened, the largest change first."""
    value = scores.gain if order == "gain" else scores.impact
    enough = long_enough & (abs(scores.gain) >= min_change)
    sides = []
    for sign in (1, -1):
        places = np.flatnonzero(enough & (sign * value > 0))
        largest_first = np.argsort(-abs(value[places]), kind="stable")
        sides.append(places[largest_first].tolist())
    return sides[0], sides[1]


def _build_change(
    segment: int,
    texts: CorpusTexts,
    pair: tuple[str, str],
    scores: Mapping[str, _PairedScores],
    words: float,
    preparation: Preparation,
) -> SegmentChange:
    before, after = (texts.outputs[name][segment] or "" for name in pair)
    references = [stream[segment] for stream in texts.refs]
    return SegmentChange(
        number=segment + 1,
        document=texts.documents[segment] if texts.documents else None,
        source=texts.source[segment] if texts.source else None,
        references=references,
        before=before,
        after=after,
        scores={
            spec: ScoreChange(
                before=float(entry.before[segment]),
                after=float(entry.after[segment]),
                gain=float(entry.gain[segment]),
                impact=float(entry.impact[segment]),
            )
            for spec, entry in scores.items()
        },
        words=words,
        diff=diff_words(before, after, references, preparation),
    )
