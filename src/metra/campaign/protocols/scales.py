"""Scales: a number from low to high, with words at some of its points."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a point of a scale means; `{language}` is the target language's name."""

    at: float
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class RatingScale:
    """A rating; `whole` allows whole numbers only."""

    kind: ClassVar[str] = "scale"

    low: float
    high: float
    anchors: tuple[Anchor, ...]
    whole: bool = True

    def check(self, value: object, name: str, texts: Mapping[str, str]) -> float | int:
        """Give the rating back, or say what it should have been."""
        del texts  # a rating points at no place in them
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = number and self.low <= value <= self.high  # type: ignore[operator]
        if not fits or (self.whole and value != int(value)):  # type: ignore[call-overload]
            kind = "a whole number" if self.whole else "a number"
            msg = f"{name} is {value!r}; expected {kind} from {self.low:g} to {self.high:g}."
            raise OptionError(msg)
        return int(value) if self.whole else float(value)  # type: ignore[call-overload,arg-type]

    def scores(self, value: float, name: str) -> list[OutputScore]:
        """Stretch the rating to 0–100.

        >>> RatingScale(1, 5, ()).scores(4, "adequacy")[0].hundred
        75.0
        """
        if not math.isfinite(value):
            return []
        return [
            OutputScore(
                name, float(value), 100 * (value - self.low) / (self.high - self.low)
            )
        ]
