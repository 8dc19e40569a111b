"""The segments whose score changed most from one system to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metra.analysis.collection import CollectedCorpus
from metra.analysis.relations import get_segment_scores
from metra.analysis.word_diff import WordDiff, diff_words, get_preparation
from metra.corpus.outputs import Corpus
from metra.errors import UnknownNameError, no_such
from metra.metrics.record import Array, Metric
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A segment's score by one metric before and after."""

    before: float
    after: float
    #: How much better it became, whichever way the metric points: negative is worse.
    gain: float


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
    #: Words of the references on average, as the metric's tokeniser cuts them; of the
    #: outputs where there are no references.
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
    signature: str
    #: True by spec if higher is better, False if lower, None for a target.
    directions: Mapping[str, bool | None]
    improved: Sequence[SegmentChange]
    worsened: Sequence[SegmentChange]
    #: How many segments improved, worsened or stayed the same by that metric, among all
    #: that were looked at, listed or not.
    improved_count: int
    worsened_count: int
    equal_count: int
    #: How many were not looked at because their references are shorter than `min_words`.
    short_count: int
    min_words: int


def prepare_changes(
    corpus: Corpus, metrics: Mapping[str, Metric], by: str | None
) -> CollectedCorpus:
    """Return a visitor of the counting pass that collects what `find_changes` needs."""
    sorting = metrics[choose_sort_metric(metrics, by)]
    return CollectedCorpus(corpus, get_preparation(sorting), words=False)


def find_changes(
    collected: CollectedCorpus,
    sheets: CorpusStatistics,
    *,
    baseline: str,
    by: str | None = None,
    most: int | None = 10,
    min_words: int = 0,
) -> list[SystemChanges]:
    """Find the segments that each system does better or worse than the baseline.

    The sheets hold the rows of every system.
    """
    metrics, texts, lengths = sheets.metrics, collected.texts, collected.lengths
    spec = choose_sort_metric(metrics, by)
    single = metrics[spec].for_segments or metrics[spec]
    long_enough = lengths >= min_words

    def compare_with_baseline(system: str) -> SystemChanges:
        scores = {
            name: _pair_scores(sheets, name, baseline, system) for name in metrics
        }
        all_gains = scores[spec]["gain"]
        gains = all_gains[long_enough]

        def list_changes(sign: int) -> list[SegmentChange]:
            """List the segments that changed in this direction, the largest change first."""
            places = np.flatnonzero(long_enough & (sign * all_gains > 0))
            largest = places[_sort_by_size(all_gains[places])][:most]
            return [build_change(segment) for segment in largest.tolist()]

        def build_change(segment: int) -> SegmentChange:
            pair = (baseline, system)
            before, after = (texts.outputs[name][segment] or "" for name in pair)
            references = [stream[segment] for stream in texts.refs]
            changes = {
                name: ScoreChange(**{k: float(v[segment]) for k, v in pairs.items()})
                for name, pairs in scores.items()
            }
            return SegmentChange(
                number=segment + 1,
                document=texts.documents[segment] if texts.documents else None,
                source=texts.source[segment] if texts.source else None,
                references=references,
                before=before,
                after=after,
                scores=changes,
                words=float(lengths[segment]),
                diff=diff_words(before, after, references, collected.preparation),
            )

        return SystemChanges(
            baseline=baseline,
            system=system,
            spec=spec,
            signature=single.signature(nrefs=sheets.nrefs),
            directions={name: each.higher_is_better for name, each in metrics.items()},
            improved=list_changes(1),
            worsened=list_changes(-1),
            improved_count=int((gains > 0).sum()),
            worsened_count=int((gains < 0).sum()),
            equal_count=int((gains == 0).sum()),
            short_count=int((~long_enough).sum()),
            min_words=min_words,
        )

    systems = collected.systems
    return [compare_with_baseline(name) for name in systems if name != baseline]


def _sort_by_size(changes: Array) -> NDArray[np.intp]:
    """Sort the places of changes, the largest first, equal ones in their order."""
    return np.argsort(-abs(changes), kind="stable")


def _pair_scores(
    sheets: CorpusStatistics, spec: str, baseline: str, system: str
) -> dict[str, Array]:
    """Give every segment's scores by one metric, as the fields of `ScoreChange`."""
    metric = sheets.metrics[spec]
    single = metric.for_segments or metric
    one, other = sheets.tallies[baseline, spec], sheets.tallies[system, spec]
    before, after = single.aggregate(one.rows), single.aggregate(other.rows)
    gain = metric.direction.orient(after) - metric.direction.orient(before)
    return {"before": before, "after": after, "gain": gain}


def find_rival(results: Results, baseline: str) -> str | None:
    """Find the best of the other systems by the first metric; None where there is none."""
    ranked = results.rank_systems(results.specs[0])
    return next((entry.name for entry in ranked if entry.name != baseline), None)


def order_segments(results: Results, baseline: str, rival: str | None) -> list[int]:
    """Order segments, counted from 0, by how much their score by the first metric differs.

    Where there is no rival to compare the baseline with, its worst segments come first.
    """
    spec = results.specs[0]
    before = get_segment_scores(results, baseline, spec)
    if rival is None:
        oriented = results[baseline][spec].direction.orient(before)
        return np.argsort(oriented, kind="stable").tolist()
    differences = get_segment_scores(results, rival, spec) - before
    return _sort_by_size(differences).tolist()


def choose_sort_metric(metrics: Mapping[str, Metric], by: str | None) -> str:
    """Give the spec of the metric that was named, or of the first."""
    if by is None:
        return next(iter(metrics))
    if by not in metrics:
        raise UnknownNameError(no_such("metric", by, metrics))
    return by
