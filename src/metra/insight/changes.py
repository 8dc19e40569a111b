"""The segments whose score changed most from one system to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metra.insight.word_diff import WordDiff


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A segment's score by one metric before and after."""

    before: float
    after: float
    #: How much better it became, whichever way the metric points: negative is worse.
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
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
    #: Words in the longest reference, as the metric's tokeniser cuts them.
    words: int
    diff: WordDiff


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The segments that one system does better or worse than the baseline, most first.

    Segments whose scores changed equally much come in the order of the corpus.
    """

    baseline: str
    system: str
    #: The metric that sorts, as given, and its signature for single segments.
    spec: str
    signature: str
    #: All metrics' specs with their directions: True where higher is better.
    directions: Mapping[str, bool]
    improved: Sequence[Change]
    worsened: Sequence[Change]
    #: How many segments improved, worsened or stayed the same by that metric, among all
    #: that were looked at, listed or not.
    improved_count: int
    worsened_count: int
    equal_count: int
    #: How many were not looked at because their references are shorter than `min_words`.
    short_count: int
    #: Segments that changed by less than this are not listed.
    min_change: float
    min_words: int
