"""Verdicts: whether an answer that is not the expected one will do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from metra.campaign.protocols.answers import get_table
from metra.campaign.protocols.kind import KindWords, QuestionKind
from metra.errors import OptionError


@dataclass(frozen=True, slots=True)
class Verdict(QuestionKind):
    """Yes or no, in sight of what was asked and what was expected."""

    kind: ClassVar[str] = "verdict"
    answer: ClassVar[str] = "Yes or no."

    case: tuple[tuple[str, str], ...] = ()

    def bind(
        self, material: Mapping[str, Any], document: str, segment: int
    ) -> "Verdict":
        """Return the question with the words around a gap, or with a question."""
        del document
        cases = material.get("cases", [])
        shown = cases[segment]["shown"] if segment < len(cases) else {}
        return replace(self, case=tuple(shown.items()))

    def get_words(self) -> KindWords:
        """Return the names of both choices."""
        return KindWords(names={"right": "Close enough", "wrong": "Not close"})

    def extra(self, output: str) -> dict[str, Any]:
        """Return what was asked and what was expected."""
        del output
        return dict(self.case)

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the verdict."""
        del texts
        verdict = get_table(value, name, "right").get("right")
        if not isinstance(verdict, bool):
            msg = f"{name}: right is {verdict!r}; expected true or false."
            raise OptionError(msg)
        return {"right": verdict}
