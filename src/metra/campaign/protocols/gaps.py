"""Gaps: words of a text that readers are to supply."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from metra.campaign.protocols.answers import (
    KEY,
    get_table,
    make_undefined,
    shorten_value,
)
from metra.campaign.protocols.kind import (
    Answer,
    KeyedKind,
    Rng,
    Texts,
    interpolate_chance,
)
from metra.errors import OptionError
from metra.scores.table import ScoreRow
from metra.text.normalisation import fold_text
from metra.text.offsets import Span
from metra.text.words import find_words, recognise_spacing

#: How many characters of the text second judges see on each side of a gap.
_AROUND = 120


@dataclass(frozen=True, slots=True)
class Gaps(KeyedKind):
    """Every n-th word is a gap; the answer has a text for each, empty if none was found."""

    kind: ClassVar[str] = "gaps"
    needs_fresh_eyes: ClassVar[bool] = True
    answer: ClassVar[str] = "A word for each gap; a gap may stay empty."
    verdicts: ClassVar[str] = "close"

    every: int = 8
    #: Which word is the first gap, counted from 1; 0 is the n-th.
    offset: int = 0

    def places(self, text: str) -> list[Span]:
        """Return the places of the gaps.

        >>> [span.start for span in Gaps(every=2).places("one two three four five")]
        [4, 14]
        """
        return find_words(text)[(self.offset or self.every) - 1 :: self.every]

    def get_visible_text(self, text: str) -> str:
        """Return nothing: the text would show what stood in the gaps."""
        return ""

    def extra(self, output: str) -> Answer:
        """Return the text around the gaps: one piece more than there are gaps."""
        pieces, start = [], 0
        for span in self.places(output):
            pieces.append(output[start : span.start])
            start = span.end
        return {"pieces": [*pieces, output[start:]]}

    def build_key(self, texts: Texts) -> Answer:
        """Return the words that stood in the gaps."""
        output = texts["output"]
        spans = self.places(output)
        return {
            "every": self.every,
            "offset": self.offset or self.every,
            "counted": recognise_spacing(output),
            "starts": [span.start for span in spans],
            "words": [output[span.start : span.end] for span in spans],
            "close": [None] * len(spans),
        }

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the answers with the words that stood there."""
        entry = get_table(value, name, "answers")
        key = self.find_key(value, name, texts)
        answers: Any = entry.get("answers")
        count = len(key["words"])
        listed = isinstance(answers, list) and all(isinstance(a, str) for a in answers)
        if not listed or len(answers) != count:
            shown = shorten_value(answers)
            msg = f"{name}: answers is {shown}; expected {count} texts in a list."
            raise OptionError(msg)
        return {"answers": [answer.strip() for answer in answers], KEY: key}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return the per cent of exact words and, of the rest, of words close in meaning.

        >>> key = {"words": ["a", "b", "c"], "close": [None, 1.0, 0.0]}
        >>> scored = Gaps().scores({"answers": ["A", "bee", "d"], "key": key}, "cloze")
        >>> [(one.scorer, round(one.value, 1)) for one in scored]
        [('cloze-exact', 33.3), ('cloze-close', 50.0)]
        """
        right = _compare_words(value)
        names = f"{name}-exact", f"{name}-close"
        if not right:
            reason = "the text is too short for a gap"
            return [make_undefined(scorer, reason) for scorer in names]
        exact = 100 * sum(right) / len(right)
        return [ScoreRow(names[0], exact, exact), _score_close(value, names[1])]

    def find_open_answers(
        self, value: Mapping[str, Any], output: str
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield inexact answers without a verdict, with the text around."""
        key = value[KEY]
        for number in find_undecided(value):
            start, word = key["starts"][number], key["words"][number]
            before, after = _cut_context(output, start, start + len(word))
            yield number, {"before": before, "after": after, "expected": word}

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Draw exact words, more of them where the quality is higher."""
        right = interpolate_chance(qualities, 0.2, 0.8)
        words = [text[span.start : span.end] for span in find_words(text)]
        answers = []
        for span in self.places(text):
            guessed = rng.random() < 0.7
            other = words[int(rng.integers(0, len(words)))] if guessed else ""
            exact = rng.random() < right
            answers.append(text[span.start : span.end] if exact else other)
        return {"answers": answers}


def _compare_words(value: Mapping[str, Any]) -> list[bool]:
    """Return whether each answer is the word that stood there, whatever its case."""
    both = zip(value["answers"], value[KEY]["words"], strict=True)
    return [fold_text(answer) == fold_text(word) for answer, word in both]


def find_undecided(value: Mapping[str, Any]) -> list[int]:
    """Return the numbers of the answers that a second judge has to call close or not."""
    exact = _compare_words(value)
    rows = zip(value["answers"], exact, value[KEY]["close"], strict=True)
    return [
        number
        for number, (answer, right, close) in enumerate(rows)
        if answer and not right and close is None
    ]


def _score_close(value: Mapping[str, Any], name: str) -> ScoreRow:
    exact = _compare_words(value)
    shares = zip(value[KEY]["close"], exact, strict=True)
    rest = [share or 0.0 for share, right in shares if not right]
    if not rest:
        return make_undefined(name, "every gap has the exact word")
    if find_undecided(value):
        return make_undefined(name, "waiting for a second judge")
    close = 100 * sum(rest) / len(rest)
    return ScoreRow(name, close, close)


def _cut_context(output: str, start: int, end: int) -> tuple[str, str]:
    """Return the text on both sides of a gap, cut between words.

    >>> _cut_context("x" * 150 + " a gap " + "y" * 150, 153, 156)
    ('… a ', ' …')
    """
    before, after = output[:start], output[end:]
    if len(before) > _AROUND:
        kept = before[-_AROUND:]
        cut = next((at for at, sign in enumerate(kept) if sign.isspace()), 0)
        before = f"…{kept[cut:]}"
    if len(after) > _AROUND:
        kept = after[:_AROUND]
        ends = (at for at in range(_AROUND, 0, -1) if kept[at - 1].isspace())
        after = f"{kept[: next(ends, _AROUND)]}…"
    return before, after
