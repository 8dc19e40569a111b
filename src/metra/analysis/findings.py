"""All analyses of the differences between systems: their options, and the answers together.

Alignments of some segments for grids to be drawn of, and errors that were marked in the
outputs.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from metra.analysis.collection import CollectedCorpus, CorpusTexts
from metra.analysis.word_diff import get_preparation
from metra.corpus.outputs import Corpus
from metra.metrics.alignment import AlignedSegment
from metra.metrics.record import Metric
from metra.metrics.registry import metric as make_metric
from metra.scoring.alignments import align_segment
from metra.scoring.statistics import CorpusStatistics
from metra.stats import defaults
from metra.stats.parallel import ordered_map, thread_count
from metra.text.preparation import Preparation

if TYPE_CHECKING:
    from metra.analysis.buckets import Buckets
    from metra.analysis.changes import SystemChanges
    from metra.analysis.ngrams import NgramChanges
    from metra.analysis.profiles import Profiles
    from metra.scores.spans import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisOptions:
    """Options of the analyses."""

    #: How many segments to list in each direction: none if 0, all if None.
    changes: int | None = 0
    #: Which metric sorts them: a spec as given, or the first.
    changes_by: str | None = None
    min_words: int = 0
    #: How many n-grams to list in each direction: none if 0, all if None.
    ngrams: int | None = 0
    #: KIND or KIND:bounds, such as "length", "length:10,20,40", "document", "frequency".
    buckets: Sequence[str] = ()
    #: By name, a label for each segment; each is a way to part the test set.
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    profiles: bool = False
    trials: int = defaults.TRIALS
    seed: int = defaults.SEED

    @property
    def any(self) -> bool:
        """Return True if any analysis is asked for."""
        lists = self.changes != 0 or self.ngrams != 0
        return lists or bool(self.buckets or self.labels or self.profiles)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisResults:
    """The answers; those that were not asked for are empty."""

    #: One entry for each system that is compared with the baseline.
    changes: "Sequence[SystemChanges]" = ()
    ngrams: "Sequence[NgramChanges]" = ()
    #: One entry for each way to part the test set, all systems in it.
    buckets: "Sequence[Buckets]" = ()
    profiles: "Profiles | None" = None


def prepare_analyses(
    corpus: Corpus, metrics: Mapping[str, Metric], options: AnalysisOptions
) -> CollectedCorpus:
    """Return a visitor of the counting pass that collects what the analyses need.

    An analysis that cannot be made is refused before anything is counted.
    """
    if not options.any:
        return CollectedCorpus(corpus)
    # What is not asked for is not loaded either.
    from metra.analysis import buckets
    from metra.analysis.changes import choose_sort_metric

    parsed = [buckets.parse_bucket_spec(spec) for spec in options.buckets]
    for bucket in parsed:
        buckets.check_bucket_spec(bucket, corpus)
    kinds = {bucket.kind for bucket in parsed}
    of_changes = get_preparation(
        metrics[choose_sort_metric(metrics, options.changes_by)]
    )
    of_buckets = get_preparation(next(iter(metrics.values())))
    lengths: set[Preparation] = set()
    words: set[Preparation] = set()
    if options.changes != 0 or options.profiles:
        lengths.add(of_changes)
    if kinds & {"length", "source-length"}:
        lengths.add(of_buckets)
    if options.ngrams != 0:
        subject = "N-grams are compared with those of references"
        buckets.check_references(corpus, subject)
    if options.ngrams != 0 or options.profiles:
        words.add(of_changes)
    if "frequency" in kinds:
        words.add(of_buckets)
    texts = options.changes != 0 or options.profiles
    matches = [of_changes] if options.profiles else []
    return CollectedCorpus(
        corpus, texts=texts, lengths=lengths, words=words, matches=matches
    )


def run_analyses(
    collected: CollectedCorpus,
    sheets: CorpusStatistics,
    options: AnalysisOptions,
    *,
    baseline: str,
    looking: Callable[[str], None] = lambda _: None,
) -> AnalysisResults:
    """Return the analyses of the systems against the baseline, and of each by itself.

    The sheets hold the rows of every system. Words are those of the metric that sorts the
    changes. `looking` is told what comes next.
    """
    if not options.any:
        return AnalysisResults()
    from metra.analysis.buckets import score_buckets
    from metra.analysis.changes import choose_sort_metric, find_changes
    from metra.analysis.ngrams import find_ngram_changes
    from metra.analysis.profiles import describe_outputs

    systems = [name for name in collected.systems if name != baseline]
    sorting = choose_sort_metric(sheets.metrics, options.changes_by)
    preparation = get_preparation(sheets.metrics[sorting])

    pair: dict[str, Any] = {"baseline": baseline, "systems": systems}

    def list_buckets() -> "Sequence[Buckets]":
        drawn: dict[str, Any] = {"trials": options.trials, "seed": options.seed}
        score = partial(score_buckets, collected, sheets, baseline=baseline)
        wanted: list[tuple[str, Sequence[str] | None]]
        wanted = [*((spec, None) for spec in options.buckets), *options.labels.items()]
        return [score(spec, labels=labels, **drawn) for spec, labels in wanted]

    tasks: dict[str, tuple[str, Callable[[], Any]]] = {}
    if options.changes != 0:
        find = partial(find_changes, by=sorting, most=options.changes, **pair)
        run = partial(find, collected, sheets, min_words=options.min_words)
        tasks["changes"] = "changed segments", run
    if options.ngrams != 0:
        count = partial(find_ngram_changes, preparation=preparation, **pair)
        tasks["ngrams"] = "n-grams", partial(count, collected, most=options.ngrams)
    if options.buckets or options.labels:
        tasks["buckets"] = "buckets", list_buckets
    if options.profiles:
        tasks["profiles"] = (
            "profiles",
            partial(describe_outputs, collected, preparation),
        )

    def start_tasks() -> Iterator[str]:
        for name, (stage, _) in tasks.items():
            looking(stage)
            yield name

    # A single task needs no thread.
    alone = 1 if len(tasks) == 1 else 0
    answers = ordered_map(
        lambda name: (name, tasks[name][1]()),
        start_tasks(),
        thread_count(),
        alone=alone,
    )
    return AnalysisResults(**dict(answers))


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
    """Align every system's output of the wanted segments, by GTM as chosen or as usual.

    Without references there is nothing to align.
    """
    gtm = [spec for spec, metric in metrics.items() if metric.name == "gtm"]
    spec = gtm[0] if gtm else SPEC
    metric = metrics[spec] if gtm else make_metric(spec)
    grids: dict[int, dict[str, AlignedSegment]] = {}
    for segment in wanted if texts.refs else ():
        refs = [ref[segment] for ref in texts.refs]
        across = sum(len(ref.split()) for ref in refs if ref)
        outputs = {name: text[segment] or "" for name, text in texts.outputs.items()}
        aligned = {
            name: align_segment(
                output, refs, metric, system=name, number=segment + 1, spec=spec
            )
            for name, output in outputs.items()
            if max(len(output.split()), across) <= MOST_WORDS
        }
        if aligned:
            grids[segment] = aligned
    return AlignmentGrids(spec, grids)


@dataclass(frozen=True, slots=True)
class MarkedErrorFindings:
    """Errors of all systems, and their counts."""

    #: By system, then by segment from 0: judges and marks, with the words of the output.
    #: A mark without a place is not in the output, or its place is unknown.
    spans: "Mapping[str, Mapping[int, Sequence[tuple[str, Mark]]]]"
    #: By system: rated outputs, counted once for each judge.
    ratings: Mapping[str, int]
    by_severity: Mapping[str, Mapping[str, int]]
    by_category: Mapping[str, Mapping[str, int]]
    severities: Sequence[str]
    #: The most frequent first.
    categories: Sequence[str]
    sources: Sequence[str]


def collect_errors(
    outputs: Mapping[str, Sequence[str | None]], metrics: Mapping[str, Metric]
) -> MarkedErrorFindings | None:
    """Collect the errors that metrics know in the outputs; None if they know none."""
    marked = [m.notes.marked() for m in metrics.values() if m.notes.marked]
    tables = {table.path: table for table in marked}
    if not tables:
        return None
    # Few metrics bring errors, and what reads them takes long to load.
    from metra.metrics.spans import SEVERITIES

    spans: dict[str, dict[int, list[tuple[str, Mark]]]] = {name: {} for name in outputs}
    ratings: Counter[str] = Counter()
    judges: dict[str, None] = {}
    for table in tables.values():
        for system, at in table.ratings:
            if system not in outputs:
                continue
            names = table.list_judges(system, at)
            ratings[system] += len(names)
            judges |= dict.fromkeys(filter(None, names))
            text = outputs[system][at] or ""
            for judge, mark in table.list_marks(system, at):
                place = table.locate(mark, text) if mark.side == "output" else None
                words = text[slice(*place)] if place else mark.text
                start, end = place or (None, None)
                placed = mark._replace(start=start, end=end, text=words)
                spans[system].setdefault(at, []).append((judge, placed))
    flat = {
        system: [mark for marks in by_segment.values() for _, mark in marks]
        for system, by_segment in spans.items()
    }
    total = Counter(mark.category for each in flat.values() for mark in each)
    del total[""]
    used = {mark.severity for each in flat.values() for mark in each}
    return MarkedErrorFindings(
        spans,
        ratings,
        {s: Counter(mark.severity for mark in each) for s, each in flat.items()},
        {s: Counter(mark.category for mark in each) for s, each in flat.items()},
        [name for name in SEVERITIES if name in used],
        [name for name, _ in total.most_common()],
        list(judges),
    )
