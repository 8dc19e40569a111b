"""What a protocol is: steps in order, what each shows and asks, and what answers are worth."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from metra.errors import OptionError
from metra.human.protocols.marks import Marks
from metra.human.protocols.orders import Order
from metra.human.protocols.scales import Scale
from metra.human.protocols.scored import Scored

#: What may stand beside an output; the basis is the source or the reference, as one likes.
Shown: TypeAlias = Literal["basis", "context"]
Basis: TypeAlias = Literal["source", "reference"]
Value: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One question; what it shows stays on the screen for the steps that follow."""

    name: str
    question: str
    asks: Scale | Marks | Order
    shows: tuple[Shown, ...] = ()


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
        names = [step.name for step in self.steps]
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
        }

    def recorded(self) -> "Protocol":
        """The same protocol for answers that were given elsewhere, under looser rules."""
        steps = (
            replace(step, asks=step.asks.recorded())
            if isinstance(step.asks, Marks)
            else step
            for step in self.steps
        )
        return replace(self, steps=tuple(steps))

    def scores(self, value: Value) -> list[tuple[Scored, ...]]:
        """What a checked answer says of each output on the screen, step by step."""
        columns = [step.asks.scores(value[step.name], step.name) for step in self.steps]
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
