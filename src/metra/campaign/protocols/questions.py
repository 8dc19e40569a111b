"""Questions about a text, with choices or with a line for the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from metra.campaign.protocols.answers import (
    KEY,
    get_key,
    get_table,
    make_undefined,
    strip_punctuation,
)
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore


class Question(NamedTuple):
    """What is asked, which answers are right, and what may be chosen; () for free text."""

    question: str
    accepted: tuple[str, ...]
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """An answer to each question; None says that the judge does not know."""

    kind: ClassVar[str] = "questions"

    questions: tuple[Question, ...] = ()
    #: Whether the text is out of sight while the questions are answered.
    hidden: bool = False
    keyed: bool = False

    def bound(
        self, material: Mapping[str, Any], *, document: str, segment: int
    ) -> "QuestionSet":
        """Take the questions about a document."""
        del segment
        listed = material.get("questions", {}).get(document, ())
        asked = (
            Question(text, tuple(right), tuple(among)) for text, right, among in listed
        )
        return replace(self, questions=tuple(asked))

    def extra(self, output: str) -> dict[str, Any]:
        """The questions and choices, without what is right."""
        del output
        return {
            "questions": [
                {"question": one.question, "choices": list(one.choices)}
                for one in self.questions
            ]
        }

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the answers back with what would have been right."""
        del given
        entry = get_table(value, name, "answers")
        key: dict[str, Any] = (
            get_key(value, name)
            if self.keyed
            else {
                "questions": [_plain(one) for one in self.questions],
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
            _answer(answer, question, f"{name}, question {at}")
            for at, (answer, question) in enumerate(
                zip(answers, questions, strict=True), 1
            )
        ]
        return {"answers": tidy, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Per cent of the questions answered right."""
        asked = len(value[KEY]["questions"])
        if not asked:
            return [make_undefined(name, "there are no questions about this text")]
        share = 100 * sum(grade_answers(value)) / asked
        return [OutputScore(name, share, share)]


def grade_answers(value: Mapping[str, Any]) -> list[float]:
    """How right each answer is: 1, 0, or the share of second judges who accept it."""
    key = value[KEY]
    found = []
    for answer, question, verdict in zip(
        value["answers"], key["questions"], key["verdicts"], strict=True
    ):
        listed = answer is not None and strip_punctuation(answer) in map(
            strip_punctuation, question["accepted"]
        )
        found.append(1.0 if listed else float(verdict or 0.0))
    return found


def find_unlisted(value: Mapping[str, Any]) -> list[int]:
    """Which answers in free text are not among the accepted and have no verdict yet."""
    key = value[KEY]
    return [
        at
        for at, (answer, question) in enumerate(
            zip(value["answers"], key["questions"], strict=True)
        )
        if answer is not None
        and not question["choices"]
        and key["verdicts"][at] is None
        and strip_punctuation(answer)
        not in map(strip_punctuation, question["accepted"])
    ]


def _plain(question: Question) -> dict[str, Any]:
    return {
        "question": question.question,
        "accepted": list(question.accepted),
        "choices": list(question.choices),
    }


def _answer(answer: object, question: Mapping[str, Any], place: str) -> str | None:
    if answer is None:
        return None
    choices = question["choices"]
    fits = isinstance(answer, str) and bool(answer.strip())
    if not fits or (choices and answer not in choices):
        expected = f"one of {', '.join(choices)}" if choices else "a text"
        msg = f"{place} is answered {answer!r}; expected {expected}, or null."
        raise OptionError(msg)
    return str(answer).strip()
