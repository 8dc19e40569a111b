"""Scales: a number from low to high, with words at some of its points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from metra.campaign.protocols.kind import Anchor, KindWords, QuestionKind
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class RatingScale(QuestionKind):
    """A rating; `whole` allows whole numbers only."""

    kind: ClassVar[str] = "scale"

    low: float
    high: float
    anchors: tuple[Anchor, ...]
    whole: bool = True

    def get_words(self) -> KindWords:
        """Return the labels of the points."""
        return KindWords(anchors=self.anchors)

    def check(self, value: object, name: str, texts: Mapping[str, str]) -> float | int:
        """Return the rating, or raise an error that says what it should have been."""
        del texts  # a rating points at no place in them
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = number and self.low <= value <= self.high  # type: ignore[operator]
        if not fits or (self.whole and value != int(value)):  # type: ignore[call-overload]
            kind = "a whole number" if self.whole else "a number"
            msg = f"{name} is {value!r}; expected {kind} from {self.low:g} to {self.high:g}."
            raise OptionError(msg)
        return int(value) if self.whole else float(value)  # type: ignore[call-overload,arg-type]

    def scores(self, value: float, name: str) -> list[OutputScore]:
        """Return the rating, stretched to 0–100.

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

    def describe(self) -> list[str]:
        """Return a table of the points and their meanings."""
        rows = [f"| {one.at:g} | {one.label}: {one.text} |" for one in self.anchors]
        return ["", "| value | meaning |", "| --: | :-- |", *rows]

    def document(self) -> str:
        """Return a table of the points, the highest first."""
        rows = [
            f"| {round(anchor.at, 1):g} | {anchor.label} "
            f"| {anchor.text.replace('{language}', 'language')} |"
            for anchor in sorted(self.anchors, key=lambda anchor: -anchor.at)
        ]
        return "\n".join(["| at | label | meaning |", "| --: | :-- | :-- |", *rows])

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> float:
        """Draw a rating in proportion to the quality."""
        del text
        quality = min(1.0, max(0.0, qualities[0] + float(rng.normal(0, 0.02))))
        return float(round(self.low + quality * (self.high - self.low)))
