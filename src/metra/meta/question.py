"""A question about scores: the answer for a selection of rows, and its layout.

`metra meta`, the results page of a campaign, exports of figures, the report and the exercise
ask the same questions, so the same rows give the same figures everywhere.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from metra.errors import CorpusError, OptionError
from metra.meta.findings import MetaReport
from metra.meta.questions import QUESTIONS
from metra.scores.selection import Selection
from metra.scores.table import Scores

Options = TypeVar("Options")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Question(Generic[Options, Answer]):
    """A question that is asked of one scorer, or of all answers."""

    name: str
    #: Heading on a page, with a place for the scorer.
    title: str
    #: Return the answer for the rows that a selection of a table of scores leaves.
    ask: Callable[[Scores, Selection, str, Options], Answer]
    #: Lay out an answer as tables, notes and a signature.
    lay_out: Callable[[Answer, Options], MetaReport]
    #: Return the selection that the question uses, if it counts other rows than figures
    #: about systems do.
    widen: Callable[[Selection], Selection] = lambda selection: selection


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answer for one scorer, laid out, or the reason for having none."""

    question: Question[Any, Any]
    scorer: str
    answer: Any = None
    report: MetaReport | None = None
    problem: str = ""


def answer_question(
    name: str,
    scores: Scores,
    selection: Selection,
    scorer: str = "",
    options: Any = None,
) -> AnsweredQuestion:
    """Ask a question and lay out the answer, which names the rows that count."""
    question = find_question(name)
    chosen = QUESTIONS[name].options() if options is None else options
    check_choices(chosen)
    try:
        answer = question.ask(scores, selection, scorer, chosen)
    except CorpusError as reason:
        return AnsweredQuestion(question, scorer, problem=str(reason))
    words = question.widen(selection).describe(scores, scorer)
    report = replace(question.lay_out(answer, chosen), selection=words)
    return AnsweredQuestion(question, scorer, answer, report)


def answer_all(
    scores: Scores,
    selection: Selection,
    options: Mapping[str, Any] | None = None,
    names: Sequence[str] = tuple(QUESTIONS),
) -> list[AnsweredQuestion]:
    """Ask every question of each scorer of people, in the order of a results page."""
    selected = selection.select(scores)
    scorers = [scorer.name for scorer in selected.scorers if scorer.human]
    return [
        answer_question(name, scores, selection, scorer, (options or {}).get(name))
        for name in names
        for scorer in (scorers if QUESTIONS[name].of_scorer else [""])
    ]


def check_choices(options: Any) -> None:
    """Refuse a value that is not among the choices of its option."""
    for name, hint in get_type_hints(type(options)).items():
        value = getattr(options, name)
        kinds = hint, *get_args(hint)
        choices = [
            each
            for kind in kinds
            if get_origin(kind) is Literal
            for each in get_args(kind)
        ]
        if choices and value not in choices and value is not None:
            expected = ", ".join(choices)
            msg = f"{name}={value!r} is not possible; expected one of {expected}."
            raise OptionError(msg)


def find_question(name: str) -> Question[Any, Any]:
    """Load a question by its name."""
    question: Question[Any, Any] = import_module(f"metra.meta.{name}").QUESTION
    return question
