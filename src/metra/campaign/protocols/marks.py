"""Marks: stretches of text with what is wrong there, and what that costs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from metra.campaign.protocols.answers import check_span, locate_quote
from metra.campaign.protocols.kind import KindWords, QuestionKind
from metra.errors import OptionError
from metra.formats.scores.judgement import OMISSION, OutputScore
from metra.formats.scores.mqm import Weights, find_cost

if TYPE_CHECKING:
    import numpy as np

SIDES = ("output", "source", OMISSION)


@dataclass(frozen=True, slots=True)
class Marks(QuestionKind):
    """Error spans in code points, the end not included."""

    kind: ClassVar[str] = "marks"
    marks_errors: ClassVar[bool] = True

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

    def get_words(self) -> KindWords:
        """Return the names of severities, of groups of categories and of categories.

        >>> Marks(("minor",), ("style/awkward",)).get_words().names
        {'minor': 'minor', 'style': 'style', 'style/awkward': 'awkward'}
        """
        groups = (category.split("/")[0] for category in self.categories)
        choices = (*self.severities, *groups, *self.categories)
        return KindWords(names={one: one.rpartition("/")[2] for one in choices})

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """Return the marks in order of place, or say which one is wrong and how."""
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
            self._check_mark(mark, f"{name}, mark {number}", texts)
            for number, mark in enumerate(value, 1)
        ]
        return sorted(
            marks, key=lambda mark: (mark["start"], mark["end"], mark["side"])
        )

    def relax_rules(self) -> "Marks":
        """Return what other programs allow: any category, any number of marks."""
        return replace(self, most=None, closed=False)

    def scores(self, value: list[dict[str, Any]], name: str) -> list[OutputScore]:
        """Return the sum of the costs, if the protocol weighs errors; lower is better."""
        if not self.costs:
            return []
        tenths = sum(
            find_cost(self.costs, mark["severity"], mark.get("category", ""))
            for mark in value
        )
        hundred = 100 * max(0.0, 1 - tenths / (10 * self.worst))
        return [OutputScore(name, tenths / 10, hundred, False)]

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return marks with places for the words that they quote."""
        if not isinstance(value, list) or not all(isinstance(m, dict) for m in value):
            return value
        return [_locate_mark(mark, output, place) for mark in value]

    def document(self) -> str:
        """Return severities, categories and a table of costs."""
        parts = [f"Severities: {', '.join(self.severities)}."]
        if self.categories:
            parts.append(f"Categories: {', '.join(self.categories)}.")
        if self.costs:
            rows = [
                f"| {severity or 'any'} | {category or 'any'} | {cost / 10:g} |"
                for severity, category, cost in self.costs
            ]
            head = [
                "| severity | category begins with | costs |",
                "| :-- | :-- | --: |",
            ]
            table = "\n".join([*head, *rows])
            parts.append(f"The first line that fits counts:\n\n{table}")
        return "\n\n".join(parts)

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> list[dict[str, Any]]:
        """Draw marks on single words, more of them where the quality is lower."""
        words = text.split(" ")
        count = int(rng.poisson(max(0.0, 1 - qualities[0]) * 5))
        chosen = rng.permutation(len(words))[: min(count, self.most or 9, len(words))]
        marks = []
        for place in sorted(int(place) for place in chosen):
            start = len(" ".join(words[:place])) + (place > 0)
            if words[place]:
                end = start + len(words[place])
                mark: dict[str, Any] = {"side": "output", "start": start, "end": end}
                mark["severity"] = self.severities[int(rng.integers(0, 2))]
                if self.categories:
                    categories = self.categories[:9]
                    drawn = int(rng.integers(0, len(categories)))
                    mark["category"] = categories[drawn]
                marks.append(mark)
        return marks

    def _check_mark(
        self, mark: object, place: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        if not isinstance(mark, Mapping):
            msg = f"{place} is {mark!r}; expected start, end, severity and the like."
            raise OptionError(msg)
        side = _check_choice(mark.get("side", "output"), SIDES, f"{place}: the side")
        tidy: dict[str, Any] = {"side": side, "start": 0, "end": 0}
        if side != OMISSION:
            tidy |= check_span(mark, place, len(texts.get(side, "")), side)
        tidy["severity"] = _check_choice(
            mark.get("severity"), self.severities, f"{place}: the severity"
        )
        if self.categories:
            tidy["category"] = self._check_category(mark.get("category"), place)
        return tidy

    def _check_category(self, value: object, place: str) -> str:
        if not self.closed and isinstance(value, str) and value:
            return value
        return _check_choice(value, self.categories, f"{place}: the category")


def find_marks(asks: Iterable[QuestionKind]) -> Marks | None:
    """Return the first question that asks for error marks, or None."""
    return next((cast(Marks, one) for one in asks if one.marks_errors), None)


def _locate_mark(mark: Mapping[str, Any], output: str, place: str) -> dict[str, Any]:
    kept = {key: mark[key] for key in ("severity", "category") if key in mark}
    if mark.get("missing"):
        return {"side": OMISSION, **kept}
    return {"side": "output", **locate_quote(mark.get("text"), output, place), **kept}


def _check_choice(value: object, known: tuple[str, ...], what: str) -> str:
    if value not in known:
        msg = f"{what} is {value!r}; expected {', '.join(known[:-1])} or {known[-1]}."
        raise OptionError(msg)
    return str(value)
