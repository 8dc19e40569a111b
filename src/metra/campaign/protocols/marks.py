"""Marks: stretches of text with what is wrong there, and what that costs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from metra.errors import OptionError
from metra.formats.scores.judgement import OMISSION, OutputScore
from metra.formats.scores.mqm import Weights, find_cost

SIDES = ("output", "source", OMISSION)


@dataclass(frozen=True, slots=True)
class Marks:
    """Error spans in code points, the end not included."""

    kind: ClassVar[str] = "marks"

    severities: tuple[str, ...]
    #: Empty where judges name no kind of error.
    categories: tuple[str, ...] = ()
    most: int | None = None
    #: Whether other categories than these are refused.
    closed: bool = True
    #: Tenths of a point by severity and category, the more special first; empty if unweighed.
    costs: Weights = ()
    #: The cost, in points, that is 0 of 100.
    worst: int = 25

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """Give the marks back in order of place, or say which one is wrong and how."""
        if not isinstance(value, list):
            msg = f"{name} is {value!r}; expected a list of marks, empty if nothing is wrong."
            raise OptionError(msg)
        if self.most is not None and len(value) > self.most:
            msg = (
                f"{name} holds {len(value)} marks; expected at most {self.most}: "
                "keep the gravest."
            )
            raise OptionError(msg)
        marks = [
            self._mark(mark, f"{name}, mark {at}", texts)
            for at, mark in enumerate(value, 1)
        ]
        return sorted(
            marks, key=lambda mark: (mark["start"], mark["end"], mark["side"])
        )

    def relax_rules(self) -> "Marks":
        """What other programs let judges say: any category, any number of marks."""
        return replace(self, most=None, closed=False)

    def scores(self, value: list[dict[str, Any]], name: str) -> list[OutputScore]:
        """Add up what the marks cost, where the protocol weighs them; lower is better."""
        if not self.costs:
            return []
        tenths = sum(
            find_cost(self.costs, mark["severity"], mark.get("category", ""))
            for mark in value
        )
        hundred = 100 * max(0.0, 1 - tenths / (10 * self.worst))
        return [OutputScore(name, tenths / 10, hundred, False)]

    def _mark(
        self, mark: object, place: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        if not isinstance(mark, Mapping):
            msg = f"{place} is {mark!r}; expected start, end, severity and the like."
            raise OptionError(msg)
        side = _one_of(mark.get("side", "output"), SIDES, f"{place}: the side")
        tidy = {"side": side, "start": 0, "end": 0}
        if side != OMISSION:
            start, end = mark.get("start"), mark.get("end")
            length = len(texts.get(side, ""))
            whole = type(start) is int and type(end) is int
            if not (whole and 0 <= start < end <= length):  # type: ignore[operator]
                msg = (
                    f"{place} runs from {start!r} to {end!r}; expected a stretch within the "
                    f"{length} characters of the {side}, its end after its start."
                )
                raise OptionError(msg)
            tidy |= {"start": start, "end": end}
        tidy["severity"] = _one_of(
            mark.get("severity"), self.severities, f"{place}: the severity"
        )
        if self.categories:
            tidy["category"] = self._category(mark.get("category"), place)
        return tidy

    def _category(self, value: object, place: str) -> str:
        if not self.closed and isinstance(value, str) and value:
            return value
        return _one_of(value, self.categories, f"{place}: the category")


def _one_of(value: object, known: tuple[str, ...], what: str) -> str:
    if value not in known:
        msg = f"{what} is {value!r}; expected {', '.join(known[:-1])} or {known[-1]}."
        raise OptionError(msg)
    return str(value)
