"""Questions about a text, with choices or with a line for the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from metra.campaign.protocols.answers import (
    KEY,
    fill_verdicts,
    get_key,
    get_table,
    make_undefined,
    strip_punctuation,
)
from metra.campaign.protocols.kind import KeyedKind, interpolate_chance
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore

if TYPE_CHECKING:
    import numpy as np

#: How often simulated judges guess right without a text.
_GUESSED = 0.25


class Question(NamedTuple):
    """What is asked, which answers are right, and what may be chosen; () for free text."""

    question: str
    accepted: tuple[str, ...]
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet(KeyedKind):
    """An answer to each question; None says that the judge does not know."""

    kind: ClassVar[str] = "questions"
    answer: ClassVar[str] = (
        "A choice or a few words for each question, or that one does not know."
    )
    document_material: ClassVar[str] = "questions"

    questions: tuple[Question, ...] = ()
    #: Whether the text is out of sight while the questions are answered.
    hidden: bool = False

    def bind(
        self, material: Mapping[str, Any], document: str, segment: int
    ) -> "QuestionSet":
        """Return the questions about a document."""
        del segment
        listed = material.get("questions", {}).get(document, ())
        questions = (
            Question(text, tuple(accepted), tuple(choices))
            for text, accepted, choices in listed
        )
        return replace(self, questions=tuple(questions))

    def extra(self, output: str) -> dict[str, Any]:
        """Return the questions and choices, without what is right."""
        del output
        return {
            "questions": [
                {"question": one.question, "choices": list(one.choices)}
                for one in self.questions
            ]
        }

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the answers with what would have been right."""
        del texts
        entry = get_table(value, name, "answers")
        key: dict[str, Any] = (
            get_key(value, name)
            if self.keyed
            else {
                "questions": [_describe_key(one) for one in self.questions],
                "verdicts": [None] * len(self.questions),
            }
        )
        questions, answers = key["questions"], entry.get("answers")
        if not isinstance(answers, list) or len(answers) != len(questions):
            msg = (
                f"{name}: answers is {answers!r}; expected a list of {len(questions)}, "
                "with null where the judge does not know."
            )
            raise OptionError(msg)
        tidy = [
            _check_answer(answer, question, f"{name}, question {number}")
            for number, (answer, question) in enumerate(
                zip(answers, questions, strict=True), 1
            )
        ]
        return {"answers": tidy, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Return the per cent of questions answered right."""
        asked = len(value[KEY]["questions"])
        if not asked:
            return [make_undefined(name, "there are no questions about this text")]
        share = 100 * sum(grade_answers(value)) / asked
        return [OutputScore(name, share, share)]

    def find_open_answers(
        self, value: Mapping[str, Any], output: str
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield free answers that are not listed, with question and accepted answers."""
        del output
        for number in find_unlisted(value):
            question = value[KEY]["questions"][number]
            expected = " / ".join(question["accepted"])
            yield number, {"question": question["question"], "expected": expected}

    def add_verdicts(
        self, value: dict[str, Any], shares: Mapping[int, float]
    ) -> dict[str, Any]:
        """Return the answers with the share of second judges who accept each."""
        return fill_verdicts(value, "verdicts", shares)

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
        """Draw right answers, more of them where the quality is higher."""
        right = interpolate_chance(qualities, 0.3, 0.95) if text else _GUESSED

        def answer(question: Question) -> str | None:
            if rng.random() < right:
                return question.accepted[0]
            if question.choices and rng.random() < 0.6:
                return question.choices[int(rng.integers(0, len(question.choices)))]
            return None

        return {"answers": [answer(question) for question in self.questions]}


def grade_answers(value: Mapping[str, Any]) -> list[float]:
    """Return how right each answer is: 1, 0, or the share of second judges for it."""
    key = value[KEY]
    grades = []
    for answer, question, verdict in zip(
        value["answers"], key["questions"], key["verdicts"], strict=True
    ):
        listed = answer is not None and _is_accepted(answer, question)
        grades.append(1.0 if listed else float(verdict or 0.0))
    return grades


def find_unlisted(value: Mapping[str, Any]) -> list[int]:
    """Return the numbers of free answers that are not listed and have no verdict yet."""
    key = value[KEY]
    return [
        number
        for number, (answer, question) in enumerate(
            zip(value["answers"], key["questions"], strict=True)
        )
        if answer is not None
        and not question["choices"]
        and key["verdicts"][number] is None
        and not _is_accepted(answer, question)
    ]


def _is_accepted(answer: str, question: Mapping[str, Any]) -> bool:
    accepted = map(strip_punctuation, question["accepted"])
    return strip_punctuation(answer) in accepted


def _describe_key(question: Question) -> dict[str, Any]:
    return {
        "question": question.question,
        "accepted": list(question.accepted),
        "choices": list(question.choices),
    }


def _check_answer(
    answer: object, question: Mapping[str, Any], place: str
) -> str | None:
    if answer is None:
        return None
    choices = question["choices"]
    fits = isinstance(answer, str) and bool(answer.strip())
    if not fits or (choices and answer not in choices):
        expected = f"one of {', '.join(choices)}" if choices else "a text"
        msg = f"{place} is answered {answer!r}; expected {expected}, or null."
        raise OptionError(msg)
    return str(answer).strip()
