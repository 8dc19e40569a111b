"""Names that came through: of those in the reference, how many the output has."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from metra.corpus.batch import Batch
from metra.errors import MissingResourceError, OptionError
from metra.formats.annotations.table import Entity, read_entities
from metra.formats.resources import load_spacy_model
from metra.formats.stream import compute_file_version
from metra.metrics import record
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.metrics.units import Detail, check_places, list_annotations, list_units
from metra.text.normalisation import contains_words, make_normaliser


@metric_factory(title="Entities", papers="reeder2001")
def entities(
    *,
    file: str = "",
    model: str = "",
    unit: Literal["segment", "document"] = "segment",
    lang: str = "en",
) -> Metric:
    """Share of the reference's named entities that the output contains. Higher is better.

    100 · found / listed. The names of persons, places, organisations, dates, amounts
    and similar are listed in a file, or a spaCy model finds them in the first
    reference. A name counts once per segment or document. It is found if its words are
    adjacent in the output, after accents, letter case, possessives ('s) and thousands
    separators are removed and numbers below 100 are converted to digits. If no name is
    listed, there is no score. In the part `partial` a name counts by the share of its
    words that the output contains, in any order. The column variants of a table may
    list other accepted forms, separated by |.

    The file is a table whose name ends in .tsv, with the columns segment (counted from
    1) or document, type and text, separated by tabs:

        segment  type    text
        6        PERSON  Hélène Castagnier

    or the reference itself with marked names, one segment per line, as in

        says [[Hélène Castagnier|PERSON]], whose family has sold here since [[1956|DATE]]

    Reeder, Miller, Doyon and White 2001, "The naming of things and the confusion of
    tongues: an MT metric"; metric A3 of the ISLE workbook (Dabbadie et al. 2002).

    Options:
        file: names: a table (.tsv) or a text with marked names.
        model: spaCy model, by name or folder, that finds the names; replaces file.
        unit: unit in which a name counts once and may occur anywhere; without document
            ids the whole text is one document.
        lang: language of output and reference, for letter case (tr), separators and
            number words (en, fr, de, es).
    """
    if bool(file) == bool(model):
        msg = (
            "entities needs named entities; give either file=FILE (a table, or the "
            "reference with its names marked) or model=NAME (a spaCy model)."
        )
        raise OptionError(msg)
    expected = _load_file(file, unit, lang) if file else _load_model(model, unit)
    metric = Metric(
        name="entities",
        columns=("overlap", *(f"{c}:{t}" for t in expected.types for c in _COUNTS)),
        rows=partial(rows, expected=expected, lang=lang),
        aggregate=aggregate,
        parts=partial(parts, types=expected.types),
        needs=record.select_needs(
            references=bool(model), whole_documents=unit == "document"
        ),
        settled=expected.settled,
        notes=record.Notes(details=partial(details, expected=expected, lang=lang)),
    )
    return record.check_on_fit(metric, expected.check) if expected.check else metric


_COUNTS = ("found", "listed")


def rows(batch: AnyBatch, *, expected: "_NameList", lang: str) -> Array:
    """Overlap, then found and listed of each type, for each segment."""
    column = {kind: 1 + 2 * place for place, kind in enumerate(expected.types)}
    table = np.zeros((len(batch), 1 + 2 * len(column)))
    for name, is_found, overlap in _check_names(batch, expected, lang):
        first = column[name.type]
        table[name.segment, 0] += overlap
        table[name.segment, first] += is_found
        table[name.segment, first + 1] += 1
    return table


def aggregate(totals: Array) -> Array:
    """Found per hundred listed; NaN where none is listed."""
    return record.compute_share(totals[..., 1::2].sum(-1), totals[..., 2::2].sum(-1))


def parts(totals: Array, *, types: Sequence[str]) -> Parts:
    """Counts over all types and of each, and its score where it has one."""
    hits, listed = totals[1::2], totals[2::2]
    pieces: Parts = {"found": float(hits.sum()), "listed": float(listed.sum())}
    if listed.sum():
        pieces["partial"] = float(100 * totals[0] / listed.sum())
    for kind, right, names in zip(types, hits.tolist(), listed.tolist(), strict=True):
        pieces[f"{kind}_found"], pieces[f"{kind}_listed"] = right, names
        if names:
            pieces[kind] = 100 * right / names
    return pieces


def details(batch: AnyBatch, *, expected: "_NameList", lang: str) -> list[Detail]:
    """The names that the output lacks, or has but in part."""
    return [
        Detail(segment, "partly there" if overlap else "missing", text, {"type": kind})
        for (kind, text, segment, _), is_found, overlap in _check_names(
            batch, expected, lang
        )
        if not is_found
    ]


class _ExpectedName(NamedTuple):
    """A name, the segment that it is listed in, and its forms as they are compared."""

    type: str
    text: str
    segment: int
    #: Its words, then other forms that will do.
    forms: list[tuple[str, ...]]


#: The segments of each unit of a batch, and the names that are listed at which of them.
Units: TypeAlias = Iterator[tuple[range, list[tuple[int, Entity]]]]


class _NameList(NamedTuple):
    types: Sequence[str]
    units: Callable[[AnyBatch], Units]
    settled: dict[str, str]
    check: Callable[[Iterable[Batch]], object] | None = None


def _load_file(path: str, unit: str, lang: str) -> _NameList:
    annotated = read_entities(path)
    if annotated.documents and unit == "segment":
        msg = (
            f"entities: {path} gives the documents of names, but not the segments; "
            "give unit=document."
        )
        raise OptionError(msg)
    normalise = make_normaliser(lang)
    groups = [*annotated.segments.values(), *annotated.documents.values()]
    types = set()
    for entity in (entity for group in groups for entity in group):
        types.add(entity.type)
        if not normalise(entity.text):
            msg = f"entities: {path} lists {entity.text!r}, which contains no word."
            raise OptionError(msg)
    return _NameList(
        sorted(types),
        lambda batch: list_annotations(annotated, batch, unit),
        {"file": compute_file_version(path), "model": "none"},
        partial(check_places, annotated),
    )


def _load_model(model: str, unit: str) -> _NameList:
    loaded = load_spacy_model(model, owner="entities", extra="ner")
    finders = [
        name for name in ("ner", "entity_ruler") if name in loaded.pipeline.pipe_names
    ]
    if not finders:
        msg = f"The spaCy model {model!r} finds no names; choose one that has 'ner'."
        raise MissingResourceError(msg)
    pipes = map(loaded.pipeline.get_pipe, finders)

    def units(batch: AnyBatch) -> Units:
        columns = [ref.text for ref in batch.refs]
        each = ([text[index] for text in columns] for index in range(len(batch)))
        first = [next((t for t in texts if t is not None), "") for texts in each]
        names = loaded.read(
            first, lambda doc: [Entity(name.label_, name.text) for name in doc.ents]
        )
        for _, segments in list_units(batch, unit):
            yield segments, [(at, entity) for at in segments for entity in names[at]]

    return _NameList(
        sorted({label for pipe in pipes for label in pipe.labels}),
        units,
        {"model": loaded.version, "file": "none"},
    )


def _check_names(
    batch: AnyBatch, expected: _NameList, lang: str
) -> Iterator[tuple[_ExpectedName, bool, float]]:
    """Give each name that counts, whether it was found, and how much of it.

    Each name counts once in a unit, where it first stands, with all its other forms.
    """
    normalise, hyps = make_normaliser(lang), batch.hyps.text
    for segments, entries in expected.units(batch):
        names: dict[tuple[str, tuple[str, ...]], _ExpectedName] = {}
        for segment, (kind, text, variants) in entries:
            words = normalise(text)
            if words:
                name = _ExpectedName(kind, text, segment, [words])
                forms = names.setdefault((kind, words), name).forms
                forms += filter(None, map(normalise, variants))
        if not names:
            continue
        outputs = [normalise(hyps[segment] or "") for segment in segments]
        for (_, words), name in names.items():
            is_found = any(
                contains_words(form, output)
                for form in name.forms
                for output in outputs
            )
            overlap = 1.0
            # Of its words, as many as an output has, as often as it has.
            if not is_found:
                common = (Counter(words) & Counter(output) for output in outputs)
                overlap = max(count.total() for count in common) / len(words)
            yield name, is_found, overlap
