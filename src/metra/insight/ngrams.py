"""The n-grams that one system gets right more often than another, and those it gets wrong."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramChange:
    """An n-gram with its counts on both sides.

    A matched n-gram is one that the segment's references have too, counted at most as
    often as the reference that has it most; a wrong one is produced beyond that.
    """

    words: tuple[str, ...]
    matched_before: int
    matched_after: int
    wrong_before: int
    wrong_after: int
    #: How often it could have been matched: the most that a reference has, over segments.
    reference: int
    #: Counts that rose and that fell, segment by segment, of what the list is about:
    #: matches, or wrong ones.
    rose: int
    fell: int
    #: (rose - fell) / sqrt(rose + fell + 1): how one-sided the change is, in units of what
    #: chance alone would give; the lists are sorted by its size.
    weight: float
    #: The first segments, counted from 1, in which it rose or fell.
    segments: Sequence[int]
    #: How many shorter or overlapping n-grams changed in just the same places, and are
    #: left out of the list for that.
    stands_for: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramChanges:
    """n-grams that changed from the baseline to another system, in four lists."""

    baseline: str
    system: str
    #: The longest n-grams looked at, and how text was cut, folded and stemmed.
    order: int
    preparation: str
    #: Matched more often by the system than by the baseline: better.
    gained: Sequence[NgramChange]
    #: Matched less often: worse.
    lost: Sequence[NgramChange]
    #: Wrongly produced by the baseline and less often by the system: better.
    mended: Sequence[NgramChange]
    #: Wrongly produced more often by the system: worse.
    broken: Sequence[NgramChange]
