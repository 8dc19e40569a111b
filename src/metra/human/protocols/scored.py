"""What an answer is worth: its native value, and the same between 0 and 100."""

from math import nan
from typing import NamedTuple


class Scored(NamedTuple):
    """One figure about one output, or the reason why there is none."""

    scorer: str
    native: float
    #: Higher is better here, whatever the native scale says.
    hundred: float
    higher_is_better: bool = True
    #: Why there is no score, in a few words; empty where there is one.
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a score."""
        return not self.reason


def undefined(scorer: str, reason: str, *, higher_is_better: bool = True) -> Scored:
    """Say why there is no score; no number stands in for it.

    >>> undefined("cloze-close", "every gap has the exact word").defined
    False
    """
    return Scored(scorer, nan, nan, higher_is_better, reason)


def error_rate(scorer: str, native: float, *, worst: float = 100.0) -> Scored:
    """Score a cost: nothing is 100, the worst and what is beyond it are 0.

    >>> error_rate("hter", 25.0).hundred
    75.0
    """
    return Scored(scorer, native, 100 * max(0.0, 1 - native / worst), False)
