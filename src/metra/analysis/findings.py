"""All that can be asked about the differences between systems, and the answers together.

The texts of a whole corpus in memory, for those who show them.
Alignments of some segments for grids to be drawn of: those that one wants to see first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metra.corpus.batch import CorpusChunk, SegmentColumn
from metra.corpus.outputs import Corpus
from metra.metrics.alignment import AlignedSegment
from metra.metrics.record import Metric
from metra.metrics.registry import metric as make_metric
from metra.scoring.alignments import align_segment
from metra.scoring.statistics import CorpusStatistics
from metra.stats import defaults

if TYPE_CHECKING:
    from metra.analysis.buckets import Buckets
    from metra.analysis.changes import SystemChanges
    from metra.analysis.ngrams import NgramChanges
    from metra.analysis.profiles import Profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisOptions:
    """What is to be found out."""

    #: How many segments to list in each direction: none if 0, all if None.
    changes: int | None = 0
    #: Which metric sorts them: a spec as given, or the first.
    changes_by: str | None = None
    #: "gain", by the change of the segment's score, or "impact", of the corpus score.
    changes_order: str = "gain"
    min_change: float = 0.0
    min_words: int = 0
    #: How many n-grams to list in each direction: none if 0, all if None.
    ngrams: int | None = 0
    ngram_order: int = 4
    #: KIND or KIND:bounds, such as "length", "length:10,20,40", "document", "frequency".
    buckets: Sequence[str] = ()
    #: By name, a label for each segment; each is a way to part the test set.
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Text in which words are counted for buckets by frequency; the references if None.
    frequency_corpus: Sequence[str] | None = None
    profiles: bool = False
    trials: int = defaults.TRIALS
    seed: int = defaults.SEED

    @property
    def any(self) -> bool:
        """Whether anything is to be found out at all."""
        lists = self.changes != 0 or self.ngrams != 0
        return lists or bool(self.buckets or self.labels or self.profiles)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisResults:
    """What was found out; what was not asked for is empty."""

    #: One entry for each system that is compared with the baseline.
    changes: "Sequence[SystemChanges]" = ()
    ngrams: "Sequence[NgramChanges]" = ()
    #: One entry for each way to part the test set, all systems in it.
    buckets: "Sequence[Buckets]" = ()
    profiles: "Profiles | None" = None


def check_options(
    corpus: Corpus, metrics: Mapping[str, Metric], wishes: AnalysisOptions
) -> None:
    """Refuse what cannot be found out, before anything is counted."""
    if not wishes.any:
        return
    # What is not asked for is not loaded either.
    from metra.analysis.buckets import check_bucket_spec, parse_bucket_spec
    from metra.analysis.changes import choose_sort_metric

    choose_sort_metric(metrics, wishes.changes_by)
    for spec in wishes.buckets:
        check_bucket_spec(parse_bucket_spec(spec), corpus)


def run_analyses(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    wishes: AnalysisOptions,
    *,
    baseline: str,
    looking: Callable[[str], None] = lambda _: None,
) -> AnalysisResults:
    """Find out what is wished: the other systems against the baseline, and each by itself.

    The metrics are fitted ones, and the sheets hold their rows for every system. Words are
    those of the metric that sorts the changes. `looking` is told what comes next.
    """
    if not wishes.any:
        return AnalysisResults()
    from metra.analysis.buckets import score_buckets, score_label_buckets
    from metra.analysis.changes import choose_sort_metric, find_changes
    from metra.analysis.ngrams import find_ngram_changes
    from metra.analysis.profiles import build_profiles
    from metra.analysis.word_diff import get_preparation

    systems = [name for name in corpus.systems if name != baseline]
    preparation = get_preparation(
        metrics[choose_sort_metric(metrics, wishes.changes_by)]
    )
    found_changes: Sequence[SystemChanges] = ()
    found_ngrams: Sequence[NgramChanges] = ()
    if wishes.changes != 0:
        looking("changed segments")
        found_changes = find_changes(
            corpus,
            metrics,
            sheets,
            baseline=baseline,
            systems=systems,
            by=wishes.changes_by,
            order=wishes.changes_order,
            most=wishes.changes,
            min_change=wishes.min_change,
            min_words=wishes.min_words,
        )
    if wishes.ngrams != 0:
        looking("n-grams")
        found_ngrams = find_ngram_changes(
            corpus,
            baseline=baseline,
            systems=systems,
            preparation=preparation,
            order=wishes.ngram_order,
            most=wishes.ngrams,
        )
    if wishes.buckets or wishes.labels:
        looking("buckets")
    resampling = {"trials": wishes.trials, "seed": wishes.seed}
    parted = [
        score_buckets(
            corpus,
            metrics,
            sheets,
            spec,
            baseline=baseline,
            frequency_corpus=wishes.frequency_corpus,
            **resampling,
        )
        for spec in wishes.buckets
    ]
    parted += [
        score_label_buckets(
            corpus, metrics, sheets, name, labels, baseline=baseline, **resampling
        )
        for name, labels in wishes.labels.items()
    ]
    if wishes.profiles:
        looking("profiles")
    return AnalysisResults(
        changes=found_changes,
        ngrams=found_ngrams,
        buckets=tuple(parted),
        profiles=build_profiles(corpus, preparation=preparation)
        if wishes.profiles
        else None,
    )


CHUNK = 1024


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """Every segment as it was written: source, references, and each system's output."""

    outputs: Mapping[str, Sequence[str]]
    #: One stream for each reference; a missing reference is None.
    refs: Sequence[Sequence[str | None]]
    source: Sequence[str | None] | None = None
    documents: Sequence[str] | None = None


def read_texts(corpus: Corpus) -> CorpusTexts:
    """Read all of a corpus."""
    chunks: list[CorpusChunk] = list(corpus.chunks(CHUNK))

    def joined(columns: Sequence[SegmentColumn]) -> list[str | None]:
        return [column.text[at] for column in columns for at in range(len(column.text))]

    outputs = {
        name: [text or "" for text in joined([part.systems[name] for part in chunks])]
        for name in corpus.systems
    }
    refs = [
        joined([part.refs[at] for part in chunks]) for at in range(len(chunks[0].refs))
    ]
    source = documents = None
    if corpus.has_source:
        source = joined([part.source for part in chunks if part.source is not None])
    if corpus.has_documents:
        documents = [name for part in chunks for name in part.documents or ()]
    return CorpusTexts(outputs, refs, source, documents)


SPEC = "gtm:e=2"
#: More words than this make a grid that does not fit a page.
MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class AlignmentGrids:
    """Aligned segments by segment, counted from 0, and system."""

    spec: str
    segments: Mapping[int, Mapping[str, AlignedSegment]]


def align_grids(
    texts: CorpusTexts, metrics: Mapping[str, Metric], wanted: Sequence[int]
) -> AlignmentGrids:
    """Align every system's output of the wanted segments, by GTM as chosen or as usual."""
    gtm = [spec for spec, metric in metrics.items() if metric.name == "gtm"]
    spec = gtm[0] if gtm else SPEC
    metric = metrics[spec] if gtm else make_metric(spec)
    found: dict[int, dict[str, AlignedSegment]] = {}
    for at in wanted:
        refs = [ref[at] for ref in texts.refs]
        across = sum(len(ref.split()) for ref in refs if ref)
        aligned = {
            name: align_segment(
                output[at], refs, metric, system=name, number=at + 1, spec=spec
            )
            for name, output in texts.outputs.items()
            if max(len(output[at].split()), across) <= MOST_WORDS
        }
        if aligned:
            found[at] = aligned
    return AlignmentGrids(spec, found)
