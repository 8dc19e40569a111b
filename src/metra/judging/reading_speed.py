"""Answers that came before anybody could have read the text.

A rule for people to look at, not a verdict: whoever reads faster than the limit is counted,
nobody is dropped.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from metra.human.judgement import Judgement

#: Twice as fast as quick readers of plain prose read (Brysbaert 2019: 175 to 300).
WORDS_PER_MINUTE = 600.0
#: Letters that are a word at least, for scripts without spaces.
_LETTERS = 10


@dataclass(frozen=True, slots=True)
class Speed:
    """How many answers of a judge were timed, and how many came too early to be read."""

    timed: int
    too_fast: int

    @property
    def share(self) -> float | None:
        """The share of early answers; None where nothing was timed."""
        return self.too_fast / self.timed if self.timed else None


def words_to_read(text: str) -> float:
    """Count words; where a script has no spaces, ten letters are one.

    >>> words_to_read("a b c"), words_to_read("これは空白のない日本語です。")
    (3.0, 1.4)
    """
    return max(float(len(text.split())), len(text) / _LETTERS)


def least_seconds(
    judgement: Judgement, words_per_minute: float = WORDS_PER_MINUTE
) -> float:
    """The time that reading the judged outputs takes at that speed."""
    words = sum(map(words_to_read, judgement.outputs))
    return 60 * words / words_per_minute


def is_too_fast(
    judgement: Judgement, words_per_minute: float = WORDS_PER_MINUTE
) -> bool | None:
    """Whether the active time is below what reading takes; None if it was not measured."""
    if judgement.active_ms is None:
        return None
    return judgement.active_ms / 1000 < least_seconds(judgement, words_per_minute)


def speeds(
    judgements: Iterable[Judgement], words_per_minute: float = WORDS_PER_MINUTE
) -> dict[str, Speed]:
    """Count early answers of each judge."""
    counts: dict[str, list[bool]] = {}
    for one in judgements:
        early = is_too_fast(one, words_per_minute)
        mine = counts.setdefault(one.judge, [])
        if early is not None:
            mine.append(early)
    return {judge: Speed(len(mine), sum(mine)) for judge, mine in counts.items()}
