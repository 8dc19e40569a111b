"""Judging beside the nearest outputs that were judged before, as EvalTrans does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

from metra.campaign.protocols.answers import get_table
from metra.campaign.protocols.kind import KindWords, QuestionKind
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.diff import compute_difference, compute_edit_distance
from metra.text.words import join_words, split_words

if TYPE_CHECKING:
    import numpy as np

MOST = 10


@dataclass(frozen=True, slots=True)
class Near(QuestionKind):
    """A whole number from 0 to 10, with the `k` nearest judged outputs of the sentence."""

    kind: ClassVar[str] = "near"
    answer: ClassVar[str] = "A whole number from 0 to 10."
    shows_judged: ClassVar[bool] = True

    k: int = 3
    #: Outputs of the same sentence that have a score.
    judged: tuple[tuple[str, float], ...] = ()

    def bind(self, material: Mapping[str, Any], document: str, segment: int) -> "Near":
        """Return the question with the judged outputs of a sentence."""
        del document
        listed = material.get("judged", {}).get(str(segment + 1), ())
        return replace(self, judged=tuple((text, score) for text, score in listed))

    def get_words(self) -> KindWords:
        """Return the names of both ends."""
        return KindWords(names={"0": "nonsense", f"{MOST}": "perfect"})

    def extra(self, output: str) -> dict[str, Any]:
        """Return the nearest outputs with distance and difference; identical ones apart."""
        near = self.nearest(output)
        same = [score for text, score, edits in near if not edits]
        return {
            "identical": fmean(same) if same else None,
            "near": [
                {
                    "text": text,
                    "score": score,
                    "edits": edits,
                    "difference": [
                        list(piece)
                        for piece in compute_difference(
                            split_words(text), split_words(output)
                        )
                    ],
                }
                for text, score, edits in near
            ],
        }

    def nearest(self, output: str) -> list[tuple[str, float, int]]:
        """Return up to k outputs by edits over the longer length, equal texts once."""
        scores: dict[tuple[str, ...], list[float]] = {}
        for text, score in self.judged:
            scores.setdefault(tuple(split_words(text)), []).append(score)
        ours = split_words(output)
        ranked = []
        for words, given in scores.items():
            edits = compute_edit_distance(words, ours)
            distance = edits / max(len(words), len(ours), 1)
            ranked.append((distance, join_words(words), fmean(given), edits))
        nearest = sorted(ranked)[: self.k]
        return [(text, score, edits) for _, text, score, edits in nearest]

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the score."""
        del texts
        score = get_table(value, name, "score").get("score")
        if type(score) is not int or not 0 <= score <= MOST:
            msg = f"{name}: the score is {score!r}; expected a whole number from 0 to {MOST}."
            raise OptionError(msg)
        return {"score": score}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Return the score, and ten times as much."""
        return [OutputScore(name, float(value["score"]), 100 * value["score"] / MOST)]

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
        """Draw a score in proportion to the quality."""
        del text
        quality = qualities[0] + float(rng.normal(0, 0.03))
        return {"score": min(MOST, max(0, round(MOST * quality)))}
