"""Terminology: the share of required terms that the output contains."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Literal, NamedTuple

import numpy as np

from metra.corpus.batch import Batch
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.table import PlacedAnnotations, Term, read_terms
from metra.formats.stream import compute_file_version
from metra.metrics import record
from metra.metrics.options import Case
from metra.metrics.record import AnyBatch, Array, Metric, metric_factory
from metra.metrics.units import Detail, check_places, list_annotations
from metra.text.columns import pack
from metra.text.normalisation import contains_words
from metra.text.preparation import Preparation, make_preparation, prepare

COLUMNS = ("right", "by_variant", "due")


@metric_factory(title="Terminology", papers="dabbadie2002")
def terminology(
    *,
    file: str = "",
    unit: Literal["segment", "document"] = "segment",
    variants: bool = True,
    inside: bool = False,
    tok: str = "intl",
    case: Case = "lower",
    stem: str = "no",
    source_stem: str = "no",
) -> Metric:
    """Share of required terms that the output contains. Higher is better.

    100 · correct / required. A term is required in the segments that the file names, or
    whose source contains the source term; with unit=document, it is required once in
    each document that the file names or whose source contains the source term. It is
    correct if its words are adjacent in the output. If no term is required, there is no
    score.

    The file is a tab-separated table with the column term and optionally variants
    (separated by |), source, and segment (counted from 1) or document:

        term       variants              source
        brake pad  pad|brake pads        plaquette

    Metric A5b of the ISLE workbook (Dabbadie et al. 2002), where exact terms count.

    Options:
        file: table of terms.
        unit: unit in which a term is required once and may occur anywhere; without
            document ids the whole text is one document.
        variants: whether variants count as correct.
        inside: whether a term counts inside longer words, as written: in German,
            Bremsscheibe contains Scheibe unless letter case counts.
        tok: tokeniser for text and terms.
        case: mixed keeps letter case, lower ignores it; in the source it is always
            ignored.
        stem: compare stems of output and terms: no, porter, or a Snowball language.
        source_stem: compare stems of source and source terms, with the same values.
    """
    if not file:
        msg = "terminology needs a table of terms; give file=FILE."
        raise OptionError(msg)
    terms = read_terms(file)
    text = make_preparation(tok=tok, case=case, stem=stem)
    source = make_preparation(tok=tok, case="lower", stem=source_stem)
    everywhere = [term for term in terms.everywhere if not term.source]
    by_document = [term for listed in terms.documents.values() for term in listed]
    if unit == "segment" and (everywhere or by_document):
        msg = (
            f"terminology: {file} does not say in which segments "
            f"{[*everywhere, *by_document][0].term!r} is required; add a column "
            "segment or source, or give unit=document."
        )
        raise OptionError(msg)
    checker = _TermChecker(terms, unit, text, source, variants, inside)
    metric = Metric(
        name="terminology",
        columns=COLUMNS,
        rows=checker.rows,
        aggregate=aggregate,
        parts=partial(record.name_columns, columns=COLUMNS),
        needs=record.select_needs(
            source=any(term.source for term in terms.everywhere),
            whole_documents=unit == "document",
        ),
        settled={
            "file": compute_file_version(file),
            **text.versions(),
            "source_stem": source.versions()["stem"],
        },
        notes=record.Notes(details=checker.details),
    )
    return record.check_on_fit(metric, partial(_check_placement, terms, everywhere))


def aggregate(totals: Array) -> Array:
    """Right per hundred required terms; NaN of none."""
    return record.compute_share(totals[..., 0], totals[..., 2])


def _check_placement(
    terms: PlacedAnnotations[Term], everywhere: Sequence[Term], batches: Iterable[Batch]
) -> None:
    """Refuse terms of unknown segments and documents, or of one of several."""
    documents = check_places(terms, batches)
    if everywhere and len(documents) > 1:
        msg = (
            f"{terms.path} does not say in which of the {len(documents)} documents "
            f"{everywhere[0].term!r} is required; add a column document, segment or "
            "source."
        )
        raise CorpusError(msg)


class _Form(NamedTuple):
    """A term or a text as its words and, where that matters, as it is written."""

    words: list[str]
    written: str


@dataclass(slots=True)
class _TermChecker:
    """Every term cut into words: which of them are due where, and whether they are there."""

    terms: PlacedAnnotations[Term]
    unit: str
    text: Preparation
    source: Preparation
    variants: bool
    inside: bool
    #: The forms of each term: itself, then its variants.
    forms: dict[Term, list[_Form]] = field(default_factory=dict)
    #: The source's terms by their first word.
    by_first: dict[str, list[tuple[list[str], Term]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        terms, everywhere = self.terms, set(self.terms.everywhere)
        groups = [terms.everywhere, *terms.segments.values(), *terms.documents.values()]
        for term in dict.fromkeys(term for group in groups for term in group):
            forms = [
                self._make_form(_split_words(form, self.text, terms.path), form)
                for form in (term.term, *term.variants)
            ]
            self.forms[term] = forms if self.variants else forms[:1]
            if term.source:
                words = _split_words(term.source, self.source, terms.path)
                if term in everywhere:
                    self.by_first.setdefault(words[0], []).append((words, term))

    def rows(self, batch: AnyBatch) -> Array:
        """Right, right by a variant and due, for each segment."""
        table = np.zeros((len(batch), len(COLUMNS)))
        for segment, _, form in self._check_terms(batch):
            table[segment] += form is not None, bool(form), 1
        return table

    def details(self, batch: AnyBatch) -> list[Detail]:
        """The missing terms."""
        return [
            Detail(
                at, "missing", term.term, {"source": term.source} if term.source else {}
            )
            for at, term, form in self._check_terms(batch)
            if form is None
        ]

    def _check_terms(self, batch: AnyBatch) -> Iterator[tuple[int, Term, int | None]]:
        """Give each required term, and which of its forms the output has, if any."""
        hyps, texts = batch.hyps.tokens(self.text), batch.hyps.text
        source = batch.source.tokens(self.source) if batch.source else None
        everywhere = self.terms.everywhere if self.unit == "document" else ()
        for segments, entries in list_annotations(self.terms, batch, self.unit):
            if source is not None:
                for segment in segments:
                    terms = self._find_in_source(source[segment] or [])
                    entries += [(segment, term) for term in terms]
            entries.sort(key=itemgetter(0))
            entries += [
                (segments.start, term) for term in everywhere if not term.source
            ]
            due: dict[Term, int] = {}
            for segment, term in entries:
                due.setdefault(term, segment)
            if due:
                outputs = [
                    self._make_form(hyps[segment] or [], texts[segment] or "")
                    for segment in segments
                ]
                for term, segment in due.items():
                    forms = enumerate(self.forms[term])
                    is_in = (n for n, form in forms if self._is_in(form, outputs))
                    yield segment, term, next(is_in, None)

    def _find_in_source(self, words: list[str]) -> Iterable[Term]:
        """Find the terms whose source's term a source sentence has, each once."""
        return dict.fromkeys(
            term
            for position, word in enumerate(words)
            for form, term in self.by_first.get(word, ())
            if words[position : position + len(form)] == form
        )

    def _make_form(self, words: list[str], written: str) -> _Form:
        """Keep words, and what was written, for terms inside of words."""
        is_folded = self.text.case == "lower"
        return _Form(words, written.casefold() if is_folded else written)

    def _is_in(self, form: _Form, outputs: Sequence[_Form]) -> bool:
        return any(
            contains_words(form.words, output.words)
            or (self.inside and form.written in output.written)
            for output in outputs
        )


def _split_words(form: str, text: Preparation, path: str) -> list[str]:
    words = prepare(pack([form], "the term"), text)[0]
    if not words:
        msg = f"terminology: {path} lists {form!r}, which contains no word."
        raise OptionError(msg)
    return words
