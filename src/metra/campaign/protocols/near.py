"""Judging beside the nearest outputs that were judged before, as EvalTrans does."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, ClassVar

from metra.campaign.protocols.answers import get_table
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.diff import compute_difference, compute_edit_distance
from metra.text.words import join_words, split_words

MOST = 10


@dataclass(frozen=True, slots=True)
class Near:
    """A whole number from 0 to 10, with the `k` nearest judged outputs of the sentence."""

    kind: ClassVar[str] = "near"

    k: int = 3
    #: Outputs of the same sentence that have a score.
    judged: tuple[tuple[str, float], ...] = ()

    def bound(
        self, material: Mapping[str, Any], *, document: str, segment: int
    ) -> "Near":
        """Take what was judged of a sentence."""
        del document
        listed = material.get("judged", {}).get(str(segment + 1), ())
        return replace(self, judged=tuple((text, score) for text, score in listed))

    def extra(self, output: str) -> dict[str, Any]:
        """The nearest outputs, how far they are and how they differ; identical ones apart."""
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
        """Up to k outputs by edits over the length of the longer, equal texts once."""
        scores: dict[tuple[str, ...], list[float]] = {}
        for text, score in self.judged:
            scores.setdefault(tuple(split_words(text)), []).append(score)
        ours = split_words(output)
        found = []
        for words, given in scores.items():
            edits = compute_edit_distance(words, ours)
            away = edits / max(len(words), len(ours), 1)
            found.append((away, join_words(words), fmean(given), edits))
        return [
            (text, score, edits) for _, text, score, edits in sorted(found)[: self.k]
        ]

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the score back."""
        del given
        score = get_table(value, name, "score").get("score")
        if type(score) is not int or not 0 <= score <= MOST:
            msg = f"{name}: the score is {score!r}; expected a whole number from 0 to {MOST}."
            raise OptionError(msg)
        return {"score": score}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """The score, and ten times as much."""
        return [OutputScore(name, float(value["score"]), 100 * value["score"] / MOST)]
