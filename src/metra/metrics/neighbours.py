"""Judged outputs of a source sentence, and the edits that lie between them and a new one."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from metra import _core
from metra.annotations.judged import MOST, Judged
from metra.corpus import Batch, Sentence
from metra.measure import Array
from metra.text import Preparation, pack, prepare


class Known(NamedTuple):
    """What is known of a source sentence: scores by an output's words.

    `judged` are those that someone judged; references are perfect without that.
    """

    scores: dict[tuple[str, ...], float]
    judged: Collection[tuple[str, ...]]

    @property
    def perfect(self) -> list[tuple[str, ...]]:
        """The outputs with the highest score."""
        return [words for words, score in self.scores.items() if score == MOST]


class JudgedOutputs:
    """Judged outputs by source, their words prepared; equal words have their mean score."""

    def __init__(self, judged: Sequence[Judged], text: Preparation, key: str) -> None:
        self.text = text
        self._key = key
        tokens = prepare(pack([entry.output for entry in judged], "output"), text)
        scores: dict[str, dict[tuple[str, ...], list[float]]] = {}
        for at, entry in enumerate(judged):
            words = tuple(tokens[at] or ())
            given = scores.setdefault(entry.source.strip(), {})
            given.setdefault(words, []).append(entry.score)
        self._scores = {
            source: {words: sum(all_) / len(all_) for words, all_ in given.items()}
            for source, given in scores.items()
        }

    def known(self, batch: Batch | Sentence) -> list[Known]:
        """Tell what is known of each segment; references are perfect unless judged."""
        references = [ref.tokens(self.text) for ref in batch.refs]
        found = []
        for at in range(len(batch)):
            judged = self._scores.get(self._id(batch, at), {})
            given = (words[at] for words in references)
            perfect = {tuple(words): MOST for words in given if words is not None}
            found.append(Known(perfect | judged, judged.keys()))
        return found

    def _id(self, batch: Batch | Sentence, at: int) -> str:
        if self._key == "segment":
            return str(batch.place.first + at + 1)
        return ((batch.source.text[at] if batch.source else "") or "").strip()


def edits(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Array:
    """Count the fewest words to change, add or drop from the first to the second."""
    listed = list(pairs)
    if not listed:
        return np.zeros(0)
    ours = _core.Tokens([list(pair[0]) for pair in listed])
    theirs = _core.Tokens([list(pair[1]) for pair in listed])
    return _core.edit_rows(_core.Hits(ours, [theirs]), "fixed", "best")[:, :3].sum(1)
