"""Names that were not found in an output: whether they are there in another form."""

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
from metra.campaign.protocols.kind import KeyedKind
from metra.errors import OptionError
from metra.text.normalisation import contains_words, make_normaliser
from metra.text.words import find_words

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Missed(KeyedKind):
    """For each name the words of the output that stand for it, or that there are none."""

    kind: ClassVar[str] = "missed"
    answer: ClassVar[str] = (
        "For each name the words that stand for it, or that it is not there."
    )

    #: The names that were not found: type and text.
    names: tuple[tuple[str, str], ...] = ()
    #: The segment of the corpus that they belong to, counted from 1.
    segment: int = 0

    def bind(
        self, material: Mapping[str, Any], document: str, segment: int
    ) -> "Missed":
        """Return the question with the names that one output lacks."""
        del document
        cases = material.get("cases", [])
        if segment >= len(cases):
            return self
        names = tuple((kind, text) for kind, text in cases[segment]["missed"])
        return replace(self, names=names, segment=cases[segment]["segment"])

    def extra(self, output: str) -> dict[str, Any]:
        """Return the names."""
        del output
        return {"names": [{"type": kind, "text": text} for kind, text in self.names]}

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the places with the names."""
        key: dict[str, Any] = (
            get_key(value, name)
            if self.keyed
            else {"names": [list(pair) for pair in self.names], "segment": self.segment}
        )
        listed = get_table(value, name, "found").get("found")
        count = len(key["names"])
        if not isinstance(listed, list) or len(listed) != count:
            msg = (
                f"{name}: found is {listed!r}; expected {count} places, null where a name "
                "is not there."
            )
            raise OptionError(msg)
        spans = [
            _check_place(entry, f"{name}, name {number}", texts["output"])
            for number, entry in enumerate(listed, 1)
        ]
        return {"found": spans, KEY: key}

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return the places of quoted names; an empty quotation is a missing name."""
        if not isinstance(value, dict) or not isinstance(value.get("found"), list):
            return value
        spans = [
            locate_quote(text, output, place) if text else None
            for text in value["found"]
        ]
        return {**value, "found": spans}

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
        """Call a random word a form of the name now and then."""
        del qualities
        spans = find_words(text)

        def draw_place() -> dict[str, int] | None:
            if not spans or rng.random() < 0.7:
                return None
            span = spans[int(rng.integers(0, len(spans)))]
            return {"start": span.start, "end": span.end}

        return {"found": [draw_place() for _ in self.names]}


def find_missed_names(
    outputs: Sequence[Sequence[str]],
    names: Mapping[str, Sequence[Sequence[str]]],
    language: str,
) -> list[dict[str, Any]]:
    """Return segment, text and missing names of each output that lacks names.

    `outputs` holds the texts of each segment, `names` type and text by segment from 1. Equal
    texts are one case, whichever system wrote it.

    >>> find_missed_names([["Mr Aufray", "Mr Aufrey"]], {"1": [["PERSON", "Aufray"]]}, "en")
    [{'segment': 1, 'text': 'Mr Aufrey', 'missed': [['PERSON', 'Aufray']]}]
    """
    normalise = make_normaliser(language)
    cases = []
    for number, texts in enumerate(outputs, 1):
        listed = {
            (kind, words): [kind, text]
            for kind, text in names.get(str(number), ())
            if (words := normalise(text))
        }
        for text in dict.fromkeys(texts):
            output_words = normalise(text)
            missed = [
                name
                for (_, words), name in listed.items()
                if not contains_words(words, output_words)
            ]
            if missed:
                cases.append({"segment": number, "text": text, "missed": missed})
    return cases


def _check_place(entry: object, place: str, output: str) -> dict[str, Any] | None:
    if entry is None:
        return None
    table = get_table(entry, place, "start and end")
    span = check_span(table, place, len(output), "text", "is said to be")
    return {**span, "text": output[span["start"] : span["end"]]}
