"""All that can be asked about the differences between systems, and the answers together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metra import infer
from metra.corpus import Corpus
from metra.counting import Sheets
from metra.measure import Metric

if TYPE_CHECKING:
    from metra.insight.buckets import Buckets
    from metra.insight.changes import Changes
    from metra.insight.ngrams import NgramChanges
    from metra.insight.profiles import Profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
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
    trials: int = infer.TRIALS
    seed: int = infer.SEED

    @property
    def any(self) -> bool:
        """Whether anything is to be found out at all."""
        lists = self.changes != 0 or self.ngrams != 0
        return lists or bool(self.buckets or self.labels or self.profiles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found out; what was not asked for is empty."""

    #: One entry for each system that is compared with the baseline.
    changes: "Sequence[Changes]" = ()
    ngrams: "Sequence[NgramChanges]" = ()
    #: One entry for each way to part the test set, all systems in it.
    buckets: "Sequence[Buckets]" = ()
    profiles: "Profiles | None" = None


def check(corpus: Corpus, metrics: Mapping[str, Metric], wishes: Wishes) -> None:
    """Refuse what cannot be found out, before anything is counted."""
    if not wishes.any:
        return
    # What is not asked for is not loaded either.
    from metra.insight.changes import sorting_metric
    from metra.insight.partitions import asked, check_asked

    sorting_metric(metrics, wishes.changes_by)
    for spec in wishes.buckets:
        check_asked(asked(spec), corpus)


def find(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: Sheets,
    wishes: Wishes,
    *,
    baseline: str,
    looking: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Find out what is wished: the other systems against the baseline, and each by itself.

    The metrics are fitted ones, and the sheets hold their rows for every system. Words are
    those of the metric that sorts the changes. `looking` is told what comes next.
    """
    if not wishes.any:
        return Findings()
    from metra.insight.buckets import buckets, label_buckets
    from metra.insight.changes import changes, sorting_metric
    from metra.insight.ngrams import ngram_changes
    from metra.insight.profiles import profiles
    from metra.insight.words import preparation_of

    systems = [name for name in corpus.systems if name != baseline]
    preparation = preparation_of(metrics[sorting_metric(metrics, wishes.changes_by)])
    found_changes: Sequence[Changes] = ()
    found_ngrams: Sequence[NgramChanges] = ()
    if wishes.changes != 0:
        looking("changed segments")
        found_changes = changes(
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
        found_ngrams = ngram_changes(
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
        buckets(
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
        label_buckets(
            corpus, metrics, sheets, name, labels, baseline=baseline, **resampling
        )
        for name, labels in wishes.labels.items()
    ]
    if wishes.profiles:
        looking("profiles")
    return Findings(
        changes=found_changes,
        ngrams=found_ngrams,
        buckets=tuple(parted),
        profiles=profiles(corpus, preparation=preparation) if wishes.profiles else None,
    )
