"""Spans of a text: errors with their costs, names and terms, and names that were missed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from metra.campaign.protocols.kind import (
    KEY,
    Answer,
    KeyedKind,
    KindWords,
    Material,
    QuestionKind,
    Rng,
    Texts,
    get_table,
)
from metra.errors import FormatError, OptionError, format_count
from metra.scores.judgement import OMISSION
from metra.scores.mqm import Weights, find_cost
from metra.scores.table import ScoreRow
from metra.text.normalisation import contains_words, make_normaliser
from metra.text.words import find_words

_SIDES = ("output", "source", OMISSION)


@dataclass(frozen=True, slots=True)
class Marks(QuestionKind):
    """Error spans in code points, the end not included."""

    kind: ClassVar[str] = "marks"
    marks_errors: ClassVar[bool] = True

    severities: tuple[str, ...]
    #: Empty where judges name no kind of error.
    categories: tuple[str, ...] = ()
    most: int | None = None
    #: Whether other categories than these are refused.
    closed: bool = True
    #: Tenths of a point by severity and category, the more special first; empty if unweighed.
    costs: Weights = ()
    #: The cost, in points, that is 0 of 100.
    worst: int = 25

    def get_words(self) -> KindWords:
        """Return the names of severities, of groups of categories and of categories.

        >>> Marks(("minor",), ("style/awkward",)).get_words().names
        {'minor': 'minor', 'style': 'style', 'style/awkward': 'awkward'}
        """
        groups = (category.split("/")[0] for category in self.categories)
        choices = (*self.severities, *groups, *self.categories)
        return KindWords(names={one: one.rpartition("/")[2] for one in choices})

    def check(self, value: object, name: str, texts: Texts) -> list[Answer]:
        """Return the marks in order of place, or say which one is wrong and how."""
        if not isinstance(value, list):
            msg = f"{name} is {value!r}; expected a list of marks, which may be empty."
            raise OptionError(msg)
        if self.most is not None and len(value) > self.most:
            msg = (
                f"{name} holds {len(value)} marks; expected at most {self.most}; "
                "keep the most serious."
            )
            raise OptionError(msg)
        marks = [
            self._check_mark(mark, f"{name}, mark {number}", texts)
            for number, mark in enumerate(value, 1)
        ]
        return sorted(marks, key=lambda one: (one["start"], one["end"], one["side"]))

    def _check_mark(self, mark: object, place: str, texts: Texts) -> Answer:
        if not isinstance(mark, Mapping):
            msg = f"{place} is {mark!r}; expected start, end, severity and so on."
            raise OptionError(msg)
        side = _check_choice(mark.get("side", "output"), _SIDES, f"{place}: the side")
        tidy: Answer = {"side": side, "start": 0, "end": 0}
        if side != OMISSION:
            tidy |= _check_span(mark, place, texts.get(side, ""), side)
        severity, category = mark.get("severity"), mark.get("category")
        what = f"{place}: the severity"
        tidy["severity"] = _check_choice(severity, self.severities, what)
        if self.categories:
            if self.closed or not (isinstance(category, str) and category):
                _check_choice(category, self.categories, f"{place}: the category")
            tidy["category"] = category
        return tidy

    def relax_rules(self) -> Self:
        """Return what other programs allow: any category, any number of marks."""
        return replace(self, most=None, closed=False)

    def scores(self, value: list[Answer], name: str) -> list[ScoreRow]:
        """Return the sum of the costs, if the protocol weighs errors; lower is better."""
        if not self.costs:
            return []
        tenths = sum(
            find_cost(self.costs, mark["severity"], mark.get("category", ""))
            for mark in value
        )
        hundred = 100 * max(0.0, 1 - tenths / (10 * self.worst))
        return [ScoreRow(name, tenths / 10, hundred, False)]

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return marks with places for the words that they quote."""
        if not isinstance(value, list) or not all(isinstance(m, dict) for m in value):
            return value
        located = []
        for mark in value:
            spot: Answer = {"side": OMISSION}
            if not mark.get("missing"):
                spot = {
                    "side": "output",
                    **_locate_quote(mark.get("text"), output, place),
                }
            kept = {key: mark[key] for key in ("severity", "category") if key in mark}
            located.append(spot | kept)
        return located

    def document(self) -> str:
        """Return severities, categories and a table of costs."""
        parts = [f"Severities: {', '.join(self.severities)}."]
        if self.categories:
            parts.append(f"Categories: {', '.join(self.categories)}.")
        if self.costs:
            rows = [
                "| severity | category starts with | penalty |",
                "| :-- | :-- | --: |",
            ]
            rows += [
                f"| {severity or 'any'} | {category or 'any'} | {cost / 10:g} |"
                for severity, category, cost in self.costs
            ]
            parts += ["The first matching line counts:", "\n".join(rows)]
        return "\n\n".join(parts)

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> list[Answer]:
        """Draw marks on single words, more of them where the quality is lower."""
        words = text.split(" ")
        count = int(rng.poisson(max(0.0, 1 - qualities[0]) * 5))
        chosen = rng.permutation(len(words))[: min(count, self.most or 9, len(words))]
        marks = []
        for place in sorted(int(place) for place in chosen):
            start = len(" ".join(words[:place])) + (place > 0)
            if words[place]:
                end = start + len(words[place])
                mark: Answer = {"side": "output", "start": start, "end": end}
                mark["severity"] = self.severities[int(rng.integers(0, 2))]
                if categories := self.categories[:9]:
                    mark["category"] = categories[int(rng.integers(0, len(categories)))]
                marks.append(mark)
        return marks


def _check_choice(value: object, known: tuple[str, ...], what: str) -> str:
    if value not in known:
        msg = f"{what} is {value!r}; expected {', '.join(known[:-1])} or {known[-1]}."
        raise OptionError(msg)
    return str(value)


def _check_span(
    entry: Mapping[str, Any], place: str, text: str, of: str, runs: str = "runs"
) -> dict[str, int]:
    """Return start and end of a span in code points that lies within a text."""
    start, end = entry.get("start"), entry.get("end")
    if type(start) is int and type(end) is int and 0 <= start < end <= len(text):
        return {"start": start, "end": end}
    msg = (
        f"{place} {runs} from {start!r} to {end!r}; expected a non-empty range "
        f"within the {len(text)} characters of the {of}."
    )
    raise OptionError(msg)


def _locate_quote(text: object, output: str, place: str) -> dict[str, int]:
    """Return start and end of quoted words in an output."""
    start = output.find(text) if isinstance(text, str) and text else -1
    if start < 0:
        msg = f"{place} marks {text!r}, which is not in its output."
        raise FormatError(msg)
    return {"start": start, "end": start + len(str(text))}


@dataclass(frozen=True, slots=True)
class SpanTags(QuestionKind):
    """Spans in code points, the end not included, each with its type if there are types."""

    kind: ClassVar[str] = "tags"
    answer: ClassVar[str] = "Spans of the text, with a type if the protocol has types."

    types: tuple[str, ...] = ()

    def get_words(self) -> KindWords:
        """Return the names of the types."""
        return KindWords(names={kind: kind for kind in self.types})

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the tags in order of place, each once."""
        return {"tags": _check_tags(value, name, texts["output"], self.types)}

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return tags with places for the words that they quote."""
        return _locate_tags(value, output, place)

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Tag words with a capital inside the sentence, or long words as terms."""
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
    answer: ClassVar[str] = "The accepted spans, with accepted variants."

    types: tuple[str, ...] = ()
    #: What raters tagged: start, end, type and how many of them did.
    candidates: tuple[tuple[int, int, str, int], ...] = ()
    raters: int = 0
    #: The language by whose rules the metric `entities` will look for them.
    language: str = "en"

    def bind(self, material: Material, document: str, segment: int) -> Self:
        """Return the question with the candidates of a text."""
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

    def extra(self, output: str) -> Answer:
        """Return the candidates with votes and searched forms; never whose they are."""
        names = ("start", "end", "type", "votes")
        listed: list[Answer] = [
            dict(zip(names, candidate, strict=True)) for candidate in self.candidates
        ]
        if self.types:
            normalise = make_normaliser(self.language)
            for candidate in listed:
                text = output[candidate["start"] : candidate["end"]]
                candidate["sought"] = " ".join(normalise(text))
        return {"candidates": listed, "raters": self.raters}

    def build_key(self, texts: Texts) -> Answer:
        """Return the candidates."""
        return {"candidates": list(map(list, self.candidates)), "raters": self.raters}

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the kept tags with the candidates."""
        key = self.find_key(value, name, texts)
        return {"tags": _check_tags(value, name, texts["output"], self.types), KEY: key}

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return tags with places for the words that they quote."""
        return _locate_tags(value, output, place)


def _check_tags(
    value: object, name: str, output: str, types: Sequence[str]
) -> list[Answer]:
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


def _check_tag(tag: object, place: str, output: str, types: Sequence[str]) -> Answer:
    entry = get_table(tag, place, "start and end")
    span = _check_span(entry, place, output, "text")
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


def _locate_tags(value: Any, output: str, place: str) -> Any:
    tags = value.get("tags") if isinstance(value, dict) else None
    if not isinstance(tags, list) or not all(isinstance(tag, dict) for tag in tags):
        return value
    located = []
    for tag in tags:
        kept = {key: entry for key, entry in tag.items() if key != "text"}
        located.append(_locate_quote(tag.get("text"), output, place) | kept)
    return {**value, "tags": located}


@dataclass(frozen=True, slots=True)
class Missed(KeyedKind):
    """For each name the words of the output that stand for it, or none."""

    kind: ClassVar[str] = "missed"
    answer: ClassVar[str] = (
        "For each name, the words that refer to it, or null if it is not in the text."
    )

    #: The names that were not found: type and text.
    names: tuple[tuple[str, str], ...] = ()
    #: The segment of the corpus that they belong to, counted from 1.
    segment: int = 0

    def bind(self, material: Material, document: str, segment: int) -> Self:
        """Return the question with the names that one output lacks."""
        cases = material.get("cases", [])
        if segment >= len(cases):
            return self
        names = tuple((kind, text) for kind, text in cases[segment]["missed"])
        return replace(self, names=names, segment=cases[segment]["segment"])

    def extra(self, output: str) -> Answer:
        """Return the names."""
        return {"names": [{"type": kind, "text": text} for kind, text in self.names]}

    def build_key(self, texts: Texts) -> Answer:
        """Return the names and their segment."""
        return {"names": list(map(list, self.names)), "segment": self.segment}

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the places with the names."""
        key = self.find_key(value, name, texts)
        listed = get_table(value, name, "found").get("found")
        count = len(key["names"])
        if not isinstance(listed, list) or len(listed) != count:
            msg = (
                f"{name}: found is {listed!r}; expected "
                f"{format_count(count, 'span')}, null for a name that is not in the "
                "text."
            )
            raise OptionError(msg)
        output = texts["output"]
        places: list[Answer | None] = []
        for number, entry in enumerate(listed, 1):
            if entry is None:
                places.append(None)
                continue
            place = f"{name}, name {number}"
            table = get_table(entry, place, "start and end")
            span = _check_span(table, place, output, "text", "is marked")
            places.append({**span, "text": output[span["start"] : span["end"]]})
        return {"found": places, KEY: key}

    def locate_quotes(self, value: Any, output: str, place: str) -> Any:
        """Return the places of quoted names; an empty quotation is a missing name."""
        if not isinstance(value, dict) or not isinstance(value.get("found"), list):
            return value
        spans = [
            _locate_quote(text, output, place) if text else None
            for text in value["found"]
        ]
        return {**value, "found": spans}

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Call a random word a form of the name now and then."""
        spans = find_words(text)
        places: list[dict[str, int] | None] = []
        for _ in self.names:
            if not spans or rng.random() < 0.7:
                places.append(None)
            else:
                span = spans[int(rng.integers(0, len(spans)))]
                places.append({"start": span.start, "end": span.end})
        return {"found": places}


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
