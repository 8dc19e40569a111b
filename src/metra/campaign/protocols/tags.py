"""Tags: spans of a text that are names or terms, as raters see them and as they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from metra.campaign.protocols.answers import (
    KEY,
    check_span,
    get_key,
    get_table,
    locate_quote,
)
from metra.campaign.protocols.kind import KeyedKind, KindWords, QuestionKind
from metra.errors import OptionError
from metra.text.normalisation import make_normaliser
from metra.text.words import find_words

if TYPE_CHECKING:
    import numpy as np

#: The types of the Message Understanding Conferences.
TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "DATE", "TIME", "MONEY", "PERCENT")


@dataclass(frozen=True, slots=True)
class SpanTags(QuestionKind):
    """Spans in code points, the end not included, each with its type if there are types."""

    kind: ClassVar[str] = "tags"
    answer: ClassVar[str] = "Stretches of the text, with a type where there are types."

    types: tuple[str, ...] = ()

    def get_words(self) -> KindWords:
        """Return the names of the types."""
        return KindWords(names={kind: kind for kind in self.types})

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the tags in order of place, each once."""
        return {"tags": check_tags(value, name, texts["output"], self.types)}

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return tags with places for the words that they quote."""
        return _locate_tags(value, output, place)

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
        """Tag words with a capital inside the sentence, or long words as terms."""
        del qualities
        tags = []
        for span in find_words(text)[1:]:
            word = text[span.start : span.end]
            wanted = word[0].isupper() if self.types else len(word) > 7
            if wanted and rng.random() < 0.85:
                kind = {"type": self.types[0]} if self.types else {}
                tags.append({"start": span.start, "end": span.end, **kind})
        return {"tags": tags}


@dataclass(frozen=True, slots=True)
class Reconcile(KeyedKind):
    """The tags to keep of those that raters set; terms may come with accepted variants."""

    kind: ClassVar[str] = "reconcile"
    answer: ClassVar[str] = "The stretches that stand, with other accepted wordings."

    types: tuple[str, ...] = ()
    #: What raters tagged: start, end, type and how many of them did.
    candidates: tuple[tuple[int, int, str, int], ...] = ()
    raters: int = 0
    #: The language by whose rules the metric `entities` will look for them.
    language: str = "en"

    def bind(
        self, material: Mapping[str, Any], document: str, segment: int
    ) -> "Reconcile":
        """Return the question with the candidates of a text."""
        del document
        listed = material.get("candidates", [])
        candidates = listed[segment] if segment < len(listed) else []
        return replace(
            self,
            candidates=tuple(map(tuple, candidates)),
            raters=material.get("raters", 0),
            language=material.get("language", "en"),
        )

    def get_words(self) -> KindWords:
        """Return the names of the types."""
        return KindWords(names={kind: kind for kind in self.types})

    def extra(self, output: str) -> dict[str, Any]:
        """Return the candidates with votes and searched forms; never whose they are."""
        names = ("start", "end", "type", "votes")
        listed: list[dict[str, Any]] = [
            dict(zip(names, candidate, strict=True)) for candidate in self.candidates
        ]
        if self.types:
            normalise = make_normaliser(self.language)
            for candidate in listed:
                text = output[candidate["start"] : candidate["end"]]
                candidate["sought"] = " ".join(normalise(text))
        return {"candidates": listed, "raters": self.raters}

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the kept tags with the candidates."""
        key = (
            get_key(value, name)
            if self.keyed
            else {
                "candidates": [list(candidate) for candidate in self.candidates],
                "raters": self.raters,
            }
        )
        kept = check_tags(value, name, texts["output"], self.types)
        return {"tags": kept, KEY: key}

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return tags with places for the words that they quote."""
        return _locate_tags(value, output, place)


def check_tags(
    value: object, name: str, output: str, types: Sequence[str]
) -> list[dict[str, Any]]:
    """Return checked tags in order of place, each once."""
    listed = get_table(value, name, "tags").get("tags")
    if not isinstance(listed, list):
        msg = f"{name}: tags is {listed!r}; expected a list, empty if there are none."
        raise OptionError(msg)
    tags = [
        _check_tag(tag, f"{name}, tag {number}", output, types)
        for number, tag in enumerate(listed, 1)
    ]
    places = {(tag["start"], tag["end"], tag["type"]): tag for tag in tags}
    return [places[place] for place in sorted(places)]


def _locate_tags(value: Any, output: str, place: str) -> Any:
    tags = value.get("tags") if isinstance(value, dict) else None
    if not isinstance(tags, list) or not all(isinstance(tag, dict) for tag in tags):
        return value
    located = [
        {
            **locate_quote(tag.get("text"), output, place),
            **{key: entry for key, entry in tag.items() if key != "text"},
        }
        for tag in tags
    ]
    return {**value, "tags": located}


def _check_tag(
    tag: object, place: str, output: str, types: Sequence[str]
) -> dict[str, Any]:
    entry = get_table(tag, place, "start and end")
    span = check_span(entry, place, len(output), "text")
    kind = entry.get("type", "")
    if kind not in (types or ("",)):
        msg = f"{place} is of type {kind!r}; expected {', '.join(types) or 'none'}."
        raise OptionError(msg)
    tidy = {**span, "type": kind, "text": output[span["start"] : span["end"]]}
    variants = entry.get("variants", [])
    if not isinstance(variants, list) or not all(isinstance(v, str) for v in variants):
        msg = f"{place}: variants is {variants!r}; expected a list of texts."
        raise OptionError(msg)
    kept = [variant.strip() for variant in variants if variant.strip()]
    return tidy | {"variants": kept} if kept else tidy
