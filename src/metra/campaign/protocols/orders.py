"""Orders: which of several outputs is better, ties allowed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from metra.campaign.protocols.kind import KindWords, QuestionKind
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore

if TYPE_CHECKING:
    import numpy as np

_NAMES = {
    "first": "Text 1 is better",
    "tie": "Equally good",
    "second": "Text 2 is better",
    "best": "best",
    "worst": "worst",
}


@dataclass(frozen=True, slots=True)
class RankOrder(QuestionKind):
    """A rank for each output on the screen, 1 the best; equal ranks are ties."""

    kind: ClassVar[str] = "order"
    answer: ClassVar[str] = (
        "A rank for each output, 1 the best; outputs may share a rank."
    )

    ties: bool = True

    def get_words(self) -> KindWords:
        """Return the names of the choices."""
        return KindWords(names=_NAMES)

    def check(self, value: object, name: str, texts: Mapping[str, str]) -> list[int]:
        """Return dense ranks (1, 2, 2, 3), or say what is wrong with them."""
        count = sum(key.isdecimal() for key in texts)
        wrong = not isinstance(value, list) or len(value) != count
        if wrong or any(type(rank) is not int or rank < 1 for rank in value):  # type: ignore[attr-defined]
            msg = (
                f"{name} is {value!r}; expected {count} ranks, one for each output, "
                "whole numbers from 1 (the best)."
            )
            raise OptionError(msg)
        ranks: list[int] = list(value)  # type: ignore[call-overload]
        if not self.ties and len(set(ranks)) < count:
            msg = f"{name} is {ranks}; expected no two outputs with the same rank."
            raise OptionError(msg)
        return _make_dense(ranks)

    def scores(self, value: list[int], name: str) -> list[OutputScore]:
        """Return the share of the other outputs that each beats; a tie is half a win.

        >>> [scored.hundred for scored in RankOrder().scores([1, 2, 2], "rank")]
        [100.0, 25.0, 25.0]
        """
        others = max(1, len(value) - 1)
        return [
            OutputScore(
                name, float(rank), 100 * _count_wins(rank, value) / others, False
            )
            for rank in value
        ]

    def keep_outputs(self, value: list[int], places: Sequence[int]) -> list[int]:
        """Return the order among some of the outputs."""
        return _make_dense([value[place] for place in places])

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> list[int]:
        """Rank by quality; what is nearly as good as the one before shares its rank."""
        del text, rng
        best_first = sorted(range(len(qualities)), key=lambda place: -qualities[place])
        ranks = [1] * len(qualities)
        for before, after in pairwise(best_first):
            gap = qualities[before] - qualities[after]
            ranks[after] = ranks[before] + (gap > 0.05)
        return ranks


def _make_dense(ranks: Sequence[int]) -> list[int]:
    dense = {rank: place for place, rank in enumerate(sorted(set(ranks)), 1)}
    return [dense[rank] for rank in ranks]


def _count_wins(own: int, ranks: list[int]) -> float:
    """Count wins, less the half win that the output has against itself."""
    beaten = sum(own < rank for rank in ranks)
    return beaten + (ranks.count(own) - 1) / 2
