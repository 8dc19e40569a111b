"""A campaign: a protocol, the texts and the wishes, frozen together and versioned.

Documents as one text each: their segments, one a line.
Outputs that lack names, as cases for somebody who looks whether they are there after all.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from metra.campaign.protocols.chips import Chips
from metra.campaign.protocols.questions import QuestionSet
from metra.campaign.protocols.reading import Reading
from metra.campaign.protocols.record import Protocol, Step
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.template import Template
from metra.campaign.settings import Settings
from metra.campaign.wording import Wording
from metra.corpus.outputs import Corpus
from metra.errors import CorpusError, OptionError
from metra.text.normalisation import contains_words, make_normaliser


@dataclass(frozen=True, slots=True)
class DocumentIndex:
    """Which segments make each document, in order of appearance."""

    places: dict[str, tuple[int, ...]]

    def text(self, texts: Sequence[str | None], name: str) -> str | None:
        """Join a document's segments; None where one of them is not there.

        >>> index_documents(["a", "b", "a"]).text(["one", "two", "three"], "a")
        'one\\nthree'
        """
        found = [texts[at] for at in self.places[name]]
        there = [text for text in found if text is not None]
        return "\n".join(there) if len(there) == len(found) else None

    def references(
        self, references: Sequence[tuple[str, ...]], name: str
    ) -> tuple[str, ...]:
        """Join as many references as every segment of a document has."""
        found = [references[at] for at in self.places[name]]
        count = min(map(len, found))
        return tuple("\n".join(one[at] for one in found) for at in range(count))


def index_documents(documents: Sequence[str], *, first: int = 0) -> DocumentIndex:
    """Find each document's segments; `first` takes only so many of its beginning."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(documents):
        places.setdefault(name, []).append(at)
    return DocumentIndex(
        {name: tuple(at[: first or None]) for name, at in places.items()}
    )


Names = Mapping[str, Sequence[Sequence[str]]]


def find_missed_names(
    outputs: Sequence[Sequence[str]], names: Names, language: str
) -> list[dict[str, Any]]:
    """For each text of a segment that lacks names: the segment, the text and the names.

    `outputs` holds the texts of each segment, `names` type and text by segment from 1. Equal
    texts are one case: what is there is there, whoever wrote it.

    >>> find_missed_names([["Mr Aufray", "Mr Aufrey"]], {"1": [["PERSON", "Aufray"]]}, "en")
    [{'segment': 1, 'text': 'Mr Aufrey', 'missed': [['PERSON', 'Aufray']]}]
    """
    normalise = make_normaliser(language)
    found = []
    for at, texts in enumerate(outputs, 1):
        listed = {
            (kind, words): [kind, text]
            for kind, text in names.get(str(at), ())
            if (words := normalise(text))
        }
        for text in dict.fromkeys(texts):
            there = normalise(text)
            missed = [
                name
                for (_, words), name in listed.items()
                if not contains_words(words, there)
            ]
            if missed:
                found.append({"segment": at, "text": text, "missed": missed})
    return found


REFERENCE = "reference"
#: Where the material of a campaign that comes from judgements keeps what these call segments.
NUMBERS = "numbers"
#: Where it keeps marks that stand in outputs before anybody judges them.
MARKS = "marks"
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class CampaignSegment:
    """What all systems translated: its document, source and references as far as known."""

    document: str
    source: str | None
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class System:
    """Who made the outputs, segment by segment."""

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
        spoils = not (self.protocol.contrastive or self._once)
        usual = 0.05 if spoils else 0.0
        return usual if wished is None else wished

    @property
    def repeats(self) -> float:
        """The share of tasks that come back as they were."""
        wished = self.settings.repeats
        usual = 0.0 if self._once else 0.05
        return usual if wished is None else wished

    @property
    def _once(self) -> bool:
        """Whether nobody can do a task twice as if for the first time."""
        return self.protocol.whole or self.protocol.over != "outputs"

    @property
    def version(self) -> str:
        """A hash that changes with the protocol, the texts and the wishes."""
        content = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def bind_protocol(self, segment: int) -> Protocol:
        """The protocol with what its steps need to know about one text."""
        document = self.segments[segment].document
        return self.protocol.bound(self.material, document=document, segment=segment)

    def number(self, segment: int) -> int:
        """What judgements call a segment: its place from 1, or what an imported file says."""
        numbers = self.material.get(NUMBERS)
        return segment + 1 if numbers is None else int(numbers[segment])

    def reference_of(self, segment: int) -> str | None:
        """The reference that judges may see; never one that takes part as a system."""
        references = self.segments[segment].references
        return references[0] if references else None


def freeze_campaign(
    settings: Settings, corpus: Corpus, material: Mapping[str, Any] | None = None
) -> Campaign:
    """Freeze wishes, texts and material, or say why they do not fit together."""
    given = dict(material or {})
    asked = _adapt_protocol(settings, given)
    segments, systems = _read_corpus(corpus)
    if asked.over == "reference":
        systems = [_build_reference_system(segments, asked, settings.name)]
    elif settings.reference_as_system:
        systems.append(_build_reference_system(segments, asked, settings.name))
    if asked.whole:
        segments, systems = _join_documents(segments, systems, asked)
    if asked.over == "misses":
        segments, systems = _keep_missing_names(segments, systems, settings, given)
    if asked.control:
        systems.append(_build_control(segments, asked, settings.name))
    frozen = Campaign(settings, asked, tuple(segments), tuple(systems), given)
    _check_texts(frozen, corpus)
    _check_material(frozen)
    _check_settings(frozen)
    return frozen


def _adapt_protocol(settings: Settings, material: Mapping[str, Any]) -> Protocol:
    """Adapt the protocol; of optional steps, those stay for which there is material."""
    asked = protocol(settings.protocol, settings.options)
    steps = (
        replace(step, optional=False)
        for step in asked.steps
        if not step.optional
        or (isinstance(step.asks, QuestionSet) and material.get("questions"))
    )
    asked = replace(asked, steps=tuple(_set_language(settings.target_language, steps)))
    return replace(asked, basis=settings.basis) if settings.basis else asked


def _set_language(language: str, steps: Iterable[Step]) -> Iterator[Step]:
    """Tell steps the language of the outputs, where what they count hangs on it."""
    for step in steps:
        if isinstance(step.asks, Chips):
            step = replace(step, asks=replace(step.asks, language=language))
        yield step


def _build_control(
    segments: list[CampaignSegment], asked: Protocol, place: str
) -> System:
    """Let what is not a translation take part: no text at all, or the original."""
    if asked.control == "no text":
        return System(asked.control, "control", ("",) * len(segments))
    texts = tuple(segment.source for segment in segments)
    if None in texts:
        msg = f"{place}: the original takes part, but the corpus has no source; add it."
        raise CorpusError(msg)
    return System(asked.control, "control", tuple(text or "" for text in texts))


def _join_documents(
    segments: list[CampaignSegment], systems: list[System], asked: Protocol
) -> tuple[list[CampaignSegment], list[System]]:
    """Make each document one segment; its lines are what the segments were."""
    documents = index_documents(
        [segment.document for segment in segments], first=asked.first
    )
    texts = [
        CampaignSegment(
            name,
            documents.text([segment.source for segment in segments], name),
            documents.references([segment.references for segment in segments], name),
        )
        for name in documents.places
    ]
    return texts, [
        replace(
            system,
            outputs=tuple(
                documents.text(system.outputs, name) or "" for name in documents.places
            ),
        )
        for system in systems
    ]


def _keep_missing_names(
    segments: list[CampaignSegment],
    systems: list[System],
    settings: Settings,
    given: dict[str, Any],
) -> tuple[list[CampaignSegment], list[System]]:
    """Keep the outputs that lack names, each once, whoever made it; note which they lack."""
    names = given.get("entities", {})
    outputs = [
        [system.outputs[at] for system in systems] for at in range(len(segments))
    ]
    found = find_missed_names(outputs, names, settings.target_language)
    if not found:
        listed = sum(map(len, names.values()))
        msg = (
            f"{settings.name}: of {listed} names none is missing in an output, so that there "
            "is nothing to check; give files.entities, a table of names by segment."
        )
        raise CorpusError(msg)
    given["cases"] = found
    made = System("outputs", "mt", tuple(one["text"] for one in found))
    return [segments[one["segment"] - 1] for one in found], [made]


def _read_corpus(corpus: Corpus) -> tuple[list[CampaignSegment], list[System]]:
    segments: list[CampaignSegment] = []
    outputs: dict[str, list[str]] = {name: [] for name in corpus.systems}
    for chunk in corpus.chunks(_CHUNK):
        for at in range(len(chunk)):
            references = (column.text[at] for column in chunk.refs)
            segments.append(
                CampaignSegment(
                    chunk.documents[at] if chunk.documents is not None else "",
                    chunk.source.text[at] if chunk.source is not None else None,
                    tuple(text for text in references if text is not None),
                )
            )
            for name, column in chunk.systems.items():
                outputs[name].append(column.text[at] or "")
    systems = [System(name, "mt", tuple(texts)) for name, texts in outputs.items()]
    return segments, systems


def _build_reference_system(
    segments: list[CampaignSegment], asked: Protocol, place: str
) -> System:
    """Let the last reference of each segment take part; the first may be on the screen.

    Where people work on the reference itself, it is the first, which measures go by.
    """
    needed = 2 if asked.basis == "reference" and asked.over == "outputs" else 1
    for at, segment in enumerate(segments, 1):
        if len(segment.references) < needed:
            msg = (
                f"{place}: segment {at} has {len(segment.references)} references; a "
                f"reference that takes part as a system needs {needed}, because judges "
                f"see the {asked.basis}."
            )
            raise CorpusError(msg)
    last = 0 if asked.over == "reference" else -1
    texts = tuple(segment.references[last] for segment in segments)
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
    if asked.whole and not corpus.has_documents:
        msg = (
            f"{settings.name}: {asked.name} is about whole texts, but the corpus does not "
            "say which segments make a text; add documents."
        )
        raise CorpusError(msg)
    names = [system.name for system in frozen.systems]
    if len(set(names)) < len(names):
        msg = (
            f"{settings.name}: a system is called {REFERENCE!r}, as the reference that "
            "takes part would be; rename it."
        )
        raise CorpusError(msg)


def _check_material(frozen: Campaign) -> None:
    """Refuse what would leave every score undefined."""
    place, asked, given = frozen.settings.name, frozen.protocol, frozen.material
    documents = {segment.document for segment in frozen.segments}
    wanted = {"questions": QuestionSet, "templates": Template}
    for what, kind in wanted.items():
        if not any(isinstance(step.asks, kind) for step in asked.steps):
            continue
        missing = sorted(documents - set(given.get(what, {})))
        if missing:
            msg = (
                f"{place}: {asked.name} has no {what} about {missing[0]!r}; give each text "
                f"some in files.{what}."
            )
            raise CorpusError(msg)
    timed = any(
        isinstance(step.asks, Reading) and step.asks.compared and not step.asks.natural
        for step in asked.steps
    )
    if timed and not given.get("baseline"):
        msg = (
            f"{place}: {asked.name} compares a judge's speed with natural text; give "
            f"files.baseline, or natural = WORDS_PER_MINUTE in [{asked.name}]."
        )
        raise OptionError(msg)


def _check_settings(frozen: Campaign) -> None:
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
        f'{asked.name} takes sentences out of their texts; set unit = "segment"': (
            asked.shuffled and settings.unit == "document"
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
