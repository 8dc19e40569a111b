"""What a judge is given: tasks in order, with ids that tell nothing."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: Why a task is there. Only judged and reference count for systems.
Kind: TypeAlias = Literal["judged", "reference", "calibration", "repeat", "degraded"]
COUNTED: frozenset[str] = frozenset({"judged", "reference"})


@dataclass(frozen=True, slots=True)
class Item:
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
    kind: Kind
    items: tuple[Item, ...]
    #: The task that this one repeats or spoils.
    original: str | None = None
