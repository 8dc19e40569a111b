"""Scores by kind of segment or word: short or long, rare or frequent, by document or label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
