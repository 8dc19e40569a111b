"""Answers in words: to questions about a text, in its gaps, for slots; and verdicts on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from metra.campaign.protocols.kind import (
    KEY,
    Answer,
    KeyedKind,
    KindWords,
    Material,
    QuestionKind,
    Rng,
    Texts,
    get_table,
    interpolate_chance,
    make_undefined,
    score_error_rate,
    shorten_value,
)
from metra.errors import OptionError
from metra.formats.annotations.templates import (
    Instance,
    build_entries,
    parse_entries,
    split_alternatives,
)
from metra.metrics.template_alignment import (
    RATES,
    FillerCounts,
    FillerPair,
    count_fillers,
    pair_fillers,
)
from metra.scores.table import ScoreRow
from metra.text.normalisation import fold_text, normalise_answer
from metra.text.words import Span, find_words, recognise_spacing

#: How often simulated judges guess right without a text.
_GUESSED = 0.25


class ComprehensionQuestion(NamedTuple):
    """A question, its right answers and its choices; () for free text."""

    question: str
    accepted: tuple[str, ...]
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet(KeyedKind):
    """An answer to each question; None says that the judge does not know."""

    kind: ClassVar[str] = "questions"
    needs_fresh_eyes: ClassVar[bool] = True
    answer: ClassVar[str] = (
        "A choice or a few words for each question, or null for “I do not know”."
    )
    document_material: ClassVar[str] = "questions"
    verdicts: ClassVar[str] = "verdicts"

    questions: tuple[ComprehensionQuestion, ...] = ()
    #: Whether the text is out of sight while the questions are answered.
    hidden: bool = False

    def bind(self, material: Material, document: str, segment: int) -> Self:
        """Return the questions about a document."""
        questions = (
            ComprehensionQuestion(text, tuple(accepted), tuple(choices))
            for text, accepted, choices in material.get("questions", {}).get(
                document, ()
            )
        )
        return replace(self, questions=tuple(questions))

    def extra(self, output: str) -> Answer:
        """Return the questions and choices, without the right answers."""
        questions = [
            {"question": one.question, "choices": list(one.choices)}
            for one in self.questions
        ]
        return {"questions": questions}

    def build_key(self, texts: Texts) -> Answer:
        """Return the questions with the right answers, and room for verdicts."""
        questions = [
            {
                "question": one.question,
                "accepted": list(one.accepted),
                "choices": list(one.choices),
            }
            for one in self.questions
        ]
        return {"questions": questions, "verdicts": [None] * len(questions)}

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the answers with what would have been right."""
        answers = get_table(value, name, "answers").get("answers")
        key = self.find_key(value, name, texts)
        questions = key["questions"]
        if not isinstance(answers, list) or len(answers) != len(questions):
            msg = (
                f"{name}: answers is {answers!r}; expected a list of {len(questions)}, "
                "with null where the judge does not know."
            )
            raise OptionError(msg)
        tidy = [
            _check_answer(answer, question["choices"], f"{name}, question {number}")
            for number, (answer, question) in enumerate(
                zip(answers, questions, strict=True), 1
            )
        ]
        return {"answers": tidy, KEY: key}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return the per cent of questions answered right."""
        grades = [
            1.0
            if answer is not None and _is_accepted(answer, question)
            else verdict or 0.0
            for answer, question, verdict in _iterate_answers(value)
        ]
        reason = "there are no questions about this text"
        return [_score_share(name, sum(grades), len(grades), reason)]

    def find_open_answers(
        self, value: Mapping[str, Any], output: str
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield unlisted free answers, with question and accepted answers."""
        for number, (answer, question, verdict) in enumerate(_iterate_answers(value)):
            is_open = answer is not None and verdict is None and not question["choices"]
            if is_open and not _is_accepted(answer, question):
                expected = " / ".join(question["accepted"])
                yield number, {"question": question["question"], "expected": expected}

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Draw right answers, more of them where the quality is higher."""
        right = interpolate_chance(qualities, 0.3, 0.95) if text else _GUESSED
        answers: list[str | None] = []
        for _, accepted, choices in self.questions:
            if rng.random() < right:
                answers.append(accepted[0])
            elif choices and rng.random() < 0.6:
                answers.append(choices[int(rng.integers(0, len(choices)))])
            else:
                answers.append(None)
        return {"answers": answers}


def _iterate_answers(value: Mapping[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Iterate over answers, questions, and shares of second judges who accept them."""
    key = value[KEY]
    return zip(value["answers"], key["questions"], key["verdicts"], strict=True)


def _is_accepted(answer: str, question: Mapping[str, Any]) -> bool:
    accepted = map(normalise_answer, question["accepted"])
    return normalise_answer(answer) in accepted


def _check_answer(answer: object, choices: Sequence[str], place: str) -> str | None:
    if answer is None:
        return None
    fits = isinstance(answer, str) and bool(answer.strip())
    if not fits or (choices and answer not in choices):
        expected = f"one of {', '.join(choices)}" if choices else "a text"
        msg = f"{place} is answered {answer!r}; expected {expected}, or null."
        raise OptionError(msg)
    return str(answer).strip()


@dataclass(frozen=True, slots=True)
class Template(KeyedKind):
    """Fillers for slots, as many as the text gives, against those of the reference.

    Where the reference has a flat list of fillers, so has the answer. Where it has
    instances of templates, judges fill in as many instances as the text gives.
    """

    kind: ClassVar[str] = "template"
    needs_fresh_eyes: ClassVar[bool] = True
    answer: ClassVar[str] = (
        "Values for the slots, in any number of instances of each template."
    )
    document_material: ClassVar[str] = "templates"

    slots: tuple[str, ...] = ()
    #: What was filled in from the reference.
    expected: tuple[Instance, ...] = ()

    def bind(self, material: Material, document: str, segment: int) -> Self:
        """Return the question with the reference's templates of a document."""
        entries = material.get("templates", {}).get(document, ())
        return replace(self, expected=parse_entries(entries))

    def get_words(self) -> KindWords:
        """Return the names of the slots."""
        return KindWords(names={slot: slot for slot in self.slots})

    def extra(self, output: str) -> Answer:
        """Return the slots of this document's templates, without their fillers."""
        slots = self._list_slots()
        if "" in slots:
            return {"slots": slots[""]}
        listed = [{"template": one, "slots": slots[one]} for one in slots]
        return {"templates": listed}

    def build_key(self, texts: Texts) -> Answer:
        """Return the expected fillers."""
        return {"expected": build_entries(self.expected)}

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the filled slots with the expected ones."""
        filled = get_table(value, name, "filled").get("filled")
        key = self.find_key(value, name, texts)
        slots = None if self.keyed else self._list_slots()
        if not isinstance(filled, list):
            msg = f"{name}: filled is {filled!r}; expected a list of slots and values."
            raise OptionError(msg)
        entries = [
            _check_entry(entry, slots, f"{name}, entry {number}")
            for number, entry in enumerate(filled, 1)
        ]
        return {"filled": entries, KEY: key}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return F, precision, recall and the error rates in per cent, as at the MUC.

        >>> key = {"expected": [["who", "Ann"], ["where", "Rome"]]}
        >>> value = {"filled": [["who", "ann"], ["who", "Bob"]], "key": key}
        >>> [one.value for one in Template().scores(value, "template")][:3]
        [50.0, 50.0, 50.0]
        """
        counts = count_fillers(pair_answer(value))
        return [
            _score_rate(counts, name, rate, reason) for rate, reason in _REASONS.items()
        ]

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Draw expected fillers, more of them where the quality is higher."""
        right = interpolate_chance(qualities, 0.3, 0.95)
        filled = []
        for instance in self.expected:
            slots = [
                (slot, split_alternatives(filler)[0])
                for slot, filler in instance.slots
                if rng.random() < right
            ]
            slots += [
                (slot, "something else")
                for slot, _ in instance.slots
                if rng.random() < 0.1
            ]
            if slots:
                filled.append(Instance(instance.template, tuple(slots)))
        return {"filled": build_entries(filled)}

    def _list_slots(self) -> dict[str, list[str]]:
        """Return the slots of each template; a flat list has one without a name."""
        slots: dict[str, dict[str, None]] = {}
        for instance in self.expected:
            named = slots.setdefault(instance.template, {})
            named.update(dict.fromkeys(slot for slot, _ in instance.slots))
        return {one: list(slots[one]) for one in slots} or {"": list(self.slots)}


def pair_answer(value: Mapping[str, Any]) -> list[FillerPair]:
    """Return the fillers of a checked answer, paired with the expected ones."""
    sides = value[KEY]["expected"], value["filled"]
    return pair_fillers(*map(parse_entries, sides))


def _check_entry(
    entry: object, known: Mapping[str, Sequence[str]] | None, place: str
) -> Any:
    """Return a pair of slot and filler, or an instance with such pairs."""
    if not isinstance(entry, Mapping):
        if known is not None and "" not in known:
            msg = f"{place} is {entry!r}; expected an instance of {', '.join(known)}."
            raise OptionError(msg)
        return _check_pair(entry, known[""] if known else None, place)
    template, slots = entry.get("template"), entry.get("slots")
    if not isinstance(template, str) or not isinstance(slots, list):
        msg = f"{place} is {entry!r}; expected a template and a list of slots."
        raise OptionError(msg)
    if known is not None and template not in known:
        expected = ", ".join(filter(None, known)) or "pairs of slot and value"
        msg = f"{place} is of the template {template!r}; expected {expected}."
        raise OptionError(msg)
    named = known[template] if known else None
    return {
        "template": template,
        "slots": [_check_pair(pair, named, place) for pair in slots],
    }


def _check_pair(pair: object, known: Sequence[str] | None, place: str) -> list[str]:
    if (
        not isinstance(pair, list | tuple)
        or len(pair) != 2
        or not all(isinstance(part, str) and part.strip() for part in pair)
    ):
        msg = f"{place} is {pair!r}; expected a slot and a value."
        raise OptionError(msg)
    slot, value = (part.strip() for part in pair)
    if known is not None and slot not in known:
        msg = f"{place} fills {slot!r}; expected {', '.join(known)}."
        raise OptionError(msg)
    return [slot, value]


#: The rates that answers are scored by, and why there may be none.
_REASONS = {
    "f": "nothing was filled in or expected",
    "precision": "nothing was filled in",
    "recall": "nothing was expected",
    "error": "nothing was filled in or expected",
    "undergeneration": "nothing was expected",
    "overgeneration": "nothing was filled in",
    "substitution": "no filled value matches an expected one",
}


def _score_rate(counts: FillerCounts, name: str, rate: str, reason: str) -> ScoreRow:
    part, whole = RATES[rate](counts)
    scorer = name if rate == "f" else f"{name}-{rate}"
    if rate in ("f", "precision", "recall"):
        return _score_share(scorer, part, whole, reason)
    if not whole:
        return make_undefined(scorer, reason, higher=False)
    return score_error_rate(scorer, 100 * part / whole)


def _score_share(name: str, part: float, whole: int, reason: str) -> ScoreRow:
    if not whole:
        return make_undefined(name, reason)
    return ScoreRow(name, 100 * part / whole, 100 * part / whole)


@dataclass(frozen=True, slots=True)
class Verdict(QuestionKind):
    """Yes or no to an answer, in sight of what was asked and what was expected."""

    kind: ClassVar[str] = "verdict"
    answer: ClassVar[str] = "Yes or no."

    case: tuple[tuple[str, str], ...] = ()

    def bind(self, material: Material, document: str, segment: int) -> Self:
        """Return the question with the words around a gap, or with a question."""
        cases = material.get("cases", [])
        shown = cases[segment]["shown"] if segment < len(cases) else {}
        return replace(self, case=tuple(shown.items()))

    def get_words(self) -> KindWords:
        """Return the names of both choices."""
        return KindWords(names={"right": "Close enough", "wrong": "Not close"})

    def extra(self, output: str) -> Answer:
        """Return what was asked and what was expected."""
        return dict(self.case)

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the verdict."""
        verdict = get_table(value, name, "right").get("right")
        if not isinstance(verdict, bool):
            msg = f"{name}: right is {verdict!r}; expected true or false."
            raise OptionError(msg)
        return {"right": verdict}


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
