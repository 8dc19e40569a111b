"""Made-up answers to the workbook's measures, better where a text is better."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from metra.human.protocols.chips import Chips
from metra.human.protocols.edit import Edit
from metra.human.protocols.gaps import Gaps
from metra.human.protocols.missed import Missed
from metra.human.protocols.near import MOST, Near
from metra.human.protocols.questions import Question, Questions
from metra.human.protocols.reading import MINUTE, Reading
from metra.human.protocols.tags import Tags
from metra.human.protocols.template import Template
from metra.human.words import words

_GUESSED = 0.25


def _chance(seen: Sequence[float], low: float, high: float) -> float:
    """A chance that grows with the quality that is seen."""
    return low + (high - low) * min(1.0, max(0.0, seen[0]))


def _gaps(
    asks: Gaps, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    right = _chance(seen, 0.2, 0.8)
    every = [text[span.start : span.end] for span in words(text)]
    answers = []
    for span in asks.places(text):
        other = every[int(rng.integers(0, len(every)))] if rng.random() < 0.7 else ""
        answers.append(text[span.start : span.end] if rng.random() < right else other)
    return {"answers": answers}


def _reading(
    _: Reading, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    speed = _chance(seen, 90, 240) * float(rng.lognormal(0, 0.1))
    interrupted = int(rng.random() < 0.1)
    return {"ms": 1 + round(len(words(text)) * MINUTE / speed), "pauses": interrupted}


def _edit(
    _: Edit, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    kept = [
        " ".join(
            word for word in line.split(" ") if rng.random() < _chance(seen, 0.8, 1)
        )
        for line in text.split("\n")
    ]
    changed = sum(
        len(before.split(" ")) - len(after.split(" "))
        for before, after in zip(text.split("\n"), kept, strict=True)
    )
    count = len(words(text))
    return {
        "text": "\n".join(kept),
        "ms": 1 + round(count * 0.05 * MINUTE / _chance(seen, 0.5, 2)),
        "keys": {"letter": 4 * changed, "backspace": 5 * changed, "navigation": count},
        "inputs": {"insertText": 4 * changed, "deleteContentBackward": 5 * changed},
    }


def _questions(
    asks: Questions, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    right = _chance(seen, 0.3, 0.95) if text else _GUESSED

    def answer(question: Question) -> str | None:
        if rng.random() < right:
            return question.accepted[0]
        if question.choices and rng.random() < 0.6:
            return question.choices[int(rng.integers(0, len(question.choices)))]
        return None

    return {"answers": [answer(question) for question in asks.questions]}


def _template(
    asks: Template, seen: list[float], _: str, rng: np.random.Generator
) -> dict[str, Any]:
    right = _chance(seen, 0.3, 0.95)
    found = [list(pair) for pair in asks.expected if rng.random() < right]
    wrong = [
        [slot, "something else"] for slot, _ in asks.expected if rng.random() < 0.1
    ]
    return {"filled": found + wrong}


def _chips(
    asks: Chips, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    keep = _chance(seen, 0.8, 1)
    chips = [
        {"origin": at, "text": token, "change": "none"}
        for at, token in enumerate(asks.extra(text)["tokens"])
        if rng.random() < keep
    ]
    if len(chips) > 2 and rng.random() > keep:
        chips[0], chips[1] = chips[1], chips[0]
    return {"chips": chips}


def _tags(
    asks: Tags, _: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    """Capitals inside the sentence are names; long words are terms."""
    found = []
    for span in words(text)[1:]:
        word = text[span.start : span.end]
        wanted = word[0].isupper() if asks.types else len(word) > 7
        if wanted and rng.random() < 0.85:
            kind = {"type": asks.types[0]} if asks.types else {}
            found.append({"start": span.start, "end": span.end, **kind})
    return {"tags": found}


def _near(
    _: Near, seen: list[float], __: str, rng: np.random.Generator
) -> dict[str, Any]:
    quality = seen[0] + float(rng.normal(0, 0.03))
    return {"score": min(MOST, max(0, round(MOST * quality)))}


def _missed(
    asks: Missed, _: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    """Now and then some word is the name in another form."""
    spans = words(text)

    def place() -> dict[str, int] | None:
        if not spans or rng.random() < 0.7:
            return None
        span = spans[int(rng.integers(0, len(spans)))]
        return {"start": span.start, "end": span.end}

    return {"found": [place() for _ in asks.names]}


ANSWERS: dict[type, Callable[..., Any]] = {
    Gaps: _gaps,
    Reading: _reading,
    Edit: _edit,
    Questions: _questions,
    Template: _template,
    Chips: _chips,
    Tags: _tags,
    Near: _near,
    Missed: _missed,
}
