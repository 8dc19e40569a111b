"""Templates: slots filled from a text, against those of the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from metra.campaign.protocols.answers import KEY, get_key, get_table, make_undefined
from metra.campaign.protocols.kind import KeyedKind, KindWords, interpolate_chance
from metra.errors import OptionError
from metra.formats.annotations.templates import count_slots
from metra.formats.scores.judgement import OutputScore

if TYPE_CHECKING:
    import numpy as np

SLOTS = ("person", "place", "organisation", "relation")


@dataclass(frozen=True, slots=True)
class Template(KeyedKind):
    """Values for slots, as many as the text gives."""

    kind: ClassVar[str] = "template"
    answer: ClassVar[str] = "Values for the slots, as many as the text gives."
    document_material: ClassVar[str] = "templates"

    slots: tuple[str, ...] = SLOTS
    #: What was filled in from the reference: pairs of slot and value.
    expected: tuple[tuple[str, str], ...] = ()

    def bind(
        self, material: Mapping[str, Any], document: str, segment: int
    ) -> "Template":
        """Return the question with the reference's template of a document."""
        del segment
        filled = material.get("templates", {}).get(document, ())
        expected = tuple((slot, value) for slot, value in filled)
        return replace(self, expected=expected)

    def get_words(self) -> KindWords:
        """Return the names of the slots."""
        return KindWords(names={slot: slot for slot in self.slots})

    def extra(self, output: str) -> dict[str, Any]:
        """Return the slots of this document, without their values."""
        del output
        return {"slots": list(self._list_slots())}

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the filled slots with the expected ones."""
        del texts
        entry = get_table(value, name, "filled")
        key = (
            get_key(value, name)
            if self.keyed
            else {"expected": [list(pair) for pair in self.expected]}
        )
        known = None if self.keyed else self._list_slots()
        filled = entry.get("filled")
        if not isinstance(filled, list):
            msg = f"{name}: filled is {filled!r}; expected a list of slots and values."
            raise OptionError(msg)
        pairs = [
            _check_pair(pair, known, f"{name}, entry {number}")
            for number, pair in enumerate(filled, 1)
        ]
        return {"filled": pairs, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Return F, precision and recall of the values in per cent, as at the MUC.

        >>> key = {"expected": [["who", "Ann"], ["where", "Rome"]]}
        >>> value = {"filled": [["who", "ann"], ["who", "Bob"]], "key": key}
        >>> [one.native for one in Template().scores(value, "template")]
        [50.0, 50.0, 50.0]
        """
        filled, expected = (
            count_slots(pairs) for pairs in (value["filled"], value[KEY]["expected"])
        )
        correct, ours, theirs = (
            (filled & expected).total(),
            filled.total(),
            expected.total(),
        )
        nothing = "nothing was filled in"
        return [
            _score_share(
                name, 2 * correct, ours + theirs, "nothing was filled in or expected"
            ),
            _score_share(f"{name}-precision", correct, ours, nothing),
            _score_share(f"{name}-recall", correct, theirs, "nothing was expected"),
        ]

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
        """Draw expected values, more of them where the quality is higher."""
        del text
        right = interpolate_chance(qualities, 0.3, 0.95)
        filled = [list(pair) for pair in self.expected if rng.random() < right]
        wrong = [
            [slot, "something else"] for slot, _ in self.expected if rng.random() < 0.1
        ]
        return {"filled": filled + wrong}

    def _list_slots(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(slot for slot, _ in self.expected)) or self.slots


def _check_pair(pair: object, known: tuple[str, ...] | None, place: str) -> list[str]:
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


def _score_share(name: str, part: int, whole: int, reason: str) -> OutputScore:
    if not whole:
        return make_undefined(name, reason)
    return OutputScore(name, 100 * part / whole, 100 * part / whole)
