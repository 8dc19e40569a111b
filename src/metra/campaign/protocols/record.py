"""What a protocol is: steps in order, what each shows and asks, and what answers are worth."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from metra.campaign.protocols.answers import KEY
from metra.campaign.protocols.chips import Chips
from metra.campaign.protocols.edit import Edit
from metra.campaign.protocols.gaps import Gaps
from metra.campaign.protocols.marks import Marks
from metra.campaign.protocols.missed import Missed
from metra.campaign.protocols.near import Near
from metra.campaign.protocols.orders import RankOrder
from metra.campaign.protocols.questions import QuestionSet
from metra.campaign.protocols.reading import Reading
from metra.campaign.protocols.scales import RatingScale
from metra.campaign.protocols.tags import Reconcile, SpanTags
from metra.campaign.protocols.template import Template
from metra.campaign.protocols.verdict import Verdict
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore

#: What may stand beside an output; the basis is the source or the reference, as one likes.
Shown: TypeAlias = Literal["basis", "context"]
Basis: TypeAlias = Literal["source", "reference"]
Value: TypeAlias = dict[str, Any]
Ask: TypeAlias = (
    RatingScale
    | Marks
    | RankOrder
    | Reading
    | Edit
    | Gaps
    | QuestionSet
    | Template
    | Chips
    | SpanTags
    | Reconcile
    | Near
    | Verdict
    | Missed
)
#: Asks that need more on the screen than the texts.
ASKS_WITH_EXTRA = (
    *(Gaps, QuestionSet, Template, Chips),
    *(Reconcile, Near, Verdict, Missed),
)
#: What takes part beside the systems so that their scores can be seen in its light:
#: questions without any text, or the original text.
Control: TypeAlias = Literal["", "no text", "original"]


@dataclass(frozen=True, slots=True)
class Step:
    """One question; what it shows stays on the screen for the steps that follow."""

    name: str
    question: str
    asks: Ask
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
    #: A guess at the seconds that an output takes, for planning.
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
    #: What people work on: the outputs, the reference that outputs are measured by, or those
    #: outputs in which names were not found.
    over: Literal["outputs", "reference", "misses"] = "outputs"
    control: Control = ""

    @property
    def contrastive(self) -> bool:
        """Whether a judge sees several systems' versions of a text at once."""
        return self.outputs != 1

    def check(self, value: object, texts: Mapping[str, str]) -> Value:
        """Give an answer back, tidied, or say in one sentence what is wrong with it.

        `texts` holds the judged text as `output` (or as `1`, `2`, … where there are
        several) and, if it was shown, the `source`: marks must lie inside.
        """
        if not isinstance(value, Mapping):
            msg = f"The answer to {self.name} is {value!r}; expected an entry for each step."
            raise OptionError(msg)
        names = self.step_names(value)
        for name in [*names, *value]:
            if name not in value or name not in names:
                what = "lacks" if name in names else "has an unknown entry"
                msg = (
                    f"The answer to {self.name} {what} {name!r}; "
                    f"expected {', '.join(names)}."
                )
                raise OptionError(msg)
        return {
            step.name: step.asks.check(value[step.name], step.name, texts)
            for step in self.steps
            if step.name in names
        }

    def step_names(self, value: Mapping[Any, Any]) -> list[str]:
        """Name the steps that an answer must have; optional ones only if it has them."""
        return [
            step.name for step in self.steps if not step.optional or step.name in value
        ]

    def relax_rules(self) -> "Protocol":
        """The same protocol for answers that were given elsewhere, under looser rules."""
        return self._with_asks(_relax_ask)

    def bound(
        self, material: Mapping[str, Any], *, document: str, segment: int
    ) -> "Protocol":
        """The same protocol with what its steps need to know about one text."""

        def bind(asks: Ask) -> Ask:
            if isinstance(
                asks, QuestionSet | Template | Reconcile | Near | Verdict | Missed
            ):
                return asks.bound(material, document=document, segment=segment)
            return asks

        return self._with_asks(bind)

    def _with_asks(self, change: Callable[[Ask], Ask]) -> "Protocol":
        steps = (replace(step, asks=change(step.asks)) for step in self.steps)
        return replace(self, steps=tuple(steps))

    def within(self, value: object, wall_ms: int) -> object:
        """Cut times that an answer tells to the server's time of the screen."""
        if not isinstance(value, Mapping):
            return value
        timed = {
            step.name: step.asks
            for step in self.steps
            if isinstance(step.asks, Reading | Edit)
        }
        return {
            name: timed[name].within(entry, wall_ms) if name in timed else entry
            for name, entry in value.items()
        }

    def scores(self, value: Value) -> list[tuple[OutputScore, ...]]:
        """What a checked answer says of each output on the screen, step by step."""
        columns = [
            step.asks.scores(value[step.name], step.name)
            for step in self.steps
            if step.name in value
        ]
        if not self.contrastive:
            return [tuple(scored for column in columns for scored in column)]
        count = max(map(len, columns))
        return [
            tuple(column[at] for column in columns if column) for at in range(count)
        ]

    def as_json(self) -> str:
        """Everything that decides what answers mean, always in the same order."""
        kinds = {step.name: step.asks.kind for step in self.steps}
        return json.dumps(
            asdict(self) | {"kinds": kinds}, sort_keys=True, ensure_ascii=False
        )

    @property
    def version(self) -> str:
        """A hash that changes with any word of it."""
        return hashlib.sha256(self.as_json().encode()).hexdigest()[:16]


def hide_key(value: Value) -> Value:
    """An answer as its judge may see it again: without what it is scored against."""
    return {
        name: {what: entry[what] for what in entry if what != KEY}
        if isinstance(entry, Mapping)
        else entry
        for name, entry in value.items()
    }


def _relax_ask(asks: Ask) -> Ask:
    if isinstance(asks, Marks):
        return asks.relax_rules()
    if isinstance(asks, RatingScale | RankOrder | SpanTags | Near | Verdict):
        return asks
    return replace(asks, keyed=True)
