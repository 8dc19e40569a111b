"""The words of a protocol that judges read, in one language.

A wording falls back to English part by part, never inside a part: a scale keeps all its labels
in one language. `{language}` is the target language's name.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from metra.campaign.protocols.kind import Anchor
from metra.campaign.protocols.record import Step

ENGLISH = "en"
#: The languages that metra's own wordings are in; English is the protocol's.
LANGUAGES = (ENGLISH, "de", "fr", "es", "cs", "ja", "ar")
#: The setting by which each judge reads the questions in the language of their pages.
JUDGES_OWN = "judge"
#: Protocols whose English words were published with their scale or categories, so that
#: other words make it another instrument: they stay English unless a campaign says so.
OFFICIAL = frozenset(
    ("ldc", "adequacy", "intelligibility", "clarity", "da-sqm", "esa", "mqm")
)
#: Whose words they are: the protocol's, metra's translation, or the campaign's own.
Author: TypeAlias = Literal["protocol", "translation", "campaign"]
#: The parts of a step that fall back by themselves.
STEP_PARTS = ("name", "question", "anchors", "names", "brief")


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """Texts as a screen shows them, with a model answer and the reasons for it."""

    other: str
    outputs: tuple[str, ...]
    answer: dict[str, Any]
    why: str
    #: What a step needs beside the texts, such as questions.
    extra: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StepWords:
    """The words of one step."""

    step: str
    #: What the step is called where its answer is summed up.
    name: str
    question: str
    #: The points of a scale with their labels; their places never differ.
    anchors: tuple[Anchor, ...] = ()
    #: What choices such as severities are called, by what is recorded for them.
    names: dict[str, str] = field(default_factory=dict)
    brief: str = ""
    #: The language of parts that are not in the wording's own.
    elsewhere: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Wording:
    """All words of a protocol in one language; frozen with the campaign."""

    language: str
    author: Author
    lead: str
    points: tuple[str, ...]
    examples: tuple[WorkedExample, ...]
    steps: tuple[StepWords, ...]
    #: What the campaign is called, if not by its name.
    title: str = ""
    #: Paragraphs for the page on which judges consent, and above the guide.
    introduction: tuple[str, ...] = ()
    #: Paragraphs of the guide that stand before the points.
    paragraphs: tuple[str, ...] = ()
    #: The language of the examples' texts; empty for the campaign's own languages.
    examples_in: str = ENGLISH
    #: The languages of the parts `guide` and `examples` where they are not in this one.
    elsewhere: dict[str, str] = field(default_factory=dict)

    @cached_property
    def version(self) -> str:
        """Return a hash that changes with any word of it."""
        content = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def of_step(self, step: Step) -> StepWords:
        """Return the words of a step; its own where the wording does not know it."""
        elsewhere = dict.fromkeys(STEP_PARTS, ENGLISH)
        own = replace(get_step_words(step), elsewhere=elsewhere)
        return next((one for one in self.steps if one.step == step.name), own)

    def language_of(self, part: str) -> str:
        """Return the language of the guide or of the examples' explanations."""
        return self.elsewhere.get(part, self.language)


def get_step_words(step: Step) -> StepWords:
    """Return the words of a step in English."""
    title = step.name.replace("-", " ").capitalize()
    words = step.asks.get_words()
    names = dict(words.names)
    return StepWords(step.name, title, step.question, words.anchors, names, words.brief)


def format_point(at: float) -> str:
    """Return the name of a point of a scale in files: its place, rounded."""
    return f"{round(at)}"


def overlay_words(
    below: StepWords, language: str, given: Mapping[str, Any], *, under: str
) -> StepWords:
    """Return words in the language `under`, replaced part by part by those of a table.

    `given` has name, question, labels and texts by points, names and brief, each or none.
    """
    anchors = below.anchors
    if "labels" in given:
        labels, texts = given["labels"], given["texts"]
        points = [(one.at, format_point(one.at)) for one in anchors]
        anchors = tuple(Anchor(at, labels[name], texts[name]) for at, name in points)
    parts = {
        "name": given.get("name", below.name),
        "question": given.get("question", below.question),
        "anchors": anchors,
        "names": dict(given.get("names", below.names)),
        "brief": given.get("brief", below.brief),
    }
    replaced = {"anchors" if part == "labels" else part for part in given}
    elsewhere = {
        part: below.elsewhere.get(part, under)
        for part in STEP_PARTS
        if parts[part] and part not in replaced
    }
    other = {part: one for part, one in elsewhere.items() if one != language}
    return StepWords(below.step, **parts, elsewhere=other)
