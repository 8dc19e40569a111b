"""A judgement: one answer of one judge about what one screen showed, and its scores.

The fields only: what an answer is worth depends on its protocol and is computed in
`metra.campaign`.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

#: Why a judge was given an output. A baseline measures how a judge reads any text; a
#: control measures what is found without the translation.
JudgementKind: TypeAlias = Literal[
    "judged",
    "reference",
    "control",
    "calibration",
    "repeat",
    "degraded",
    "baseline",
]
#: What enters the means of systems; references and controls are rows of their own there.
COUNTED: frozenset[str] = frozenset({"judged", "reference", "control"})
#: The side of a mark for what the output leaves out; it has no place of its own.
OMISSION = "missing"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Everything that an analysis or an export needs; places in code points, ends open.

    `systems` and `outputs` hold more than one entry where outputs were compared.
    """

    id: str
    campaign: str
    protocol: str
    protocol_version: str
    source_language: str
    target_language: str
    judge: str
    task: str
    kind: JudgementKind
    systems: tuple[str, ...]
    document: str
    #: Counted from 1 through the whole corpus.
    segment: int
    source: str | None
    outputs: tuple[str, ...]
    value: dict[str, Any]
    #: A later revision replaces an earlier one; all of them are kept.
    revision: int = 1
    #: The task that this one repeats or degrades.
    original: str | None = None
    shown_at: float | None = None
    first_action_at: float | None = None
    submitted_at: float | None = None
    wall_ms: int | None = None
    active_ms: int | None = None
    hidden_ms: int | None = None
    idle_ms: int | None = None
    paused_ms: int | None = None
    comment: str = ""
    #: Why the judge could not judge this; then there is no value.
    cannot: str | None = None
    #: The language in which the judge read the questions, and a hash of all its words;
    #: empty where that is not known.
    wording: str = ""
    wording_version: str = ""

    @property
    def counts(self) -> bool:
        """Whether it may enter the means of systems."""
        return self.kind in COUNTED and self.cannot is None


class OutputScore(NamedTuple):
    """One score of one output, or the reason why there is none."""

    scorer: str
    native: float
    #: Higher is better here, whatever the native scale says.
    hundred: float
    higher_is_better: bool = True
    #: Why there is no score, in a few words; empty where there is one.
    reason: str = ""

    @property
    def is_defined(self) -> bool:
        """Whether there is a score."""
        return not self.reason


class ScoredJudgement(NamedTuple):
    """A judgement and the scores of each of its outputs, as writers take them."""

    judgement: Judgement
    scores: list[tuple[OutputScore, ...]]


def get_marks(judgement: Judgement) -> list[dict[str, Any]]:
    """Return its error marks, whatever their step is called; none if it marks nothing."""
    lists = [value for value in judgement.value.values() if isinstance(value, list)]
    return [mark for marks in lists for mark in marks if isinstance(mark, dict)]
