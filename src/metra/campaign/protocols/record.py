"""A protocol: its steps in order, what each shows and asks, and the scores of answers."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Literal, TypeAlias

from metra.campaign.protocols.kind import KEY, Answer, Material, QuestionKind, Texts
from metra.errors import OptionError
from metra.scores.table import ScoreRow

#: What may stand beside an output; the basis is the source or the reference, as one likes.
Shown: TypeAlias = Literal["basis", "context"]
Basis: TypeAlias = Literal["source", "reference"]
#: What takes part beside the systems so that their scores can be seen in its light:
#: questions without any text, or the original text.
Control: TypeAlias = Literal["", "no text", "original"]
#: Entries of answers with times that browsers measure.
_TIMES = ("ms", "idle_ms", "hidden_ms")


@dataclass(frozen=True, slots=True)
class Step:
    """One question; what it shows stays on the screen for the steps that follow."""

    name: str
    question: str
    asks: QuestionKind
    shows: tuple[Shown, ...] = ()
    #: Whether an answer may lack it, because some campaigns leave it out.
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way of asking people, with everything that decides what their answers mean."""

    name: str
    title: str
    steps: tuple[Step, ...]
    basis: Basis
    #: How many outputs a screen holds: one, two, or (0) all that there are.
    outputs: int = 1
    #: A guess at the seconds that an output of 25 words takes (a whole text: of 250 words).
    seconds: int = 30
    #: Seconds after which a bar is full, where the protocol asks for haste.
    guidance_seconds: int | None = None
    #: Whether the segments of a document are joined and judged as one text.
    whole: bool = False
    #: How many segments of a document are joined; 0 joins all of them.
    first: int = 0
    #: Whether the source or the reference carries the sentence's number in its text.
    numbered: bool = False
    #: Whether sentences come in no order, without their neighbours.
    shuffled: bool = False
    #: What people work on: the outputs, the reference that outputs are measured by, all
    #: references, or those outputs in which names were not found.
    over: Literal["outputs", "reference", "references", "misses"] = "outputs"
    control: Control = ""

    @property
    def contrastive(self) -> bool:
        """True if a judge sees several systems' versions of a text at once."""
        return self.outputs != 1

    @property
    def marks_step(self) -> Step | None:
        """The step in which judges mark errors, if there is one."""
        return next((step for step in self.steps if step.asks.marks_errors), None)

    def name_texts(self, outputs: Sequence[str], source: str | None) -> Texts:
        """Return the texts that an answer may point into, as `check` wants them."""
        texts = {"output": outputs[0]}
        if self.contrastive:
            texts = {str(place): text for place, text in enumerate(outputs, 1)}
        return texts if source is None else {**texts, "source": source}

    def check(self, value: object, texts: Texts) -> Answer:
        """Return an answer, tidied, or raise an error with the problem in one sentence.

        `texts` holds the judged text as `output` (or as `1`, `2`, … where there are
        several) and, if it was shown, the `source`: marks must lie inside.
        """
        if not isinstance(value, Mapping):
            msg = f"The answer to {self.name} is {value!r}; expected an entry for each step."
            raise OptionError(msg)
        steps = [one for one in self.steps if not one.optional or one.name in value]
        names = [step.name for step in steps]
        for name in [*names, *value]:
            if name not in value or name not in names:
                what = "lacks" if name in names else "has an unknown entry"
                expected = ", ".join(names)
                msg = f"The answer to {self.name} {what} {name!r}; expected {expected}."
                raise OptionError(msg)
        return {
            one.name: one.asks.check(value[one.name], one.name, texts) for one in steps
        }

    def relax_rules(self) -> "Protocol":
        """Return the protocol for answers that were given elsewhere, under looser rules."""
        return self._replace_asks(lambda asks: asks.relax_rules())

    def bind(self, material: Material, document: str, segment: int) -> "Protocol":
        """Return the protocol with what its steps need to know about one text."""
        return self._replace_asks(lambda asks: asks.bind(material, document, segment))

    def _replace_asks(
        self, change: Callable[[QuestionKind], QuestionKind]
    ) -> "Protocol":
        steps = (replace(step, asks=change(step.asks)) for step in self.steps)
        return replace(self, steps=tuple(steps))

    def limit_times(self, value: object, wall_ms: int) -> object:
        """Return an answer with its times cut to the server's time of the screen."""
        if not isinstance(value, Mapping):
            return value
        limited = dict(value)
        for name, entry in value.items():
            if isinstance(entry, Mapping):
                times = [what for what in _TIMES if type(entry.get(what)) is int]
                cut = {what: min(entry[what], wall_ms) for what in times}
                limited[name] = {**entry, **cut}
        return limited

    def scores(self, value: Answer) -> list[tuple[ScoreRow, ...]]:
        """Return the scores of each output on the screen, step by step."""
        columns = [
            step.asks.scores(value[step.name], step.name)
            for step in self.steps
            if step.name in value
        ]
        if not self.contrastive:
            return [tuple(chain.from_iterable(columns))]
        return list(zip(*filter(None, columns), strict=True))

    def as_json(self) -> str:
        """Return everything that decides what answers mean, always in the same order."""
        content = asdict(self) | {
            "kinds": {one.name: one.asks.kind for one in self.steps}
        }
        return json.dumps(content, sort_keys=True, ensure_ascii=False)

    @property
    def version(self) -> str:
        """Return a hash that changes with any word of it."""
        return hashlib.sha256(self.as_json().encode()).hexdigest()[:16]


def collect_extra(steps: Iterable[Step], output: str) -> dict[str, Answer]:
    """Return what steps need on the screen besides the texts."""
    asked = {step.name: step.asks for step in steps if step.asks.has_extra}
    return {name: asks.extra(output) for name, asks in asked.items()}


def hide_key(value: Answer) -> Answer:
    """Return an answer as its judge may see it again: without its key."""
    return {
        name: {what: entry[what] for what in entry if what != KEY}
        if isinstance(entry, Mapping)
        else entry
        for name, entry in value.items()
    }
