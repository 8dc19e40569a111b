"""Orders: which of several outputs is better, ties allowed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore


@dataclass(frozen=True, slots=True)
class RankOrder:
    """A rank for each output on the screen, 1 the best; equal ranks are ties."""

    kind: ClassVar[str] = "order"

    ties: bool = True

    def check(self, value: object, name: str, texts: Mapping[str, str]) -> list[int]:
        """Give dense ranks back (1, 2, 2, 3), or say what is wrong with them."""
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
        dense = {rank: at for at, rank in enumerate(sorted(set(ranks)), 1)}
        return [dense[rank] for rank in ranks]

    def scores(self, value: list[int], name: str) -> list[OutputScore]:
        """Share of the other outputs that each beats, a tie being half a win.

        >>> [scored.hundred for scored in RankOrder().scores([1, 2, 2], "rank")]
        [100.0, 25.0, 25.0]
        """
        others = max(1, len(value) - 1)
        return [
            OutputScore(
                name, float(mine), 100 * _count_wins(mine, value) / others, False
            )
            for mine in value
        ]


def _count_wins(mine: int, ranks: list[int]) -> float:
    """Wins against all, less the half win that the output has against itself."""
    beaten = sum(mine < rank for rank in ranks)
    return beaten + (ranks.count(mine) - 1) / 2
