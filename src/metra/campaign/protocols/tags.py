"""Tags: stretches of a text that are names or terms, as raters see them and as they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from metra.campaign.protocols.answers import KEY, get_key, get_table
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.normalisation import make_normaliser

#: The types of the Message Understanding Conferences.
TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "DATE", "TIME", "MONEY", "PERCENT")


@dataclass(frozen=True, slots=True)
class SpanTags:
    """Stretches in code points, the end not included, each with its type if there are types."""

    kind: ClassVar[str] = "tags"

    types: tuple[str, ...] = ()

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the tags back in order of place, each once."""
        return {"tags": check_tags(value, name, given["output"], self.types)}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Nothing: what is tagged is a reference, not an output."""
        del value, name
        return []


@dataclass(frozen=True, slots=True)
class Reconcile:
    """The tags to keep of those that raters set; terms may come with accepted variants."""

    kind: ClassVar[str] = "reconcile"

    types: tuple[str, ...] = ()
    #: What raters tagged: start, end, type and how many of them did.
    candidates: tuple[tuple[int, int, str, int], ...] = ()
    raters: int = 0
    #: The language by whose rules the measure of names will look for them.
    language: str = "en"
    keyed: bool = False

    def bound(
        self, material: Mapping[str, Any], *, document: str, segment: int
    ) -> "Reconcile":
        """Take the candidates of a text."""
        del document
        listed = material.get("candidates", [])
        found = listed[segment] if segment < len(listed) else []
        return replace(
            self,
            candidates=tuple(tuple(one) for one in found),
            raters=material.get("raters", 0),
            language=material.get("language", "en"),
        )

    def extra(self, output: str) -> dict[str, Any]:
        """The candidates with votes, and how names are looked for; never whose they are."""
        names = ("start", "end", "type", "votes")
        listed: list[dict[str, Any]] = [
            dict(zip(names, one, strict=True)) for one in self.candidates
        ]
        if self.types:
            normalise = make_normaliser(self.language)
            for one in listed:
                text = output[one["start"] : one["end"]]
                one["sought"] = " ".join(normalise(text))
        return {"candidates": listed, "raters": self.raters}

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the kept tags back, with what there was to choose from."""
        key = (
            get_key(value, name)
            if self.keyed
            else {
                "candidates": [list(one) for one in self.candidates],
                "raters": self.raters,
            }
        )
        kept = check_tags(value, name, given["output"], self.types)
        return {"tags": kept, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Nothing: what is tagged is a reference, not an output."""
        del value, name
        return []


def check_tags(
    value: object, name: str, output: str, types: Sequence[str]
) -> list[dict[str, Any]]:
    """Check tags and put them in order."""
    listed = get_table(value, name, "tags").get("tags")
    if not isinstance(listed, list):
        msg = f"{name}: tags is {listed!r}; expected a list, empty if there are none."
        raise OptionError(msg)
    found = [
        _check_tag(tag, f"{name}, tag {at}", output, types)
        for at, tag in enumerate(listed, 1)
    ]
    places = {(tag["start"], tag["end"], tag["type"]): tag for tag in found}
    return [places[place] for place in sorted(places)]


def _check_tag(
    tag: object, place: str, output: str, types: Sequence[str]
) -> dict[str, Any]:
    entry = get_table(tag, place, "start and end")
    start, end = entry.get("start"), entry.get("end")
    is_whole = type(start) is int and type(end) is int
    if not (is_whole and 0 <= start < end <= len(output)):  # type: ignore[operator]
        msg = (
            f"{place} runs from {start!r} to {end!r}; expected a stretch within the "
            f"{len(output)} characters of the text, its end after its start."
        )
        raise OptionError(msg)
    kind = entry.get("type", "")
    if kind not in (types or ("",)):
        msg = f"{place} is of type {kind!r}; expected {', '.join(types) or 'none'}."
        raise OptionError(msg)
    tidy = {"start": start, "end": end, "type": kind, "text": output[start:end]}
    variants = entry.get("variants", [])
    if not isinstance(variants, list) or not all(
        isinstance(one, str) for one in variants
    ):
        msg = f"{place}: variants is {variants!r}; expected a list of texts."
        raise OptionError(msg)
    kept = [one.strip() for one in variants if one.strip()]
    return tidy | {"variants": kept} if kept else tidy
