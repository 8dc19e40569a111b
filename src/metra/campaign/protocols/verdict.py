"""Verdicts: whether an answer that is not the expected one will do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from metra.campaign.protocols.answers import get_table
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, in sight of what was asked and what was expected."""

    kind: ClassVar[str] = "verdict"

    case: tuple[tuple[str, str], ...] = ()

    def bound(
        self, material: Mapping[str, Any], *, document: str, segment: int
    ) -> "Verdict":
        """Take what was asked: the words before and after a gap, or a question."""
        del document
        cases = material.get("cases", [])
        shown = cases[segment]["shown"] if segment < len(cases) else {}
        return replace(self, case=tuple(shown.items()))

    def extra(self, output: str) -> dict[str, Any]:
        """What was asked and what was expected."""
        del output
        return dict(self.case)

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the verdict back."""
        del given
        verdict = get_table(value, name, "right").get("right")
        if not isinstance(verdict, bool):
            msg = f"{name}: right is {verdict!r}; expected true or false."
            raise OptionError(msg)
        return {"right": verdict}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Nothing of its own: it completes the score of another judgement."""
        del value, name
        return []
