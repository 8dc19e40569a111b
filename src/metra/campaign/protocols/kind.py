"""The interface of every kind of question, checked parts of answers, and undefined scores.

A new kind is a class here derived from `QuestionKind` (or `KeyedKind`), one script in
web/static/steps, and its texts. Stores and pages know it as soon as a protocol uses it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias

from metra.errors import OptionError
from metra.scores.table import ScoreRow

if TYPE_CHECKING:
    import numpy as np

#: A checked answer, the texts that it may point into, and what campaigns give besides.
Answer: TypeAlias = dict[str, Any]
Texts: TypeAlias = Mapping[str, str]
Material: TypeAlias = Mapping[str, Any]
Rng: TypeAlias = "np.random.Generator"


#: What an answer is scored against; it is added when an answer is checked and never goes
#: back to a judge.
KEY = "key"
_LONGEST = 200_000


@dataclass(frozen=True, slots=True)
class Anchor:
    """Meaning of a point of a scale; `{language}` is the target language's name."""

    at: float
    label: str
    text: str


class KindWords(NamedTuple):
    """English words of a question that judges read and campaigns may replace."""

    #: The points of a scale.
    anchors: tuple[Anchor, ...] = ()
    #: What choices are called, by what is recorded for them.
    names: Mapping[str, str] = {}
    brief: str = ""


@dataclass(frozen=True, slots=True)
class QuestionKind(ABC):
    """A question: how it is asked, checked, scored, described and simulated."""

    #: What scripts, stores and exports call it.
    kind: ClassVar[str]
    #: What an answer holds, for the documentation.
    answer: ClassVar[str] = ""
    #: The part of the material that must have an entry for each document.
    document_material: ClassVar[str] = ""
    #: Whether it measures how a judge reads the text.
    measures_reading: ClassVar[bool] = False
    #: Whether it can be asked about a part of the output.
    rates_portions: ClassVar[bool] = False
    #: Whether judges mark errors in the output.
    marks_errors: ClassVar[bool] = False
    #: Whether who has seen another version of the text answers otherwise.
    needs_fresh_eyes: ClassVar[bool] = False
    #: Whether judges see outputs that were judged before.
    shows_judged: ClassVar[bool] = False
    #: Whether keys are counted or recorded while judges write.
    counts_keys: ClassVar[bool] = False
    #: The entry of the key with second judges' verdicts on open answers.
    verdicts: ClassVar[str] = ""

    # What is asked

    def bind(self, material: Material, document: str, segment: int) -> Self:
        """Return the question with what it needs to know about one text."""
        return self

    def set_language(self, language: str) -> Self:
        """Return the question for outputs in a language."""
        return self

    @property
    def needs_baseline(self) -> bool:
        """True if each judge has to read a baseline text first."""
        return False

    # What judges see

    def get_words(self) -> KindWords:
        """Return the words besides the question itself, in English."""
        return KindWords()

    def get_visible_text(self, text: str) -> str:
        """Return as much of an output's text as judges may see."""
        return text

    @property
    def has_extra(self) -> bool:
        """True if a screen needs more than the texts."""
        return type(self).extra is not QuestionKind.extra

    def extra(self, output: str) -> dict[str, Any]:
        """Return what a screen needs besides the texts; never the key."""
        return {}

    # Answers

    @property
    def native_range(self) -> tuple[float, float] | None:
        """The worst and the best answer, where these are the ends of a scale of numbers."""
        return None

    @abstractmethod
    def check(self, value: Any, name: str, texts: Texts) -> Any:
        """Return the answer, tidied, or raise an error with the problem."""

    def scores(self, value: Any, name: str) -> list[ScoreRow]:
        """Return the scores of a checked answer; none where it does not rate outputs."""
        return []

    def relax_rules(self) -> Self:
        """Return the question for answers that were given elsewhere, under looser rules."""
        return self

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return an example's answer with quoted words replaced by their places."""
        return value

    def find_open_answers(
        self, value: Any, output: str
    ) -> Iterable[tuple[int, dict[str, str]]]:
        """Yield the answers that need a second judge, by number, with what to show them."""
        return ()

    def add_verdicts(self, value: Any, shares: Mapping[int, float]) -> Any:
        """Return the answer with the share of second judges who accept each open part."""
        verdicts = list(value[KEY][self.verdicts])
        for number, share in shares.items():
            verdicts[number] = share
        return {**value, KEY: value[KEY] | {self.verdicts: verdicts}}

    # Descriptions and demonstrations

    def document(self) -> str:
        """Return what an answer holds, as Markdown for the documentation."""
        return self.answer

    @property
    def can_simulate(self) -> bool:
        """True if simulated judges can answer it."""
        return type(self).simulate is not QuestionKind.simulate

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Any:
        """Draw an answer for outputs of these qualities, from 0 to 1; `text` is the first."""
        msg = f"Simulated judges cannot answer a {type(self).__name__}."
        raise TypeError(msg)


@dataclass(frozen=True, slots=True)
class KeyedKind(QuestionKind):
    """A question whose checked answers carry what they are scored against."""

    #: Whether answers come with their key, as from an export.
    keyed: bool = field(default=False, kw_only=True)

    def relax_rules(self) -> Self:
        """Return the question for answers that were exported with their key."""
        return replace(self, keyed=True)

    def find_key(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the key that an answer came with, or that of the question."""
        if not self.keyed:
            return self.build_key(texts)
        key = value.get(KEY) if isinstance(value, Mapping) else None
        if not isinstance(key, dict):
            msg = f"{name} has no {KEY}; expected an answer as metra exported it."
            raise OptionError(msg)
        return key

    @abstractmethod
    def build_key(self, texts: Texts) -> Answer:
        """Return what answers are scored against."""


def interpolate_chance(qualities: Sequence[float], low: float, high: float) -> float:
    """Return a chance between `low` and `high` that grows with the first quality."""
    return low + (high - low) * min(1.0, max(0.0, qualities[0]))


def get_table(value: object, name: str, expected: str) -> Mapping[str, Any]:
    """Return a table, or raise an error that says what should be in it."""
    if not isinstance(value, Mapping):
        msg = f"{name} is {value!r}; expected an entry {expected}."
        raise OptionError(msg)
    return value


def get_text(value: Mapping[str, Any], entry: str, name: str) -> str:
    """Return an entry with a text."""
    text = value.get(entry)
    if not isinstance(text, str) or len(text) > _LONGEST:
        msg = f"{name}: {entry} is {shorten_value(text)}; expected a text."
        raise OptionError(msg)
    return text


def get_count(value: Mapping[str, Any], entry: str, name: str) -> int:
    """Return a count or a number of milliseconds; a missing entry is 0."""
    count = value.get(entry, 0)
    if type(count) is not int or count < 0:
        msg = f"{name}: {entry} is {count!r}; expected a whole number, 0 or more."
        raise OptionError(msg)
    return count


def get_counts(
    value: Mapping[str, Any], entry: str, name: str, allowed: Iterable[str] | None
) -> dict[str, int]:
    """Return a table of counts above 0."""
    counts = get_table(value.get(entry, {}), f"{name}: {entry}", "for each count")
    allowed = set(counts) if allowed is None else set(allowed)
    for what in counts:
        if not isinstance(what, str) or what not in allowed or len(what) > 40:
            expected = ", ".join(sorted(allowed))
            msg = f"{name}: {entry} counts {what!r}; expected {expected}."
            raise OptionError(msg)
    place = f"{name}: {entry}"
    return {what: get_count(counts, what, place) for what in counts if counts[what]}


def shorten_value(value: object) -> str:
    """Return a value as messages quote it."""
    shown = repr(value)
    return shown if len(shown) < 60 else f"{shown[:57]}…"


def make_undefined(scorer: str, reason: str, higher: bool = True) -> ScoreRow:
    """Return the reason why there is no score; no number stands in for it.

    >>> make_undefined("cloze-close", "every gap has the exact word").reason
    'every gap has the exact word'
    """
    return ScoreRow(scorer, nan, nan, higher, reason)


def score_error_rate(scorer: str, value: float, worst: float = 100.0) -> ScoreRow:
    """Return the score of a cost: nothing is 100, `worst` and more are 0.

    >>> score_error_rate("hter", 25.0).hundred
    75.0
    """
    return ScoreRow(scorer, value, 100 * max(0.0, 1 - value / worst), False)
