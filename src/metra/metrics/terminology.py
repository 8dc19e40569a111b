"""Terms that are right: of those that are due, how many the output has."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from metra.corpus.batch import Batch, SegmentColumn, Sentence
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.table import PlacedAnnotations
from metra.formats.annotations.terms import Term, read_terms
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
from metra.text.columns import pack
from metra.text.normalisation import contains_words
from metra.text.preparation import Preparation, make_preparation, prepare


@metric_factory
def terminology(
    *,
    file: str = "",
    unit: Literal["segment", "document"] = "segment",
    variants: bool = True,
    inside: bool = False,
    tok: str = "intl",
    case: Literal["mixed", "lower"] = "lower",
    stem: str = "no",
    source_stem: str = "no",
) -> Metric:
    """Share of the terms that are due which the output has. Higher is better.

    100 · right / due. A term is due in the segments that the file names, or whose source
    has the source's term; by document, it is due once in each document that the file
    names or whose source has the source's term. It is right if its words stand next to
    each other there in the output. Where no term is due there is no score.

    The file is a table with the column term and, if you like, variants (with | between
    them), source, and segment (counted from 1) or document; tabs between the columns:

        term       variants              source
        brake pad  pad|brake pads        plaquette

    Metric A5b of the ISLE workbook (Dabbadie et al. 2002), where exact terms count.

    Options:
        file: the table of terms.
        unit: where a term is due once, and where the output may have it; without known
            documents all is one document.
        variants: whether variants are right, too.
        inside: whether a term is right inside of longer words, too, as written: in German,
            Bremsscheibe has Scheibe in it unless letter case counts.
        tok: how text and terms are cut into words.
        case: whether letter case counts; of the source it never does.
        stem: compare stems of output and terms: no, porter, or a Snowball language.
        source_stem: the same for the source and its terms.
    """
    if not file:
        msg = "terminology needs to know the terms: give file=FILE, a table of them."
        raise OptionError(msg)
    terms = read_terms(file)
    text = make_preparation(tok=tok, case=case, stem=stem)
    source = make_preparation(tok=tok, case="lower", stem=source_stem)
    everywhere = [term for term in terms.everywhere if not term.source]
    if unit == "segment" and (terms.documents or everywhere):
        lone = next(
            iter([*everywhere, *(t for d in terms.documents.values() for t in d)])
        )
        msg = (
            f"terminology: {file} does not say in which segments {lone.term!r} is due; "
            "give a column segment or source, or unit=document."
        )
        raise OptionError(msg)
    due = _RequiredTerms(
        terms, unit, _Lexicon(terms, text, source, variants=variants, inside=inside)
    )
    versions = text.versions()
    metric = Metric(
        name="terminology",
        columns=("right", "by_variant", "due"),
        rows=due.rows,
        aggregate=aggregate,
        parts=parts,
        details=due.details,
        needs_reference=False,
        needs_source=any(term.source for term in terms.everywhere),
        whole_documents=unit == "document",
        settled={
            "file": compute_file_version(file),
            **versions,
            "source_stem": source.versions()["stem"],
        },
    )
    return check_on_fit(metric, partial(_check_placement, terms, everywhere))


def aggregate(totals: Array) -> Array:
    """Right per hundred that are due; NaN where none is."""
    return compute_share(totals[..., 0], totals[..., 2])


def parts(totals: Array) -> Parts:
    """How many are right, how many of these by a variant, how many are due."""
    right, by_variant, due = totals.tolist()
    return {"right": right, "by_variant": by_variant, "due": due}


def _check_placement(
    terms: PlacedAnnotations[Term], everywhere: Sequence[Term], batches: Iterable[Batch]
) -> None:
    """Refuse terms of segments and documents that are not there, or of one of several."""
    seen: set[str] = set()

    def note_documents() -> Iterator[Batch]:
        for batch in batches:
            seen.update(batch.place.documents or ())
            yield batch

    check_places(terms, note_documents())
    if everywhere and len(seen) > 1:
        msg = (
            f"{terms.path} does not say in which of the {len(seen)} documents "
            f"{everywhere[0].term!r} is due; give a column document, segment or source."
        )
        raise CorpusError(msg)


class _Form(NamedTuple):
    """A term or a text as its words and, where that matters, as it is written."""

    words: list[str]
    written: str


class _Forms(NamedTuple):
    """A term, its variants, and the words of the source's term."""

    term: _Form
    variants: list[_Form]
    source: list[str]


class _Lexicon:
    """Every term cut into words, and the source's terms by their first word."""

    def __init__(
        self,
        terms: PlacedAnnotations[Term],
        text: Preparation,
        source: Preparation,
        *,
        variants: bool,
        inside: bool,
    ) -> None:
        self._inside = inside
        self.text = text
        self.source = source
        groups = [terms.everywhere, *terms.segments.values(), *terms.documents.values()]
        self.forms: dict[Term, _Forms] = {}
        self._by_first: dict[str, list[Term]] = {}
        for term in dict.fromkeys(term for group in groups for term in group):
            form, *others = [
                self.form(_split_words(form, text, terms.path), form)
                for form in (term.term, *term.variants)
            ]
            own = _split_words(term.source, source, terms.path) if term.source else []
            self.forms[term] = _Forms(form, others if variants else [], own)
        for term in dict.fromkeys(terms.everywhere):
            if term.source:
                first = self.forms[term].source[0]
                self._by_first.setdefault(first, []).append(term)

    def in_source(self, words: list[str]) -> Iterator[Term]:
        """Give the terms whose source's term a source sentence has, each once."""
        seen = set()
        for position, word in enumerate(words):
            for term in self._by_first.get(word, ()):
                form = self.forms[term].source
                if term not in seen and words[position : position + len(form)] == form:
                    seen.add(term)
                    yield term

    def form(self, words: list[str], written: str) -> _Form:
        """Keep words, and what was written if terms may stand inside of words."""
        if not self._inside:
            return _Form(words, "")
        return _Form(
            words, written.casefold() if self.text.case == "lower" else written
        )

    def judge(self, term: Term, outputs: Sequence[_Form]) -> tuple[bool, bool]:
        """Tell whether the term is there, and whether a variant is there instead."""
        forms = self.forms[term]
        if self._is_in(forms.term, outputs):
            return True, False
        return False, any(self._is_in(form, outputs) for form in forms.variants)

    def _is_in(self, form: _Form, outputs: Sequence[_Form]) -> bool:
        return any(
            contains_words(form.words, output.words)
            or (self._inside and form.written in output.written)
            for output in outputs
        )


def _split_words(form: str, text: Preparation, path: str) -> list[str]:
    words = prepare(pack([form], "the term"), text)[0]
    if not words:
        msg = f"terminology: {path} lists {form!r}, which has no word in it."
        raise OptionError(msg)
    return words


@dataclass(frozen=True, slots=True)
class _RequiredTerms:
    """Which terms are due where, and whether they are there."""

    terms: PlacedAnnotations[Term]
    unit: str
    lexicon: _Lexicon

    def rows(self, batch: Batch | Sentence) -> Array:
        """Right, right by a variant and due, for each segment."""
        table = np.zeros((len(batch), 3))
        for segment, _, exact, variant in self._check_terms(batch):
            table[segment] += exact or variant, variant, 1
        return table

    def details(self, batch: Batch | Sentence) -> list[Detail]:
        """The terms that are missing."""
        return [
            Detail(
                segment,
                "missing",
                term.term,
                {"source": term.source} if term.source else {},
            )
            for segment, term, exact, variant in self._check_terms(batch)
            if not (exact or variant)
        ]

    def _check_terms(
        self, batch: Batch | Sentence
    ) -> Iterator[tuple[int, Term, bool, bool]]:
        hyps = _make_reader(batch.hyps, self.lexicon.text)
        source = (
            _make_reader(batch.source, self.lexicon.source) if batch.source else None
        )
        for document, segments in list_units(batch, self.unit):
            due: dict[Term, int] = {}
            for term in self.terms.documents.get(document, ()):
                due.setdefault(term, segments.start)
            for segment in segments:
                for term in self._list_terms(batch, segment, source):
                    due.setdefault(term, segment)
            if self.unit == "document":
                for term in self.terms.everywhere:
                    if not term.source:
                        due.setdefault(term, segments.start)
            if due:
                outputs = [
                    self.lexicon.form(hyps(segment), batch.hyps.text[segment] or "")
                    for segment in segments
                ]
                for term, segment in due.items():
                    yield segment, term, *self.lexicon.judge(term, outputs)

    def _list_terms(
        self,
        batch: Batch | Sentence,
        segment: int,
        source: Callable[[int], list[str]] | None,
    ) -> Iterator[Term]:
        yield from self.terms.segments.get(batch.place.first + segment, ())
        if source:
            yield from self.lexicon.in_source(source(segment))


def _make_reader(
    column: SegmentColumn, text: Preparation
) -> Callable[[int], list[str]]:
    tokens = column.tokens(text)
    return lambda segment: tokens[segment] or []
