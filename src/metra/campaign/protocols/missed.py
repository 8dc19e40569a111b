"""Names that were looked for and not found: whether they are there in another form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from metra.campaign.protocols.answers import KEY, get_key, get_table
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore


@dataclass(frozen=True, slots=True)
class Missed:
    """For each name the words of the output that stand for it, or that there are none."""

    kind: ClassVar[str] = "missed"

    #: The names that were not found: type and text.
    names: tuple[tuple[str, str], ...] = ()
    #: The segment of the corpus that they belong to, counted from 1.
    segment: int = 0
    keyed: bool = False

    def bound(
        self, material: Mapping[str, Any], *, document: str, segment: int
    ) -> "Missed":
        """Take the names that one output lacks."""
        del document
        cases = material.get("cases", [])
        if segment >= len(cases):
            return self
        names = tuple((kind, text) for kind, text in cases[segment]["missed"])
        return replace(self, names=names, segment=cases[segment]["segment"])

    def extra(self, output: str) -> dict[str, Any]:
        """The names."""
        del output
        return {"names": [{"type": kind, "text": text} for kind, text in self.names]}

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the places back, with what was looked for."""
        key: dict[str, Any] = (
            get_key(value, name)
            if self.keyed
            else {"names": [list(one) for one in self.names], "segment": self.segment}
        )
        listed = get_table(value, name, "found").get("found")
        count = len(key["names"])
        if not isinstance(listed, list) or len(listed) != count:
            msg = (
                f"{name}: found is {listed!r}; expected {count} places, null where a name "
                "is not there."
            )
            raise OptionError(msg)
        output = given["output"]
        found = [
            _place(one, f"{name}, name {at}", output)
            for at, one in enumerate(listed, 1)
        ]
        return {"found": found, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Nothing of its own: it adds to what the measure of names accepts."""
        del value, name
        return []


def _place(one: object, place: str, output: str) -> dict[str, Any] | None:
    if one is None:
        return None
    entry = get_table(one, place, "start and end")
    start, end = entry.get("start"), entry.get("end")
    is_whole = type(start) is int and type(end) is int
    if not (is_whole and 0 <= start < end <= len(output)):  # type: ignore[operator]
        msg = (
            f"{place} is said to be from {start!r} to {end!r}; expected a stretch within "
            f"the {len(output)} characters of the text, its end after its start."
        )
        raise OptionError(msg)
    return {"start": start, "end": end, "text": output[start:end]}
