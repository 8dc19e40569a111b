"""Names that came through: of those in the reference, how many the output has."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from functools import partial as bind
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from metra.corpus.batch import Batch, Sentence
from metra.errors import MissingResourceError, OptionError
from metra.formats.annotations.entities import Entity, read_entities
from metra.formats.stream import compute_file_version
from metra.metrics.record import (
    Array,
    Detail,
    Metric,
    Parts,
    check_on_fit,
    compute_share,
    metric_factory,
)
from metra.metrics.units import check_places, list_units
from metra.text.normalisation import contains_words, make_normaliser
from metra.text.resources import get_model_version, load_spacy_model


@metric_factory
def entities(
    *,
    file: str = "",
    model: str = "",
    unit: Literal["segment", "document"] = "segment",
    lang: str = "en",
    partial: bool = False,
) -> Metric:
    """Share of the reference's names that the output has. Higher is better.

    100 · found / listed. The names of persons, places, organisations, dates, amounts and
    the like are listed in a file or found in the first reference by a spaCy model. In
    each segment, or in each document, a name counts once. It is found if its words stand
    next to each other in the output, after accents, letter case, possessives ('s) and
    thousands separators are taken off and numbers under 100 are written in digits.
    Where no name is listed there is no score. The column variants of a table may hold
    other forms that will do, | between them.

    The file is a table whose name ends in .tsv, with the columns segment (counted from 1)
    or document, type and text, tabs between them:

        segment  type    text
        6        PERSON  Hélène Castagnier

    or the reference itself with its names marked, a line a segment, as in

        says [[Hélène Castagnier|PERSON]], whose family has sold here since [[1956|DATE]]

    Reeder, Miller, Doyon and White 2001, "The naming of things and the confusion of
    tongues: an MT metric"; metric A3 of the ISLE workbook (Dabbadie et al. 2002).

    Options:
        file: the names: a table (.tsv) or a text with the names marked.
        model: a spaCy model with which to find the names instead: its name or folder.
        unit: where a name counts once, and where the output may have it; without known
            documents all is one document.
        lang: the language of output and reference, for letter case (tr), separators and
            number words (en, fr, de, es).
        partial: give the part `partial` too: names count by the share of their words
            that the output has, in any order.
    """
    if bool(file) == bool(model):
        msg = (
            "entities needs to know the names: give file=FILE, a table of them or the "
            "reference with its names marked, or model=NAME, a spaCy model; one of them."
        )
        raise OptionError(msg)
    expected = _load_file(file, unit, lang) if file else _load_model(model, unit, lang)
    metric = Metric(
        name="entities",
        columns=("overlap", *(f"{c}:{t}" for t in expected.types for c in _COUNTS)),
        rows=bind(rows, expected=expected, lang=lang),
        aggregate=aggregate,
        parts=bind(parts, types=expected.types, with_partial=partial),
        details=bind(details, expected=expected, lang=lang),
        needs_reference=bool(model),
        whole_documents=unit == "document",
        settled={"model": load_finder(model).version, "file": "none"}
        if model
        else {"file": compute_file_version(file), "model": "none"},
    )
    return check_on_fit(metric, expected.check) if expected.check else metric


_COUNTS = ("found", "listed")


def rows(batch: Batch | Sentence, *, expected: "_NameList", lang: str) -> Array:
    """Overlap, then found and listed of each type, for each segment."""
    column = {kind: 1 + 2 * place for place, kind in enumerate(expected.types)}
    table = np.zeros((len(batch), 1 + 2 * len(column)))
    for name, is_found, overlap in _check_names(batch, expected, lang):
        first = column[name.entity.type]
        table[name.segment, 0] += overlap
        table[name.segment, first] += is_found
        table[name.segment, first + 1] += 1
    return table


def aggregate(totals: Array) -> Array:
    """Found per hundred listed; NaN where none is listed."""
    return compute_share(totals[..., 1::2].sum(-1), totals[..., 2::2].sum(-1))


def parts(totals: Array, *, types: Sequence[str], with_partial: bool) -> Parts:
    """Counts over all types and of each, and its score where it has one."""
    found, listed = totals[1::2], totals[2::2]
    pieces: Parts = {"found": float(found.sum()), "listed": float(listed.sum())}
    if with_partial and listed.sum():
        pieces["partial"] = float(100 * totals[0] / listed.sum())
    for kind, hits, names in zip(types, found.tolist(), listed.tolist(), strict=True):
        pieces[f"{kind}_found"], pieces[f"{kind}_listed"] = hits, names
        if names:
            pieces[kind] = 100 * hits / names
    return pieces


def details(
    batch: Batch | Sentence, *, expected: "_NameList", lang: str
) -> list[Detail]:
    """The names that the output lacks, or has but in part."""
    return [
        Detail(
            name.segment,
            "partly there" if overlap else "missing",
            name.entity.text,
            {"type": name.entity.type},
        )
        for name, is_found, overlap in _check_names(batch, expected, lang)
        if not is_found
    ]


class ExpectedName(NamedTuple):
    """A name with its words as they are compared, and the segment that it is listed in."""

    entity: Entity
    words: tuple[str, ...]
    segment: int
    #: Other forms that will do.
    others: tuple[tuple[str, ...], ...] = ()

    def within(self, output: Sequence[str]) -> bool:
        """Whether the output has it, in one form or another."""
        return any(contains_words(form, output) for form in (self.words, *self.others))


#: The names of each unit of a batch, with the segments of the unit.
Units: TypeAlias = Iterator[tuple[list[ExpectedName], range]]


@dataclass(frozen=True, slots=True)
class _NameList:
    types: Sequence[str]
    units: Callable[[Batch | Sentence], Units]
    check: Callable[[Iterable[Batch]], None] | None = None


def _load_file(path: str, unit: str, lang: str) -> _NameList:
    annotated = read_entities(path)
    if annotated.documents and unit == "segment":
        msg = (
            f"entities: {path} says to which documents names belong, but not to which "
            "segments; give unit=document."
        )
        raise OptionError(msg)
    normalise = make_normaliser(lang)
    groups = [*annotated.segments.values(), *annotated.documents.values()]
    for entity in (entity for group in groups for entity in group):
        if not normalise(entity.text):
            msg = f"entities: {path} lists {entity.text!r}, which has no word in it."
            raise OptionError(msg)

    def expect(entity: Entity, segment: int) -> ExpectedName:
        others = (normalise(form) for form in entity.variants)
        return ExpectedName(
            entity, normalise(entity.text), segment, tuple(filter(None, others))
        )

    def names(
        batch: Batch | Sentence, segments: range, document: str
    ) -> Iterator[ExpectedName]:
        for entity in annotated.documents.get(document, ()):
            yield expect(entity, segments.start)
        for segment in segments:
            for entity in annotated.segments.get(batch.place.first + segment, ()):
                yield expect(entity, segment)

    def units(batch: Batch | Sentence) -> Units:
        for document, segments in list_units(batch, unit):
            yield list(names(batch, segments, document)), segments

    types = sorted({entity.type for group in groups for entity in group})
    return _NameList(types, units, bind(check_places, annotated))


def _load_model(model: str, unit: str, lang: str) -> _NameList:
    finder = load_finder(model)
    normalise = make_normaliser(lang)

    def units(batch: Batch | Sentence) -> Units:
        texts = [_first_reference(batch, segment) for segment in range(len(batch))]
        names = [
            [
                ExpectedName(entity, normalise(entity.text), segment)
                for entity in entities
            ]
            for segment, entities in enumerate(finder.find(texts))
        ]
        for _, segments in list_units(batch, unit):
            yield (
                [name for segment in segments for name in names[segment] if name.words],
                segments,
            )

    return _NameList(finder.types, units)


def _first_reference(batch: Batch | Sentence, segment: int) -> str:
    texts = (ref.text[segment] for ref in batch.refs)
    return next((text for text in texts if text is not None), "")


def _check_names(
    batch: Batch | Sentence, expected: _NameList, lang: str
) -> Iterator[tuple[ExpectedName, bool, float]]:
    """Give each name that counts, whether it was found, and how much of it."""
    normalise = make_normaliser(lang)
    hyps = batch.hyps.text
    for names, segments in expected.units(batch):
        if not names:
            continue
        outputs = [normalise(hyps[segment] or "") for segment in segments]
        for name in _merge_names(names):
            is_found = any(map(name.within, outputs))
            overlaps = (_compute_overlap(name.words, output) for output in outputs)
            yield name, is_found, 1.0 if is_found else max(overlaps)


def _merge_names(names: Iterable[ExpectedName]) -> Iterable[ExpectedName]:
    """Each name once, where it first stands, with all its other forms."""
    kept: dict[tuple[str, tuple[str, ...]], ExpectedName] = {}
    for name in names:
        key = name.entity.type, name.words
        first = kept.get(key, name)
        others = first.others if first is name else (*first.others, *name.others)
        kept[key] = first._replace(others=others)
    return kept.values()


def _compute_overlap(words: Sequence[str], output: Sequence[str]) -> float:
    """Share of the words that the output has, each as often as it has it."""
    return (Counter(words) & Counter(output)).total() / len(words)


class EntityFinder:
    """A spaCy model that finds names: which types it knows, and its version."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._lock = Lock()  # a pipeline keeps state while it works
        finders = (pipeline.get_pipe(name) for name in _list_finders(pipeline))
        self.types = sorted({label for finder in finders for label in finder.labels})
        self.version = get_model_version(pipeline)

    def find(self, texts: Iterable[str]) -> list[list[Entity]]:
        """Find the names of every text."""
        with self._lock:
            docs = self._pipeline.pipe(texts)
            return [
                [Entity(name.label_, name.text) for name in doc.ents] for doc in docs
            ]


@lru_cache(maxsize=8)
def load_finder(model: str) -> EntityFinder:
    """Load a model by its package's name or its folder."""
    pipeline = load_spacy_model(model, owner="entities", extra="ner")
    if not _list_finders(pipeline):
        msg = f"The spaCy model {model!r} finds no names; choose one that has 'ner'."
        raise MissingResourceError(msg)
    return EntityFinder(pipeline)


def _list_finders(pipeline: Any) -> list[str]:
    return [name for name in pipeline.pipe_names if name in ("ner", "entity_ruler")]
