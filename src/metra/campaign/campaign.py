"""A campaign: a protocol, the texts and the settings, frozen together and versioned."""

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeVar

from metra.campaign.protocols.record import Protocol
from metra.campaign.settings import Settings
from metra.campaign.words import Wording

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

REFERENCE = "reference"
#: Where the material names the campaign that this one settles.
FIRST = "first"
#: Where the material of an imported campaign keeps the numbers of its segments.
NUMBERS = "numbers"
#: Where the material keeps error marks that judges find in their outputs.
MARKS = "marks"
#: Where the material keeps the places of the segments that are judged, if not all are.
SAMPLE = "sample"
#: Where the material keeps the part of each output that is judged, if not all of it is.
PORTIONS = "portions"


@dataclass(frozen=True, slots=True)
class CampaignSegment:
    """A segment of the corpus: its document, source and references as far as known."""

    document: str
    source: str | None
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class System:
    """A system's outputs, segment by segment."""

    name: str
    kind: Literal["mt", "reference", "control"]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Campaign:
    """Everything that decides what judges see; it does not change once it is open."""

    settings: Settings
    protocol: Protocol
    segments: tuple[CampaignSegment, ...]
    systems: tuple[System, ...]
    #: What protocols need beside the texts, such as questions by document; plain JSON.
    material: dict[str, Any] = field(default_factory=dict)
    #: What judges may read, one for each language; empty in campaigns of older stores.
    wordings: tuple[Wording, ...] = ()

    @property
    def texts(self) -> tuple[tuple[int, ...], ...]:
        """The segments of each text judged as one, in order of appearance.

        Segments outside of the sample are context for others.
        """
        places = self.material.get(SAMPLE, range(len(self.segments)))
        if self.settings.unit == "segment":
            return tuple((at,) for at in places)
        documents = group_by(places, lambda at: self.segments[at].document)
        return tuple(map(tuple, documents.values()))

    @property
    def blocks(self) -> bool:
        """True if a judge sees all systems' versions of a text."""
        return self.settings.complete or self.protocol.contrastive

    @property
    def needs_fresh_eyes(self) -> bool:
        """True if who has seen another version of a text answers otherwise."""
        return any(step.asks.needs_fresh_eyes for step in self.protocol.steps)

    @property
    def calibration(self) -> int:
        """The number of texts that all judges see."""
        if self.settings.calibration is not None:
            return self.settings.calibration
        return min(5, len(self.texts) // 10)

    @property
    def degraded(self) -> float:
        """The share of tasks that come back degraded."""
        if self.settings.degraded is not None:
            return self.settings.degraded
        # In a degraded copy the part that is judged would be another one.
        never = self.protocol.contrastive or PORTIONS in self.material
        return 0.0 if never or self._is_done_once else 0.05

    @property
    def repeats(self) -> float:
        """The share of tasks that come back as they were."""
        if self.settings.repeats is not None:
            return self.settings.repeats
        return 0.0 if self._is_done_once else 0.05

    @property
    def _is_done_once(self) -> bool:
        """True if nobody can do a task twice as if for the first time."""
        return self.protocol.whole or self.protocol.over != "outputs"

    @property
    def version(self) -> str:
        """A hash that changes with the protocol, the texts and the settings."""
        table = asdict(self)
        # Campaigns that were stored before there was this setting keep their version.
        if not self.settings.several_versions:
            del table["settings"]["several_versions"]
        content = json.dumps(table, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def number(self, segment: int) -> int:
        """Return what judgements call a segment: its place from 1, or an imported number."""
        numbers = self.material.get(NUMBERS)
        return segment + 1 if numbers is None else int(numbers[segment])

    def portion_of(self, system: str, segment: int) -> tuple[int, int] | None:
        """Return start and end of the judged part of an output; None is all of it."""
        places = self.material.get(PORTIONS, {}).get(system, {})
        place = places.get(str(segment + 1))
        return None if place is None else (place[0], place[1])

    def reference_of(self, segment: int) -> str | None:
        """Return the reference that judges may see; never one that takes part as a system."""
        references = self.segments[segment].references
        return references[0] if references else None


def group_by(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the items of each key, in order of appearance."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
