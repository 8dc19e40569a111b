"""A campaign: a protocol, the texts and the wishes, frozen together and versioned."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Literal

from metra.corpus import Corpus
from metra.errors import CorpusError, OptionError
from metra.human.protocols import Protocol, protocol
from metra.human.settings import Settings

REFERENCE = "reference"
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Segment:
    """What all systems translated: its document, source and references as far as known."""

    document: str
    source: str | None
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class System:
    """Who made the outputs, segment by segment."""

    name: str
    kind: Literal["mt", "reference"]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Campaign:
    """Everything that decides what judges see; it does not change once it is open."""

    settings: Settings
    protocol: Protocol
    segments: tuple[Segment, ...]
    systems: tuple[System, ...]

    @property
    def texts(self) -> tuple[tuple[int, ...], ...]:
        """The segments of each text that is judged as one, in order of appearance."""
        if self.settings.unit == "segment":
            return tuple((at,) for at in range(len(self.segments)))
        found: dict[str, list[int]] = {}
        for at, segment in enumerate(self.segments):
            found.setdefault(segment.document, []).append(at)
        return tuple(map(tuple, found.values()))

    @property
    def blocks(self) -> bool:
        """Whether a judge sees all systems' versions of a text."""
        return self.settings.complete or self.protocol.contrastive

    @property
    def calibration(self) -> int:
        """How many texts all judges see."""
        wished = self.settings.calibration
        return min(5, len(self.texts) // 10) if wished is None else wished

    @property
    def degraded(self) -> float:
        """The share of tasks that come back spoilt."""
        wished = self.settings.degraded
        usual = 0.0 if self.protocol.contrastive else 0.05
        return usual if wished is None else wished

    @property
    def version(self) -> str:
        """A hash that changes with the protocol, the texts and the wishes."""
        content = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def reference_of(self, segment: int) -> str | None:
        """The reference that judges may see; never one that takes part as a system."""
        references = self.segments[segment].references
        return references[0] if references else None


def campaign(settings: Settings, corpus: Corpus) -> Campaign:
    """Freeze wishes and texts, or say why they do not fit together."""
    asked = protocol(settings.protocol)
    if settings.basis is not None:
        asked = replace(asked, basis=settings.basis)
    segments, systems = _read(corpus)
    if settings.reference_as_system:
        systems.append(_reference(segments, asked, settings.name))
    frozen = Campaign(settings, asked, tuple(segments), tuple(systems))
    _check_texts(frozen, corpus)
    _check_wishes(frozen)
    return frozen


def _read(corpus: Corpus) -> tuple[list[Segment], list[System]]:
    segments: list[Segment] = []
    outputs: dict[str, list[str]] = {name: [] for name in corpus.systems}
    for chunk in corpus.chunks(_CHUNK):
        for at in range(len(chunk)):
            references = (column.text[at] for column in chunk.refs)
            segments.append(
                Segment(
                    chunk.documents[at] if chunk.documents is not None else "",
                    chunk.source.text[at] if chunk.source is not None else None,
                    tuple(text for text in references if text is not None),
                )
            )
            for name, column in chunk.systems.items():
                outputs[name].append(column.text[at] or "")
    systems = [System(name, "mt", tuple(texts)) for name, texts in outputs.items()]
    return segments, systems


def _reference(segments: list[Segment], asked: Protocol, place: str) -> System:
    """Let the last reference of each segment take part; the first may be on the screen."""
    needed = 2 if asked.basis == "reference" else 1
    for at, segment in enumerate(segments, 1):
        if len(segment.references) < needed:
            msg = (
                f"{place}: segment {at} has {len(segment.references)} references; a "
                f"reference that takes part as a system needs {needed}, because judges "
                f"see the {asked.basis}."
            )
            raise CorpusError(msg)
    texts = tuple(segment.references[-1] for segment in segments)
    return System(REFERENCE, "reference", texts)


def _check_texts(frozen: Campaign, corpus: Corpus) -> None:
    settings, asked = frozen.settings, frozen.protocol
    there = {"source": corpus.has_source, "reference": corpus.has_references}
    shown = any("basis" in step.shows for step in asked.steps)
    if shown and not there[asked.basis]:
        other = "source" if asked.basis == "reference" else "reference"
        msg = (
            f"{settings.name}: {asked.name} shows the {asked.basis}, which the corpus does "
            f'not have; add it, or set basis = "{other}".'
        )
        raise CorpusError(msg)
    if settings.unit == "document" and not corpus.has_documents:
        msg = (
            f"{settings.name}: the unit is the document, but the corpus names none; add "
            'documents, or set unit = "segment".'
        )
        raise CorpusError(msg)
    names = [system.name for system in frozen.systems]
    if len(set(names)) < len(names):
        msg = (
            f"{settings.name}: a system is called {REFERENCE!r}, as the reference that "
            "takes part would be; rename it."
        )
        raise CorpusError(msg)


def _check_wishes(frozen: Campaign) -> None:
    settings, asked = frozen.settings, frozen.protocol
    judges, systems, texts = (
        len(settings.judges),
        len(frozen.systems),
        len(frozen.texts),
    )
    needed = settings.each * (1 if frozen.blocks else systems)
    wrong = {
        f"{asked.name} compares outputs but there is {systems} system; give two or more": (
            asked.contrastive and systems < 2
        ),
        f'{asked.name} compares segment by segment; set unit = "segment"': (
            asked.contrastive and settings.unit == "document"
        ),
        f"{asked.name} compares outputs, so none can be spoilt; set degraded = 0": (
            asked.contrastive and frozen.degraded > 0
        ),
        f"there are {frozen.calibration} texts for calibration out of {texts}; leave at "
        "least one to be judged": frozen.calibration >= texts,
        f"there are {judges} judges but {needed} are needed so that {settings.each} see "
        f"each unit and nobody sees two versions of a text; add judges, lower each, or set "
        "complete = true": judges < needed and not frozen.blocks,
        f"there are {judges} judges but each unit wants {needed}; add judges or lower "
        "each": judges < needed and frozen.blocks,
    }
    for what, is_wrong in wrong.items():
        if is_wrong:
            msg = f"{settings.name}: {what}."
            raise OptionError(msg)
