"""Ratings: a point of a scale, a score beside judged outputs, ranks and choices of outputs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import Any, ClassVar, Self

from metra.campaign.protocols.kind import (
    Anchor,
    Answer,
    KindWords,
    Material,
    QuestionKind,
    Rng,
    Texts,
    get_table,
)
from metra.errors import OptionError
from metra.scores.table import ScoreRow
from metra.text.diff import compute_difference, count_edits
from metra.text.words import join_words, split_words


@dataclass(frozen=True, slots=True)
class RatingScale(QuestionKind):
    """A number from low to high; `whole` allows whole numbers only."""

    kind: ClassVar[str] = "scale"
    rates_portions: ClassVar[bool] = True

    low: float
    high: float
    anchors: tuple[Anchor, ...]
    whole: bool = True

    @property
    def native_range(self) -> tuple[float, float]:
        """The ends of the scale."""
        return float(self.low), float(self.high)

    def get_words(self) -> KindWords:
        """Return the labels of the points."""
        return KindWords(anchors=self.anchors)

    def check(self, value: Any, name: str, texts: Texts) -> float | int:
        """Return the rating, or raise an error that says what it should have been."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = number and self.low <= value <= self.high
        if not fits or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            msg = f"{name} is {value!r}; expected {kind} from {self.low:g} to {self.high:g}."
            raise OptionError(msg)
        return int(value) if self.whole else float(value)

    def scores(self, value: float, name: str) -> list[ScoreRow]:
        """Return the rating, stretched to 0–100.

        >>> RatingScale(1, 5, ()).scores(4, "adequacy")[0].hundred
        75.0
        """
        if not math.isfinite(value):
            return []
        hundred = 100 * (value - self.low) / (self.high - self.low)
        return [ScoreRow(name, float(value), hundred)]

    def document(self) -> str:
        """Return a table of the points, the highest first."""
        rows = [
            f"| {round(anchor.at, 1):g} | {anchor.label} "
            f"| {anchor.text.replace('{language}', 'language')} |"
            for anchor in sorted(self.anchors, key=lambda anchor: -anchor.at)
        ]
        return "\n".join(["| at | label | meaning |", "| --: | :-- | :-- |", *rows])

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> float:
        """Draw a rating in proportion to the quality."""
        quality = min(1.0, max(0.0, qualities[0] + float(rng.normal(0, 0.02))))
        return float(round(self.low + quality * (self.high - self.low)))


_MOST = 10


@dataclass(frozen=True, slots=True)
class Near(QuestionKind):
    """A whole number from 0 to 10, with the `k` nearest judged outputs of the sentence."""

    kind: ClassVar[str] = "near"
    answer: ClassVar[str] = "A whole number from 0 to 10."
    shows_judged: ClassVar[bool] = True

    k: int = 3
    #: Outputs of the same sentence that have a score.
    judged: tuple[tuple[str, float], ...] = ()

    @property
    def native_range(self) -> tuple[float, float]:
        """From nonsense to perfect."""
        return 0.0, float(_MOST)

    def bind(self, material: Material, document: str, segment: int) -> Self:
        """Return the question with the judged outputs of a sentence."""
        listed = material.get("judged", {}).get(str(segment + 1), ())
        return replace(self, judged=tuple((text, score) for text, score in listed))

    def get_words(self) -> KindWords:
        """Return the names of both ends."""
        return KindWords(names={"0": "nonsense", f"{_MOST}": "perfect"})

    def extra(self, output: str) -> Answer:
        """Return the nearest outputs with distance and difference; identical ones apart."""
        ours = split_words(output)
        scores: dict[tuple[str, ...], list[float]] = {}
        for text, score in self.judged:
            scores.setdefault(tuple(split_words(text)), []).append(score)
        ranked = []
        counts = map(int, count_edits((words, ours) for words in scores))
        for (words, given), edits in zip(scores.items(), counts, strict=True):
            distance = edits / max(len(words), len(ours), 1)
            ranked.append((distance, join_words(words), fmean(given), edits))
        nearest = sorted(ranked)[: self.k]
        same = [score for _, _, score, edits in nearest if not edits]
        near = []
        for _, text, score, edits in nearest:
            pieces = map(list, compute_difference(split_words(text), ours))
            entry = {"text": text, "score": score, "edits": edits}
            near.append(entry | {"difference": list(pieces)})
        return {"identical": fmean(same) if same else None, "near": near}

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the score."""
        score = get_table(value, name, "score").get("score")
        if type(score) is not int or not 0 <= score <= _MOST:
            msg = f"{name}: the score is {score!r}; expected a whole number from 0 to {_MOST}."
            raise OptionError(msg)
        return {"score": score}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return the score, and ten times as much."""
        return [ScoreRow(name, float(value["score"]), 100 * value["score"] / _MOST)]

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Draw a score in proportion to the quality."""
        quality = qualities[0] + float(rng.normal(0, 0.03))
        return {"score": min(_MOST, max(0, round(_MOST * quality)))}


_RANK_NAMES = {
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
        return KindWords(names=_RANK_NAMES)

    def check(self, value: Any, name: str, texts: Texts) -> list[int]:
        """Return dense ranks (1, 2, 2, 3), or raise an error with the problem."""
        count = sum(key.isdecimal() for key in texts)
        wrong = not isinstance(value, list) or len(value) != count
        if wrong or any(type(rank) is not int or rank < 1 for rank in value):
            msg = (
                f"{name} is {value!r}; expected {count} ranks, one for each output, "
                "whole numbers from 1 (the best)."
            )
            raise OptionError(msg)
        if not self.ties and len(set(value)) < count:
            msg = f"{name} is {value}; expected a different rank for each output."
            raise OptionError(msg)
        places = {rank: place for place, rank in enumerate(sorted(set(value)), 1)}
        return [places[rank] for rank in value]

    def scores(self, value: list[int], name: str) -> list[ScoreRow]:
        """Return the share of the other outputs that each beats; a tie is half a win.

        >>> [scored.hundred for scored in RankOrder().scores([1, 2, 2], "rank")]
        [100.0, 25.0, 25.0]
        """
        others = max(1, len(value) - 1)
        scores = []
        for own in value:
            # Less the half win that the output has against itself.
            wins = sum(own < rank for rank in value) + (value.count(own) - 1) / 2
            scores.append(ScoreRow(name, float(own), 100 * wins / others, False))
        return scores

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> list[int]:
        """Rank by quality; outputs of nearly the same quality share a rank."""
        best_first = sorted(range(len(qualities)), key=lambda place: -qualities[place])
        ranks = [1] * len(qualities)
        for before, after in pairwise(best_first):
            gap = qualities[before] - qualities[after]
            ranks[after] = ranks[before] + (gap > 0.05)
        return ranks


@dataclass(frozen=True, slots=True)
class Choice(QuestionKind):
    """The best of the outputs on the screen, by its number from 1."""

    kind: ClassVar[str] = "choice"
    answer: ClassVar[str] = "The number of the chosen text."

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the choice, and among how many."""
        chosen = get_table(value, name, "chosen").get("chosen")
        count = sum(key.isdecimal() for key in texts)
        if type(chosen) is not int or not 1 <= chosen <= count:
            msg = f"{name}: chosen is {chosen!r}; expected a number from 1 to {count}."
            raise OptionError(msg)
        return {"chosen": chosen, "of": count}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return 1 for the chosen output and 0 for the others; means are shares of choices.

        >>> [one.hundred for one in Choice().scores({"chosen": 2, "of": 3}, "gold")]
        [0.0, 100.0, 0.0]
        """
        hits = (
            float(number == value["chosen"]) for number in range(1, value["of"] + 1)
        )
        return [ScoreRow(name, hit, 100 * hit) for hit in hits]

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Choose the output of the highest quality."""
        return {"chosen": 1 + max(range(len(qualities)), key=qualities.__getitem__)}
