"""Templates: slots filled from a text, against those of the reference."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from metra.campaign.protocols.answers import (
    KEY,
    fold_text,
    get_key,
    get_table,
    make_undefined,
)
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore

SLOTS = ("person", "place", "organisation", "relation")


@dataclass(frozen=True, slots=True)
class Template:
    """Values for slots, as many as the text gives."""

    kind: ClassVar[str] = "template"

    slots: tuple[str, ...] = SLOTS
    #: What was filled in from the reference: pairs of slot and value.
    expected: tuple[tuple[str, str], ...] = ()
    keyed: bool = False

    def bound(
        self, material: Mapping[str, Any], *, document: str, segment: int
    ) -> "Template":
        """Take the reference's template of a document, and its slots if none are set."""
        del segment
        filled = material.get("templates", {}).get(document, ())
        expected = tuple((slot, value) for slot, value in filled)
        return replace(self, expected=expected)

    def extra(self, output: str) -> dict[str, Any]:
        """The slots of this document; what belongs there is for the judge to say."""
        del output
        return {"slots": list(self._slots())}

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the filled slots back with the expected ones."""
        del given
        entry = get_table(value, name, "filled")
        key = (
            get_key(value, name)
            if self.keyed
            else {"expected": [list(pair) for pair in self.expected]}
        )
        known = None if self.keyed else self._slots()
        filled = entry.get("filled")
        if not isinstance(filled, list):
            msg = f"{name}: filled is {filled!r}; expected a list of slots and values."
            raise OptionError(msg)
        pairs = [
            _pair(pair, known, f"{name}, entry {at}")
            for at, pair in enumerate(filled, 1)
        ]
        return {"filled": pairs, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """F, precision and recall of the values, in per cent, as at the MUC.

        >>> key = {"expected": [["who", "Ann"], ["where", "Rome"]]}
        >>> value = {"filled": [["who", "ann"], ["who", "Bob"]], "key": key}
        >>> [one.native for one in Template().scores(value, "template")]
        [50.0, 50.0, 50.0]
        """
        filled, expected = (
            Counter((slot, fold_text(text)) for slot, text in pairs)
            for pairs in (value["filled"], value[KEY]["expected"])
        )
        correct, ours, theirs = (
            (filled & expected).total(),
            filled.total(),
            expected.total(),
        )
        nothing = "nothing was filled in"
        return [
            _share(
                name, 2 * correct, ours + theirs, "nothing was filled in or expected"
            ),
            _share(f"{name}-precision", correct, ours, nothing),
            _share(f"{name}-recall", correct, theirs, "nothing was expected"),
        ]

    def _slots(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(slot for slot, _ in self.expected)) or self.slots


def _pair(pair: object, known: tuple[str, ...] | None, place: str) -> list[str]:
    texts = isinstance(pair, list | tuple) and len(pair) == 2
    if not texts or not all(isinstance(one, str) and one.strip() for one in pair):  # type: ignore[attr-defined]
        msg = f"{place} is {pair!r}; expected a slot and a value."
        raise OptionError(msg)
    slot, value = (one.strip() for one in pair)  # type: ignore[attr-defined]
    if known is not None and slot not in known:
        msg = f"{place} fills {slot!r}; expected {', '.join(known)}."
        raise OptionError(msg)
    return [slot, value]


def _share(name: str, some: int, of: int, reason: str) -> OutputScore:
    return (
        OutputScore(name, 100 * some / of, 100 * some / of)
        if of
        else make_undefined(name, reason)
    )
