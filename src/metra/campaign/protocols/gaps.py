"""Gaps: words of a text that readers are to supply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from metra.campaign.protocols.answers import (
    KEY,
    fold_text,
    get_key,
    get_table,
    get_texts,
    make_undefined,
)
from metra.formats.scores.judgement import OutputScore
from metra.text.offsets import Span
from metra.text.words import find_words, recognise_spacing


@dataclass(frozen=True, slots=True)
class Gaps:
    """Every n-th word is a gap; the answer has a text for each, empty if none was found."""

    kind: ClassVar[str] = "gaps"

    every: int = 8
    #: Which word is the first gap, counted from 1; 0 is the n-th.
    offset: int = 0
    #: Whether answers come with their key, as from an export.
    keyed: bool = False

    def places(self, text: str) -> list[Span]:
        """Where the gaps are.

        >>> [span.start for span in Gaps(every=2).places("one two three four five")]
        [4, 14]
        """
        return find_words(text)[(self.offset or self.every) - 1 :: self.every]

    def hide_text(self, text: str) -> str:
        """Nothing: the text would tell what stood in the gaps."""
        del text
        return ""

    def extra(self, text: str) -> dict[str, Any]:
        """What stands around the gaps: one piece more than there are gaps."""
        pieces, start = [], 0
        for span in self.places(text):
            pieces.append(text[start : span.start])
            start = span.end
        return {"pieces": [*pieces, text[start:]]}

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the answers back with the words that stood there."""
        entry = get_table(value, name, "answers")
        if self.keyed:
            key = get_key(value, name)
        else:
            output = given["output"]
            spans = self.places(output)
            key = {
                "every": self.every,
                "offset": self.offset or self.every,
                "counted": recognise_spacing(output),
                "starts": [span.start for span in spans],
                "words": [output[span.start : span.end] for span in spans],
                "close": [None] * len(spans),
            }
        answers = get_texts(entry, "answers", name, len(key["words"]))
        return {"answers": answers, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Per cent of exact words; of the rest, per cent of words close in meaning.

        >>> key = {"words": ["a", "b", "c"], "close": [None, 1.0, 0.0]}
        >>> scored = Gaps().scores({"answers": ["A", "bee", "d"], "key": key}, "cloze")
        >>> [(one.scorer, round(one.native, 1)) for one in scored]
        [('cloze-exact', 33.3), ('cloze-close', 50.0)]
        """
        gaps = len(value[KEY]["words"])
        names = f"{name}-exact", f"{name}-close"
        if not gaps:
            return [
                make_undefined(one, "the text is too short for a gap") for one in names
            ]
        exact = 100 * sum(is_exact(value)) / gaps
        return [OutputScore(names[0], exact, exact), _score_close(value, names[1])]


def is_exact(value: Mapping[str, Any]) -> list[bool]:
    """Whether each answer is the word that stood there, whatever its letter case."""
    both = zip(value["answers"], value[KEY]["words"], strict=True)
    return [fold_text(answer) == fold_text(word) for answer, word in both]


def find_undecided(value: Mapping[str, Any]) -> list[int]:
    """Which answers somebody else has to call close or not."""
    both = zip(value["answers"], is_exact(value), value[KEY]["close"], strict=True)
    return [
        at
        for at, (answer, exact, close) in enumerate(both)
        if answer and not exact and close is None
    ]


def _score_close(value: Mapping[str, Any], name: str) -> OutputScore:
    exact = is_exact(value)
    rest = len(exact) - sum(exact)
    waiting = len(find_undecided(value))
    if not rest:
        return make_undefined(name, "every gap has the exact word")
    if waiting:
        return make_undefined(name, f"{waiting} answers wait for a second judge")
    shares = zip(value[KEY]["close"], exact, strict=True)
    close = 100 * sum(share or 0.0 for share, right in shares if not right) / rest
    return OutputScore(name, close, close)
