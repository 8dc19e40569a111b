"""What a judge is given: tasks in order, with ids that reveal nothing."""

import hmac
from dataclasses import dataclass

from metra.formats.scores.judgement import JudgementKind

#: What the baseline text is called in the place of a system.
BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class TaskItem:
    """One output as it is shown."""

    id: str
    system: str
    segment: int
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """One unit for one judge: a segment, a document, or outputs to compare."""

    id: str
    judge: str
    position: int
    kind: JudgementKind
    items: tuple[TaskItem, ...]
    #: The task that this one repeats or degrades.
    original: str | None = None


def make_opaque_id(secret: bytes, *parts: object) -> str:
    """Return an id that reveals nothing; the same parts and secret give the same id."""
    content = "\0".join(map(str, parts))
    return hmac.new(secret, content.encode(), "sha256").hexdigest()[:20]
