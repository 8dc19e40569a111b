"""All that can be asked about the differences between systems, and the answers together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metra import infer
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
    profiles: bool = False
    trials: int = infer.TRIALS
    seed: int = infer.SEED


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found out; what was not asked for is empty."""

    #: One entry for each system that is compared with the baseline.
    changes: Sequence[Changes] = ()
    ngrams: Sequence[NgramChanges] = ()
    #: One entry for each way to part the test set, all systems in it.
    buckets: Sequence[Buckets] = ()
    profiles: Profiles | None = None
